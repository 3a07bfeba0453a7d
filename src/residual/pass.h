/* SPDX-License-Identifier: Apache-2.0
 *
 * pass.h - inside residual/: a walk over all rows, with one reverse pass per row program, run and stream.
 */
#ifndef RESIDUAL_PASS_H
#define RESIDUAL_PASS_H

#include "residual/jacobian.h"
#include "residual/plan.h"

#define row_pass             REAL_NAME(row_pass)
#define pass_layer           REAL_NAME(pass_layer)
#define row_walk             REAL_NAME(row_walk)
#define residual_walk        REAL_NAME(residual_walk)
#define residual_pack        REAL_NAME(residual_pack)
#define residual_number_rows REAL_NAME(residual_number_rows)

/* One row program of one run of one tile, in one stream. */
typedef struct row_pass {
  int worker; /* the thread's number */
  int stream, channels, tile_points;
  int first, units, unit_points; /* points of the run within the tile */
  int row, row_step;             /* number of the first unit's row, and distance of units' rows */
} row_pass;

/* What a layer of the network shows in it: g, the gradient of its linear part, and what it read. */
typedef struct pass_layer {
  int index;
  const real *g, *input; /* [tile rows][stride] */
  int g_stride, input_stride;
} pass_layer;

typedef struct row_walk {
  void *data;
  /* After a tile's forward pass; may be NULL. */
  void (*open)(void *data, const residual_set *set, const residual_tile *tile, int worker);
  void (*take)(void *data, const row_pass *pass, const pass_layer *layer);
} row_walk;

/* Packs the formed weights for the tiles. */
void residual_pack(residual *residual, const real *formed);

void residual_walk(residual *residual, const real *formed, const row_walk *walk);

/* first[segment] <- number of its first row; returns the number of rows. */
int residual_number_rows(const residual *residual, int *first);

#endif
