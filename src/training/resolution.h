/* SPDX-License-Identifier: Apache-2.0
 *
 * resolution.h - how fine a network the data ask for.
 *
 * Along a periodic coordinate the waves of the initial values say which frequencies the network should read: up to
 * their root mean square. The network makes shorter ones itself, by products, and better than it keeps those quiet that
 * it reads and does not need. An equation without products makes no new waves, and its network reads no more than the
 * data have. Thin fronts (sharpness.h) want a wider network. What the text states stays.
 */
#ifndef TRAINING_RESOLUTION_H
#define TRAINING_RESOLUTION_H

#include "training/windows.h"

/* The network of a window whose initial values are known. */
window_network resolution_of(const ans_instance *instance, const window *window, network_wish wish);

#endif
