/* SPDX-License-Identifier: Apache-2.0
 *
 * windows_file.h - the file of a solver whose time is cut into windows, or whose network is not the text's.
 *
 * The metadata are those of a solver of one piece. The array `windows` has a row of numbers for each window, and
 * `window.K.unknowns` and `window.K.initial.C` hold its network and what it begins with (doc/formats.md).
 */
#ifndef TRAINING_WINDOWS_FILE_H
#define TRAINING_WINDOWS_FILE_H

#include "training/windows.h"

ans_status windows_save(ans_context *context, const windows *windows, const ans_problem *problem, const char *path);

/* problem and instance are the caller's, also when it fails. */
ans_status windows_load(ans_context *context, const char *path, const safetensors *file,
                        const ans_solver_options *options, ans_problem **problem, ans_instance **instance,
                        windows *windows);

#endif
