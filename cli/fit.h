/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.h - what the files of `ansatz fit` share.
 */
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include "ansatz_tools.h"
#include "json.h"

/* One data set: its fit, or why there is none. */
typedef struct fit_result {
  const char *data;  /* path */
  ans_fit *fit;      /* NULL: it failed */
  ans_status status; /* of the failure */
  char message[512]; /* its sentence, with its place */
  bool checked;      /* `reference` holds */
  ans_fit_reference reference;
} fit_result;

void fit_print(const fit_result *result);
json_t *fit_json(const fit_result *result);
int fit_exit_code(const fit_result *result);

#endif
