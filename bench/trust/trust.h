/* SPDX-License-Identifier: Apache-2.0
 *
 * trust.h - the two halves of the study.
 */
#ifndef BENCH_TRUST_TRUST_H
#define BENCH_TRUST_TRUST_H

#include "ansatz_tools.h"

enum { RECORDS_MAX = 1 << 17 };

/* Draws the records of these files. The exit code; a failure was told. */
int trust_figure(ans_context *context, const char *path, int count, char *const *records);

#endif
