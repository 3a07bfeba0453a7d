/* SPDX-License-Identifier: Apache-2.0
 *
 * waves.h - problems from text, and approximations of their solutions whose error is known.
 */
#ifndef TESTS_ESTIMATE_WAVES_H
#define TESTS_ESTIMATE_WAVES_H

#include <complex.h>

#include "check.h"
#include "estimate/estimate.h"

#define J CMPLX(0, 1) /* the imaginary unit in double */

/* The real part of amplitude * exp(along * x + through * t), or of amplitude * tanh(along * x + through * t + shift):
 * every derivative is known. */
typedef struct wave {
  int field;
  double complex amplitude, along, through;
  double shift;
  bool front; /* tanh, of a real argument */
} wave;

enum { MAX_WAVES = 9 };

typedef struct waves {
  const ans_problem *problem;
  int count, exact; /* the first `exact` of them are the solution, the others its error */
  wave list[MAX_WAVES];
  double jump; /* added in proportion to x, which a periodic problem does not allow */
  double lift; /* the waves are larger by this share after every seam */
} waves;

typedef struct posed {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
} posed;

posed pose(const char *text);
void drop(posed *posed);

/* As an estimate sees it. */
estimate_network network_of(waves *waves);

/* Relative L2 error of a field over the default grid of the problem. */
double true_error(const waves *waves, int field);

/* The largest deviation of the corrected fields from the solution on a 7 x 9 grid. */
double corrected_error(ans_context *context, estimate *estimate, waves *waves);

/* The estimate of this approximation; *error (NULL: not wanted): the true one of the first field. */
estimate_summary summary_of(const char *text, waves waves, double *error);

/* The estimate of every field is its error within this share, and trusted; the corrected fields are the solution. */
void check(const char *text, waves waves, double tolerance);

#endif
