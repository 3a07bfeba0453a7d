/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradients of meta-training and adaptation against central differences, in double.
 */
#include "small.h"

#include "training/adaptation.h"
#include "training/descent.h"
#include "training/meta.h"

/* Bases begin orthogonal, where their penalty and its gradient are zero; a little off they are not. */
static void move_off(descent *descent) {
  random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
  for (size_t i = 0; i < descent->count; i++) descent->parameters[i] += 0.05 * random_normal(&stream);
}

typedef ans_status gradient_function(ans_context *context, void *object, long step, double *loss, const char **worst);

/* (L(p + h d) - L(p - h d)) / 2h against d . gradient, for a few random directions d. */
static void assert_gradient(ans_context *context, gradient_function *gradient, void *object, descent *descent) {
  const double h = 1e-5;
  double loss, plus, minus;
  const char *worst;
  real *direction = memory_take(descent->count * sizeof *direction),
       *start = memory_take(descent->count * sizeof *start);
  real *exact = memory_take(descent->count * sizeof *exact);
  assert_ok(context, gradient(context, object, 1, &loss, &worst));
  memcpy(start, descent->parameters, descent->count * sizeof *start);
  memcpy(exact, descent->gradient, descent->count * sizeof *exact);
  for (uint32_t trial = 0; trial < 4; trial++) {
    random_stream stream = random_open(1, RANDOM_TEST, 0, trial);
    double slope = 0;
    for (size_t i = 0; i < descent->count; i++) {
      direction[i] = random_normal(&stream);
      slope += direction[i] * exact[i];
      descent->parameters[i] = start[i] + h * direction[i];
    }
    assert_ok(context, gradient(context, object, 1, &plus, &worst));
    for (size_t i = 0; i < descent->count; i++) descent->parameters[i] = start[i] - h * direction[i];
    assert_ok(context, gradient(context, object, 1, &minus, &worst));
    assert_near((plus - minus) / (2 * h), slope, 1e-5 * (fabs(slope) + fabs(loss)));
  }
  memory_give(exact);
  memory_give(start);
  memory_give(direction);
}

static void meta_gradient_matches_differences(void **state) {
  (void)state;
  static const descriptor_kind kinds[] = {DESCRIPTOR_GRAPH, DESCRIPTOR_SET, DESCRIPTOR_VECTOR, DESCRIPTOR_DICTIONARY};
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  problem->train.orthogonality = 10;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    meta *meta;
    assert_ok(context, meta_new(context, problem, kinds[i], 0, 3, 1, &meta));
    move_off(meta_descent(meta));
    assert_gradient(context, meta_gradient, meta, meta_descent(meta));
    meta_free(meta);
  }
  system_free(problem);
  ans_context_free(context);
}

static void adaptation_gradient_matches_differences(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  problem->adapt.orthogonality = 10;
  ans_instance *instance = small_instance(context, problem);
  for (int decoder = 0; decoder < 2; decoder++) {
    adaptation *adaptation;
    adaptation_options options = {.seed = 3, .threads = 1, .decoder = decoder};
    assert_ok(context, adaptation_new(context, instance, &options, &adaptation));
    move_off(adaptation_descent(adaptation));
    assert_gradient(context, adaptation_gradient, adaptation, adaptation_descent(adaptation));
    adaptation_free(adaptation);
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
  adaptation *adaptation;
  adaptation_options options = {.seed = 3, .threads = 1};
  assert_ok(context, adaptation_new(context, instance, &options, &adaptation));
  descent *descent = adaptation_descent(adaptation);
  double zero, negative;
  const char *worst;
  descent->parameters[5] = 0;
  assert_ok(context, adaptation_gradient(context, adaptation, 1, &zero, &worst));
  assert_true(descent->gradient[5] == 0 && descent->gradient[6] != 0);
  descent->parameters[5] = -2;
  assert_ok(context, adaptation_gradient(context, adaptation, 1, &negative, &worst));
  assert_true(zero == negative && descent->gradient[5] == 0);
  adaptation_free(adaptation);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meta_gradient_matches_differences),
      cmocka_unit_test(adaptation_gradient_matches_differences),
      cmocka_unit_test(codes_pass_through_a_relu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
