/* SPDX-License-Identifier: Apache-2.0
 *
 * families_test.c - the shipped families, from their text to the exact lists of nodes and edges.
 */
#include "check.h"

#include "graph/graph.h"

typedef struct family {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
} family;

static family opened(const char *name) {
  family f = {.context = new_context()};
  char path[512];
  snprintf(path, sizeof path, "%s/%s", FAMILIES, name);
  assert_ok(f.context, system_read(f.context, path, &f.problem));
  return f;
}

static void choose(family *f, int structure, const double *values) {
  system_instance_free(f->instance);
  assert_ok(f->context, system_instance(f->context, f->problem, structure, values, false, &f->instance));
}

static family opened_case(const char *name, const char *case_name) {
  family f = opened(name);
  int index = system_find_case(f.problem, case_name);
  assert_true(index >= 0);
  choose(&f, f.problem->cases[index].structure, f.problem->cases[index].values);
  return f;
}

static void closed(family *f) {
  system_instance_free(f->instance);
  system_free(f->problem);
  ans_context_free(f->context);
}

/* Nodes as "label label ..." and edges as "from>to from>to ...", compared as lists. */
static void assert_graph(const family *f, int node_count, const char *const *labels, int edge_count,
                         const int (*edges)[2]) {
  ans_graph *graph;
  assert_ok(f->context, graph_build(f->context, f->instance, &graph));
  assert_int_equal(graph->node_count, node_count);
  assert_int_equal(graph->edge_count, edge_count);
  for (int n = 0; n < node_count; n++) assert_string_equal(graph->nodes[n].label, labels[n]);
  assert_memory_equal(graph->edges, edges, (size_t)edge_count * sizeof edges[0]);
  graph_free(graph);
}

static descriptor *described(const family *f, descriptor_kind kind, int rows, int columns) {
  descriptor *d;
  assert_ok(f->context, descriptor_build(f->context, f->instance, kind, &d));
  assert_int_equal(d->rows, rows);
  assert_int_equal(d->columns, columns);
  return d;
}

static void fisher_h1(void **state) {
  (void)state;
  family f = opened_case("fisher.pde", "H1");
  static const char *const labels[] = {"u",           "v",       "u_x",     "u_t",      "u_xx",     "v_x",
                                       "v_t",         "v_xx",    "-0.9 u",  "0.25 u_x", "u_t",      "-0.008 u_xx",
                                       "-0.15 v",     "0.9 u^2", "-0.35 u", "-1.5 v",   "0.65 v_x", "v_t",
                                       "-0.018 v_xx", "1.5 v^2", "R_u",     "R_v"};
  static const int edges[][2] = {{0, 2},   {0, 3},   {0, 4},   {1, 5},   {1, 6},   {1, 7},   {0, 8},   {2, 9},
                                 {3, 10},  {4, 11},  {1, 12},  {0, 13},  {0, 14},  {1, 15},  {5, 16},  {6, 17},
                                 {7, 18},  {1, 19},  {8, 20},  {9, 20},  {10, 20}, {11, 20}, {12, 20}, {13, 20},
                                 {14, 21}, {15, 21}, {16, 21}, {17, 21}, {18, 21}, {19, 21}};
  assert_graph(&f, 22, labels, 30, edges);
  descriptor_free(described(&f, DESCRIPTOR_GRAPH, 22, 12));
  descriptor_free(described(&f, DESCRIPTOR_SET, 12, 6));
  descriptor_free(described(&f, DESCRIPTOR_OWNERSHIP, 12, 16));
  descriptor_free(described(&f, DESCRIPTOR_VECTOR, 1, 8));
  descriptor_free(described(&f, DESCRIPTOR_PRESENCE, 1, 16));
  descriptor_free(described(&f, DESCRIPTOR_DICTIONARY, 1, 182));
  closed(&f);
}

static void absent_couplings_leave_the_graph(void **state) {
  (void)state;
  static const struct {
    const char *structure;
    int nodes, edges;
  } expected[] = {{"uncoupled", 20, 26}, {"v_to_u", 21, 28}, {"u_to_v", 21, 28}, {"two_way", 22, 30}};
  family f = opened("fisher.pde");
  const double *values = f.problem->cases[system_find_case(f.problem, "H1")].values;
  for (int i = 0; i < 4; i++) {
    int structure = system_find_structure(f.problem, expected[i].structure);
    double given[SYSTEM_MAX_SYMBOLS];
    for (int s = 0; s < f.problem->symbol_count; s++)
      given[s] = f.problem->structures[structure].absent[s] ? (double)NAN : values[s];
    choose(&f, structure, given);
    ans_graph *graph;
    assert_ok(f.context, graph_build(f.context, f.instance, &graph));
    assert_int_equal(graph->node_count, expected[i].nodes);
    assert_int_equal(graph->edge_count, expected[i].edges);
    graph_free(graph);
    descriptor *d = described(&f, DESCRIPTOR_PRESENCE, 1, 16);
    assert_true(d->values[8 + 3] == !f.problem->structures[structure].absent[system_find_symbol(f.problem, "k_uv")]);
    assert_true((d->values[3] == 0) == (d->values[8 + 3] == 0));
    descriptor_free(d);
  }
  closed(&f);
}

static void cdr_with_all_motifs(void **state) {
  (void)state;
  family f = opened_case("cdr.pde", "ADR_4.5_8.5");
  static const char *const labels[] = {"u",       "u_x", "u_t",        "u_xx",    "-8.5 u",
                                       "4.5 u_x", "u_t", "-0.01 u_xx", "8.5 u^2", "R_u"};
  static const int edges[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                 {0, 8}, {4, 9}, {5, 9}, {6, 9}, {7, 9}, {8, 9}};
  assert_graph(&f, 10, labels, 13, edges);
  descriptor_free(described(&f, DESCRIPTOR_GRAPH, 10, 22));
  descriptor_free(described(&f, DESCRIPTOR_SET, 5, 6));
  /* [a, D, r]: grids of five nodes over [2, 12], log10 [1e-3, 1e-1] and [1, 10] */
  descriptor *d = described(&f, DESCRIPTOR_VECTOR, 1, 3);
  assert_near(d->values[0], -2.5 / sqrt(12.5), 1e-12);
  assert_near(d->values[1], 0, 1e-12);
  assert_near(d->values[2], 3 / (2.25 * sqrt(2)), 1e-12);
  descriptor_free(d);
  closed(&f);
}

static void plasma_at_two_hundred_volts(void **state) {
  (void)state;
  family f = opened_case("ccp.pde", "R2.0");
  static const char *const labels[] = {"N",
                                       "Phi",
                                       "N_xi",
                                       "N_tau",
                                       "N_xixi",
                                       "Phi_xi",
                                       "Phi_xixi",
                                       "-0.03968 on xi [0.2, 0.4], [0.6, 0.8]",
                                       "N_tau",
                                       "-0.6226 N_xixi",
                                       "41.51 N Phi_xixi",
                                       "41.51 N_xi Phi_xi",
                                       "21.02",
                                       "-21.02 N",
                                       "Phi_xixi",
                                       "R_N",
                                       "R_Phi"};
  static const int edges[][2] = {{0, 2},  {0, 3},  {0, 4},   {1, 5},   {1, 6},   {3, 8},   {4, 9},
                                 {0, 10}, {6, 10}, {2, 11},  {5, 11},  {0, 13},  {6, 14},  {7, 15},
                                 {8, 15}, {9, 15}, {10, 15}, {11, 15}, {12, 16}, {13, 16}, {14, 16}};
  assert_graph(&f, 17, labels, 21, edges);
  descriptor *d = described(&f, DESCRIPTOR_GRAPH, 17, 22);
  const double *source = d->values + 7 * 22, *constant = d->values + 12 * 22;
  assert_near(source[17], log10(0.039676), 1e-4);
  assert_true(source[19] == 1 && source[20] == 0.2 && source[21] == 0.4);
  assert_true(constant[19] == 1 && constant[20] == 0 && constant[21] == 0);
  descriptor_free(d);
  descriptor_free(described(&f, DESCRIPTOR_SET, 8, 5));
  d = described(&f, DESCRIPTOR_VECTOR, 1, 17);
  const double expected[4] = {0.6226, 41.506, 21.021, 0.039676};
  for (int i = 0; i < 17; i++) assert_near(d->values[i], i < 4 ? log10(expected[i] + 1e-8) : 0, 1e-4);
  descriptor_free(d);
  assert_int_equal(descriptor_build(f.context, f.instance, DESCRIPTOR_DICTIONARY, &d), ANS_UNSUPPORTED);
  closed(&f);
}

/* The plasma's two zones are two terms of the instance and one of the graph: joining them takes memory, too. */
static void every_failing_allocation_is_reported(void **state) {
  (void)state;
  family f = opened_case("ccp.pde", "R2.0");
  for (descriptor_kind kind = DESCRIPTOR_GRAPH; kind <= DESCRIPTOR_PRESENCE; kind++) {
    ans_status status = ANS_MEMORY;
    for (long n = 1; status == ANS_MEMORY; n++) {
      descriptor *d;
      memory_fail_after(n, false);
      status = descriptor_build(f.context, f.instance, kind, &d);
      memory_fail_after(0, false);
      assert_int_equal(d == NULL, status != ANS_OK);
      descriptor_free(d);
    }
    assert_int_equal(status, ANS_OK);
  }
  closed(&f);
}

/* A family of three fields that nothing here was written for. */
static void a_users_own_family(void **state) {
  (void)state;
  static const char text[] = "coordinate s in [0, 1) periodic\ncoordinate y in [0, 2]\ncoordinate t in [0, 1] time\n"
                             "field a, b, c\n"
                             "coefficient k in [0.5, 2] log\ncoefficient w in [0, 1] optional\n"
                             "equation a: a_t - k*(a_ss + a_yy) + a*b^2 = 0\n"
                             "equation b: b_t - a*b^2 + w*c_y = inside(y, 0.5*k, 1) - 2*k\n"
                             "equation c: c_t - d(b*c_s, s) = 0\n"
                             "initial a = 1\ninitial b = cos(2*pi*s)\ninitial c = 0\n"
                             "boundary a at y = 0: a = 1 soft\nboundary a at y = 2: a = 1 soft\n"
                             "structure whole\nstructure less without w\n"
                             "case one whole: k=1 w=0.5\n";
  family f = {.context = new_context()};
  assert_ok(f.context, system_parse(f.context, "own", NULL, text, sizeof text - 1, &f.problem));
  choose(&f, 0, f.problem->cases[0].values);
  descriptor *d =
      described(&f, DESCRIPTOR_GRAPH, 3 + 9 + 12 + 3, f.problem->protocol.descriptor.layout == GRAPH_UNION ? 22 : 14);
  descriptor_free(d);
  descriptor_free(described(&f, DESCRIPTOR_OWNERSHIP, 12, 7 + 3 + 11));
  descriptor_free(described(&f, DESCRIPTOR_PRESENCE, 1, 4));
  assert_int_equal(descriptor_columns(f.problem, DESCRIPTOR_DICTIONARY), 3 * (1 + 30 + 465));
  ans_graph *graph;
  assert_ok(f.context, graph_build(f.context, f.instance, &graph));
  int found = 0;
  for (int n = 0; n < graph->node_count; n++) found += strcmp(graph->nodes[n].label, "-on y [0.5, 1]") == 0;
  assert_int_equal(found, 1);
  graph_free(graph);
  closed(&f);
}

/* Other words for the same equations: names, order of statements, terms and factors. */
static void other_words_same_hash(void **state) {
  (void)state;
  static const char other[] = "coordinate z in [0, 1) periodic\ncoordinate s in [0, 1] time\nfield q, p\n"
                              "coefficient one in [0.005, 0.02] log\n"
                              "equation p: -0.15*q - 0.9*p + 0.9*p*p + 0.25*p_z + p_s - one*p_zz = 0\n"
                              "equation q: q_s = 0.018*d(q, z, z) - 0.65*q_z + (1 - q)*1.5*q + 0.35*p\n"
                              "initial p = 0\ninitial q = 0\nstructure all\ncase H all: one=0.008\n";
  family f = opened_case("fisher.pde", "H1"), g = {.context = new_context()};
  assert_ok(g.context, system_parse(g.context, "other", NULL, other, sizeof other - 1, &g.problem));
  choose(&g, 0, g.problem->cases[0].values);
  ans_graph *a, *b;
  assert_ok(f.context, graph_build(f.context, f.instance, &a));
  assert_ok(g.context, graph_build(g.context, g.instance, &b));
  assert_int_equal(a->hash, b->hash);
  graph_free(a);
  graph_free(b);
  closed(&f);
  closed(&g);
}

/* c in a coefficient, V in one through a derived value, k in a source, A in the initial value, e in an interval. */
static void descriptors_see_coefficients_only(void **state) {
  (void)state;
  static const char text[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
                             "coefficient c in [1, 2]\nparameter V in [1, 2]\ncoefficient k in [1, 2] optional\n"
                             "coefficient A, e in [0.5, 0.7]\nlet half = V/2\nlet d2 = half^2\nlet k2 = 2*pi*k\n"
                             "coefficient m in [1, 2]\n"
                             "equation u: m*u_t + c*u_x - d2*u_xx + sin(k2*x)*u + inside(x, 0.2, e) = 0\n"
                             "initial u = A*sin(2*pi*x)\n%s";
  static const char *const layouts[] = {"descriptor vector c V k e\n", "descriptor graph union\n"};
  for (int i = 0; i < 2; i++) {
    family f = {.context = new_context()};
    char whole[1024];
    snprintf(whole, sizeof whole, text, layouts[i]);
    assert_ok(f.context, system_parse(f.context, "seen", NULL, whole, strlen(whole), &f.problem));
    static const struct {
      const char *name;
      bool graph[2], set, vector[2];
    } expected[] = {{"m", {true, true}, true, {false, true}}, /* in the first term alone */
                    {"c", {true, true}, true, {true, true}},    {"V", {true, true}, true, {true, true}},
                    {"k", {false, false}, false, {true, true}}, {"A", {false, false}, false, {false, true}},
                    {"e", {false, true}, false, {true, true}}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
      int symbol = system_find_symbol(f.problem, expected[k].name);
      assert_int_equal(descriptor_sees(f.problem, DESCRIPTOR_GRAPH, symbol), expected[k].graph[i]);
      assert_int_equal(descriptor_sees(f.problem, DESCRIPTOR_SET, symbol), expected[k].set);
      assert_int_equal(descriptor_sees(f.problem, DESCRIPTOR_OWNERSHIP, symbol), expected[k].set);
      assert_int_equal(descriptor_sees(f.problem, DESCRIPTOR_VECTOR, symbol), expected[k].vector[i]);
      assert_false(descriptor_sees(f.problem, DESCRIPTOR_NONE, symbol));
    }
    closed(&f);
  }
}

/* A source that vanishes without its coefficient takes its term along; one that becomes a constant does not. */
static void terms_with_absent_sources_leave_the_graph(void **state) {
  (void)state;
  static const char text[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
                             "coefficient k in [1, 2] optional\nlet m = 3*k\n"
                             "equation u: u_t + sin(k*x)*u + x*tanh(m*t)/(x + 1)*u_x + cos(k*x)*u^2 = 0\n"
                             "initial u = 0\nstructure whole\nstructure s without k\n"
                             "case a whole: k=1\ncase b s:\n";
  family f = {.context = new_context()};
  assert_ok(f.context, system_parse(f.context, "absent", NULL, text, sizeof text - 1, &f.problem));
  choose(&f, 0, f.problem->cases[0].values);
  assert_int_equal(f.instance->term_count, 4);
  choose(&f, 1, f.problem->cases[1].values);
  assert_int_equal(f.instance->term_count, 2);
  assert_graph(&f, 5, (const char *const[]){"u", "u_t", "u_t", "s(x) u^2", "R_u"}, 5,
               (const int[][2]){{0, 1}, {1, 2}, {0, 3}, {2, 4}, {3, 4}});
  closed(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fisher_h1),
                                     cmocka_unit_test(absent_couplings_leave_the_graph),
                                     cmocka_unit_test(cdr_with_all_motifs),
                                     cmocka_unit_test(plasma_at_two_hundred_volts),
                                     cmocka_unit_test(every_failing_allocation_is_reported),
                                     cmocka_unit_test(a_users_own_family),
                                     cmocka_unit_test(other_words_same_hash),
                                     cmocka_unit_test(descriptors_see_coefficients_only),
                                     cmocka_unit_test(terms_with_absent_sources_leave_the_graph)};
  return cmocka_run_group_tests_name("families", tests, NULL, NULL);
}
