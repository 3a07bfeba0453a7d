/* SPDX-License-Identifier: Apache-2.0
 *
 * student.h - how far a 95 % interval reaches, and how unlikely a misfit is.
 */
#ifndef FIT_STUDENT_H
#define FIT_STUDENT_H

/* t with P(|T| < t) = 0.95 for Student's distribution; freedom INFINITY: the normal one. freedom at least 1. */
double student_reach(double freedom);

/* By how many standard deviations of a normal number chi2 is too large for so many degrees of freedom (Wilson and
 * Hilferty); negative: too small. */
double chi2_excess(double chi2, double freedom);

#endif
