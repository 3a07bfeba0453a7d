/* SPDX-License-Identifier: Apache-2.0
 *
 * print.h - expressions and terms as the language writes them.
 */
#ifndef SYSTEM_PRINT_H
#define SYSTEM_PRINT_H

#include "system/system.h"

void print_plain(buffer *out, double number);  /* shortest digits that read back */
void print_number(buffer *out, double number); /* the same, whole multiples of pi written as such */
void print_expression(buffer *out, const ans_problem *problem, const expression *expression);
/* u, u_xx; d(u, x, x) where that would be longer than a name may be */
void print_derivative(buffer *out, const ans_problem *problem, int field, const uint8_t *order);
void print_factor(buffer *out, const ans_problem *problem, const system_factor *factor); /* u_xx, u^2 */
void print_terms(buffer *out, const ans_problem *problem, int equation);                 /* a*u_x - u^2 */
void print_structure(buffer *out, const ans_problem *problem, const system_structure *structure);
void print_case(buffer *out, const ans_problem *problem, const system_case *one);

#endif
