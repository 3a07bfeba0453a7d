/* SPDX-License-Identifier: Apache-2.0
 *
 * estimate.h - the door of estimate/: how wrong a network's solution is, without a reference.
 *
 * The error of an approximation obeys an equation of its own (defect.h), which is solved on a small spectral mesh, or
 * on a graded one where fronts and layers need it. That is a classical solution of the error, at the cost of some
 * thousand evaluations of the network. It is solved at two or more resolutions; the estimate is that of the finest, and
 * how far the last two differ is part of the answer. An equation that the estimate does not know, or an error that it
 * cannot follow, gives a reason instead of a number.
 */
#ifndef ESTIMATE_ESTIMATE_H
#define ESTIMATE_ESTIMATE_H

#include "base/base.h"
#include "system/system.h"

/* The approximation. values: [orders][count][fields] of the derivatives of these orders, at points:
 * [count][coordinates], all of them in one span of time: between two seams, at which the approximation may jump. */
typedef struct estimate_network {
  ans_status (*evaluate)(ans_context *context, void *object, int span, const double *points, size_t count,
                         const system_orders *orders, double *values);
  void *object;
  const double *seams; /* [seam_count] increasing times inside the problem's */
  int seam_count;
  bool rough; /* a factor of two is enough: no resolution more than that asks for, and no graded mesh */
} estimate_network;

typedef struct estimate_summary {
  bool available; /* else only `reason` counts */
  bool trusted;
  bool lost;        /* not available, though the form is known: the error could not be followed */
  char reason[200]; /* why not available or not trusted; "" when trusted */
  int field_count;
  double errors[SYSTEM_MAX_FIELDS];      /* relative L2, in the norm of a comparison with a reference */
  double differences[SYSTEM_MAX_FIELDS]; /* between the two finest resolutions, in the same norm */
  bool absolute[SYSTEM_MAX_FIELDS];      /* the field is zero: a root mean square instead */
  double varying[SYSTEM_MAX_FIELDS];     /* part of the field's norm that is left without its mean */
  double mean, mean_difference;          /* over the fields */
  int nodes, times;                      /* of the finest resolution */
  long steps;                            /* in time, of all resolutions */
  size_t points;                         /* evaluations of the network, counting every derivative */
  double seconds;                        /* of this thread's processor */
} estimate_summary;

typedef struct estimate estimate;

/* Fails when memory is exhausted or the network's evaluation fails. */
ans_status estimate_new(ans_context *context, const ans_instance *instance, const estimate_network *network,
                        estimate **result);
void estimate_free(estimate *estimate); /* accepts NULL */
const estimate_summary *estimate_result(const estimate *estimate);

/* Whether a field with this varying part is mostly a constant: then an error counts beside what varies. */
bool estimate_varies_little(double varying);
double estimate_worst(const estimate_summary *summary); /* the largest of the fields, counted so; infinite: not known */

/* In place: the network's values on a grid to those with the error taken away: [fields][times][places], times in
 * increasing order inside the problem's. The estimate must be available. A problem without time has one time, and one
 * without space NULL for its places. */
ans_status estimate_correct(ans_context *context, estimate *estimate, const double *times, int time_count,
                            const double *places, int place_count, double *const *values);

#endif
