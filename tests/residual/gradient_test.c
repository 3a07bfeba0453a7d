/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient_test.c - gradients in double against central differences: every parameter block, every activation,
 * every shipped family and the made problems (which have every kind of transform, condition and derivative).
 */
#include "fixture.h"

static const double WITHIN = 1e-7; /* of the block's largest entry */

static double difference(small_network *network, residual *residual, real *entry, double step) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  real before = *entry;
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    *entry = before + at[k] * step;
    sum += weight[k] * network_loss(network, residual);
  }
  *entry = before;
  return sum / (12 * step);
}

/* About thirty entries of a block. */
static void check_block(const char *name, small_network *network, residual *residual, real *block, const real *gradient,
                        size_t count, double step) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(gradient[i]));
  size_t stride = count / 30 + 1;
  for (size_t i = 0; i < count; i += stride) {
    double expected = difference(network, residual, &block[i], step);
    if (!(fabs(gradient[i] - expected) <= WITHIN * largest))
      fail_msg("%s[%zu]: gradient %.15g, difference %.15g (largest of the block %.3g)", name, i, gradient[i], expected,
               largest);
  }
}

/* In the chart of a start from scratch, with units of its own. */
static residual *open_scaled(ans_context *context, const ans_instance *instance, const small_network *network) {
  residual_options options = {.points = 21,
                              .initial_points = 11,
                              .period_points = 9,
                              .boundary_points = 7,
                              .threads = 1,
                              .moving = true,
                              .scaled = true,
                              .smooth = true};
  residual *residual = NULL;
  assert_ok(context, residual_new(context, instance, &network->backbone.shape, &options, &residual));
  residual_lay_points(residual, 0.5, 1);
  residual_set_time_weight(residual, 0.7);
  return residual;
}

static void check_network(ans_context *context, ans_problem *problem, const ans_instance *instance, backbone_kind kind,
                          protocol_activation activation, bool plain, bool scaled) {
  small_network network = open_network(context, problem, kind, 11, activation);
  residual *residual =
      scaled ? open_scaled(context, instance, &network) : open_residual(context, instance, &network, 21, 1, plain);
  double step = activation == ACTIVATION_RELU ? 2e-6 : 2e-4; /* a kink must not lie between */
  double loss = network_gradient(&network, residual);
  assert_true(loss > 0);
  real *gradient = memory_take(network.backbone.size * sizeof(real)),
       *codes = memory_take(network.codes_count * sizeof(real));
  memcpy(gradient, network.parameter_gradient, network.backbone.size * sizeof(real));
  memcpy(codes, network.code_gradient, network.codes_count * sizeof(real));
  for (int p = 0; p < network.backbone.part_count; p++) {
    const unknown_part *part = &network.backbone.parts[p];
    size_t count = (size_t)part->rows * (size_t)(part->columns ? part->columns : 1);
    check_block(part->name, &network, residual, network.parameters + part->offset, gradient + part->offset, count,
                step);
  }
  check_block("codes", &network, residual, network.codes, codes, network.codes_count, step);
  memory_give(gradient), memory_give(codes);
  residual_free(residual);
  close_network(&network);
}

static void check_charted(int index, backbone_kind kind, protocol_activation activation, bool plain, bool scaled) {
  ans_context *context = new_context();
  ans_problem *problem = open_problem(context, index);
  ans_instance *instance = middle_instance(context, problem, problem->structure_count - 1);
  check_network(context, problem, instance, kind, activation, plain, scaled);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

static void check_problem(int index, backbone_kind kind, protocol_activation activation, bool plain) {
  check_charted(index, kind, activation, plain, false);
}

static void test_scaled(void **state) {
  (void)state;
  for (int i = 0; i < problem_count(); i++) check_charted(i, BACKBONE_FACTORIZED, ACTIVATION_TANH, false, true);
}

static void test_factorized(void **state) {
  (void)state;
  for (int i = 0; i < problem_count(); i++)
    for (int plain = 0; plain < 2; plain++) check_problem(i, BACKBONE_FACTORIZED, ACTIVATION_TANH, plain);
}

static void test_activations(void **state) {
  (void)state;
  const protocol_activation all[] = {ACTIVATION_SINE, ACTIVATION_GELU};
  for (int i = 0; i < problem_count(); i++)
    for (int a = 0; a < 2; a++) check_problem(i, BACKBONE_FACTORIZED, all[a], a == 0);
}

static void test_relu(void **state) {
  (void)state;
  check_problem(FISHER, BACKBONE_FACTORIZED, ACTIVATION_RELU, true);
}

static void test_decoder(void **state) {
  (void)state;
  check_problem(FISHER, BACKBONE_DECODER, ACTIVATION_SINE, false);
  check_problem(CDR, BACKBONE_DECODER, ACTIVATION_SINE, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factorized), cmocka_unit_test(test_scaled),  cmocka_unit_test(test_activations),
      cmocka_unit_test(test_relu),       cmocka_unit_test(test_decoder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
