/* SPDX-License-Identifier: Apache-2.0
 *
 * The tape's operations against their definitions, their adjoints against directional differences, and how
 * parameters begin.
 */
#include "check.h"

#include "base/base.h"
#include "numeric/initial.h"
#include "numeric/tape.h"

enum { ROWS = 5, COLUMNS = 7, OUTPUTS = 4, WEIGHTS = OUTPUTS * COLUMNS + OUTPUTS };

/* A program whose first step is the input that is moved. */
typedef int (*program)(tape *tape);

static int affine_program(tape *t) {
  return tape_affine(t, tape_input(t, ROWS, COLUMNS), OUTPUTS, 0, OUTPUTS * COLUMNS);
}
static int plain_program(tape *t) { return tape_affine(t, tape_input(t, ROWS, COLUMNS), OUTPUTS, 0, TAPE_NO_BIAS); }
static int mix_program(tape *t) {
  int x = tape_input(t, ROWS, COLUMNS);
  return tape_mix(t, tape_constant(t, 3, ROWS), x);
}
static int gelu_program(tape *t) { return tape_apply(t, TAPE_GELU, tape_input(t, ROWS, COLUMNS)); }
static int relu_program(tape *t) { return tape_apply(t, TAPE_RELU, tape_input(t, ROWS, COLUMNS)); }
static int tanh_program(tape *t) { return tape_apply(t, TAPE_TANH, tape_input(t, ROWS, COLUMNS)); }
static int add_program(tape *t) {
  int x = tape_input(t, ROWS, COLUMNS);
  return tape_add(t, x, tape_add(t, x, tape_constant(t, ROWS, COLUMNS)));
}
static int join_program(tape *t) {
  int x = tape_input(t, ROWS, COLUMNS);
  return tape_join(t, tape_join(t, tape_constant(t, ROWS, 2), x), x);
}
/* Everything at once, with the parameters used twice. */
static int whole_program(tape *t) {
  int x = tape_input(t, ROWS, COLUMNS);
  int mixed = tape_mix(t, tape_constant(t, ROWS, ROWS), x);
  int first = tape_apply(t, TAPE_GELU, tape_affine(t, x, OUTPUTS, 0, OUTPUTS * COLUMNS));
  int second = tape_apply(t, TAPE_GELU, tape_affine(t, mixed, OUTPUTS, 0, TAPE_NO_BIAS));
  return tape_apply(t, TAPE_GELU, tape_join(t, tape_add(t, first, second), x));
}

static const struct {
  const char *name;
  program record;
  bool linear;
} programs[] = {{"affine", affine_program, true}, {"affine without bias", plain_program, true},
                {"mix", mix_program, true},       {"gelu", gelu_program, false},
                {"relu", relu_program, false},    {"tanh", tanh_program, false},
                {"add", add_program, true},       {"join", join_program, true},
                {"whole", whole_program, false}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static void fill(random_stream *stream, size_t count, real *values) {
  for (size_t i = 0; i < count; i++) values[i] = (real)random_between(stream, -1.5, 1.5);
}

static size_t size_of(const tape *t, int step) { return (size_t)t->steps[step].rows * (size_t)t->steps[step].columns; }

static double dot(const real *a, const real *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
  return sum;
}

/* <w, f> at x + h v and parameters + h p. */
static double moved(tape *t, int result, const real *x, const real *v, const real *parameters, const real *p,
                    const real *w, double h) {
  real at[WEIGHTS];
  for (int i = 0; i < WEIGHTS; i++) at[i] = (real)((double)parameters[i] + h * (double)p[i]);
  for (int i = 0; i < ROWS * COLUMNS; i++) tape_value(t, 0)[i] = (real)((double)x[i] + h * (double)v[i]);
  tape_run(t, at);
  return dot(w, tape_value(t, result), size_of(t, result));
}

/* <J v, w> = <v, J^T w>: for linear programs with a whole step, otherwise with a small central difference. */
static void check_adjoint(ans_context *context, int which) {
  bool linear = programs[which].linear, fine = ANS_PRECISION == 64;
  random_stream stream = random_open(7, RANDOM_TEST, 0, (uint32_t)which);
  tape t = {0};
  tape_begin(&t);
  int result = programs[which].record(&t);
  assert_ok(context, tape_prepare(context, &t));
  for (int i = 0; i < t.count; i++)
    if (t.steps[i].left < 0) fill(&stream, size_of(&t, i), tape_value(&t, i));
  real x[ROWS * COLUMNS], v[ROWS * COLUMNS], parameters[WEIGHTS], p[WEIGHTS] = {0}, w[400], gradient[WEIGHTS] = {0};
  assert_true(size_of(&t, result) <= 400);
  memcpy(x, tape_value(&t, 0), sizeof x);
  fill(&stream, ROWS * COLUMNS, v);
  fill(&stream, WEIGHTS, parameters);
  if (!linear) fill(&stream, WEIGHTS, p);
  fill(&stream, 400, w);
  double h = linear ? 0.5 : fine ? 1e-5 : 1e-2, tolerance = fine ? (linear ? 1e-13 : 1e-8) : (linear ? 1e-5 : 1e-2);
  double difference =
      (moved(&t, result, x, v, parameters, p, w, h) - moved(&t, result, x, v, parameters, p, w, -h)) / (2 * h);
  moved(&t, result, x, v, parameters, p, w, 0);
  tape_reverse(&t, result, w, parameters, gradient);
  double reverse = dot(v, tape_gradient(&t, 0), ROWS * COLUMNS) + dot(p, gradient, WEIGHTS);
  double scale = sqrt(dot(w, w, size_of(&t, result)) * dot(v, v, ROWS * COLUMNS));
  if (!(fabs(difference - reverse) <= tolerance * scale))
    fail_msg("%s: forward %.12g, reverse %.12g", programs[which].name, difference, reverse);
  assert_true(fabs(reverse) > 1e-5 * scale); /* or nothing was compared */
  tape_drop(&t);
}

static void every_operation_has_its_adjoint(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int i = 0; i < PROGRAMS; i++) check_adjoint(context, i);
  ans_context_free(context);
}

/* The weights and bias of an affine step, one number at a time: y is linear in each. */
static void affine_gradients_are_exact(void **state) {
  (void)state;
  ans_context *context = new_context();
  tape t = {0};
  tape_begin(&t);
  int result = affine_program(&t);
  assert_ok(context, tape_prepare(context, &t));
  random_stream stream = random_open(8, RANDOM_TEST, 0, 0);
  real parameters[WEIGHTS], w[ROWS * OUTPUTS], gradient[WEIGHTS];
  fill(&stream, ROWS * COLUMNS, tape_value(&t, 0));
  fill(&stream, WEIGHTS, parameters);
  fill(&stream, ROWS * OUTPUTS, w);
  for (int i = 0; i < WEIGHTS; i++) gradient[i] = 3; /* gradients are added */
  tape_run(&t, parameters);
  tape_reverse(&t, result, w, parameters, gradient);
  double tolerance = ANS_PRECISION == 64 ? 1e-13 : 1e-4;
  for (int i = 0; i < WEIGHTS; i++) {
    real kept = parameters[i];
    double side[2];
    for (int s = 0; s < 2; s++) {
      parameters[i] = kept + (s ? 1 : -1);
      tape_run(&t, parameters);
      side[s] = dot(w, tape_value(&t, result), ROWS * OUTPUTS);
    }
    parameters[i] = kept;
    assert_near(gradient[i] - 3, (side[1] - side[0]) / 2, tolerance * 10);
  }
  tape_drop(&t);
  ans_context_free(context);
}

static void functions_have_their_values(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const double expected[3][3] = {
      {-0.15865525393145707, 0, 1.9544997361036416}, /* x times the normal distribution */
      {0, 0, 2},
      {-0.76159415595576489, 0, 0.96402758007581688}};
  static const tape_function functions[3] = {TAPE_GELU, TAPE_RELU, TAPE_TANH};
  for (int f = 0; f < 3; f++) {
    tape t = {0};
    int result = tape_apply(&t, functions[f], tape_constant(&t, 1, 3));
    assert_ok(context, tape_prepare(context, &t));
    tape_value(&t, 0)[0] = -1;
    tape_value(&t, 0)[2] = 2;
    tape_run(&t, NULL);
    for (int i = 0; i < 3; i++) assert_near(tape_value(&t, result)[i], expected[f][i], 4 * REAL_EPSILON);
    tape_drop(&t);
  }
  ans_context_free(context);
}

static void memory_is_taken_only_for_growth(void **state) {
  (void)state;
  ans_context *context = new_context();
  tape t = {0};
  for (int rows = 1; rows < 40; rows += 3) {
    tape_begin(&t);
    tape_apply(&t, TAPE_RELU, tape_constant(&t, rows, 10));
    memory_fail_after(1, false);
    assert_int_equal(tape_prepare(context, &t), ANS_MEMORY);
    memory_fail_after(0, false);
    assert_ok(context, tape_prepare(context, &t));
    long before = memory_taken();
    for (int smaller = rows; smaller > 0; smaller--) {
      tape_begin(&t);
      int x = tape_constant(&t, smaller, 10);
      tape_apply(&t, TAPE_RELU, x);
      assert_ok(context, tape_prepare(context, &t));
      for (int i = 0; i < smaller * 10; i++) {
        assert_true(tape_value(&t, x)[i] == 0);
        tape_value(&t, x)[i] = 1;
      }
    }
    assert_int_equal(memory_taken(), before);
  }
  tape_drop(&t);
  ans_context_free(context);
}

/* ---- Beginnings --------------------------------------------------------------------------------------- */

static void linear_layers_begin_uniform(void **state) {
  (void)state;
  enum { COUNT = 40000 };
  unknown_part parts[2];
  unknown_table table = {.parts = parts, .limit = 2};
  assert_int_equal(unknown_add(&table, UNKNOWN_HIDDEN, 200, 200, "%s.weight", "a"), 0);
  assert_int_equal(unknown_add(&table, UNKNOWN_HIDDEN, 200, 0, "%s.bias", "a"), COUNT);
  assert_int_equal(table.size, COUNT + 200);
  real *block = malloc((COUNT + 200) * sizeof *block), *other = malloc((COUNT + 200) * sizeof *other);
  initial_linear(&parts[0], 25, 101, RANDOM_TEST, block);
  double sum = 0, squares = 0, largest = 0;
  for (int i = 0; i < COUNT; i++) {
    sum += (double)block[i];
    squares += (double)block[i] * (double)block[i];
    largest = fmax(largest, fabs((double)block[i]));
  }
  assert_true(largest <= 0.2 && largest > 0.1999);
  assert_near(sum / COUNT, 0, 4 * 0.2 / sqrt(3.0 * COUNT));
  assert_near(squares / COUNT, 0.04 / 3, 0.0003);
  initial_linear(&parts[0], 25, 102, RANDOM_TEST, other);
  assert_true(block[0] != other[0]);
  initial_linear(&parts[0], 25, 101, RANDOM_BACKBONE, other);
  assert_true(block[0] != other[0]);
  initial_linear(&parts[1], 25, 101, RANDOM_TEST, other);
  assert_true(block[0] != other[COUNT]);
  parts[0].offset = 100; /* the place in the block does not matter, the name does */
  initial_linear(&parts[0], 25, 101, RANDOM_TEST, other);
  assert_memory_equal(block, other + 100, COUNT * sizeof *block);
  free(block);
  free(other);
}

static void bases_begin_orthogonal(void **state) {
  (void)state;
  enum { WIDTH = 96 };
  static real block[WIDTH * WIDTH];
  unknown_part part = {.name = "basis.1.C", .rows = WIDTH, .columns = WIDTH};
  double trace = 0, corner = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    initial_orthogonal(&part, seed, RANDOM_TEST, block);
    for (int i = 0; i < WIDTH; i++)
      for (int j = 0; j <= i; j++)
        assert_near(dot(block + i * WIDTH, block + j * WIDTH, WIDTH), i == j, 8 * REAL_EPSILON);
    for (int i = 0; i < WIDTH; i++) trace += (double)block[i * WIDTH + i];
    corner += (double)block[0];
  }
  /* Haar: the trace has mean 0 and variance 1, an entry mean 0 and variance 1/width. */
  assert_near(trace / 20, 0, 4 / sqrt(20.0));
  assert_near(corner / 20, 0, 4 / sqrt(20.0 * WIDTH));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operation_has_its_adjoint), cmocka_unit_test(affine_gradients_are_exact),
      cmocka_unit_test(functions_have_their_values),     cmocka_unit_test(memory_is_taken_only_for_growth),
      cmocka_unit_test(linear_layers_begin_uniform),     cmocka_unit_test(bases_begin_orthogonal),
  };
  return cmocka_run_group_tests_name("tape", tests, NULL, NULL);
}
