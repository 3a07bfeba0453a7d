/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_record.h - trials of `ansatz bench --accuracy` kept in a file, so that a run that was stopped continues.
 *
 * The file belongs to one commit and one seed: others would make a table of two programs, and are refused.
 */
#ifndef CLI_BENCH_RECORD_H
#define CLI_BENCH_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "bench_trial.h"
#include "json.h"

typedef struct bench_record {
  const char *path; /* NULL: nothing is kept */
  json_t *content;
} bench_record;

/* Reads the file where there is one. The exit code; a mistake was reported. */
int bench_record_open(const char *path, uint64_t seed, bench_record *record);
void bench_record_close(bench_record *record);

/* False: this trial is not there yet. */
bool bench_record_find(const bench_record *record, const char *key, trial *result);

/* Writes the file anew with this trial in it. */
ANS_MUST_USE ans_status bench_record_add(ans_context *context, bench_record *record, const char *key,
                                         const trial *trial);

#endif
