/* SPDX-License-Identifier: Apache-2.0
 *
 * unseen.h - coefficients that a descriptor does not see. Members that differ only in these are one and the same to a
 * model: its guess for them is the same, whatever they are. `check`, `train` and `solve` say so alike.
 */
#ifndef CLI_UNSEEN_H
#define CLI_UNSEEN_H

#include "ansatz_tools.h"

/* One sentence without its full stop; false: a descriptor of this kind sees everything that varies. */
bool unseen_text(const ans_problem *problem, const char *kind, char *text, size_t room);

#endif
