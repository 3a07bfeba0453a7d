/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite.h - other problems as initial value problems of first order, for the method of lines.
 *
 *   second order in time and above   c u_tt + ... = 0 becomes  u_t - v = 0,  c v_t + ... = 0,  with a field for every
 *                                    lower time derivative and its initial value; boundary conditions stay with u
 *   no time                          F(u) = 0 becomes  u_t + F(u) = 0  from u = 0, whose states of rest are the
 *                                    solutions; Newton's method finds one without following the time (steady.h)
 */
#ifndef REFERENCE_REWRITE_H
#define REFERENCE_REWRITE_H

#include "solution/solution.h"

typedef struct rewritten {
  arena *arena;                 /* NULL: nothing was to be done */
  const ans_instance *instance; /* the given one or the new one */
  bool steady;
} rewritten;

/* ANS_UNSUPPORTED: more fields than there may be. */
ans_status rewrite(ans_context *context, const ans_instance *instance, rewritten *result);
void rewrite_free(rewritten *rewritten);

/* The fields of the given instance from a solution of the new one, which it frees. */
ans_status rewrite_back(ans_context *context, const rewritten *rewritten, const ans_instance *given,
                        ans_solution **solution);

#endif
