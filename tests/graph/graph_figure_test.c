/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <unistd.h>

#include "made.h"
#include "solution/graph_figure.h"
#include "solution/graph_layout.h"

static char directory[] = "/tmp/ansatz_graph_XXXXXX";

static const char *in_directory(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static int make_directory(void **state) {
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
  (void)state;
  return rmdir(directory); /* fails when a temporary file was left behind */
}

static ans_graph *built(ans_context *context, const ans_instance *instance) {
  ans_graph *graph;
  assert_ok(context, graph_build(context, instance, &graph));
  return graph;
}

static void assert_no_overlap(const graph_layout *layout) {
  for (int i = 0; i < layout->item_count; i++)
    for (int j = 0; j < i; j++) {
      const layout_item *a = &layout->items[i], *b = &layout->items[j];
      if (a->column != b->column) continue;
      assert_true(fabs(a->y - b->y) > (a->height + b->height) / 2 + 5.99);
    }
  for (int i = 0; i < layout->item_count; i++) {
    assert_true(layout->items[i].y - layout->items[i].height / 2 > -1e-9);
    assert_true(layout->items[i].y + layout->items[i].height / 2 < layout->height + 1e-9);
  }
}

static void fisher_is_drawn_with_one_crossing(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_instance *instance = made_fisher(&made);
  ans_graph *graph = built(context, instance);
  graph_layout *layout;
  int couplings = 0;
  assert_ok(context, graph_layout_new(context, graph, instance, 20, 6, &layout));
  assert_int_equal(layout->item_count, 22 + 2); /* a lane for each field */
  assert_int_equal(layout->link_count, 30 + 2);
  assert_no_overlap(layout);
  assert_int_equal(graph_layout_crossings(layout), 1); /* the two couplings */
  for (int l = 0; l < layout->link_count; l++) couplings += layout->links[l].coupling;
  assert_int_equal(couplings, 2);
  graph_layout_free(layout);
  graph_free(graph);
  ans_context_free(context);
}

/* Many fields, each coupled to all others, with derivatives. */
static void dense_systems_keep_their_distances(void **state) {
  (void)state;
  ans_context *context = new_context();
  random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
  for (int round = 0; round < 50; round++) {
    made made;
    made_begin(&made, "x t", "u v w p");
    for (int t = 0; t < 40; t++) {
      char factors[16];
      snprintf(factors, sizeof factors, "%c%u%u %c00", "uvwp"[random_below(&stream, 4)], random_below(&stream, 3),
               random_below(&stream, 2), "uvwp"[random_below(&stream, 4)]);
      made_add(&made, (int)random_below(&stream, 4), random_between(&stream, -1, 1), NULL, factors);
    }
    ans_instance *instance = made_finish(&made);
    ans_graph *graph = built(context, instance);
    graph_layout *layout;
    assert_ok(context, graph_layout_new(context, graph, instance, 20, 6, &layout));
    assert_no_overlap(layout);
    graph_layout_free(layout);
    graph_free(graph);
  }
  ans_context_free(context);
}

static void pictures_are_written(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_instance *instance = made_fisher(&made);
  ans_graph *graph = built(context, instance);
  static const char *const names[] = {"g.svg", "g.pdf", "g.png"};
  for (int i = 0; i < 3; i++) {
    char *bytes;
    size_t size;
    assert_ok(context, graph_figure_draw(context, graph, instance, in_directory(names[i])));
    assert_ok(context, file_read(context, in_directory(names[i]), 1 << 22, &bytes, &size));
    assert_true(size > 3000);
    memory_give(bytes);
    unlink(in_directory(names[i]));
  }
  assert_int_equal(graph_figure_draw(context, graph, instance, in_directory("g.txt")), ANS_ARGUMENT);
  graph_free(graph);
  ans_context_free(context);
}

static void every_failing_allocation_leaves_no_file(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  ans_instance *instance = made_fisher(&made);
  ans_graph *graph = built(context, instance);
  ans_status status = ANS_MEMORY;
  for (long n = 1; status == ANS_MEMORY; n++) {
    memory_fail_after(n, false);
    status = graph_figure_draw(context, graph, instance, in_directory("g.svg"));
    memory_fail_after(0, false);
    assert_int_equal(access(in_directory("g.svg"), F_OK) == 0, status == ANS_OK);
    assert_true(n < 1000);
  }
  assert_int_equal(status, ANS_OK);
  unlink(in_directory("g.svg"));
  status = ANS_MEMORY;
  for (long n = 1; status == ANS_MEMORY; n++) {
    char *text;
    memory_fail_after(n, false);
    status = graph_dot(context, graph, instance, &text);
    memory_fail_after(0, false);
    assert_int_equal(text == NULL, status != ANS_OK);
    ans_free(text);
  }
  assert_int_equal(status, ANS_OK);
  graph_free(graph);
  ans_context_free(context);
}

static void dot_text_is_as_expected(void **state) {
  (void)state;
  ans_context *context = new_context();
  made made;
  char *text;
  made_begin(&made, "x t", "u");
  made.problem.name = "a \"heat\" equation";
  made_add(&made, 0, 1, NULL, "u01");
  made_add(&made, 0, -0.5, NULL, "u20");
  ans_instance *instance = made_finish(&made);
  ans_graph *graph = built(context, instance);
  assert_ok(context, graph_dot(context, graph, instance, &text));
  assert_string_equal(
      text, "digraph \"a \\\"heat\\\" equation\" {\n"
            "  rankdir=LR;\n"
            "  subgraph fields {\n    rank=same; node [shape=circle];\n    n0 [label=\"u\"];\n  }\n"
            "  subgraph derivatives {\n    rank=same; node [shape=ellipse];\n"
            "    n1 [label=\"u_t\"];\n    n2 [label=\"u_xx\"];\n  }\n"
            "  subgraph terms {\n    rank=same; node [shape=box];\n"
            "    n3 [label=\"u_t\"];\n    n4 [label=\"-0.5 u_xx\"];\n  }\n"
            "  subgraph residuals {\n    rank=same; node [shape=doublecircle];\n    n5 [label=\"R_u\"];\n  }\n"
            "  n0 -> n1;\n  n0 -> n2;\n  n1 -> n3;\n  n2 -> n4;\n  n3 -> n5;\n  n4 -> n5;\n}\n");
  ans_free(text);
  graph_free(graph);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fisher_is_drawn_with_one_crossing), cmocka_unit_test(dense_systems_keep_their_distances),
      cmocka_unit_test(pictures_are_written), cmocka_unit_test(every_failing_allocation_leaves_no_file),
      cmocka_unit_test(dot_text_is_as_expected)};
  return cmocka_run_group_tests_name("graph_figure", tests, make_directory, remove_directory);
}
