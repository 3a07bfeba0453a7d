/* SPDX-License-Identifier: Apache-2.0
 *
 * thin.h - a coded layer most of whose codes are zero, as two thin layers.
 *
 *   C diag(s) R = B A,   A = the rows of diag(s) R,  B = the columns of C,  whose code is not zero
 *
 * A has `rank` rows, at least as many as there are such codes; the rows that are left are zero. The same numbers
 * with fewer operations, and W need not be formed. A code that is zero gets no gradient: this is for codes that come
 * out of a ReLU, where it would be dropped.
 */
#ifndef FIELD_THIN_H
#define FIELD_THIN_H

#include "numeric/real.h"

#define thin_gather     REAL_NAME(thin_gather)
#define thin_form       REAL_NAME(thin_form)
#define thin_back_right REAL_NAME(thin_back_right)
#define thin_back_left  REAL_NAME(thin_back_left)

/* b [width][rank] <- the columns of c whose code is not zero, and then zeros. */
void thin_gather(int width, int rank, const real *s, const real *c, real *b);

/* a [rank][width], b [width][rank] from the codes s [width] and the bases c, r [width][width]. */
void thin_form(int width, int rank, const real *s, const real *c, const real *r, real *a, real *b);

/* dr += diag(s) da, ds = row sums of da * r, in the rows of codes that are not zero; ds = 0 elsewhere. */
void thin_back_right(int width, const real *s, const real *r, const real *da, real *dr, real *ds);

/* dc += db in the columns of codes that are not zero. */
void thin_back_left(int width, int rank, const real *s, const real *db, real *dc);

#endif
