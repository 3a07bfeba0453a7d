/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_zoo.h - what the defaults make of the shipped equations of families/zoo/.
 */
#ifndef CLI_BENCH_ZOO_H
#define CLI_BENCH_ZOO_H

#include "options.h"

/* Every equation from scratch, within so many seconds each, against its reference: a table, or JSON. The exit code. */
int bench_zoo(const arguments *arguments, double seconds);

#endif
