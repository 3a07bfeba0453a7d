/* SPDX-License-Identifier: Apache-2.0
 *
 * residual.h - the door of residual/: an instance's physics applied to a network.
 *
 * The loss is a sum of blocks. Each block has its own points, its own channel set (the fewest derivatives
 * that its rows need) and one or more rows; a row is a short program of terms over (point, field,
 * derivative). Interior rows are the equations; initial and boundary rows are soft conditions; a periodic
 * row compares the two ends of a coordinate.
 *
 *   loss = sum over blocks and rows of  weight * mean over points of row^2
 *
 * The same bits for any number of threads: points are cut in fixed chunks, and partial sums are added in
 * chunk order. No allocation after residual_new.
 */
#ifndef RESIDUAL_RESIDUAL_H
#define RESIDUAL_RESIDUAL_H

#include "ansatz_share.h"
#include "base/base.h"
#include "field/backbone.h"
#include "field/evaluate.h"
#include "field/network.h"
#include "system/system.h"

typedef struct residual residual;

typedef struct residual_options {
  int points, initial_points, period_points, boundary_points; /* capacity, and what residual_sample draws */
  int threads;
  bool plain;                 /* never use the operator channel */
  bool moving, scaled;        /* the chart of the fields (field/chart.h) */
  bool smooth;                /* soft periods tie derivatives below the order of the equations, too */
  bool tangents;              /* room for residual_push */
  const network_shape *spare; /* room for shapes whose layers are as large as the shape's or these; NULL: none */
} residual_options;

#define residual_new             REAL_NAME(residual_new)
#define residual_free            REAL_NAME(residual_free)
#define residual_set_instance    REAL_NAME(residual_set_instance)
#define residual_set_moving      REAL_NAME(residual_set_moving)
#define residual_set_shape       REAL_NAME(residual_set_shape)
#define residual_sample          REAL_NAME(residual_sample)
#define residual_lay_points      REAL_NAME(residual_lay_points)
#define residual_set_points      REAL_NAME(residual_set_points)
#define residual_loss            REAL_NAME(residual_loss)
#define residual_row_count       REAL_NAME(residual_row_count)
#define residual_rows            REAL_NAME(residual_rows)
#define residual_pull            REAL_NAME(residual_pull)
#define residual_push            REAL_NAME(residual_push)
#define residual_set_time_weight REAL_NAME(residual_set_time_weight)
#define residual_share           REAL_NAME(residual_share)
#define residual_flops           REAL_NAME(residual_flops)
#define residual_channels        REAL_NAME(residual_channels)
#define residual_chart           REAL_NAME(residual_chart)

/* Plans the loss of one instance for a network shape. The instance is borrowed until the next
 * residual_set_instance, which must give one of the same problem (any structure). */
ans_status residual_new(ans_context *context, const ans_instance *instance, const network_shape *shape,
                        const residual_options *options, residual **result);
void residual_free(residual *residual);
ans_status residual_set_instance(ans_context *context, residual *residual, const ans_instance *instance);

/* Whether the chart of the next instance moves (options.moving). */
void residual_set_moving(residual *residual, bool moving);

/* From now on the network has this shape, which has to fit the room that options.spare made. */
void residual_set_shape(residual *residual, const network_shape *shape);

/* Draws fresh points for every block from the stream (seed, RANDOM_POINTS or RANDOM_CHECK, step, part). */
void residual_sample(residual *residual, uint64_t seed, random_purpose purpose, uint64_t step, uint32_t part);

/* A share of every block's capacity (at least one unit) as nested, evenly spread points: a larger share keeps those of
 * a smaller one, in their order, and rows come in the order of the points. Another start in [0, 1): other points. */
void residual_lay_points(residual *residual, double start, double share);

/* Interior points given by the caller: [count][coordinates], count at most options.points. Other blocks stay. */
void residual_set_points(residual *residual, const double *points, int count);

/* The loss at the current points, and (unless gradient is NULL) its gradient: gradient <- scale * d loss / d formed. */
double residual_loss(residual *residual, const real *formed, double scale, real *gradient);

/* Residual rows at the current points, each times sqrt(weight / points), so that loss = sum of squares. */
int residual_row_count(const residual *residual);
void residual_rows(residual *residual, const real *formed, double *rows);

/* Products with the rows' derivative at the current points, for any network. pull: gradient <- J^T rows, with respect
 * to the formed weights. push: rows <- J tangent, along a change of the formed weights; needs options.tangents. */
void residual_pull(residual *residual, const real *formed, const double *rows, real *gradient);
void residual_push(residual *residual, const real *formed, const real *tangent, double *rows);

/* From now on the rows of the equations are multiplied by exp(-rate (t - t0)/(t1 - t0)), so that what happens first
 * counts most; 0, the start value, leaves every bit. Without a time coordinate nothing happens. */
void residual_set_time_weight(residual *residual, double rate);

/* From now on each of several processes does some chunks of the loss, and all get the whole. */
void residual_share(residual *residual, const ans_fellows *fellows);

double residual_flops(const residual *residual); /* useful multiply-adds of one loss + gradient, counted as 2 each */
int residual_channels(const residual *residual); /* of the interior block */

/* The coordinates in which the network represents the fields of the current instance. */
const field_chart *residual_chart(const residual *residual);

#endif
