/* SPDX-License-Identifier: Apache-2.0
 *
 * record.h - a hypernetwork as a program on the tape. Private to codes/.
 */
#ifndef CODES_RECORD_H
#define CODES_RECORD_H

#include "codes/plan.h"
#include "numeric/tape.h"

/* Steps of the tape; -1: not in this program. */
typedef struct recording {
  int values;    /* what the descriptor says */
  int adjacency; /* graph */
  int own;       /* [fields][rows]: selects each field's node */
  int pool;      /* [fields or 1][rows]: means over rows */
  int identity;  /* [fields][fields]: one-hot targets; or [fields][1]: one code set for all */
  int points;    /* conditional decoder: condition points */
  int result;    /* the codes */
} recording;

#define record_program REAL_NAME(record_program)
#define record_fill    REAL_NAME(record_fill)

recording record_program(const hypernetwork_plan *plan, const descriptor *descriptor, tape *tape);

/* Writes the descriptor's numbers into the prepared tape. points: condition points, or NULL. */
void record_fill(const hypernetwork_plan *plan, const descriptor *descriptor, const double *points,
                 const recording *recording, tape *tape);

#endif
