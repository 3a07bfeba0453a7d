/* SPDX-License-Identifier: Apache-2.0
 *
 * chart.h - the coordinates in which each field is represented.
 *
 * A field that is carried along at a constant speed a, as in u_t + a u_x = ..., is hard to represent at rest and easy
 * in a frame that moves with it. The network and the output transform (the initial profile included) then read
 *
 *   xi = x - a (t - t0),   brought back into [low, high) by whole periods,
 *
 * instead of x; derivatives are those with respect to x and t all the same, because xi enters as a jet with
 * d xi/d x = 1 and d xi/d t = -a. The speed follows from the term list: it is the constant coefficient of u_x over
 * that of u_t in the field's own equation. Every field has its own.
 */
#ifndef FIELD_CHART_H
#define FIELD_CHART_H

#include "system/system.h"

/* How the coordinates of one field move. */
typedef struct chart_motion {
  int time; /* the time coordinate; -1: nothing moves */
  double speed[SYSTEM_MAX_COORDINATES];
} chart_motion;

typedef struct field_chart {
  bool moves; /* any field */
  chart_motion motion[SYSTEM_MAX_FIELDS];
} field_chart;

/* The chart that is at rest. */
field_chart chart_fixed(void);

/* The moving chart of an instance. A coordinate moves for a field when it is periodic, the field's equation is of
 * first order in time, and no source of that equation depends on the coordinate: such a source stands still. With
 * `common` all fields share one motion or none, as a network with one stream needs. */
field_chart chart_moving(const ans_instance *instance, bool common);

/* moved <- the coordinates that field `field` reads at these points. Both: [coordinate][points]. A point whose entry of
 * `moved_already` is true is given in the field's own coordinates; NULL: none is. */
void chart_coordinates(const ans_problem *problem, const field_chart *chart, int field, int points,
                       const double *coordinates, const bool *moved_already, double *moved);

#endif
