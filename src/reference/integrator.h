/* SPDX-License-Identifier: Apache-2.0
 *
 * integrator.h - stiff systems y' = f(t, y) by variable-order, variable-step BDF. The only door to SUNDIALS.
 *
 * Newton's linear systems (I - gamma J) z = r are solved by GMRES with exact products J v and a preconditioner
 * that the caller supplies: for a method of lines it knows the stiff part in closed form.
 */
#ifndef REFERENCE_INTEGRATOR_H
#define REFERENCE_INTEGRATOR_H

#include "reference/schedule.h"

typedef struct integrator_system {
  int size;
  void *data;                                                                /* first argument of the functions */
  bool (*right_side)(void *data, double t, const double *y, double *result); /* false: not finite there */
  void (*linearise)(void *data, double t, const double *y);                  /* fixes the J of the following calls */
  void (*product)(void *data, const double *v, double *result);              /* J v */
  bool (*factorise)(void *data, double gamma);                       /* prepares P near I - gamma J; false: singular */
  void (*precondition)(void *data, const double *r, double *result); /* P^-1 r */
  void (*enter)(void *data, double t); /* the following times lie in the stretch around t; may be NULL */
} integrator_system;

/* Unknowns of one kind, from the group before up to `end`. Their absolute tolerance counts in units of `scale`; where
 * that is not 1, it follows the largest of them as it grows, from below up to the tolerance as declared. */
typedef struct integrator_group {
  int end;
  double scale;
} integrator_group;

typedef struct integrator_settings {
  double relative, absolute;
  long max_steps;                 /* internal steps in all: the wall that makes every call return ... */
  double max_work;                /* ... with this one, against what `work` counts; 0: none */
  const double *work;             /* the functions of the system add to it */
  int group_count;                /* 0: the absolute tolerance holds for all */
  const integrator_group *groups; /* the last one ends with the unknowns */
  int stretch_count;
  const schedule_stretch *stretches; /* up to the last of the times */
} integrator_settings;

/* levels: [count][size], the solution at the increasing times; times[0] is where `start` holds. A failure names
 * the time reached and what the integrator said: ANS_DIVERGED, or ANS_TOLERANCE when the steps ran out. */
ans_status integrate(ans_context *context, const integrator_system *system, integrator_settings settings,
                     const double *start, int count, const double *times, double *levels, long *steps);

#endif
