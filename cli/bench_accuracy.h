/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_accuracy.h - `ansatz bench --accuracy`: what adaptation reaches, and in what time, beside what it should.
 */
#ifndef CLI_BENCH_ACCURACY_H
#define CLI_BENCH_ACCURACY_H

#include "options.h"

/* The parts that can be asked for, in the order of the table. */
#define ACCURACY_PARTS "fisher|members|cdr|scratch|burgers|allen-cahn|kdv|advection|families|threads"

/* The parts in `list` ("fisher,cdr"; "all"). The exit code. */
int bench_accuracy(const arguments *arguments, const char *list);

#endif
