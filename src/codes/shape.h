/* SPDX-License-Identifier: Apache-2.0
 *
 * shape.h - how many codes an instance has.
 */
#ifndef CODES_SHAPE_H
#define CODES_SHAPE_H

#include <stddef.h>

/* The codes of one instance: [fields][layers][width]. A conditional decoder's latent is 1 x 1 x width. */
typedef struct code_shape {
  int fields, layers, width;
} code_shape;

static inline size_t code_count(code_shape shape) {
  return (size_t)shape.fields * (size_t)shape.layers * (size_t)shape.width;
}

#endif
