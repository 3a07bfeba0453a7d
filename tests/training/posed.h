/* SPDX-License-Identifier: Apache-2.0
 *
 * posed.h - a problem without coefficients from text, and its one instance.
 */
#ifndef TESTS_TRAINING_POSED_H
#define TESTS_TRAINING_POSED_H

#include "check.h"

#include "system/system.h"

typedef struct setting {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
} setting;

static inline setting pose(const char *text) {
  setting s = {.context = new_context()};
  double none[1] = {(double)NAN};
  assert_ok(s.context, system_parse(s.context, "p", NULL, text, strlen(text), &s.problem));
  assert_ok(s.context, system_instance(s.context, s.problem, 0, none, false, &s.instance));
  return s;
}

static inline void tear_down(setting *s) {
  system_instance_free(s->instance);
  system_free(s->problem);
  ans_context_free(s->context);
}

#endif
