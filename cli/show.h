/* SPDX-License-Identifier: Apache-2.0
 *
 * show.h - what `ansatz show` has in hand, and the forms in which it shows it.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdbool.h>
#include <stdio.h>

#include "ansatz.h"

typedef struct shown {
  const char *path;
  const char *case_name;  /* NULL: not a case */
  bool by_default;        /* the user named no member */
  const char *descriptor; /* kind to print in full; NULL: none */
  ans_problem *problem;
  ans_instance *instance;
  ans_graph *graph;
} shown;

/* Each prints to the stream. Failures are those of the library. */
ans_status show_text(ans_context *context, const shown *shown, FILE *stream);
ans_status show_json(ans_context *context, const shown *shown, FILE *stream);

/* A picture of the graph in this form ("svg") to the file or, without one, to stdout. The exit code. */
int show_picture(ans_context *context, const shown *shown, const char *extension, const char *path);

#endif
