/* SPDX-License-Identifier: Apache-2.0
 *
 * tile.h - the network on a few points at a time, forward and backward.
 *
 * A tile is small enough that everything it touches stays in the second-level cache. Weights are packed
 * once per step (tile_pack) for all tiles; each thread has a tile workspace of its own; gradients are summed
 * in an accumulator that the caller chooses, with rows padded like the activations.
 */
#ifndef FIELD_TILE_H
#define FIELD_TILE_H

#include "base/base.h"
#include "field/network.h"
#include "numeric/kernels/kernels.h"

#define tile_plan          REAL_NAME(tile_plan)
#define tile_layer         REAL_NAME(tile_layer)
#define tile_plan_make     REAL_NAME(tile_plan_make)
#define tile_pack          REAL_NAME(tile_pack)
#define tile_pack_forward  REAL_NAME(tile_pack_forward)
#define tile_pack_items    REAL_NAME(tile_pack_items)
#define tile_features      REAL_NAME(tile_features)
#define tile_output        REAL_NAME(tile_output)
#define tile_forward       REAL_NAME(tile_forward)
#define tile_backward      REAL_NAME(tile_backward)
#define tile_backward_each REAL_NAME(tile_backward_each)
#define tile_sink          REAL_NAME(tile_sink)
#define tile_unpack        REAL_NAME(tile_unpack)

/* Places of one layer's arrays, in reals: in the packed weights of a stream, in the accumulator of a stream,
 * and in the workspace of a stream. */
typedef struct tile_layer {
  kernel_activation activation;
  int inputs, outputs;
  int input_stride, output_stride;
  bool bias, skip;
  bool narrow; /* the last layer: few outputs */
  bool plain;  /* nothing after the product: y is z */
  bool turned; /* few inputs: the gradient is kept as [inputs][outputs], so that vectors are full */
  size_t packed_forward, packed_backward, packed_bias;
  size_t gradient_weight, gradient_bias;
  size_t z, y; /* of this layer's output rows */
} tile_layer;

typedef struct tile_plan {
  const kernel_table *kernels;
  network_shape shape;
  int rows; /* most points * channels of a tile */
  int layer_count;
  tile_layer layers[NETWORK_MAX_LAYERS];
  size_t packed_stream, gradient_stream, work_stream; /* reals of one stream */
  size_t packed_size, gradient_size, work_size;       /* of all; work_size: of one thread */
  size_t features, scratch[2];                        /* in the workspace: features of a stream; shared rows */
} tile_plan;

/* False when the shape is not one that tiles can run (its last layer must be linear) or is too large. */
bool tile_plan_make(const network_shape *shape, int rows, tile_plan *plan);

/* Packing is cut in items that threads may share: 0 <= item < tile_pack_items. */
int tile_pack_items(const tile_plan *plan);
void tile_pack(const tile_plan *plan, const real *formed, int item, real *packed);
void tile_pack_forward(const tile_plan *plan, const real *formed, int item, real *packed); /* what forward needs */

/* Where features_fill writes, with stride layers[0].input_stride, and where forward leaves
 * [point][channel][stream_outputs] and backward expects the gradient of them. */
real *tile_features(const tile_plan *plan, int stream, real *work);
real *tile_output(const tile_plan *plan, int stream, real *work);

void tile_forward(const tile_plan *plan, const real *packed, const kernel_rule *rule, int stream, int points,
                  real *work);

/* accumulator <- (add ? accumulator : 0) + gradient. */
void tile_backward(const tile_plan *plan, const real *packed, const kernel_rule *rule, int stream, int points, bool add,
                   real *work, real *accumulator);

/* Without an accumulator: each layer's rows are shown to the caller, g the gradient of its linear part and
 * input what it read, with strides output_stride (outputs for the last layer) and input_stride. */
typedef void tile_sink(void *data, int layer, const real *g, const real *input);
void tile_backward_each(const tile_plan *plan, const real *packed, const kernel_rule *rule, int stream, int points,
                        real *work, tile_sink *sink, void *data);

/* gradient [network_size] <- scale * sum over accumulators, in their order; for item of tile_pack_items. */
void tile_unpack(const tile_plan *plan, int count, const real *const *accumulators, real scale, int item,
                 real *gradient);

#endif
