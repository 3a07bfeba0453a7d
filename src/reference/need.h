/* SPDX-License-Identifier: Apache-2.0
 *
 * need.h - where a solution asks for nodes.
 *
 * Around a place where a field of size U has curvature u'', it changes over a length of sqrt(U/|u''|): as many nodes
 * per unit of length as the inverse, in its largest value over the levels and the fields. Half of the nodes are spread
 * evenly, so that nothing that the levels did not show is lost.
 */
#ifndef REFERENCE_NEED_H
#define REFERENCE_NEED_H

#include "reference/lines.h"

typedef struct need need;

ans_status need_new(ans_context *context, const lines *lines, need **result);
void need_free(need *need); /* accepts NULL */

/* A level: [fields][nodes]. */
void need_look(need *need, const double *nodes);

/* What all levels together ask for. */
void need_density(const need *need, space_density *density);

#endif
