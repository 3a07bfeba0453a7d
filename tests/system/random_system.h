/* SPDX-License-Identifier: Apache-2.0
 *
 * random_system.h - random problems for the property tests: drawn once, written in many ways.
 *
 * A drawn system is a plain list of terms. It can be written with any names, with its terms, factors and
 * equations in any order, multiplied out or with parentheses and d(...): all of these mean the same.
 */
#ifndef TESTS_SYSTEM_RANDOM_SYSTEM_H
#define TESTS_SYSTEM_RANDOM_SYSTEM_H

#include "base/base.h"

enum { RANDOM_FIELDS = 4, RANDOM_SYMBOLS = 6, RANDOM_TERMS = 7, RANDOM_FACTORS = 3, RANDOM_SOURCES = 15 };

typedef struct random_factor {
  int field, order[3], power;
} random_factor;

typedef struct random_term {
  double number;
  int symbols[RANDOM_SYMBOLS]; /* powers, may be negative */
  int source;                  /* 0: none; 1 to RANDOM_SOURCES: a function of the coordinates */
  int factor_count;
  random_factor factors[RANDOM_FACTORS];
  bool conservative; /* written as d(product, x) where the style allows: then these are the factors inside */
} random_term;

typedef struct random_system {
  int spaces, fields, symbols; /* spaces + time = coordinates */
  int term_count[RANDOM_FIELDS];
  random_term terms[RANDOM_FIELDS][RANDOM_TERMS];
  bool optional[RANDOM_SYMBOLS], logarithmic[RANDOM_SYMBOLS], soft[RANDOM_FIELDS];
  uint32_t initial_seed;
} random_system;

typedef struct random_style {
  int names;    /* which set of names */
  bool shuffle; /* order of equations, terms, factors */
  uint32_t seed;
} random_style;

random_system random_system_draw(uint64_t seed);
void random_system_write(buffer *out, const random_system *system, random_style style);

#endif
