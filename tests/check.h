/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h - cmocka with the headers it wants, and what all test programs share.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ansatz.h"

/* |actual - expected| <= tolerance, with the numbers in the message. */
#define assert_near(actual, expected, tolerance)                                                                       \
  do {                                                                                                                 \
    double actual_ = (actual), expected_ = (expected), tolerance_ = (tolerance);                                       \
    if (!(fabs(actual_ - expected_) <= tolerance_))                                                                    \
      fail_msg("%s is %.17g, expected %.17g within %.3g", #actual, actual_, expected_, tolerance_);                    \
  } while (0)

/* A call that must succeed; the context's sentence is shown when it does not. */
#define assert_ok(context, call)                                                                                       \
  do {                                                                                                                 \
    ans_status status_ = (call);                                                                                       \
    if (status_ != ANS_OK)                                                                                             \
      fail_msg("%s: %s (line %zu, column %zu)", #call, ans_context_diagnostic(context)->message,                       \
               ans_context_diagnostic(context)->line, ans_context_diagnostic(context)->column);                        \
  } while (0)

static inline ans_context *new_context(void) {
  ans_context *context = NULL;
  assert_int_equal(ans_context_new(&context), ANS_OK);
  return context;
}

#endif
