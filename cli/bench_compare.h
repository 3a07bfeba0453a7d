/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_compare.h - two results of `ansatz bench --json` side by side.
 */
#ifndef CLI_BENCH_COMPARE_H
#define CLI_BENCH_COMPARE_H

#include <stdbool.h>

#include "json.h"

/* Reads a file that `ansatz bench --json` printed. The exit code; a mistake was reported. */
int bench_read(const char *path, json_t **report);

/* Prints old and new times, their ratio and its noise, as text or JSON. Takes `new` over. The exit code. */
int bench_compare(const json_t *old, json_t *new, bool as_json);

#endif
