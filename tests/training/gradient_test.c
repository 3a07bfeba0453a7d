/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradients of meta-training and adaptation against central differences, in double.
 */
#include "small.h"

#include "field/backbone.h"
#include "training/adaptation.h"
#include "training/meta.h"

/* Bases begin orthogonal, where their penalty and its gradient are zero; a little off they are not. */
static void move_off(objective *objective) {
  random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
  for (size_t i = 0; i < objective->unknowns.size; i++) objective->values[i] += 0.05 * random_normal(&stream);
}

static double loss_of(ans_context *context, objective *objective, real *gradient) {
  double loss;
  assert_ok(context, objective->class->gradient(context, objective, 1, &loss, gradient));
  return loss;
}

static real *take_reals(size_t count) { return memory_take(count * sizeof(real)); }

/* (L(p + h d) - L(p - h d)) / 2h against d . gradient, for a few random directions d. */
static void assert_gradient(ans_context *context, objective *objective) {
  const double h = 1e-5;
  size_t count = objective->unknowns.size;
  real *direction = take_reals(count), *start = take_reals(count), *exact = take_reals(count),
       *other = take_reals(count);
  double loss = loss_of(context, objective, exact);
  memcpy(start, objective->values, count * sizeof *start);
  for (uint32_t trial = 0; trial < 4; trial++) {
    random_stream stream = random_open(1, RANDOM_TEST, 0, trial);
    double slope = 0;
    for (size_t i = 0; i < count; i++) {
      direction[i] = random_normal(&stream);
      slope += direction[i] * exact[i];
      objective->values[i] = start[i] + h * direction[i];
    }
    double plus = loss_of(context, objective, other);
    for (size_t i = 0; i < count; i++) objective->values[i] = start[i] - h * direction[i];
    double minus = loss_of(context, objective, other);
    assert_near((plus - minus) / (2 * h), slope, 1e-5 * (fabs(slope) + fabs(loss)));
  }
  memory_give(other), memory_give(exact), memory_give(start), memory_give(direction);
}

/* `weight`, which is 10, is that of the penalty on the bases in this loss; the backbone's parameters begin at `first`.
 */
static void assert_penalty(ans_context *context, objective *objective, const real *first, const ans_problem *problem,
                           bool decoder, double *weight) {
  backbone backbone;
  assert_ok(context, backbone_plan(context, problem, decoder ? BACKBONE_DECODER : BACKBONE_FACTORIZED, &backbone));
  real *workspace = take_reals(backbone_workspace(&backbone) + 1), *gradient = take_reals(objective->unknowns.size);
  double with = loss_of(context, objective, gradient);
  *weight = 0;
  double without = loss_of(context, objective, gradient);
  *weight = 10;
  assert_near(with - without, backbone_penalty(&backbone, first, 10, workspace, NULL), 1e-12 * with);
  assert_true(decoder || with - without > 0.1);
  memory_give(gradient), memory_give(workspace);
}

static void meta_gradient_matches_differences(void **state) {
  (void)state;
  static const descriptor_kind kinds[] = {DESCRIPTOR_GRAPH, DESCRIPTOR_SET, DESCRIPTOR_VECTOR, DESCRIPTOR_DICTIONARY};
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  problem->protocol.train.orthogonality = 10;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    objective *meta;
    assert_ok(context, meta_new(context, problem, kinds[i], 0, 3, 1, &meta));
    move_off(meta);
    assert_gradient(context, meta);
    assert_penalty(context, meta, meta->values, problem, kinds[i] == DESCRIPTOR_DICTIONARY,
                   &problem->protocol.train.orthogonality);
    objective_drop(meta);
  }
  system_free(problem);
  ans_context_free(context);
}

static void adaptation_gradient_matches_differences(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  problem->protocol.adapt.orthogonality = 10;
  ans_instance *instance = small_instance(context, problem);
  for (int decoder = 0; decoder < 2; decoder++) {
    objective *adaptation;
    adaptation_options options = {.seed = 3, .threads = 1, .decoder = decoder};
    assert_ok(context, adaptation_new(context, instance, &options, &adaptation));
    move_off(adaptation);
    assert_gradient(context, adaptation);
    size_t codes = decoder ? 0 : 2 * 16; /* a decoder has no penalty, wherever it begins */
    assert_penalty(context, adaptation, adaptation->values + codes, problem, decoder,
                   &problem->protocol.adapt.orthogonality);
    objective_drop(adaptation);
  }
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

/* A code at or below zero acts as zero and has no gradient. */
static void codes_pass_through_a_relu(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_instance *instance = small_instance(context, problem);
  objective *adaptation;
  adaptation_options options = {.seed = 3, .threads = 1};
  assert_ok(context, adaptation_new(context, instance, &options, &adaptation));
  real *gradient = take_reals(adaptation->unknowns.size);
  adaptation->values[5] = 0;
  double zero = loss_of(context, adaptation, gradient);
  assert_true(gradient[5] == 0 && gradient[6] != 0);
  adaptation->values[5] = -2;
  double negative = loss_of(context, adaptation, gradient);
  assert_true(zero == negative && gradient[5] == 0);
  memory_give(gradient);
  objective_drop(adaptation);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

/* ---- Thin layers: from width 64 on, where a ReLU leaves few codes above zero -------------------------------- */

enum { WIDE = 64, PLACES = 30 };

/* What an adaptation says at its present codes. */
typedef struct answer {
  double loss, check, grid, values[PLACES], curves[PLACES];
  real *gradient;
} answer;

/* Codes from 0.5 to 1.5; three of five are `low` instead. Everything moved off the beginning. */
static void set_codes(objective *adaptation, size_t codes, real low) {
  move_off(adaptation);
  random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
  for (size_t i = 0; i < codes; i++) {
    double code = random_between(&stream, 0.5, 1.5);
    adaptation->values[i] = i % 5 < 3 ? low : code;
  }
}

static answer ask(ans_context *context, const ans_instance *instance, int threads, size_t codes, real low) {
  answer result;
  objective *adaptation;
  adaptation_options options = {.seed = 3, .threads = threads};
  assert_ok(context, adaptation_new(context, instance, &options, &adaptation));
  set_codes(adaptation, codes, low);
  double points[PLACES][2];
  const system_orders value = {1, {{0}}}, second = {1, {{2}}};
  for (int i = 0; i < PLACES; i++) points[i][0] = (double)i / PLACES, points[i][1] = i * 7 % PLACES / (double)PLACES;
  result.gradient = take_reals(adaptation->unknowns.size);
  result.loss = loss_of(context, adaptation, result.gradient);
  result.check = objective_judge(adaptation);
  assert_ok(context, adaptation_grid(context, adaptation, &result.grid));
  assert_ok(context, adaptation_evaluate(context, adaptation, points[0], PLACES, &value, result.values));
  assert_ok(context, adaptation_evaluate(context, adaptation, points[0], PLACES, &second, result.curves));
  objective_drop(adaptation);
  return result;
}

/* What is kept from one evaluation to the next knows when an unknown or the derivative is another one. */
static void evaluation_follows_the_unknowns(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_instance *instance = small_instance(context, problem);
  objective *adaptation;
  adaptation_options options = {.seed = 3, .threads = 1};
  const system_orders value = {1, {{0}}}, slope = {1, {{1}}}, both = {2, {{0}, {1}}};
  const double point[2] = {0.3, 0.4};
  double first, again, moved, steep, pair[2];
  assert_ok(context, adaptation_new(context, instance, &options, &adaptation));
  move_off(adaptation);
  assert_ok(context, adaptation_evaluate(context, adaptation, point, 1, &value, &first));
  assert_ok(context, adaptation_evaluate(context, adaptation, point, 1, &slope, &steep));
  assert_ok(context, adaptation_evaluate(context, adaptation, point, 1, &value, &again));
  assert_true(first == again && first != steep);
  assert_ok(context, adaptation_evaluate(context, adaptation, point, 1, &both, pair));
  assert_near(pair[0], first, 1e-12);
  assert_near(pair[1], steep, 1e-12);
  real before = adaptation->values[0];
  adaptation->values[0] += REAL(0.1);
  assert_ok(context, adaptation_evaluate(context, adaptation, point, 1, &value, &moved));
  adaptation->values[0] = before;
  assert_ok(context, adaptation_evaluate(context, adaptation, point, 1, &value, &again));
  assert_true(first == again && first != moved);
  objective_drop(adaptation);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

static double largest(const real *values, size_t count) {
  double result = 0;
  for (size_t i = 0; i < count; i++) result = fmax(result, fabs(values[i]));
  return result;
}

/* Codes below zero behind a ReLU are the network of free codes at zero, but for the gradient of these codes. */
static void thin_layers_change_nothing(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  problem->protocol.network.width = WIDE;
  problem->protocol.adapt.orthogonality = 1;
  ans_instance *instance = small_instance(context, problem);
  backbone dense, present;
  assert_ok(context, backbone_plan(context, problem, BACKBONE_FACTORIZED, &dense));
  size_t codes = code_count(dense.codes), count = codes + dense.size;
  real seen[2 * WIDE];
  assert_int_equal(codes, 2 * WIDE);
  for (size_t i = 0; i < codes; i++) seen[i] = i % 5 < 3 ? 0 : 1;
  backbone_thin(&dense, seen, &present);
  assert_true(present.rank[0] > 0 && present.rank[1] > 0);

  answer thin = ask(context, instance, 1, codes, -0.3);
  for (int threads = 2; threads <= 4; threads++) {
    answer other = ask(context, instance, threads, codes, -0.3);
    assert_memory_equal(other.gradient, thin.gradient, count * sizeof *thin.gradient);
    assert_memory_equal(&other, &thin, offsetof(answer, gradient));
    memory_give(other.gradient);
  }
  problem->protocol.network.relu_codes = false;
  answer free = ask(context, instance, 1, codes, 0);
  const double close = 1e-11;
  assert_near(thin.loss, free.loss, close * free.loss);
  assert_near(thin.check, free.check, close * free.check);
  assert_near(thin.grid, free.grid, close * free.grid);
  double value = largest(free.values, PLACES), curve = largest(free.curves, PLACES);
  for (int i = 0; i < PLACES; i++) {
    assert_near(thin.values[i], free.values[i], close * value);
    assert_near(thin.curves[i], free.curves[i], close * curve);
  }
  double code_scale = largest(free.gradient, codes), scale = largest(free.gradient + codes, dense.size);
  for (size_t i = 0; i < codes; i++)
    assert_near(thin.gradient[i], i % 5 < 3 ? 0 : free.gradient[i], close * code_scale);
  for (size_t i = codes; i < count; i++) assert_near(thin.gradient[i], free.gradient[i], close * scale);
  memory_give(thin.gradient), memory_give(free.gradient);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meta_gradient_matches_differences), cmocka_unit_test(adaptation_gradient_matches_differences),
      cmocka_unit_test(codes_pass_through_a_relu),         cmocka_unit_test(thin_layers_change_nothing),
      cmocka_unit_test(evaluation_follows_the_unknowns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
