/* SPDX-License-Identifier: Apache-2.0
 *
 * preconditioner.h - approximate inverses of I - gamma J for the method of lines.
 *
 *   spectral  periodic space: the couplings' weights are replaced by their means over the nodes, which leaves one
 *             small matrix over the fields for each Fourier mode; exact for constant coefficients
 *   dense     a space whose derivatives use all nodes: the whole matrix, factorised
 *   banded    a space whose derivatives use few: the same in the memory of the band
 */
#ifndef REFERENCE_PRECONDITIONER_H
#define REFERENCE_PRECONDITIONER_H

#include "reference/lines.h"

typedef struct preconditioner {
  arena *arena;
  const lines *lines; /* borrowed */
  void *data;
  bool (*factorise)(struct preconditioner *preconditioner, double gamma); /* from the lines' present linearisation */
  void (*apply)(struct preconditioner *preconditioner, const double *r, double *result);
  double factorise_work, apply_work; /* about as many multiplications */
} preconditioner;

ans_status preconditioner_spectral(ans_context *context, const lines *lines, preconditioner **result);
ans_status preconditioner_dense(ans_context *context, const lines *lines, preconditioner **result);
ans_status preconditioner_banded(ans_context *context, const lines *lines, preconditioner **result);
void preconditioner_free(preconditioner *preconditioner); /* accepts NULL */

/* For the makers: an empty one with an arena. */
ans_status preconditioner_new(ans_context *context, const lines *lines, preconditioner **result);

#endif
