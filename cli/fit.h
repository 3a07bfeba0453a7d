/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.h - what the files of `ansatz fit` share.
 */
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include "ansatz_tools.h"
#include "json.h"

enum { FIT_MOST_NEXT = 100 };

/* One data set: its fit and what was asked about it. */
typedef struct fit_result {
  const char *data; /* path */
  ans_fit *fit;     /* NULL: it failed */
  ans_status status;
  const char *message; /* of the failure */
  char *text;          /* the fit in words */
  bool checked;        /* `reference` holds */
  ans_fit_reference reference;
  ans_fit_candidate *structures; /* with --structure auto; else NULL */
  size_t structure_count;
  ans_fit_profile *profiles; /* [unknowns] with --profile; else NULL */
  ans_fit_place next[FIT_MOST_NEXT];
  size_t next_count;
  const char *output, *figure, *save; /* files that were written; NULL: none */
} fit_result;

void fit_print(const fit_result *result);
json_t *fit_json(const fit_result *result);
int fit_exit_code(const fit_result *result);

#endif
