/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "made.h"

static descriptor *built(ans_context *context, const ans_instance *instance, descriptor_kind kind) {
  descriptor *d;
  assert_ok(context, descriptor_build(context, instance, kind, &d));
  assert_int_equal(d->kind, kind);
  assert_int_equal(d->columns, descriptor_columns(instance->problem, kind));
  assert_int_equal(d->fields, instance->problem->field_count);
  return d;
}

static void assert_row(const descriptor *d, int row, const double *expected) {
  for (int c = 0; c < d->columns; c++) {
    double value = d->values[row * d->columns + c];
    if (!(fabs(value - expected[c]) <= 1e-12))
      fail_msg("row %d, column %d is %.15g, expected %.15g", row, c, value, expected[c]);
  }
}

static void graph_rows_are_the_nodes(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_graph *graph;
  descriptor *d = built(context, made_fisher(&made), DESCRIPTOR_GRAPH);
  assert_ok(context, graph_build(context, &made.instance, &graph));
  assert_int_equal(d->rows, 22);
  assert_memory_equal(d->values, graph->features, 22 * 12 * sizeof(double));
  assert_memory_equal(d->adjacency, graph->adjacency, 22 * 22 * sizeof(double));
  for (int n = 0; n < 22; n++) assert_int_equal(d->group[n], graph->nodes[n].kind);
  for (int f = 0; f < 2; f++) assert_int_equal(d->field_row[f], f);
  graph_free(graph);
  descriptor_free(d);
  ans_context_free(context);
}

static void set_tokens_have_six_attributes(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  descriptor *d = built(context, made_fisher(&made), DESCRIPTOR_SET);
  assert_int_equal(d->rows, 12);
  assert_int_equal(d->columns, 6);
  assert_row(d, 0, (double[]){-1, log10(.9), 0, 0, 1, 0});   /* -0.9 u */
  assert_row(d, 2, (double[]){1, 0, 0, 1, 1, 0});            /* u_t */
  assert_row(d, 3, (double[]){-1, log10(.008), 2, 0, 1, 0}); /* -0.008 u_xx */
  assert_row(d, 11, (double[]){1, log10(1.5), 0, 0, 2, 0});  /* 1.5 v^2 */
  for (int t = 0; t < 12; t++) assert_int_equal(d->group[t], t / 6);
  assert_null(d->adjacency);
  descriptor_free(d);
  ans_context_free(context);
}

static void grouped_tokens_have_five_attributes(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  made_begin(&made, "x t", "u v");
  made_add(&made, 1, -2, NULL, "");
  made_add(&made, 0, 0.5, NULL, "u10 u10 v10");
  made.problem.protocol.descriptor.grouped_set = true;
  descriptor *d = built(context, made_finish(&made), DESCRIPTOR_SET);
  assert_int_equal(d->columns, 5);
  assert_row(d, 0, (double[]){1, log10(.5), 3, 0, 3});
  assert_row(d, 1, (double[]){-1, log10(2), 0, 0, 0});
  assert_int_equal(d->group[0], 0);
  assert_int_equal(d->group[1], 1);
  descriptor_free(d);
  made.problem.protocol.descriptor.grouped_set = false;
  d = built(context, &made.instance, DESCRIPTOR_SET);
  assert_row(d, 1, (double[]){-1, log10(2), 0, 0, 0, 1}); /* a constant source */
  descriptor_free(d);
  ans_context_free(context);
}

static void ownership_tokens_have_sixteen_attributes(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  descriptor *d = built(context, made_fisher(&made), DESCRIPTOR_OWNERSHIP);
  assert_int_equal(d->columns, 16);
  /* six as in the set | R_u R_v | u u_x u_t u_xx v v_x v_t v_xx */
  assert_row(d, 0, (double[]){-1, log10(.9), 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0});
  assert_row(d, 5, (double[]){1, log10(.9), 0, 0, 2, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0});
  assert_row(d, 4, (double[]){-1, log10(.15), 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0});
  assert_row(d, 3, (double[]){-1, log10(.008), 2, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0});
  assert_row(d, 2, (double[]){1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0});
  assert_row(d, 11, (double[]){1, log10(1.5), 0, 0, 2, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0});
  descriptor_free(d);
  ans_context_free(context);
}

static void vector_is_standardised_by_the_sampled_range(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  made_fisher(&made);
  made.present[7] = false;
  made.values[7] = 0;
  double dev_log = (log10(.02) - log10(.005)) / sqrt(12), mean_log = (log10(.02) + log10(.005)) / 2;
  const double expected[16] = {(log10(.008) - mean_log) / dev_log,
                               (.25 - .5) / (.6 / sqrt(12)),
                               (.9 - 1.2) / (.8 / sqrt(12)),
                               (.15 - .25) / (.3 / sqrt(12)),
                               (log10(.018) - mean_log) / dev_log,
                               (.65 - .5) / (.6 / sqrt(12)),
                               (1.5 - 1.2) / (.8 / sqrt(12)),
                               0,
                               1,
                               1,
                               1,
                               1,
                               1,
                               1,
                               1,
                               0};
  descriptor *d = built(context, &made.instance, DESCRIPTOR_VECTOR);
  assert_int_equal(d->rows, 1);
  assert_int_equal(d->columns, 8);
  assert_row(d, 0, expected);
  descriptor_free(d);
  d = built(context, &made.instance, DESCRIPTOR_PRESENCE);
  assert_int_equal(d->columns, 16);
  assert_row(d, 0, expected);
  descriptor_free(d);
  ans_context_free(context);
}

/* Nodes 2, 4.5, 7, 9.5, 12: mean 7, population deviation sqrt((25 + 6.25 + 0 + 6.25 + 25) / 5). */
static void vector_of_a_grid_uses_its_nodes(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  made_fisher(&made);
  made.symbols[1] = (system_symbol){.name = "a", .low = 2, .high = 12, .grid = 5};
  made.values[1] = 9.5;
  made.symbols[2] = (system_symbol){.name = "one", .low = 3, .high = 3, .grid = 1};
  made.values[2] = 4;
  made.symbols[4] = (system_symbol){.name = "D", .low = 1e-3, .high = 1e-1, .grid = 5, .logarithmic = true};
  made.values[4] = 1e-1;
  descriptor *d = built(context, &made.instance, DESCRIPTOR_VECTOR);
  assert_near(d->values[1], 2.5 / sqrt(12.5), 1e-12);
  assert_near(d->values[2], 1, 1e-12);
  assert_near(d->values[4], 1 / sqrt(.5), 1e-12);
  descriptor_free(d);
  made.values[4] = -1;
  assert_int_equal(descriptor_build(context, &made.instance, DESCRIPTOR_VECTOR, &d), ANS_ARGUMENT);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "D = -1"));
  assert_null(d);
  ans_context_free(context);
}

static void plain_vector_is_logarithms_in_wide_slots(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  made_fisher(&made);
  made.problem.protocol.descriptor.standardise = false;
  made.problem.protocol.descriptor.vector_slots = 17;
  made.problem.protocol.descriptor.vector_count = 4;
  made.values[0] = -.6226;
  made.present[1] = false;
  const double expected[17] = {log10(.6226 + 1e-8), 0, log10(.9 + 1e-8), log10(.15 + 1e-8)};
  descriptor *d = built(context, &made.instance, DESCRIPTOR_VECTOR);
  assert_int_equal(d->columns, 17);
  assert_row(d, 0, expected);
  descriptor_free(d);
  made.problem.protocol.descriptor.standardise = true; /* a derived symbol has no range to standardise with */
  made.symbols[0].kind = SYMBOL_DERIVED;
  d = built(context, &made.instance, DESCRIPTOR_VECTOR);
  assert_near(d->values[0], log10(.6226 + 1e-8), 1e-12);
  descriptor_free(d);
  ans_context_free(context);
}

static void dictionary_of_two_fields_has_182_entries(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  descriptor *d = built(context, made_fisher(&made), DESCRIPTOR_DICTIONARY);
  assert_int_equal(d->columns, 182);
  assert_int_equal(d->rows, 1);
  /* u u_t u_x u_tt u_xt u_xx v v_t v_x v_tt v_xt v_xx are 1..12; u^2 is 13; v^2 follows the rows of 12, 11, ... 7. */
  double expected[182] = {[1] = -.9,    [2] = 1,        [3] = .25,         [6] = -.008,
                          [7] = -.15,   [13] = .9,      [91 + 1] = -.35,   [91 + 7] = -1.5,
                          [91 + 8] = 1, [91 + 9] = .65, [91 + 12] = -.018, [91 + 13 + 12 + 11 + 10 + 9 + 8 + 7] = 1.5};
  assert_row(d, 0, expected);
  descriptor_free(d);
  ans_context_free(context);
}

static void dictionary_places_are_distinct(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const char *const variables[12] = {"u00", "u01", "u10", "u02", "u11", "u20",
                                            "v00", "v01", "v10", "v02", "v11", "v20"};
  int place = 13;
  for (int i = 0; i < 12; i++)
    for (int j = i; j < 12; j++, place++) {
      made made;
      char factors[16];
      snprintf(factors, sizeof factors, "%s %s", variables[j], variables[i]);
      made_begin(&made, "x t", "u v");
      made_add(&made, 0, 2, NULL, factors);
      descriptor *d = built(context, made_finish(&made), DESCRIPTOR_DICTIONARY);
      for (int c = 0; c < 182; c++) assert_true(d->values[c] == (c == place ? 2 : 0));
      descriptor_free(d);
    }
  assert_int_equal(place, 91);
  ans_context_free(context);
}

static void dictionary_refuses_what_it_cannot_hold(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const char *const factors[] = {"u00 u00 v00", "u30", "u21 v00", ""}, *const labels[] = {"u^2 v", "u_xxx",
                                                                                                 "u_xxt v", "on x"};
  for (int i = 0; i < 4; i++) {
    made made;
    descriptor *d;
    made_begin(&made, "x t", "u v");
    made_add(&made, 1, -.5, i == 3 ? made_two_zones(false) : NULL, factors[i]);
    assert_int_equal(descriptor_build(context, made_finish(&made), DESCRIPTOR_DICTIONARY, &d), ANS_UNSUPPORTED);
    assert_non_null(strstr(ans_context_diagnostic(context)->message, labels[i]));
    assert_non_null(strstr(ans_context_diagnostic(context)->message, "equation of v"));
    assert_null(d);
  }
  ans_context_free(context);
}

/* The rules are general: three fields over x, y and t. */
static void three_fields_follow_the_same_rules(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  made_begin(&made, "x y t", "u v w");
  for (int e = 0; e < 3; e++) {
    char time[8], cubic[16];
    snprintf(time, sizeof time, "%c001", "uvw"[e]);
    snprintf(cubic, sizeof cubic, "u000 v000 %c000", "uvw"[e]);
    made_add(&made, e, 1, NULL, time);
    made_add(&made, e, -1, NULL, cubic);
  }
  made_finish(&made);
  const struct {
    descriptor_kind kind;
    int columns;
  } expected[] = {{DESCRIPTOR_GRAPH, 4 + 3 + 3 + 4},           {DESCRIPTOR_SET, 7},
                  {DESCRIPTOR_OWNERSHIP, 7 + 3 + 6},           {DESCRIPTOR_VECTOR, 0},
                  {DESCRIPTOR_DICTIONARY, 3 * (1 + 30 + 465)}, {DESCRIPTOR_NONE, 0}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    assert_int_equal(descriptor_columns(&made.problem, expected[i].kind), expected[i].columns);
  made.problem.protocol.descriptor.layout = GRAPH_UNION;
  assert_int_equal(descriptor_columns(&made.problem, DESCRIPTOR_GRAPH), 22);
  descriptor *d = built(context, &made.instance, DESCRIPTOR_GRAPH);
  assert_int_equal(d->rows, 3 + 3 + 6 + 3);
  descriptor_free(d);
  ans_context_free(context);
}

static void every_failing_allocation_is_reported(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_instance *instance = made_fisher(&made);
  for (descriptor_kind kind = DESCRIPTOR_GRAPH; kind <= DESCRIPTOR_NONE; kind++) {
    ans_status status = ANS_MEMORY;
    for (long n = 1; status == ANS_MEMORY; n++) {
      descriptor *d;
      memory_fail_after(n, false);
      status = descriptor_build(context, instance, kind, &d);
      memory_fail_after(0, false);
      assert_int_equal(d == NULL, status != ANS_OK);
      descriptor_free(d);
      assert_true(n < 1000);
    }
    assert_int_equal(status, ANS_OK);
  }
  ans_context_free(context);
}

static void kinds_are_found_by_name(void **state) {
  (void)state;
  for (descriptor_kind kind = DESCRIPTOR_GRAPH; kind <= DESCRIPTOR_NONE; kind++) {
    descriptor_kind found;
    assert_true(descriptor_parse(descriptor_name(kind), &found));
    assert_int_equal(found, kind);
  }
  descriptor_kind found;
  assert_false(descriptor_parse("Graph", &found));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(graph_rows_are_the_nodes),
                                     cmocka_unit_test(set_tokens_have_six_attributes),
                                     cmocka_unit_test(grouped_tokens_have_five_attributes),
                                     cmocka_unit_test(ownership_tokens_have_sixteen_attributes),
                                     cmocka_unit_test(vector_is_standardised_by_the_sampled_range),
                                     cmocka_unit_test(vector_of_a_grid_uses_its_nodes),
                                     cmocka_unit_test(plain_vector_is_logarithms_in_wide_slots),
                                     cmocka_unit_test(dictionary_of_two_fields_has_182_entries),
                                     cmocka_unit_test(dictionary_places_are_distinct),
                                     cmocka_unit_test(dictionary_refuses_what_it_cannot_hold),
                                     cmocka_unit_test(three_fields_follow_the_same_rules),
                                     cmocka_unit_test(every_failing_allocation_is_reported),
                                     cmocka_unit_test(kinds_are_found_by_name)};
  return cmocka_run_group_tests_name("descriptor", tests, NULL, NULL);
}
