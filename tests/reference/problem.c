/* SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"

static void set_instance(made *made, int structure, const double *values) {
  assert_ok(made->context, system_instance(made->context, made->problem, structure, values, true, &made->instance));
}

static void assign(made *made, int structure, const char *assignments) {
  double *values = calloc((size_t)made->problem->symbol_count + 1, sizeof *values);
  for (int i = 0; i < made->problem->symbol_count; i++) values[i] = NAN;
  if (assignments[0]) assert_ok(made->context, system_assign(made->context, made->problem, assignments, values));
  set_instance(made, structure, values);
  free(values);
}

made make_text(const char *text, const char *assignments) {
  made made = {.context = new_context()};
  assert_ok(made.context, system_parse(made.context, "test.pde", NULL, text, strlen(text), &made.problem));
  assign(&made, 0, assignments);
  return made;
}

made make_case(const char *path, const char *name) {
  made made = {.context = new_context()};
  assert_ok(made.context, system_read(made.context, path, &made.problem));
  int found = system_find_case(made.problem, name);
  assert_true(found >= 0);
  set_instance(&made, made.problem->cases[found].structure, made.problem->cases[found].values);
  return made;
}

made make_member(const char *path, const char *structure, const char *assignments) {
  made made = {.context = new_context()};
  assert_ok(made.context, system_read(made.context, path, &made.problem));
  int found = system_find_structure(made.problem, structure);
  assert_true(found >= 0);
  assign(&made, found, assignments);
  return made;
}

void give_back(made *made) {
  system_instance_free(made->instance);
  system_free(made->problem);
  ans_context_free(made->context);
}

double relative_error(const ans_solution *solution, int field, exact_function *exact, const double *parameters) {
  double difference = 0, size = 0;
  bool spatial = solution->coordinate_count == 2;
  int nodes = spatial ? solution->axis_sizes[1] : 1;
  for (int k = 0; k < solution->axis_sizes[0]; k++)
    for (int j = 0; j < nodes; j++) {
      double value = exact(spatial ? solution->axes[1][j] : 0, solution->axes[0][k], parameters);
      double change = solution->values[field][(size_t)k * (size_t)nodes + (size_t)j] - value;
      difference += change * change;
      size += value * value;
    }
  return sqrt(difference / size);
}
