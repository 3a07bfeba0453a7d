/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameter counts of every arm, and which parts it has.
 */
#include "check.h"

#include "codes/plan.h"
#include "families.h"
#include "field/backbone.h"

static const descriptor_kind arms[] = {DESCRIPTOR_GRAPH,  DESCRIPTOR_SET,      DESCRIPTOR_OWNERSHIP,
                                       DESCRIPTOR_VECTOR, DESCRIPTOR_PRESENCE, DESCRIPTOR_DICTIONARY};
enum { ARMS = 6 };

static size_t total(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds) {
  backbone b;
  hypernetwork_plan plan;
  assert_ok(context, backbone_plan(context, problem,
                                   kind == DESCRIPTOR_DICTIONARY ? BACKBONE_DECODER : BACKBONE_FACTORIZED, &b));
  assert_ok(context, hypernetwork_plan_make(context, problem, b.codes, kind, rounds, &plan));
  return b.size + plan.size;
}

/* Every arm within `per_cent` of the graph arm. */
static void check_matched(ans_context *context, const ans_problem *problem, double per_cent) {
  double graph = (double)total(context, problem, DESCRIPTOR_GRAPH, 0);
  for (int i = 1; i < ARMS; i++)
    assert_near((double)total(context, problem, arms[i], 0), graph, graph * per_cent / 100);
}

static void fisher_totals_are_the_papers(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  const ans_problem *problem = families_fisher(&m)->problem;
  for (int rounds = 1; rounds <= 5; rounds++)
    assert_int_equal(total(context, problem, DESCRIPTOR_GRAPH, rounds), 132866);
  assert_int_equal(total(context, problem, DESCRIPTOR_DICTIONARY, 0), 132514);
  check_matched(context, problem, 0.3);
  backbone b;
  assert_ok(context, backbone_plan(context, problem, BACKBONE_DECODER, &b));
  assert_int_equal(b.width, 82);
  assert_int_equal(b.size, 34934);
  ans_context_free(context);
}

/* Three layers of width 96, as the published code would have them here, match the graph without any adjustment. */
static void tanh_vector_has_the_width_of_the_network(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  const ans_problem *problem = families_fisher_tanh(&m)->problem;
  hypernetwork_plan plan;
  assert_int_equal(total(context, problem, DESCRIPTOR_VECTOR, 0), 132770);
  assert_ok(context, hypernetwork_plan_make(context, problem, (code_shape){2, 3, 96}, DESCRIPTOR_VECTOR, 0, &plan));
  assert_int_equal(plan.embed.count, 3);
  for (int i = 0; i < 3; i++) assert_int_equal(plan.layers[plan.embed.first + i].outputs, 96);
  assert_int_equal(total(context, problem, DESCRIPTOR_GRAPH, 0), 132866);
  ans_context_free(context);
}

static void cdr_totals_are_near_the_papers(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  const ans_problem *problem = families_cdr(&m)->problem;
  assert_int_equal(total(context, problem, DESCRIPTOR_GRAPH, 0), 1057025);
  check_matched(context, problem, 0.3);
  ans_context_free(context);
}

/* The paper's three arms differ by at most 0.12 per cent of each other. */
static void ccp_totals_are_close(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  families_ccp(&m);
  for (int shared = 0; shared < 2; shared++) {
    m.problem.protocol.network.shared_input = shared;
    size_t least = SIZE_MAX, most = 0;
    for (int i = 0; i < 5; i++) { /* all but the decoder, whose single width is coarser */
      size_t size = total(context, &m.problem, arms[i], 0);
      least = size < least ? size : least;
      most = size > most ? size : most;
    }
    assert_true((double)(most - least) <= 0.0012 * (double)least);
    check_matched(context, &m.problem, 3);
  }
  ans_context_free(context);
}

/* The shipped files say what the paper's counts need. */
static void shipped_families_have_these_totals(void **state) {
  (void)state;
  static const struct {
    const char *file;
    size_t graph, decoder;
  } expected[] = {{"fisher.pde", 132866, 132514},
                  {"cdr.pde", 1057025, 1058465},
                  {"cdr-five-two.pde", 1057025, 1058465},
                  {"ccp.pde", 0, 0}};
  ans_context *context = new_context();
  for (int i = 0; i < 4; i++) {
    char path[512];
    ans_problem *problem;
    snprintf(path, sizeof path, "%s/%s", FAMILIES_FOLDER, expected[i].file);
    assert_ok(context, system_read(context, path, &problem));
    size_t graph = total(context, problem, DESCRIPTOR_GRAPH, 0);
    if (expected[i].graph) {
      assert_int_equal(graph, expected[i].graph);
      assert_int_equal(total(context, problem, DESCRIPTOR_DICTIONARY, 0), expected[i].decoder);
    } else {
      assert_int_equal(graph, problem->protocol.network.shared_input ? 123074 : 123458);
    }
    for (int a = 1; a < ARMS - 1; a++)
      assert_near((double)total(context, problem, arms[a], 0), (double)graph, 0.001 * (double)graph);
    system_free(problem);
  }
  ans_context_free(context);
}

/* A family of a user's own: other widths, one to eight fields, any style. */
static void other_families_are_matched_too(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int fields = 1; fields <= 8; fields++)
    for (int style = GRAPH_SHARED; style <= GRAPH_LINEAR; style++) {
      made m;
      char names[] = "a b c d e f g h";
      names[2 * fields - 1] = '\0';
      made_begin(&m, "x y t", names);
      for (int f = 0; f < fields; f++) made_add(&m, f, 1, NULL, "a001");
      m.problem.protocol.network = (protocol_network){.width = 40 + 8 * fields, .layers = 2 + fields % 3};
      m.problem.protocol.descriptor = (protocol_descriptor){
          .style = (protocol_graph_style)style, .rounds = 2, .vector_count = 1, .vector_slots = 1};
      made_finish(&m);
      double graph = (double)total(context, &m.problem, DESCRIPTOR_GRAPH, 0);
      for (int i = 1; i < 5; i++) assert_near((double)total(context, &m.problem, arms[i], 0), graph, graph * 0.003);
    }
  ans_context_free(context);
}

static void parts_fill_the_block(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  for (int f = 0; f < FAMILIES; f++) {
    const ans_problem *problem = families_all[f](&m)->problem;
    for (int i = 0; i < ARMS; i++) {
      hypernetwork_plan plan;
      assert_ok(context,
                hypernetwork_plan_make(context, problem, (code_shape){problem->field_count, 3, 96}, arms[i], 0, &plan));
      size_t end = 0;
      for (int p = 0; p < plan.part_count; p++) {
        assert_int_equal(plan.parts[p].offset, end);
        end += unknown_count(&plan.parts[p]);
        for (int q = 0; q < p; q++) assert_string_not_equal(plan.parts[p].name, plan.parts[q].name);
      }
      assert_int_equal(end, plan.size);
    }
  }
  ans_context_free(context);
}

static void impossible_plans_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  hypernetwork_plan plan;
  const ans_problem *problem = families_fisher(&m)->problem;
  code_shape shape = {2, 3, 96};
  assert_int_equal(hypernetwork_plan_make(context, problem, shape, DESCRIPTOR_GRAPH, -1, &plan), ANS_ARGUMENT);
  assert_int_equal(hypernetwork_plan_make(context, problem, shape, DESCRIPTOR_GRAPH, PLAN_MAX_ROUNDS + 1, &plan),
                   ANS_ARGUMENT);
  m.problem.protocol.descriptor.vector_count = m.problem.protocol.descriptor.vector_slots = 0;
  assert_int_equal(hypernetwork_plan_make(context, problem, shape, DESCRIPTOR_VECTOR, 0, &plan), ANS_UNSUPPORTED);
  shape.layers = 65;
  assert_int_equal(hypernetwork_plan_make(context, problem, shape, DESCRIPTOR_GRAPH, 2, &plan), ANS_UNSUPPORTED);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fisher_totals_are_the_papers),   cmocka_unit_test(tanh_vector_has_the_width_of_the_network),
      cmocka_unit_test(cdr_totals_are_near_the_papers), cmocka_unit_test(ccp_totals_are_close),
      cmocka_unit_test(other_families_are_matched_too), cmocka_unit_test(shipped_families_have_these_totals),
      cmocka_unit_test(parts_fill_the_block),           cmocka_unit_test(impossible_plans_are_refused),
  };
  return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
