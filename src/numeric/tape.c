/* SPDX-License-Identifier: Apache-2.0
 *
 * tape.c - recording, running and reversing a small matrix program.
 *
 * Reverse rules, with G the gradient of Y:
 *   affine  dX += G W,  dW += G^T X,  db += column sums of G
 *   mix     dX += P^T G
 *   apply   dX += G * f'(X), the slope being kept from the forward pass
 */
#include "numeric/tape.h"

#include <assert.h>
#include <string.h>

#include "numeric/blas.h"

static size_t step_size(const tape_step *step) { return (size_t)step->rows * (size_t)step->columns; }

/* ---- Recording ---------------------------------------------------------------------------------------- */

void tape_begin(tape *tape) {
  tape->count = 0;
  tape->used = 0;
}

static size_t reserve(tape *tape, size_t count) {
  enum { ALIGNMENT = 16 };
  assert(count > 0);
  size_t offset = tape->used;
  tape->used += (count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return offset;
}

static int record(tape *tape, tape_step step) {
  assert(tape->count < TAPE_MAX_STEPS && step.rows > 0 && step.columns > 0);
  step.value = reserve(tape, step_size(&step));
  if (step.op == TAPE_APPLY) step.slope = reserve(tape, step_size(&step));
  tape->steps[tape->count] = step;
  return tape->count++;
}

int tape_constant(tape *tape, int rows, int columns) {
  return record(tape, (tape_step){.op = TAPE_CONSTANT, .rows = rows, .columns = columns, .left = -1, .right = -1});
}

int tape_input(tape *tape, int rows, int columns) {
  return record(tape, (tape_step){.op = TAPE_INPUT, .rows = rows, .columns = columns, .left = -1, .right = -1});
}

int tape_affine(tape *tape, int x, int outputs, size_t weight, size_t bias) {
  assert(x >= 0 && x < tape->count && outputs > 0);
  return record(tape, (tape_step){.op = TAPE_AFFINE,
                                  .rows = tape->steps[x].rows,
                                  .columns = outputs,
                                  .left = x,
                                  .right = -1,
                                  .weight = weight,
                                  .bias = bias});
}

int tape_mix(tape *tape, int constant, int x) {
  assert(x >= 0 && x < tape->count && constant >= 0 && constant < tape->count);
  const tape_step *p = &tape->steps[constant];
  assert(p->op == TAPE_CONSTANT && p->columns == tape->steps[x].rows);
  return record(
      tape,
      (tape_step){.op = TAPE_MIX, .rows = p->rows, .columns = tape->steps[x].columns, .left = x, .right = constant});
}

int tape_apply(tape *tape, tape_function function, int x) {
  assert(x >= 0 && x < tape->count);
  return record(tape, (tape_step){.op = TAPE_APPLY,
                                  .function = function,
                                  .rows = tape->steps[x].rows,
                                  .columns = tape->steps[x].columns,
                                  .left = x,
                                  .right = -1});
}

int tape_add(tape *tape, int x, int z) {
  assert(x >= 0 && x < tape->count && z >= 0 && z < tape->count);
  const tape_step *a = &tape->steps[x], *b = &tape->steps[z];
  assert(a->rows == b->rows && a->columns == b->columns);
  (void)b;
  return record(tape, (tape_step){.op = TAPE_ADD, .rows = a->rows, .columns = a->columns, .left = x, .right = z});
}

int tape_join(tape *tape, int x, int z) {
  assert(x >= 0 && x < tape->count && z >= 0 && z < tape->count);
  const tape_step *a = &tape->steps[x], *b = &tape->steps[z];
  assert(a->rows == b->rows);
  return record(
      tape, (tape_step){.op = TAPE_JOIN, .rows = a->rows, .columns = a->columns + b->columns, .left = x, .right = z});
}

ans_status tape_prepare(ans_context *context, tape *tape) {
  assert(tape->count > 0 && tape->used > 0);
  if (tape->used > tape->room) {
    real *values = memory_take(size_product(tape->used, 2 * sizeof *values));
    if (!values) return context_no_memory(context);
    memory_give(tape->values);
    tape->values = values;
    tape->room = tape->used;
  }
  tape->gradients = tape->values + tape->room;
  for (int i = 0; i < tape->count; i++) {
    tape_step *step = &tape->steps[i];
    if (step->left < 0) memset(tape_value(tape, i), 0, step_size(step) * sizeof(real));
  }
  return ANS_OK;
}

void tape_drop(tape *tape) {
  memory_give(tape->values);
  tape->values = tape->gradients = NULL;
  tape->room = 0;
}

/* ---- Running ------------------------------------------------------------------------------------------ */

#if ANS_PRECISION == 32
#define EXP  expf
#define ERF  erff
#define TANH tanhf
#else
#define EXP  exp
#define ERF  erf
#define TANH tanh
#endif

static void apply(tape_function function, size_t count, const real *x, real *y, real *slope) {
  assert(x && y && slope && x != y);
  const real root_half = REAL(0.70710678118654752440), density = REAL(0.39894228040143267794);
  for (size_t i = 0; i < count; i++) switch (function) {
    case TAPE_GELU: {
      real below = REAL(0.5) * (1 + ERF(root_half * x[i])); /* the normal distribution function */
      y[i] = x[i] * below;
      slope[i] = below + x[i] * density * EXP(REAL(-0.5) * x[i] * x[i]);
      break;
    }
    case TAPE_RELU:
      y[i] = x[i] > 0 ? x[i] : 0;
      slope[i] = x[i] > 0;
      break;
    case TAPE_TANH:
      y[i] = TANH(x[i]);
      slope[i] = 1 - y[i] * y[i];
      break;
    }
}

static void run_affine(tape *tape, const tape_step *step, const real *parameters) {
  assert(step->left >= 0 && parameters);
  const tape_step *x = &tape->steps[step->left];
  real *y = tape->values + step->value;
  int inputs = x->columns, outputs = step->columns;
  real keep = 0;
  if (step->bias != TAPE_NO_BIAS) {
    for (int r = 0; r < step->rows; r++)
      memcpy(y + (size_t)r * (size_t)outputs, parameters + step->bias, (size_t)outputs * sizeof *y);
    keep = 1;
  }
  blas_gemm(false, true, step->rows, outputs, inputs, 1, tape->values + x->value, inputs, parameters + step->weight,
            inputs, keep, y, outputs);
}

static void run_join(tape *tape, const tape_step *step) {
  assert(step->left >= 0 && step->right >= 0);
  const tape_step *a = &tape->steps[step->left], *b = &tape->steps[step->right];
  for (int r = 0; r < step->rows; r++) {
    real *y = tape->values + step->value + (size_t)r * (size_t)step->columns;
    memcpy(y, tape->values + a->value + (size_t)r * (size_t)a->columns, (size_t)a->columns * sizeof *y);
    memcpy(y + a->columns, tape->values + b->value + (size_t)r * (size_t)b->columns, (size_t)b->columns * sizeof *y);
  }
}

static void run_step(tape *tape, const tape_step *step, const real *parameters) {
  real *y = tape->values + step->value;
  const real *x = step->left < 0 ? NULL : tape_value(tape, step->left);
  const real *z = step->right < 0 ? NULL : tape_value(tape, step->right);
  assert(x || step->op == TAPE_CONSTANT || step->op == TAPE_INPUT);
  assert(z || (step->op != TAPE_MIX && step->op != TAPE_ADD && step->op != TAPE_JOIN));
  switch (step->op) {
  case TAPE_CONSTANT:
  case TAPE_INPUT: break;
  case TAPE_AFFINE: run_affine(tape, step, parameters); break;
  case TAPE_MIX: {
    int inner = tape->steps[step->left].rows;
    blas_gemm(false, false, step->rows, step->columns, inner, 1, z, inner, x, step->columns, 0, y, step->columns);
    break;
  }
  case TAPE_APPLY: apply(step->function, step_size(step), x, y, tape->values + step->slope); break;
  case TAPE_ADD:
    for (size_t i = 0; i < step_size(step); i++) y[i] = x[i] + z[i];
    break;
  case TAPE_JOIN: run_join(tape, step); break;
  }
}

void tape_run(tape *tape, const real *parameters) {
  assert(tape->values && tape->used <= tape->room);
  for (int i = 0; i < tape->count; i++) run_step(tape, &tape->steps[i], parameters);
}

/* ---- Reversing ---------------------------------------------------------------------------------------- */

static void reverse_affine(tape *tape, const tape_step *step, const real *parameters, real *parameter_gradient) {
  assert(step->left >= 0 && parameters && parameter_gradient);
  const tape_step *x = &tape->steps[step->left];
  const real *g = tape->gradients + step->value;
  int inputs = x->columns, outputs = step->columns, rows = step->rows;
  if (x->op != TAPE_CONSTANT)
    blas_gemm(false, false, rows, inputs, outputs, 1, g, outputs, parameters + step->weight, inputs, 1,
              tape->gradients + x->value, inputs);
  blas_gemm(true, false, outputs, inputs, rows, 1, g, outputs, tape->values + x->value, inputs, 1,
            parameter_gradient + step->weight, inputs);
  if (step->bias == TAPE_NO_BIAS) return;
  real *bias = parameter_gradient + step->bias;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < outputs; c++) bias[c] += g[(size_t)r * (size_t)outputs + (size_t)c];
}

static void reverse_join(tape *tape, const tape_step *step) {
  assert(step->left >= 0 && step->right >= 0);
  const tape_step *sides[2] = {&tape->steps[step->left], &tape->steps[step->right]};
  int first = 0;
  for (int s = 0; s < 2; first += sides[s++]->columns)
    for (int r = 0; r < step->rows; r++) {
      const real *g = tape->gradients + step->value + (size_t)r * (size_t)step->columns + first;
      real *d = tape->gradients + sides[s]->value + (size_t)r * (size_t)sides[s]->columns;
      for (int c = 0; c < sides[s]->columns; c++) d[c] += g[c];
    }
}

static void reverse_step(tape *tape, const tape_step *step, const real *parameters, real *parameter_gradient) {
  const real *g = tape->gradients + step->value;
  real *dx = step->left < 0 ? NULL : tape_gradient(tape, step->left);
  real *dz = step->right < 0 ? NULL : tape_gradient(tape, step->right);
  assert(dx || step->op == TAPE_CONSTANT || step->op == TAPE_INPUT);
  assert(dz || (step->op != TAPE_MIX && step->op != TAPE_ADD && step->op != TAPE_JOIN));
  switch (step->op) {
  case TAPE_CONSTANT:
  case TAPE_INPUT: break;
  case TAPE_AFFINE: reverse_affine(tape, step, parameters, parameter_gradient); break;
  case TAPE_MIX: {
    int inner = tape->steps[step->left].rows;
    blas_gemm(true, false, inner, step->columns, step->rows, 1, tape_value(tape, step->right), inner, g, step->columns,
              1, dx, step->columns);
    break;
  }
  case TAPE_APPLY: {
    const real *slope = tape->values + step->slope;
    for (size_t i = 0; i < step_size(step); i++) dx[i] += g[i] * slope[i];
    break;
  }
  case TAPE_ADD:
    for (size_t i = 0; i < step_size(step); i++) dx[i] += g[i];
    for (size_t i = 0; i < step_size(step); i++) dz[i] += g[i];
    break;
  case TAPE_JOIN: reverse_join(tape, step); break;
  }
}

void tape_reverse(tape *tape, int result, const real *result_gradient, const real *parameters,
                  real *parameter_gradient) {
  assert(result >= 0 && result < tape->count && tape->gradients && result_gradient);
  memset(tape->gradients, 0, tape->used * sizeof *tape->gradients);
  memcpy(tape_gradient(tape, result), result_gradient, step_size(&tape->steps[result]) * sizeof *result_gradient);
  for (int i = result; i >= 0; i--) reverse_step(tape, &tape->steps[i], parameters, parameter_gradient);
}
