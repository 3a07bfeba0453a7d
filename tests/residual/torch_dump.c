/* SPDX-License-Identifier: Apache-2.0
 *
 * torch_dump.c - prints a small Fisher loss with everything another program needs to find it again: points,
 * coefficients, weights, loss and gradient, for torch_test.py.
 */
#include "fixture.h"

static void print_numbers(const char *name, const double *numbers, size_t count) {
  printf("%s", name);
  for (size_t i = 0; i < count; i++) printf(" %.17g", numbers[i]);
  printf("\n");
}

int main(void) {
  enum { POINTS = 40 };
  ans_context *context = new_context();
  ans_problem *problem = open_problem(context, FISHER);
  ans_instance *instance = middle_instance(context, problem, problem->structure_count - 1);
  small_network network = open_network(context, problem, BACKBONE_FACTORIZED, 10, ACTIVATION_TANH);
  residual *residual = open_residual(context, instance, &network, POINTS, 1, false);
  double points[POINTS * 2];
  random_stream stream = random_open(4, RANDOM_TEST, 0, 0);
  for (int i = 0; i < POINTS * 2; i++) points[i] = random_uniform(&stream);
  residual_set_points(residual, points, POINTS);
  double loss = residual_loss(residual, network.formed, 1, network.gradient);
  const network_shape *shape = &network.backbone.shape;
  print_numbers("coefficients", instance->values, (size_t)problem->symbol_count);
  print_numbers("points", points, POINTS * 2);
  print_numbers("loss", &loss, 1);
  for (int s = 0; s < shape->streams; s++)
    for (int l = 0; l < shape->layer_count; l++) {
      const network_layer *layer = &shape->layers[l];
      size_t base = (size_t)s * shape->stream_size, weights = (size_t)layer->inputs * (size_t)layer->outputs;
      printf("layer %d %d %d %d\n", s, layer->inputs, layer->outputs, layer->bias);
      print_numbers("weight", network.formed + base + layer->weight_offset, weights);
      print_numbers("weight_gradient", network.gradient + base + layer->weight_offset, weights);
      if (!layer->bias) continue;
      print_numbers("bias", network.formed + base + layer->bias_offset, (size_t)layer->outputs);
      print_numbers("bias_gradient", network.gradient + base + layer->bias_offset, (size_t)layer->outputs);
    }
  residual_free(residual);
  close_network(&network);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
  return 0;
}
