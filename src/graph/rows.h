/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h - the descriptors other than the graph. Each fills `values`, [rows][columns], which starts at zero.
 */
#ifndef GRAPH_ROWS_H
#define GRAPH_ROWS_H

#include "graph/terms.h"

/* Term tokens: one row per term. */
int tokens_columns(const ans_problem *problem, descriptor_kind kind);
ans_status tokens_fill(ans_context *context, const ans_instance *instance, descriptor *descriptor, double *values);

/* Coefficient vector, with or without presence indicators: one row. */
int vector_columns(const ans_problem *problem, descriptor_kind kind);
ans_status vector_fill(ans_context *context, const ans_instance *instance, descriptor *descriptor, double *values);

/* Signed coefficients of all monomials up to degree two: one row. */
int dictionary_columns(const ans_problem *problem, descriptor_kind kind);
ans_status dictionary_fill(ans_context *context, const ans_instance *instance, descriptor *descriptor, double *values);

#endif
