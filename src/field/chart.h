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
 * that of u_t in the field's own equation. Every field has its own. In a scaled chart (below) a product such as u u_x
 * counts with the mean of u, where that is known and carries the field along.
 *
 * A scaled chart divides the units out besides (scales.h): the network reads (x - middle) / half length, its output is
 * multiplied by the size of the field, and rows are divided by the size of their equation. A plain one, which the
 * paper's protocols use, reads and gives the numbers as they are.
 */
#ifndef FIELD_CHART_H
#define FIELD_CHART_H

#include "field/scales.h"
#include "system/system.h"

/* How the coordinates of one field move. */
typedef struct chart_motion {
  int time; /* the time coordinate; -1: nothing moves */
  double speed[SYSTEM_MAX_COORDINATES];
} chart_motion;

typedef struct field_chart {
  bool moves;  /* any field */
  bool scaled; /* else every number below is 0 or 1 */
  chart_motion motion[SYSTEM_MAX_FIELDS];
  double middle[SYSTEM_MAX_COORDINATES], stretch[SYSTEM_MAX_COORDINATES]; /* the network reads (x - middle) * stretch */
  double offset[SYSTEM_MAX_FIELDS], size[SYSTEM_MAX_FIELDS];              /* raw output = offset + size * network */
  field_scales scales;
} field_chart;

/* Which chart an instance gets. */
typedef struct chart_options {
  bool moving, scaled;
  bool common; /* all fields share one motion or none, as a network with one stream needs */
} chart_options;

/* Plain and at rest. */
field_chart chart_plain(void);

/* A coordinate moves for a field when it is periodic, the field's equation is of first order in time, and no source of
 * that equation depends on the coordinate: such a source stands still. */
field_chart chart_of(const ans_instance *instance, chart_options options);

/* Whether a moving frame takes this term of its field's own equation away: constant advection along the motion. */
bool chart_takes(const field_chart *chart, const instance_term *term);

/* The size by which the row of an equation, or of a condition on this derivative of a field, is divided. */
double chart_row_size(const field_chart *chart, int equation);
double chart_condition_size(const field_chart *chart, const ans_problem *problem, int field, const uint8_t *order);

/* moved <- the coordinates that field `field` reads at these points. Both: [coordinate][points]. A point whose entry of
 * `moved_already` is true is given in the field's own coordinates; NULL: none is. */
void chart_coordinates(const ans_problem *problem, const field_chart *chart, int field, int points,
                       const double *coordinates, const bool *moved_already, double *moved);

#endif
