/* SPDX-License-Identifier: Apache-2.0
 *
 * resolution.h - how fine a network the data ask for.
 */
#ifndef TRAINING_RESOLUTION_H
#define TRAINING_RESOLUTION_H

#include "training/windows.h"

/* The network of the next window: as many Fourier features as its initial values have waves, and some for those that
 * products make of them; `finer`: how often both, and the width, are raised. What the text states stays. */
window_network resolution_of_window(const windows *windows, int finer);

#endif
