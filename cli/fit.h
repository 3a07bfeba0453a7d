/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.h - what the files of `ansatz fit` share.
 */
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include "ansatz_tools.h"
#include "json.h"
#include "options.h"

enum { FIT_MOST_NEXT = 100 };

/* One data set: its fit and what was asked about it. */
typedef struct fit_result {
  const char *data;  /* path */
  const char *group; /* its name in the file; NULL: the file is one data set */
  ans_fit *fit;      /* NULL: it failed */
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

/* Data sets each on their own: --data with commas, or --group. The exit code. */
int fit_many(ans_context *context, const arguments *arguments, const ans_problem *problem,
             const ans_fit_options *options);
bool fit_is_automatic(const arguments *arguments); /* --structure auto */

void fit_print(const fit_result *result);
json_t *fit_json(ans_context *context, const fit_result *result);
int fit_exit_code(const fit_result *result);

#endif
