/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients of codes against central differences, invariances, and what happens without memory. (The formulas of the
 * codes: formula_test.c.)
 */
#include "bench.h"

#include "codes_float.h"

/* ---- Gradients ---------------------------------------------------------------------------------------- */

/* Along a direction inside one part that is half the gradient's own and half random. */
static void check_part(bench *b, const unknown_part *part, random_stream *stream) {
  const double h = 2e-6;
  size_t count = unknown_count(part);
  double *direction = malloc(count * sizeof *direction), *at = b->parameters + part->offset;
  const double *gradient = b->gradient + part->offset;
  double length = norm(gradient, count), slope = 0, values[2];
  if (!(length > 1e-6)) fail_msg("%s has no gradient", part->name);
  for (size_t i = 0; i < count; i++) {
    direction[i] = gradient[i] / length + random_normal(stream) / sqrt((double)count);
    slope += direction[i] * gradient[i];
  }
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < count; i++) at[i] += (side ? 2 : -1) * h * direction[i];
    values[side] = weighted(b);
  }
  for (size_t i = 0; i < count; i++) at[i] -= h * direction[i];
  double difference = (values[1] - values[0]) / (2 * h);
  double rounding = 4 * DBL_EPSILON * fmax(fabs(values[0]), fabs(values[1])) / (2 * h); /* of the difference itself */
  if (!(fabs(difference - slope) <= 1e-7 * length + rounding))
    fail_msg("%s of %s: difference %.12g, gradient %.12g", part->name, descriptor_name(b->descriptor->kind), difference,
             slope);
  free(direction);
}

static void check_gradient(families_maker family, descriptor_kind kind) {
  bench b;
  open_bench(&b, family, kind, 24, 0, 17);
  weighted(&b);
  hypernetwork_backward(b.h, b.parameters, b.weights, b.gradient);
  int parts;
  const unknown_part *part = hypernetwork_parts(b.h, &parts);
  random_stream stream = random_open(18, RANDOM_TEST, 0, 0);
  for (int p = 0; p < parts; p++) check_part(&b, &part[p], &stream);
  close_bench(&b);
}

static void gradients_match_differences(void **state) {
  (void)state;
  for (int f = 0; f < FAMILIES; f++)
    for (int a = 0; a < arms_of(f); a++) check_gradient(families_all[f], arms[a]);
  check_gradient(families_fisher_linear, DESCRIPTOR_GRAPH);
  check_gradient(families_fisher_stacked, DESCRIPTOR_GRAPH);
  check_gradient(families_fisher_tanh, DESCRIPTOR_VECTOR);
}

static void gradients_are_added(void **state) {
  (void)state;
  bench b;
  open_bench(&b, families_fisher, DESCRIPTOR_GRAPH, 16, 0, 3);
  weighted(&b);
  hypernetwork_backward(b.h, b.parameters, b.weights, b.gradient);
  double once = b.gradient[5];
  hypernetwork_backward(b.h, b.parameters, b.weights, b.gradient);
  assert_true(once != 0);
  assert_true(b.gradient[5] == once + once);
  close_bench(&b);
}

/* Float differs from double by rounding only: both begin at the same parameters. */
static void float_follows_double(void **state) {
  (void)state;
  for (int f = 0; f < FAMILIES; f++)
    for (int a = 0; a < arms_of(f); a++) {
      bench b;
      open_bench(&b, families_all[f], arms[a], f == 1 ? 64 : 0, 0, 101);
      weighted(&b);
      hypernetwork_backward(b.h, b.parameters, b.weights, b.gradient);
      double *parameters = malloc(b.size * sizeof(double)), *gradient = malloc(b.size * sizeof(double));
      double *codes = malloc(b.count * sizeof(double));
      assert_ok(b.context, codes_in_float(b.context, &b.made.problem, b.shape, b.descriptor, 101, b.weights, parameters,
                                          codes, gradient));
      for (size_t i = 0; i < b.size; i++) assert_true(parameters[i] == (double)(float)b.parameters[i]);
      for (size_t i = 0; i < b.count; i++) codes[i] -= b.codes[i];
      for (size_t i = 0; i < b.size; i++) gradient[i] -= b.gradient[i];
      double code_error = norm(codes, b.count) / norm(b.codes, b.count),
             error = norm(gradient, b.size) / norm(b.gradient, b.size);
      assert_true(code_error > 0 && code_error < 16 * (double)FLT_EPSILON);
      assert_true(error > 0 && error < 32 * (double)FLT_EPSILON);
      free(parameters);
      free(gradient);
      free(codes);
      close_bench(&b);
    }
}

/* ---- Invariances -------------------------------------------------------------------------------------- */

/* The same descriptor with its rows in another order. */
static void permuted(const descriptor *from, descriptor *to) {
  static double values[NODES * 64], adjacency[NODES * NODES];
  static int group[NODES], field_row[SYSTEM_MAX_FIELDS], order[NODES];
  int rows = from->rows, columns = from->columns;
  assert_true(rows <= NODES && columns <= 64);
  for (int i = 0; i < rows; i++) order[i] = i % 2 ? i / 2 : rows - 1 - i / 2; /* last, first, last but one, ... */
  *to = *from;
  for (int i = 0; i < rows; i++) {
    memcpy(values + i * columns, from->values + order[i] * columns, (size_t)columns * sizeof *values);
    if (from->group) group[i] = from->group[order[i]];
    for (int f = 0; from->field_row && f < from->fields; f++)
      if (from->field_row[f] == order[i]) field_row[f] = i;
    for (int j = 0; from->adjacency && j < rows; j++)
      adjacency[i * rows + j] = from->adjacency[order[i] * rows + order[j]];
  }
  to->values = values;
  to->adjacency = from->adjacency ? adjacency : NULL;
  to->group = from->group ? group : NULL;
  to->field_row = from->field_row ? field_row : NULL;
}

static void codes_do_not_depend_on_the_order_of_rows(void **state) {
  (void)state;
  for (int f = 0; f < FAMILIES; f++)
    for (int a = 0; a < 3; a++) { /* graph and sets: the others have one row */
      bench b;
      open_bench(&b, families_all[f], arms[a], 32, 0, 5);
      weighted(&b);
      double *codes = malloc(b.count * sizeof *codes);
      descriptor other;
      permuted(b.descriptor, &other);
      assert_memory_not_equal(other.values, b.descriptor->values,
                              (size_t)other.rows * (size_t)other.columns * sizeof(double));
      assert_ok(b.context, hypernetwork_forward(b.context, b.h, &other, b.parameters, codes));
      for (size_t i = 0; i < b.count; i++) assert_near(codes[i], b.codes[i], 1e-14 * norm(b.codes, b.count));
      free(codes);
      close_bench(&b);
    }
}

static bool fields_share_codes(const bench *b) {
  return memcmp(b->codes, b->codes + b->count / 2, b->count / 2 * sizeof *b->codes) == 0;
}

/* Two fields: only a vector in the union layout gives both the same codes. */
static void only_broadcast_codes_are_shared(void **state) {
  (void)state;
  for (int f = 0; f < FAMILIES; f += 2)
    for (int a = 0; a < 5; a++) {
      bench b;
      open_bench(&b, families_all[f], arms[a], 32, 0, 6);
      weighted(&b);
      bool vector = arms[a] == DESCRIPTOR_VECTOR || arms[a] == DESCRIPTOR_PRESENCE;
      assert_int_equal(fields_share_codes(&b), vector && families_all[f] == families_ccp);
      close_bench(&b);
    }
}

/* A grouped set reads a field's codes from its own residual's terms and from nothing else. */
static void grouped_tokens_stay_with_their_residual(void **state) {
  (void)state;
  bench b;
  open_bench(&b, families_ccp, DESCRIPTOR_SET, 32, 0, 7);
  weighted(&b);
  double *codes = malloc(b.count * sizeof *codes), *values = (double *)b.descriptor->values;
  size_t half = b.count / 2;
  memcpy(codes, b.codes, b.count * sizeof *codes);
  for (int row = 0; row < b.descriptor->rows; row++)
    if (b.descriptor->group[row] == 1) values[row * b.descriptor->columns + 1] += 0.5;
  weighted(&b);
  assert_memory_equal(codes, b.codes, half * sizeof *codes);
  assert_memory_not_equal(codes + half, b.codes + half, half * sizeof *codes);
  free(codes);
  close_bench(&b);
}

/* ---- The shipped families ------------------------------------------------------------------------------ */

/* Codes of one case: finite, and the heads' ReLU lets about half of them through. */
static void check_case(ans_context *context, const ans_problem *problem, const system_case *named,
                       descriptor_kind kind) {
  ans_instance *instance;
  descriptor *descriptor;
  hypernetwork *h;
  assert_ok(context, system_instance(context, problem, named->structure, named->values, false, &instance));
  code_shape shape = {problem->field_count, problem->protocol.network.layers, problem->protocol.network.width};
  if (kind == DESCRIPTOR_DICTIONARY) shape = (code_shape){1, 1, 40};
  assert_ok(context, descriptor_build(context, instance, kind, &descriptor));
  assert_ok(context, hypernetwork_new(context, problem, shape, kind, 0, &h));
  double *parameters = malloc(hypernetwork_size(h) * sizeof *parameters),
         *codes = malloc(code_count(shape) * sizeof *codes);
  hypernetwork_initialise(h, 101, parameters);
  assert_ok(context, hypernetwork_forward(context, h, descriptor, parameters, codes));
  size_t positive = 0;
  for (size_t i = 0; i < code_count(shape); i++) {
    assert_true(isfinite(codes[i]));
    assert_true(kind == DESCRIPTOR_DICTIONARY || codes[i] >= 0);
    positive += codes[i] > 0;
  }
  assert_true(4 * positive > code_count(shape) && 4 * positive < 3 * code_count(shape));
  free(parameters);
  free(codes);
  hypernetwork_free(h);
  descriptor_free(descriptor);
  system_instance_free(instance);
}

static void shipped_cases_have_codes(void **state) {
  (void)state;
  static const char *const files[] = {"fisher.pde", "cdr.pde", "cdr-five-two.pde", "ccp.pde"};
  ans_context *context = new_context();
  for (int f = 0; f < 4; f++) {
    char path[512];
    ans_problem *problem;
    snprintf(path, sizeof path, "%s/%s", FAMILIES_FOLDER, files[f]);
    assert_ok(context, system_read(context, path, &problem));
    for (int c = 0; c < problem->case_count; c++)
      for (int a = 0; a < (f == 3 ? ARMS - 1 : ARMS); a++) check_case(context, problem, &problem->cases[c], arms[a]);
    system_free(problem);
  }
  ans_context_free(context);
}

/* ---- Beginnings and failures --------------------------------------------------------------------------- */

static void depth_models_begin_alike(void **state) {
  (void)state;
  bench one, more;
  open_bench(&one, families_fisher, DESCRIPTOR_GRAPH, 0, 1, 101);
  for (int rounds = 2; rounds <= 5; rounds++) {
    open_bench(&more, families_fisher, DESCRIPTOR_GRAPH, 0, rounds, 101);
    assert_int_equal(one.size, more.size);
    assert_memory_equal(one.parameters, more.parameters, one.size * sizeof(double));
    weighted(&one);
    weighted(&more);
    assert_memory_not_equal(one.codes, more.codes, one.count * sizeof(double));
    close_bench(&more);
  }
  close_bench(&one);
}

static void scratch_codes_are_one(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  hypernetwork *h;
  double codes[2 * 3 * 96] = {0};
  assert_ok(context,
            hypernetwork_new(context, families_fisher(&m)->problem, (code_shape){2, 3, 96}, DESCRIPTOR_NONE, 0, &h));
  assert_int_equal(hypernetwork_size(h), 0);
  assert_ok(context, hypernetwork_forward(context, h, NULL, NULL, codes));
  for (int i = 0; i < 2 * 3 * 96; i++) assert_true(codes[i] == 1);
  hypernetwork_backward(h, NULL, codes, NULL);
  hypernetwork_free(h);
  ans_context_free(context);
}

static void foreign_descriptors_are_refused(void **state) {
  (void)state;
  bench graph, set;
  open_bench(&graph, families_fisher, DESCRIPTOR_GRAPH, 16, 0, 1);
  open_bench(&set, families_cdr, DESCRIPTOR_GRAPH, 16, 0, 1);
  assert_int_equal(hypernetwork_forward(graph.context, graph.h, set.descriptor, graph.parameters, graph.codes),
                   ANS_ARGUMENT);
  assert_int_equal(hypernetwork_forward(graph.context, graph.h, NULL, graph.parameters, graph.codes), ANS_ARGUMENT);
  close_bench(&graph);
  close_bench(&set);
}

/* Every allocation fails once; afterwards everything still works, and a second forward takes no memory. */
static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  for (int a = 0; a < ARMS; a++) {
    bench b;
    open_bench(&b, families_fisher, arms[a], 16, 0, 9);
    int failures = 0;
    for (long n = 1;; n++) {
      hypernetwork *h = NULL;
      memory_fail_after(n, false);
      ans_status status = hypernetwork_new(b.context, &b.made.problem, b.shape, arms[a], 0, &h);
      if (status == ANS_OK) status = hypernetwork_forward(b.context, h, b.descriptor, b.parameters, b.codes);
      memory_fail_after(0, false);
      if (status == ANS_MEMORY && h)
        assert_ok(b.context, hypernetwork_forward(b.context, h, b.descriptor, b.parameters, b.codes));
      long before = memory_taken();
      if (h) assert_ok(b.context, hypernetwork_forward(b.context, h, b.descriptor, b.parameters, b.codes));
      assert_int_equal(memory_taken(), before);
      hypernetwork_free(h);
      if (status == ANS_OK) break;
      assert_int_equal(status, ANS_MEMORY);
      failures++;
    }
    assert_int_equal(failures, arms[a] == DESCRIPTOR_DICTIONARY ? 3 : 2);
    close_bench(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_match_differences),
      cmocka_unit_test(gradients_are_added),
      cmocka_unit_test(float_follows_double),
      cmocka_unit_test(codes_do_not_depend_on_the_order_of_rows),
      cmocka_unit_test(only_broadcast_codes_are_shared),
      cmocka_unit_test(grouped_tokens_stay_with_their_residual),
      cmocka_unit_test(shipped_cases_have_codes),
      cmocka_unit_test(depth_models_begin_alike),
      cmocka_unit_test(scratch_codes_are_one),
      cmocka_unit_test(foreign_descriptors_are_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests_name("codes", tests, NULL, NULL);
}
