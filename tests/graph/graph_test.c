/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "made.h"

/* Recorded once: a file that stores the hash stays valid as long as this holds. */
#define FISHER_HASH 0x205d98f54d324b4

static ans_graph *built(ans_context *context, const ans_instance *instance) {
  ans_graph *graph;
  assert_ok(context, graph_build(context, instance, &graph));
  return graph;
}

static int node_named(const ans_graph *graph, const char *label) {
  for (int n = 0; n < graph->node_count; n++)
    if (strcmp(graph->nodes[n].label, label) == 0) return n;
  fail_msg("no node %s", label);
  return -1;
}

static bool connected(const ans_graph *graph, const char *from, const char *to) {
  int a = node_named(graph, from), b = node_named(graph, to);
  for (int e = 0; e < graph->edge_count; e++)
    if (graph->edges[e][0] == a && graph->edges[e][1] == b) return true;
  return false;
}

static void two_way_fisher_has_22_nodes_and_30_edges(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_graph *graph = built(context, made_fisher(&made));
  static const char *const labels[22] = {"u",           "v",       "u_x",     "u_t",      "u_xx",     "v_x",
                                         "v_t",         "v_xx",    "-0.9 u",  "0.25 u_x", "u_t",      "-0.008 u_xx",
                                         "-0.15 v",     "0.9 u^2", "-0.35 u", "-1.5 v",   "0.65 v_x", "v_t",
                                         "-0.018 v_xx", "1.5 v^2", "R_u",     "R_v"};
  assert_int_equal(graph->node_count, 22);
  assert_int_equal(graph->edge_count, 30);
  for (int n = 0; n < 22; n++) assert_string_equal(graph->nodes[n].label, labels[n]);
  assert_true(connected(graph, "u", "u_xx") && connected(graph, "v", "-0.15 v") && connected(graph, "-0.15 v", "R_u"));
  assert_true(connected(graph, "u", "0.9 u^2") && !connected(graph, "-0.15 v", "R_v") && !connected(graph, "v", "R_v"));
  graph_free(graph);
  ans_context_free(context);
}

static void compact_features_are_as_designed(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_graph *graph = built(context, made_fisher(&made));
  const double field[12] = {1, 0, 0, 0, 0, 1}, derivative[12] = {0, 1, 0, 0, 1, 0, 2, 0},
               residual[12] = {0, 0, 0, 1, 0, 1};
  const double time[12] = {0, 1, 0, 0, 0, 1, 0, 1}, term[12] = {0, 0, 1, 0, 0, 0, 0, 0, -1, log10(.008), 1, 0};
  const double square[12] = {0, 0, 1, 0, 0, 0, 0, 0, 1, log10(.9), 2, 0};
  assert_int_equal(graph->feature_count, 12);
  assert_int_equal(graph->feature_count, descriptor_columns(&made.problem, DESCRIPTOR_GRAPH));
  const struct {
    int node;
    const double *row;
  } expected[] = {{1, field}, {4, derivative}, {6, time}, {11, term}, {13, square}, {21, residual}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    for (int f = 0; f < 12; f++) assert_near(graph->features[expected[i].node * 12 + f], expected[i].row[f], 1e-15);
  graph_free(graph);
  ans_context_free(context);
}

static void union_features_hold_the_lowest_interval(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int swapped = 0; swapped < 2; swapped++) {
    made made;
    made_begin(&made, "x t", "u");
    made_add(&made, 0, 1, NULL, "u01");
    made_add(&made, 0, -0.5, made_two_zones(swapped), "");
    made_add(&made, 0, 3, NULL, "");
    made.problem.protocol.descriptor.layout = GRAPH_UNION;
    ans_graph *graph = built(context, made_finish(&made));
    assert_int_equal(graph->feature_count, 22);
    const double source[22] = {[2] = 1, [16] = -1, [17] = log10(.5), [19] = 1, [20] = .2, [21] = .4};
    const double constant[22] = {[2] = 1, [16] = 1, [17] = log10(3), [19] = 1},
                 derivative[22] = {[1] = 1, [5] = 1, [14] = 1};
    const double *rows[3] = {source, constant, derivative};
    const int nodes[3] = {node_named(graph, "-0.5 on x [0.2, 0.4], [0.6, 0.8]"), node_named(graph, "3"), 1};
    for (int i = 0; i < 3; i++)
      for (int f = 0; f < 22; f++) assert_near(graph->features[nodes[i] * 22 + f], rows[i][f], 1e-15);
    graph_free(graph);
  }
  ans_context_free(context);
}

static void adjacency_rows_sum_to_one(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_graph *graph = built(context, made_fisher(&made));
  int n = graph->node_count, entries = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      double entry = graph->adjacency[i * n + j];
      assert_int_equal(entry > 0, graph->adjacency[j * n + i] > 0);
      entries += entry > 0;
      sum += entry;
    }
    assert_near(sum, 1, 1e-15);
    assert_true(graph->adjacency[i * n + i] > 0);
  }
  assert_int_equal(entries, 22 + 2 * 30);
  /* u: itself, three derivatives, -0.9 u, 0.9 u^2, -0.35 u */
  assert_near(graph->adjacency[0], 1.0 / 7, 1e-15);
  graph_free(graph);
  ans_context_free(context);
}

static void labels_read_like_the_equation(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const expression_step wave[] = {{.op = EXPRESSION_COORDINATE, .index = 1}, {.op = EXPRESSION_SIN}};
  static const expression source = {2, 1, wave};
  made made;
  made_begin(&made, "x t", "u v");
  made_add(&made, 0, -1, NULL, "u00 u10 v00 v00");
  made_add(&made, 0, -1, NULL, "");
  made_add(&made, 0, 1, &source, "");
  made_add(&made, 0, 2.5, &source, "u11");
  made_add(&made, 1, 1, NULL, "v40");
  ans_graph *graph = built(context, made_finish(&made));
  static const char *const labels[] = {"-u u_x v^2", "-1", "s(t)", "2.5 s(t) u_xt", "v_xxxx"};
  for (int i = 0; i < 5; i++) node_named(graph, labels[i]);
  graph_free(graph);
  ans_context_free(context);
}

/* ---- Hash ------------------------------------------------------------------------------------------------ */

static uint64_t hash_of(ans_context *context, made *made) {
  ans_graph *graph = built(context, made_finish(made));
  uint64_t hash = graph->hash;
  graph_free(graph);
  return hash;
}

static void hash_is_the_same_in_every_run(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  made_fisher(&made);
  assert_int_equal(hash_of(context, &made), FISHER_HASH);
  ans_context_free(context);
}

static void random_system(random_stream *stream, made *m) {
  static const char *const fields[] = {"u", "u v", "u v w", "u v w p"};
  int field_count = 1 + (int)random_below(stream, 4);
  made_begin(m, random_below(stream, 2) ? "x t" : "x y t", fields[field_count - 1]);
  int count = 1 + (int)random_below(stream, 14);
  for (int t = 0; t < count; t++) {
    char factors[64] = "";
    size_t used = 0;
    for (uint32_t i = random_below(stream, 4); i > 0; i--) {
      used += (size_t)snprintf(factors + used, sizeof factors - used, "%c",
                               "uvwp"[random_below(stream, (uint32_t)field_count)]);
      for (int c = 0; c < m->problem.coordinate_count; c++)
        used += (size_t)snprintf(factors + used, sizeof factors - used, "%u",
                                 random_below(stream, 3) * random_below(stream, 2));
      used += (size_t)snprintf(factors + used, sizeof factors - used, " ");
    }
    const expression *source = random_below(stream, 5) == 0 ? made_two_zones(random_below(stream, 2)) : NULL;
    made_add(m, (int)random_below(stream, (uint32_t)field_count), random_between(stream, -3, 3), source, factors);
  }
}

static void permutation(random_stream *stream, int count, int *order) {
  for (int i = 0; i < count; i++) order[i] = i;
  for (int i = count - 1; i > 0; i--) {
    int j = (int)random_below(stream, (uint32_t)i + 1), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

/* The same system in other words: fields renamed and declared in another order, terms and factors shuffled. */
static void reword(random_stream *stream, const made *from, made *to) {
  int fields[SYSTEM_MAX_FIELDS], terms[MADE_TERMS];
  *to = *from;
  permutation(stream, from->problem.field_count, fields);
  permutation(stream, from->problem.term_count, terms);
  for (int f = 0; f < from->problem.field_count; f++) to->fields[f].name = &"abcd"[f];
  for (int t = 0; t < from->problem.term_count; t++) {
    made_term *term = &to->sketch[t];
    *term = from->sketch[terms[t]];
    term->equation = fields[term->equation];
    if (term->source) term->source = made_two_zones(random_below(stream, 2));
    int order[SYSTEM_MAX_ARITY];
    permutation(stream, term->factor_count, order);
    for (int i = 0; i < term->factor_count; i++) {
      term->factors[i] = from->sketch[terms[t]].factors[order[i]];
      term->factors[i].field = fields[term->factors[i].field];
    }
  }
}

static void hash_ignores_names_and_order(void **state) {
  (void)state;
  ans_context *context = new_context();
  random_stream stream = random_open(7, RANDOM_TEST, 0, 0);
  for (int i = 0; i < 10000; i++) {
    made first, second;
    random_system(&stream, &first);
    reword(&stream, &first, &second);
    assert_int_equal(hash_of(context, &first), hash_of(context, &second));
  }
  ans_context_free(context);
}

/* One change that makes another equation. */
static void spoil(random_stream *stream, made *m, uint32_t way) {
  made_term *term = &m->sketch[random_below(stream, (uint32_t)m->problem.term_count)];
  switch (way) {
  case 0: term->coefficient *= 1.0001; break;
  case 1: term->coefficient = -term->coefficient; break;
  case 2: term->source = term->source ? NULL : made_two_zones(false); break;
  case 3: m->problem.term_count--; break;
  default:
    if (term->factor_count == 0)
      term->factors[term->factor_count++] = (system_factor){.power = 1};
    else if (way == 4)
      term->factors[0].power++;
    else
      term->factors[0].order[0]++;
  }
}

static void hash_sees_every_change(void **state) {
  (void)state;
  ans_context *context = new_context();
  random_stream stream = random_open(8, RANDOM_TEST, 0, 0);
  for (int i = 0; i < 6000; i++) {
    made first, second;
    random_system(&stream, &first);
    second = first;
    spoil(&stream, &second, (uint32_t)i % 6);
    if (hash_of(context, &first) == hash_of(context, &second))
      fail_msg("system %d: change %d left the hash as it was", i, i % 6);
  }
  ans_context_free(context);
}

/* A sum such as 0.1 + 0.2 + 0.7 is one or just below, depending on the order of its terms. */
static void hash_is_the_same_just_below_a_power_of_two(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const double powers[] = {1, -1, 0.125, -4};
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
    made made;
    made_fisher(&made);
    made.sketch[0].coefficient = powers[i];
    uint64_t exact = hash_of(context, &made);
    made.sketch[0].coefficient = nextafter(powers[i], 0);
    assert_int_equal(hash_of(context, &made), exact);
    made.sketch[0].coefficient = powers[i] * (1 - 1e-6);
    assert_int_not_equal(hash_of(context, &made), exact);
  }
  ans_context_free(context);
}

static void hash_sees_owner_and_target(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  made_fisher(&made);
  uint64_t whole = hash_of(context, &made);
  made.sketch[5].factors[0].field = 0; /* -0.15 v in R_u becomes -0.15 u */
  assert_int_not_equal(hash_of(context, &made), whole);
  made_fisher(&made);
  made.sketch[5].equation = 1; /* ... or moves to R_v */
  assert_int_not_equal(hash_of(context, &made), whole);
  made_fisher(&made);
  for (int t = 0; t < made.problem.term_count; t++) made.sketch[t].equation = 1 - made.sketch[t].equation;
  assert_int_not_equal(hash_of(context, &made), whole); /* each field's equation states the other's law */
  ans_context_free(context);
}

static void nodes_keep_their_order_however_terms_are_written(void **state) {
  (void)state;
  ans_context *context = new_context();
  random_stream stream = random_open(9, RANDOM_TEST, 0, 0);
  for (int i = 0; i < 2000; i++) {
    made first, second;
    int order[MADE_TERMS];
    random_system(&stream, &first);
    second = first;
    permutation(&stream, first.problem.term_count, order);
    for (int t = 0; t < first.problem.term_count; t++) second.sketch[t] = first.sketch[order[t]];
    ans_graph *a = built(context, made_finish(&first)), *b = built(context, made_finish(&second));
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->edge_count, b->edge_count);
    for (int n = 0; n < a->node_count; n++) assert_string_equal(a->nodes[n].label, b->nodes[n].label);
    assert_memory_equal(a->features, b->features, (size_t)(a->node_count * a->feature_count) * sizeof(double));
    assert_memory_equal(a->edges, b->edges, (size_t)a->edge_count * sizeof a->edges[0]);
    graph_free(a);
    graph_free(b);
  }
  ans_context_free(context);
}

static void every_failing_allocation_is_reported(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_instance *instance = made_fisher(&made);
  ans_status status = ANS_MEMORY;
  long n = 0;
  while (status == ANS_MEMORY) {
    ans_graph *graph;
    memory_fail_after(++n, false);
    status = graph_build(context, instance, &graph);
    memory_fail_after(0, false);
    assert_int_equal(graph == NULL, status != ANS_OK);
    graph_free(graph);
  }
  assert_int_equal(status, ANS_OK);
  assert_true(n > 20);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_way_fisher_has_22_nodes_and_30_edges),
                                     cmocka_unit_test(compact_features_are_as_designed),
                                     cmocka_unit_test(union_features_hold_the_lowest_interval),
                                     cmocka_unit_test(adjacency_rows_sum_to_one),
                                     cmocka_unit_test(labels_read_like_the_equation),
                                     cmocka_unit_test(hash_is_the_same_in_every_run),
                                     cmocka_unit_test(hash_ignores_names_and_order),
                                     cmocka_unit_test(hash_sees_every_change),
                                     cmocka_unit_test(hash_is_the_same_just_below_a_power_of_two),
                                     cmocka_unit_test(hash_sees_owner_and_target),
                                     cmocka_unit_test(nodes_keep_their_order_however_terms_are_written),
                                     cmocka_unit_test(every_failing_allocation_is_reported)};
  return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
