/* SPDX-License-Identifier: Apache-2.0
 *
 * tape.h - a small reverse-mode layer over matrices, for the hypernetworks.
 *
 * A program is recorded first (shapes only), then memory is prepared, constants are filled in, and the
 * program is run and reversed as often as wanted. Five operations are enough:
 *
 *   affine  Y = X W^T + b       W [outputs][inputs] and b are parts of the parameter block
 *   mix     Y = P X             P constant: normalised adjacency, selection, mean over rows, broadcast
 *   apply   Y = f(X)            GELU (exact), ReLU, tanh
 *   add     Y = X + Z
 *   join    Y = [X Z]           columns side by side
 *
 * All matrices are dense and row-major.
 */
#ifndef NUMERIC_TAPE_H
#define NUMERIC_TAPE_H

#include "base/base.h"
#include "numeric/real.h"

enum { TAPE_MAX_STEPS = 512 };

#define TAPE_NO_BIAS SIZE_MAX

typedef enum tape_function { TAPE_GELU, TAPE_RELU, TAPE_TANH } tape_function;
typedef enum tape_op { TAPE_CONSTANT, TAPE_INPUT, TAPE_AFFINE, TAPE_MIX, TAPE_APPLY, TAPE_ADD, TAPE_JOIN } tape_op;

/* One step and the matrix it makes; matrices are named by the index of their step. */
typedef struct tape_step {
  tape_op op;
  tape_function function;
  int rows, columns;
  int left, right;     /* operands; -1: none */
  size_t weight, bias; /* affine: offsets in the parameter block */
  size_t value, slope; /* offsets in the workspace; slope: f'(X) of apply */
} tape_step;

typedef struct tape {
  int count;
  size_t used, room; /* reals of workspace: recorded, and taken from memory */
  real *values, *gradients;
  tape_step steps[TAPE_MAX_STEPS];
} tape;

#define tape_begin    REAL_NAME(tape_begin)
#define tape_constant REAL_NAME(tape_constant)
#define tape_input    REAL_NAME(tape_input)
#define tape_affine   REAL_NAME(tape_affine)
#define tape_mix      REAL_NAME(tape_mix)
#define tape_apply    REAL_NAME(tape_apply)
#define tape_add      REAL_NAME(tape_add)
#define tape_join     REAL_NAME(tape_join)
#define tape_prepare  REAL_NAME(tape_prepare)
#define tape_run      REAL_NAME(tape_run)
#define tape_reverse  REAL_NAME(tape_reverse)
#define tape_drop     REAL_NAME(tape_drop)

/* Recording. A zeroed tape is empty; begin forgets the program and keeps the memory. */
void tape_begin(tape *tape);
int tape_constant(tape *tape, int rows, int columns); /* filled by the caller after prepare */
int tape_input(tape *tape, int rows, int columns);    /* the same, and its gradient is wanted */
int tape_affine(tape *tape, int x, int outputs, size_t weight, size_t bias);
int tape_mix(tape *tape, int constant, int x);
int tape_apply(tape *tape, tape_function function, int x);
int tape_add(tape *tape, int x, int z);
int tape_join(tape *tape, int x, int z);

/* Memory for the recorded program; constants and inputs are zero afterwards. */
ans_status tape_prepare(ans_context *context, tape *tape);

static inline real *tape_value(const tape *tape, int step) { return tape->values + tape->steps[step].value; }
static inline real *tape_gradient(const tape *tape, int step) { return tape->gradients + tape->steps[step].value; }

void tape_run(tape *tape, const real *parameters);

/* parameter_gradient += gradient of <result_gradient, result>; gradients of inputs are left in the tape. */
void tape_reverse(tape *tape, int result, const real *result_gradient, const real *parameters,
                  real *parameter_gradient);

void tape_drop(tape *tape); /* gives the memory back */

#endif
