/* SPDX-License-Identifier: Apache-2.0
 *
 * trust.h - the parts of the study: what is declared (study.c), one member of an arm (member.c), the picture
 * (figure.c).
 */
#ifndef BENCH_TRUST_TRUST_H
#define BENCH_TRUST_TRUST_H

#include "ansatz_tools.h"

enum { RECORDS_MAX = 1 << 17, ARM_LOOKS = 8, ARM_NAME = 48, ARM_PATH = 128 };

/* One line of the declaration. */
typedef struct arm {
  char name[ARM_NAME], path[ARM_PATH]; /* of its records, and of a problem or a model */
  ans_method method;
  bool tolerance; /* `looks` are tolerances to adapt to, each from the start; else steps to look after */
  long members;
  double looks[ARM_LOOKS];
  int look_count;

  ans_model *model; /* NULL: from scratch */
  ans_problem *own;
  const ans_problem *problem; /* of the model, or its own */
} arm;

/* The arms of a declaration, in an array that the caller frees; negative after a message. */
int study_read(const char *path, arm **arms);

/* All looks at one member as lines of CSV; what could not be done stands in the context. */
ans_status member_study(ans_context *context, const arm *arm, long member, FILE *to);

/* Draws the records of these files. The exit code; a failure was reported. */
int trust_figure(ans_context *context, const char *path, int count, char *const *records);

#endif
