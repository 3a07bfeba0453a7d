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
 * A scaled chart has units of its own besides (scales.h): every coordinate runs from -1 to 1, a field is divided by its
 * size, an equation by that of its largest term. Points, features, channels, coefficients and rows are all in these
 * units, and only functions that the text states (transforms, sources, values of conditions) are evaluated at the
 * problem's own coordinates and converted. So what is computed does not depend on the units of the text, not even in
 * its last bits (settle.h). A plain chart, which the paper's protocols use, has the problem's units.
 */
#ifndef FIELD_CHART_H
#define FIELD_CHART_H

#include "field/scales.h"
#include "system/system.h"

/* How the coordinates of one field move, in the chart's units. */
typedef struct chart_motion {
  int time; /* the time coordinate; -1: nothing moves */
  double speed[SYSTEM_MAX_COORDINATES];
} chart_motion;

typedef struct field_chart {
  bool moves;  /* any field */
  bool scaled; /* else every number below but the motion is 0 or 1 */
  chart_motion motion[SYSTEM_MAX_FIELDS];
  double unit[SYSTEM_MAX_COORDINATES];                       /* of a coordinate, in the problem's: half its length */
  double field_unit[SYSTEM_MAX_FIELDS];                      /* the same of a field: its size */
  double offset[SYSTEM_MAX_FIELDS], size[SYSTEM_MAX_FIELDS]; /* raw output = offset + size * network */
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

/* The ends of a coordinate, and places on it: in the chart and in the problem. */
typedef struct chart_interval {
  double low, high;
} chart_interval;
chart_interval chart_interval_of(const ans_problem *problem, const field_chart *chart, int coordinate);
double chart_enter(const ans_problem *problem, const field_chart *chart, int coordinate, double place);
double chart_leave(const ans_problem *problem, const field_chart *chart, int coordinate, double place);

/* The problem's coordinates of points of the chart. Both: [coordinate][points]. */
void chart_places(const ans_problem *problem, const field_chart *chart, int points, const double *coordinates,
                  double *places);

/* A derivative of a field that is 1 in the chart, in the problem's units. */
double chart_derivative_unit(const ans_problem *problem, const field_chart *chart, int field, const uint8_t *order);

/* A term's coefficient in the chart, its row divided by the size of the equation. In the chart a source is divided by
 * chart_source_size. */
double chart_coefficient(const ans_instance *instance, const field_chart *chart, const instance_term *term);
double chart_source_size(const ans_instance *instance, const field_chart *chart, const instance_term *term);

/* What a condition on this derivative of a field is divided by, in the problem's units. */
double chart_condition_size(const field_chart *chart, const ans_problem *problem, int field, const uint8_t *order);

/* moved <- the coordinates that field `field` reads at these points of the chart. Both: [coordinate][points]. A point
 * whose entry of `moved_already` is true is given in the field's own coordinates; NULL: none is. */
void chart_coordinates(const ans_problem *problem, const field_chart *chart, int field, int points,
                       const double *coordinates, const bool *moved_already, double *moved);

#endif
