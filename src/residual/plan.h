/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.h - inside residual/: what a loss consists of.
 *
 * Points live in *sets*; all points of a set carry the same channels and are evaluated together. Set 0 is
 * the interior, set 1 the soft conditions on values, set 2 those on derivatives. A set is made of *segments*
 * (the interior; the initial line; one boundary; the pairs of one periodic coordinate), a segment of *units*
 * (a point, or two points that are compared), and every unit of a segment gives the segment's *rows*.
 */
#ifndef RESIDUAL_PLAN_H
#define RESIDUAL_PLAN_H

#include "field/jet.h"
#include "field/output.h"
#include "field/tile.h"
#include "residual/residual.h"

enum {
  RESIDUAL_CHUNKS = 8, /* partial sums: their number changes the last bits of results, that of threads does not */
  RESIDUAL_SETS = 3,
  RESIDUAL_MAX_SEGMENTS = 64
};

/* (point of the unit, field, channel) to a power. */
typedef struct row_factor {
  int point, field, channel, power;
} row_factor;

/* coefficient * source(coordinates) * product of factors, in the units of the chart */
typedef struct row_term {
  double coefficient;
  const jet_plan *source; /* NULL: 1 */
  double source_size;     /* what the source is divided by */
  int first_factor, factor_count;
} row_term;

typedef struct residual_row {
  double weight; /* in the loss, before dividing by the number of units */
  int first_term, term_count;
} residual_row;

#define residual_segment         REAL_NAME(residual_segment)
#define residual_set             REAL_NAME(residual_set)
#define residual_worker          REAL_NAME(residual_worker)
#define residual_choose_channels REAL_NAME(residual_choose_channels)
#define choice_gathers           REAL_NAME(choice_gathers)
#define residual_seam_order      REAL_NAME(residual_seam_order)
#define residual_plan_segments   REAL_NAME(residual_plan_segments)
#define residual_plan_rows       REAL_NAME(residual_plan_rows)
#define residual_arrange         REAL_NAME(residual_arrange)
#define residual_row_values      REAL_NAME(residual_row_values)
#define residual_row_backward    REAL_NAME(residual_row_backward)
#define residual_row_weights     REAL_NAME(residual_row_weights)
#define residual_tile            REAL_NAME(residual_tile)
#define residual_tile_forward    REAL_NAME(residual_tile_forward)
#define residual_tile_next       REAL_NAME(residual_tile_next)

typedef struct residual_segment {
  int coordinate; /* that is fixed (or compared end to end); -1: interior */
  bool initial;   /* conditions at the start, else on a boundary */
  bool pair;      /* a unit is two points, at the ends of the coordinate */
  double at;
  int capacity, units;
  int first_row, row_count;
  size_t start[RESIDUAL_CHUNKS + 1]; /* of each chunk's units, as positions in the set */
} residual_segment;

typedef struct residual_set {
  int channels;
  algebra algebras[SYSTEM_MAX_FIELDS]; /* of each stream; they differ only in the numbers of L */
  kernel_rule rules[SYSTEM_MAX_FIELDS];
  int tile_points;
  int first_segment, segment_count;
  double *points; /* [position][coordinates], of the chart */
} residual_set;

/* What one thread needs. */
typedef struct residual_worker {
  real *tile;
  double *output, *sources, *gradients; /* of the fields: [field][channel][point] */
  double *coordinates;                  /* [coordinate][points] of the tile, in the chart */
  double *moved;                        /* the same in the frame of one field */
  double *places, *moved_places;        /* both in the problem's coordinates */
  double *known;                        /* [points]: a source */
  real *changes;                        /* [tile rows][widest stride]: of residual_push */
} residual_worker;

struct residual {
  arena *arena;
  const ans_problem *problem;
  const ans_instance *instance; /* the caller's, or in a scaled chart `own` */
  ans_instance own;             /* the caller's, its coefficients in the units of the chart */
  instance_term *own_terms;     /* [problem terms] */
  field_chart chart;
  residual_options options;
  tile_plan tile;
  output_plan output;
  residual_set sets[RESIDUAL_SETS];
  int set_count, value_set, segment_count, row_count, term_count, factor_count;
  algebra values_only; /* one channel: sources and condition values */
  residual_segment segments[RESIDUAL_MAX_SEGMENTS];
  residual_row *rows;
  row_term *terms;
  row_factor *factors;
  const jet_plan **sources;    /* [problem terms] */
  const jet_plan **conditions; /* [problem conditions] */
  size_t source_size;
  double time_weight;
  ans_fellows fellows;  /* count 0: alone */
  real *packed_tangent; /* of residual_push; NULL without options.tangents */
  real *packed, *accumulators[RESIDUAL_CHUNKS];
  size_t packed_room, gradient_room, work_room; /* reals of packed, of an accumulator, of a worker's tile */
  size_t change_room;                           /* reals of a row of a worker's changes */
  residual_worker *workers;                     /* [threads] */
};

enum { RESIDUAL_GATHERED = 14 }; /* derivatives of first and second order in four coordinates */

/* The interior's channels for the current instance. Without `operated` they are Taylor coefficients; with it,
 * L of field f is a sum of linear terms of one equation (`gathered`: which derivatives), or one derivative. */
typedef struct channel_choice {
  bool operated;
  int gathered_count[SYSTEM_MAX_FIELDS];
  uint8_t gathered[SYSTEM_MAX_FIELDS][RESIDUAL_GATHERED][SYSTEM_MAX_COORDINATES];
  int equation[SYSTEM_MAX_FIELDS];
  uint8_t single[SYSTEM_MAX_FIELDS][SYSTEM_MAX_COORDINATES];
} channel_choice;

/* Fills the interior set's channels, algebras and rules. */
ans_status residual_choose_channels(ans_context *context, residual *residual, channel_choice *choice);
/* True when the term is part of its field's L. */
bool choice_gathers(const channel_choice *choice, const instance_term *term);

/* How many derivatives of the field, from the value on, a soft period of the coordinate ties. */
int residual_seam_order(const residual *residual, int coordinate, int field);

ans_status residual_plan_segments(ans_context *context, residual *residual);
ans_status residual_plan_rows(ans_context *context, residual *residual);

/* Positions of a set's units in chunk order, after `units` has changed. */
void residual_arrange(residual *residual, residual_set *set);

/* values[i] <- row of the unit whose first point is first + i * (points of a unit), from fields [field] ->
 * [channel][points]. */
void residual_row_values(const residual *residual, const residual_row *row, bool pair, int first, int units, int points,
                         const double *const *fields, residual_worker *worker, double *values);
/* gradients[field][channel][point] += d row / d field * seed[unit] */
void residual_row_backward(const residual *residual, const residual_set *set, const residual_row *row, bool pair,
                           int first, int units, int points, const double *const *fields, const double *seed,
                           residual_worker *worker);

/* weights[i] <- the factor of row^2 in the loss, in unit i of a run whose coordinates the worker holds. */
void residual_row_weights(const residual *residual, const residual_segment *segment, const residual_row *row, int first,
                          int units, int points, const residual_worker *worker, double *weights);

/* A few points of one chunk of one set, cut at a unit: which segments' units they are. */
typedef struct residual_tile {
  int points, run_count;
  size_t position; /* of the first point in the set */
  struct {
    int segment, first, units; /* first point within the tile */
    int unit;                  /* number of the first unit within its segment */
  } runs[RESIDUAL_MAX_SEGMENTS];
} residual_tile;

/* The tile at `position` of chunk `chunk`; false when the chunk is done. */
bool residual_tile_next(const residual *residual, const residual_set *set, int chunk, size_t position,
                        residual_tile *tile);

/* Coordinates, network and output transforms: fields[f] -> [channel][points]. */
void residual_tile_forward(const residual *residual, const residual_set *set, const residual_tile *tile,
                           residual_worker *worker, const double **fields);

#endif
