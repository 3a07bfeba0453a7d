/* SPDX-License-Identifier: Apache-2.0
 *
 * api_test.c - the public functions, used as the header promises.
 */
#include "check.h"

#include "base/context.h"

static const char family[] = "coordinate x in [0, 1) periodic\n"
                             "coordinate t in [0, 2] time\n"
                             "field u, v\n"
                             "coefficient D in [0.001, 0.1] log optional\n"
                             "coefficient k in [1, 3] optional\n"
                             "parameter p in [2, 4]\n"
                             "let c = 2*p\n"
                             "equation u: u_t - D*u_xx + c*u*u_x - k*v = 0\n"
                             "equation v: v_t - u^2*v = 0\n"
                             "initial u = sin(2*pi*x)\n"
                             "initial v = 1\n"
                             "structure plain without D, k\n"
                             "structure diffusive without k\n"
                             "held coupled\n"
                             "case one coupled: D=0.01 k=2 p=3\n";

static ans_problem *parse(ans_context *context) {
  ans_problem *problem;
  assert_ok(context, ans_problem_parse(context, "family", family, strlen(family), &problem));
  return problem;
}

static ans_instance *choose(ans_context *context, const ans_problem *problem, ans_choice choice) {
  ans_instance *instance;
  assert_ok(context, ans_instance_new(context, problem, choice, &instance));
  return instance;
}

static void problems_say_what_they_consist_of(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context);
  const size_t counts[] = {2, 2, 4, 2, 6, 2, 3, 1};
  for (int part = ANS_COORDINATES; part <= ANS_CASES; part++)
    assert_int_equal(ans_problem_count(problem, (ans_part)part), counts[part]);
  assert_string_equal(ans_problem_name(problem, ANS_SYMBOLS, 2), "p");
  assert_string_equal(ans_problem_name(problem, ANS_EQUATIONS, 1), "v");
  assert_string_equal(ans_problem_name(problem, ANS_TERMS, 0), "");
  assert_null(ans_problem_name(problem, ANS_CASES, 1));
  size_t index;
  assert_true(ans_problem_find(problem, ANS_STRUCTURES, "coupled", &index));
  assert_int_equal(index, 2);
  assert_true(ans_structure_held(problem, 2) && !ans_structure_held(problem, 0) && !ans_structure_held(problem, 9));
  assert_false(ans_problem_find(problem, ANS_STRUCTURES, "couple", &index));
  assert_false(ans_problem_find(problem, ANS_TERMS, "", &index));
  assert_true(ans_structure_has(problem, 1, 0) && !ans_structure_has(problem, 0, 0) &&
              !ans_structure_has(problem, 0, 9));
  ans_problem_free(problem);
  ans_context_free(context);
}

static void coordinates_and_symbols_have_their_ranges(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context);
  ans_coordinate x = ans_problem_coordinate(problem, 0), t = ans_problem_coordinate(problem, 1);
  assert_true(x.periodic && !x.time && t.time && !t.periodic && t.high == 2);
  assert_null(ans_problem_coordinate(problem, 2).name);
  ans_symbol D = ans_problem_symbol(problem, 0), p = ans_problem_symbol(problem, 2), c = ans_problem_symbol(problem, 3);
  assert_true(D.kind == ANS_COEFFICIENT && D.logarithmic && D.optional && D.low == 0.001 && D.high == 0.1);
  assert_true(p.kind == ANS_PARAMETER && !p.optional && p.low == 2 && p.high == 4);
  assert_true(c.kind == ANS_DERIVED && c.low == 0 && c.high == 0);
  assert_null(ans_problem_symbol(problem, 4).name);
  ans_problem_free(problem);
  ans_context_free(context);
}

static void canonical_text_reads_back_and_every_part_has_words(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context), *again;
  char *text, *twice;
  assert_ok(context, ans_problem_print(context, problem, &text));
  assert_ok(context, ans_problem_parse(context, "printed", text, strlen(text), &again));
  assert_ok(context, ans_problem_print(context, again, &twice));
  assert_string_equal(text, twice);
  for (int part = ANS_COORDINATES; part <= ANS_SETTINGS; part++)
    for (size_t i = 0; i < ans_problem_count(problem, (ans_part)part); i++) {
      char *words;
      assert_ok(context, ans_problem_describe(context, problem, (ans_part)part, i, &words));
      assert_true(strlen(words) > 0 && !strchr(words, '\n'));
      ans_free(words);
    }
  char *words;
  assert_int_equal(ans_problem_describe(context, problem, ANS_CASES, 1, &words), ANS_ARGUMENT);
  assert_null(words);
  ans_free(text);
  ans_free(twice);
  ans_problem_free(again);
  ans_problem_free(problem);
  ans_context_free(context);
}

static void choices_find_their_structure(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context);
  const struct {
    ans_choice choice;
    size_t structure, terms;
  } right[] = {
      {{NULL, NULL, NULL, false, false}, 2, 6},     {{"one", NULL, NULL, false, false}, 2, 6},
      {{"one", NULL, "k=1.5", false, false}, 2, 6}, {{NULL, "diffusive", NULL, true, false}, 1, 5},
      {{NULL, NULL, "p=2.5", false, false}, 0, 4},  {{NULL, NULL, "p=2.5,D=0.02", false, false}, 1, 5},
      {{NULL, "plain", "p=7", false, true}, 0, 4},
  };
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    ans_instance *instance = choose(context, problem, right[i].choice);
    assert_int_equal(ans_instance_structure(instance), right[i].structure);
    assert_int_equal(ans_instance_term_count(instance), right[i].terms);
    assert_ptr_equal(ans_instance_problem(instance), problem);
    ans_instance_free(instance);
  }
  ans_problem_free(problem);
  ans_context_free(context);
}

static void wrong_choices_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context);
  const ans_choice wrong[] = {
      {"two", NULL, NULL, false, false},     {NULL, "loose", NULL, false, false},
      {"one", "plain", NULL, false, false},  {NULL, NULL, "D=0.02", false, false},
      {NULL, "plain", NULL, false, false},   {NULL, "plain", "p=7", false, false},
      {NULL, "plain", "p=nan", false, true}, {"one", NULL, "q=1", false, false},
      {"one", NULL, "p", false, false},      {NULL, "plain", "p=1e999", false, true},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ans_instance *instance = (ans_instance *)problem;
    assert_int_equal(ans_instance_new(context, problem, wrong[i], &instance), ANS_ARGUMENT);
    assert_null(instance);
    assert_true(strlen(ans_context_diagnostic(context)->message) > 10);
  }
  ans_instance *instance;
  const double values[4] = {NAN, NAN, 3, NAN};
  assert_int_equal(ans_instance_from_values(context, problem, 3, values, false, &instance), ANS_ARGUMENT);
  assert_ok(context, ans_instance_from_values(context, problem, 0, values, false, &instance));
  assert_near(ans_instance_value(instance, 3), 6, 0);
  assert_true(isnan(ans_instance_value(instance, 0)) && isnan(ans_instance_value(instance, 4)));
  ans_instance_free(instance);
  ans_problem_free(problem);
  ans_context_free(context);
}

static void terms_have_coefficients_and_factors(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context);
  ans_instance *instance = choose(context, problem, (ans_choice){.case_name = "one"});
  const char *expected[] = {"u_t", "-0.01*u_xx", "6*u*u_x", "-2*v", "v_t", "-u^2*v"};
  for (size_t i = 0; i < 6; i++) {
    char *text;
    assert_ok(context, ans_instance_term_text(context, instance, i, &text));
    assert_string_equal(text, expected[i]);
    ans_free(text);
  }
  ans_term advection = ans_instance_term(instance, 2), growth = ans_instance_term(instance, 5);
  assert_true(advection.equation == 0 && advection.coefficient == 6 && advection.factor_count == 2 &&
              advection.arity == 2);
  assert_true(growth.equation == 1 && growth.factor_count == 2 && growth.arity == 3 && !growth.has_source);
  ans_factor slope = ans_instance_factor(instance, 2, 1);
  assert_true(slope.field == 0 && slope.order[0] == 1 && slope.order[1] == 0 && slope.power == 1);
  assert_int_equal(ans_instance_factor(instance, 5, 0).power, 2);
  assert_int_equal(ans_instance_factor(instance, 6, 0).power, 0);
  char *text;
  assert_ok(context, ans_instance_factor_text(context, instance, 5, 0, &text));
  assert_string_equal(text, "u");
  ans_free(text);
  assert_int_equal(ans_instance_term_text(context, instance, 6, &text), ANS_ARGUMENT);
  assert_int_equal(ans_instance_factor_text(context, instance, 5, 2, &text), ANS_ARGUMENT);
  assert_null(text);
  ans_instance_free(instance);
  ans_problem_free(problem);
  ans_context_free(context);
}

static void graphs_outlive_their_instance(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context);
  ans_instance *instance = choose(context, problem, (ans_choice){0});
  ans_graph *graph;
  assert_ok(context, ans_graph_new(context, instance, &graph));
  uint64_t hash = ans_graph_hash(graph);
  ans_instance_free(instance);
  ans_problem_free(problem);
  /* u, v; u_t, u_xx, u_x, v_t; six terms; two residuals */
  assert_int_equal(ans_graph_node_count(graph), 14);
  /* to derivatives 4, to terms 1 + 1 + 2 + 1 + 1 + 2, to residuals 6 */
  assert_int_equal(ans_graph_edge_count(graph), 18);
  for (size_t i = 0; i < 14; i++) {
    ans_node node = ans_graph_node(graph, i);
    double row = 0;
    for (size_t j = 0; j < 14; j++) row += ans_graph_adjacency(graph)[i * 14 + j];
    assert_near(row, 1, 1e-12);
    assert_true(node.label && node.label[0] && ans_node_kind_name(node.kind)[0]);
    for (size_t j = 0; j < ans_graph_feature_count(graph); j++) assert_true(isfinite(node.features[j]));
  }
  assert_null(ans_graph_node(graph, 14).label);
  size_t from = 7, to = 7;
  ans_graph_edge(graph, 18, &from, &to);
  assert_true(from == 0 && to == 0);
  assert_int_equal(ans_graph_hash(graph), hash);
  ans_graph_free(graph);
  ans_context_free(context);
}

static void descriptors_have_the_same_columns_for_every_member(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context);
  const char *kinds[] = {"graph", "set", "ownership", "vector", "presence"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    size_t columns[2];
    for (size_t m = 0; m < 2; m++) {
      ans_instance *instance =
          choose(context, problem, (ans_choice){.structure = m ? "coupled" : "plain", .fill = true});
      ans_descriptor *descriptor;
      assert_ok(context, ans_descriptor_new(context, instance, kinds[k], &descriptor));
      columns[m] = ans_descriptor_columns(descriptor);
      assert_true(ans_descriptor_rows(descriptor) > 0 && ans_descriptor_values(descriptor) != NULL);
      ans_descriptor_free(descriptor);
      ans_instance_free(instance);
    }
    assert_int_equal(columns[0], columns[1]);
  }
  ans_instance *instance = choose(context, problem, (ans_choice){0});
  ans_descriptor *descriptor;
  assert_int_equal(ans_descriptor_new(context, instance, "none", &descriptor), ANS_ARGUMENT);
  assert_int_equal(ans_descriptor_new(context, instance, "grph", &descriptor), ANS_ARGUMENT);
  assert_null(descriptor);
  ans_instance_free(instance);
  ans_problem_free(problem);
  ans_context_free(context);
}

static void nothing_needs_freeing_twice_or_at_all(void **state) {
  (void)state;
  ans_problem_free(NULL);
  ans_instance_free(NULL);
  ans_graph_free(NULL);
  ans_descriptor_free(NULL);
  ans_free(NULL);
  ans_context_free(NULL);
}

/* ---- Memory that fails ------------------------------------------------------------------------------- */

typedef struct everything {
  ans_problem *problem;
  ans_instance *instance;
  ans_graph *graph;
  ans_descriptor *descriptor;
  char *text, *words, *term, *dot;
} everything;

static ans_status do_everything(ans_context *context, everything *all) {
  ans_status status = ans_problem_parse(context, "family", family, strlen(family), &all->problem);
  if (status == ANS_OK) status = ans_problem_print(context, all->problem, &all->text);
  if (status == ANS_OK) status = ans_problem_describe(context, all->problem, ANS_TERMS, 1, &all->words);
  if (status == ANS_OK)
    status = ans_instance_new(context, all->problem, (ans_choice){.assignments = "p=3,D=.01"}, &all->instance);
  if (status == ANS_OK) status = ans_instance_term_text(context, all->instance, 1, &all->term);
  if (status == ANS_OK) status = ans_graph_new(context, all->instance, &all->graph);
  if (status == ANS_OK) status = ans_graph_print_dot(context, all->graph, all->instance, &all->dot);
  if (status == ANS_OK) status = ans_descriptor_new(context, all->instance, "ownership", &all->descriptor);
  return status;
}

static void free_everything(everything *all) {
  ans_free(all->text);
  ans_free(all->words);
  ans_free(all->term);
  ans_free(all->dot);
  ans_descriptor_free(all->descriptor);
  ans_graph_free(all->graph);
  ans_instance_free(all->instance);
  ans_problem_free(all->problem);
}

/* The n-th allocation fails, once or from then on, until all n have been tried: a clean ANS_MEMORY each time. */
static void every_allocation_may_fail(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int forever = 0; forever < 2; forever++) {
    ans_status status = ANS_MEMORY;
    long n = 0;
    while (status != ANS_OK) {
      everything all = {0};
      memory_fail_after(++n, forever);
      status = do_everything(context, &all);
      memory_fail_after(0, false);
      if (status != ANS_OK) {
        assert_int_equal(status, ANS_MEMORY);
        assert_int_equal(ans_context_diagnostic(context)->status, ANS_MEMORY);
      }
      free_everything(&all);
      assert_true(n < 100000);
    }
    assert_true(n > 10); /* it did fail on the way */
  }
  ans_context_free(context);
}

/* An unknown case is reported with a list of the known ones, which itself needs memory. */
static void refusals_survive_failing_memory(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context);
  ans_instance *instance;
  memory_fail_after(1, true);
  assert_int_equal(ans_instance_new(context, problem, (ans_choice){.case_name = "two"}, &instance), ANS_MEMORY);
  memory_fail_after(0, false);
  assert_int_equal(ans_instance_new(context, problem, (ans_choice){.case_name = "two"}, &instance), ANS_ARGUMENT);
  assert_string_equal(ans_context_diagnostic(context)->message, "there is no case 'two'; there is one");
  ans_problem_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(problems_say_what_they_consist_of),
      cmocka_unit_test(coordinates_and_symbols_have_their_ranges),
      cmocka_unit_test(canonical_text_reads_back_and_every_part_has_words),
      cmocka_unit_test(choices_find_their_structure),
      cmocka_unit_test(wrong_choices_are_refused),
      cmocka_unit_test(terms_have_coefficients_and_factors),
      cmocka_unit_test(graphs_outlive_their_instance),
      cmocka_unit_test(descriptors_have_the_same_columns_for_every_member),
      cmocka_unit_test(nothing_needs_freeing_twice_or_at_all),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(refusals_survive_failing_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
