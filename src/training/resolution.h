/* SPDX-License-Identifier: Apache-2.0
 *
 * resolution.h - how fine a network the data ask for.
 *
 * Along a periodic coordinate the waves of the initial values say which frequencies the network should read: fewer than
 * it needs it has to make itself, by products; more than there are it has to keep quiet, which is hard where high
 * derivatives make them loud. An equation without products makes no new waves. What the text states stays.
 */
#ifndef TRAINING_RESOLUTION_H
#define TRAINING_RESOLUTION_H

#include "training/windows.h"

/* The network of a window whose initial values are known; finer: 0, or how often it is made finer. */
window_network resolution_of(const ans_instance *instance, const window *window, int finer);

#endif
