/* SPDX-License-Identifier: Apache-2.0
 *
 * unknowns.h - every number that is trained, adapted or fitted lives in one block; a table describes its parts.
 *
 * The order of a block is that of its table, and nothing else fixes it: a network describes its own parts, and whoever
 * joins several networks appends their tables. A model is backbone and hypernetwork, a solver codes and backbone.
 */
#ifndef NUMERIC_UNKNOWNS_H
#define NUMERIC_UNKNOWNS_H

#include "base/base.h"

typedef enum unknown_role {
  UNKNOWN_CODE,         /* s of W = C diag(s) R, or a decoder's latent */
  UNKNOWN_INPUT,        /* first layer of a network */
  UNKNOWN_LEFT_BASIS,   /* C */
  UNKNOWN_RIGHT_BASIS,  /* R */
  UNKNOWN_HIDDEN,       /* inner layer of a decoder */
  UNKNOWN_OUTPUT,       /* last layer */
  UNKNOWN_HYPERNETWORK, /* what codes are computed with */
  UNKNOWN_COEFFICIENT   /* of the equations */
} unknown_role;

typedef enum unknown_state {
  UNKNOWN_FREE,
  UNKNOWN_FROZEN, /* keeps its value: no gradient, no column of a Jacobian */
  UNKNOWN_RELU    /* the network sees max(value, 0): no gradient at or below zero */
} unknown_state;

/* One named array of a block; what a model file stores as one tensor. */
typedef struct unknown_part {
  char name[64]; /* "backbone.basis.2.C", "hypernetwork.head.1.bias" */
  size_t own;    /* name + own: without the prefix of the table it was appended to, "basis.2.C" */
  unknown_role role;
  unknown_state state;
  size_t offset;     /* in the block */
  int rows, columns; /* columns = 0: a vector of `rows` */
} unknown_part;

/* The parts of a block in its order. Without `parts` only the size is counted. */
typedef struct unknown_table {
  unknown_part *parts;
  int count, limit;
  size_t size; /* numbers of all parts; the next one begins here */
} unknown_table;

static inline bool unknown_is_basis(const unknown_part *part) {
  return part->role == UNKNOWN_LEFT_BASIS || part->role == UNKNOWN_RIGHT_BASIS;
}

static inline size_t unknown_count(const unknown_part *part) {
  return (size_t)part->rows * (size_t)(part->columns ? part->columns : 1);
}

/* Adds a free part and returns its offset. */
size_t unknown_add(unknown_table *table, unknown_role role, int rows, int columns, const char *format, ...)
    PRINTF_LIKE(5, 6);

/* Adds copies of these parts, "prefix" before their names, behind the others. */
void unknown_append(unknown_table *table, const char *prefix, const unknown_part *parts, int count);

const unknown_part *unknown_find(const unknown_table *table, const char *name); /* NULL: none */

/* Numbers that are not frozen: the columns of a Jacobian. */
size_t unknown_free_count(const unknown_table *table);

/* The stream that fills a part. It depends on the part's own name and on nothing else of the network, so that
 * parts of the same name start alike in networks that differ elsewhere. */
random_stream unknown_stream(const unknown_part *part, uint64_t seed, random_purpose purpose);

#endif
