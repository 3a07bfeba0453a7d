/* SPDX-License-Identifier: Apache-2.0
 *
 * initial.h - how parameters begin. Drawn in double, so that both precisions begin at the same numbers.
 */
#ifndef NUMERIC_INITIAL_H
#define NUMERIC_INITIAL_H

#include "numeric/unknowns.h"
#include "numeric/real.h"

#define initial_linear     REAL_NAME(initial_linear)
#define initial_orthogonal REAL_NAME(initial_orthogonal)

/* U(-1/sqrt(inputs), 1/sqrt(inputs)), for weight and bias of a layer with that many inputs. */
void initial_linear(const unknown_part *part, int inputs, uint64_t seed, random_purpose purpose, real *block);

/* A square matrix with orthonormal rows, uniform over the orthogonal group. */
void initial_orthogonal(const unknown_part *part, uint64_t seed, random_purpose purpose, real *block);

#endif
