/* SPDX-License-Identifier: Apache-2.0
 *
 * settle.h - numbers that do not depend on the units in which a text states them.
 *
 * The same quantity computed in metres and in kilometres differs in the last bits. Single precision at its floor makes
 * another answer of that. Numbers of a scaled chart are therefore rounded once, to more bits than matter and to fewer
 * than are certain; two computations of a number then differ only when a rounding boundary lies between them, which is
 * as rare as the distance of settled numbers is large. Numbers that have few bits by nature (0, 1, 1/2, also points of
 * a sequence) lie on no boundary.
 */
#ifndef FIELD_SETTLE_H
#define FIELD_SETTLE_H

/* One of the few numbers that make an equation, to 36 significant bits: its error of 7e-12 is nowhere seen. */
double settle_number(double number);

/* Values of a known function in units where it is about 1, to 28 bits of their largest or of 1: for single precision,
 * which has 24. Fewer bits disturb the last steps, more put more texts on a boundary. */
void settle_values(int count, double *values);

#endif
