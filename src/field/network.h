/* SPDX-License-Identifier: Apache-2.0
 *
 * network.h - the network that is evaluated: streams of dense layers with plain weights.
 *
 * A *stream* is one multilayer perceptron from coordinate features to outputs. A factorized network has
 * one stream per field, all of the same shape; a conditional decoder has one stream with an output per
 * field. Where the weights come from (C diag(s) R, a latent folded into a bias) is backbone.h's business:
 * here they are *formed*, all in one block of real, and gradients have the same layout.
 *
 *   h <- activation(W h + b)          or, with skip,   h <- h + activation(W h + b)
 */
#ifndef FIELD_NETWORK_H
#define FIELD_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "numeric/real.h"
#include "system/system.h"

enum { NETWORK_MAX_LAYERS = 16 };

typedef struct network_layer {
  int inputs, outputs;
  protocol_activation activation;
  bool bias, skip;
  size_t weight_offset; /* within a stream: W [outputs][inputs] */
  size_t bias_offset;   /* within a stream: b [outputs]; unused without bias */
} network_layer;

typedef struct network_shape {
  int streams;
  int features;       /* inputs of the first layer */
  int stream_outputs; /* 1: stream f is field f; else output f of stream 0 is field f */
  int layer_count;
  network_layer layers[NETWORK_MAX_LAYERS];
  size_t stream_size; /* reals of one stream */
} network_shape;

static inline size_t network_size(const network_shape *shape) { return shape->stream_size * (size_t)shape->streams; }

#endif
