/* SPDX-License-Identifier: Apache-2.0
 *
 * rewording_test.c - random systems written twice, in different words, and read back: the graph is the same.
 *
 * The second text has other names for everything, fields, equations, terms and factors in another order, some terms on
 * the right-hand side, and derivatives written the other way.
 */
#include "check.h"

#include "graph/graph.h"

enum { FIELDS = 4, COORDINATES = 3, SYMBOLS = 4, TERMS = 24, FACTORS = 3 };

typedef struct sketch_factor {
  int field, order[COORDINATES];
} sketch_factor;

typedef struct sketch_term {
  int equation, symbol, source, factor_count; /* symbol -1: none; source 0: none */
  double number;
  sketch_factor factors[FACTORS];
} sketch_term;

typedef struct sketch {
  int fields, coordinates, terms; /* the last coordinate is time */
  double values[SYMBOLS];
  sketch_term list[TERMS];
} sketch;

/* How a sketch is put into words. */
typedef struct wording {
  bool other;
  int fields[FIELDS], symbols[SYMBOLS], terms[TERMS]; /* orders of declaration and of appearance */
  random_stream *stream;
} wording;

static int below(random_stream *stream, int limit) { return (int)random_below(stream, (uint32_t)limit); }

/* ---- Making ------------------------------------------------------------------------------------------------- */

static void make_term(random_stream *stream, const sketch *s, int equation, sketch_term *term) {
  *term = (sketch_term){.equation = equation,
                        .symbol = below(stream, SYMBOLS + 2) - 2,
                        .source = below(stream, 6) == 0 ? 1 + below(stream, 3) : 0,
                        .factor_count = below(stream, FACTORS + 1),
                        .number = random_between(stream, -3, 3)};
  for (int i = 0; i < term->factor_count; i++) {
    term->factors[i].field = below(stream, s->fields);
    for (int k = below(stream, 3); k > 0; k--) term->factors[i].order[below(stream, s->coordinates - 1)]++;
  }
}

static void make_sketch(random_stream *stream, sketch *s) {
  *s = (sketch){.fields = 1 + below(stream, FIELDS), .coordinates = 2 + below(stream, 2)};
  for (int i = 0; i < SYMBOLS; i++) s->values[i] = random_between(stream, 0.5, 2);
  for (int e = 0; e < s->fields; e++) {
    sketch_term *time = &s->list[s->terms++];
    *time = (sketch_term){.equation = e, .symbol = -1, .number = 1, .factor_count = 1};
    time->factors[0].field = e;
    time->factors[0].order[s->coordinates - 1] = 1;
    for (int more = below(stream, 5); more > 0; more--) make_term(stream, s, e, &s->list[s->terms++]);
  }
}

static void shuffle(random_stream *stream, bool really, int count, int *order) {
  for (int i = 0; i < count; i++) order[i] = i;
  for (int i = count - 1; really && i > 0; i--) {
    int j = below(stream, i + 1), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

static wording choose_words(random_stream *stream, const sketch *s, bool other) {
  wording w = {.other = other, .stream = stream};
  shuffle(stream, other, s->fields, w.fields);
  shuffle(stream, other, SYMBOLS, w.symbols);
  shuffle(stream, other, s->terms, w.terms);
  return w;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static const char *field_name(const wording *w, int field) {
  static const char *const names[2][FIELDS] = {{"u", "v", "w", "p"}, {"q", "density", "T", "a"}};
  return names[w->other][field];
}

/* Time is the last of the sketch's coordinates under either name. */
static const char *coordinate_name(const wording *w, const sketch *s, int coordinate) {
  static const char *const names[2][COORDINATES] = {{"x", "y", "t"}, {"r", "z", "s"}};
  return names[w->other][coordinate == s->coordinates - 1 ? 2 : coordinate];
}

static const char *symbol_name(const wording *w, int symbol) {
  static const char *const names[2][SYMBOLS] = {{"k1", "k2", "k3", "k4"}, {"D", "gain", "beta", "c0"}};
  return names[w->other][symbol];
}

static void write_factor(buffer *text, const wording *w, const sketch *s, const sketch_factor *factor) {
  int total = 0;
  for (int c = 0; c < s->coordinates; c++) total += factor->order[c];
  bool by_call = total > 0 && w->other;
  buffer_add(text, by_call ? "d(%s" : "%s", field_name(w, factor->field));
  if (total > 0 && !by_call) buffer_add(text, "_");
  for (int c = 0; c < s->coordinates; c++)
    for (int i = 0; i < factor->order[c]; i++) buffer_add(text, by_call ? ", %s" : "%s", coordinate_name(w, s, c));
  if (by_call) buffer_add(text, ")");
}

static void write_source(buffer *text, const wording *w, const sketch *s, int source) {
  const char *x = coordinate_name(w, s, 0);
  if (source == 1) buffer_add(text, "*sin(2*pi*%s)", x);
  if (source == 2) buffer_add(text, "*inside(%s, 0.25, 0.5)", x);
  if (source == 3 && !w->other) buffer_add(text, "*(inside(%s, 0.25, 0.5) + inside(%s, 0.75, 1))", x, x);
  if (source == 3 && w->other) buffer_add(text, "*(inside(%s, 0.75, 1) + inside(%s, 0.25, 0.5))", x, x);
}

static void write_term(buffer *text, const wording *w, const sketch *s, const sketch_term *term, double sign) {
  int order[FACTORS];
  shuffle(w->stream, w->other, term->factor_count, order);
  buffer_add(text, " + (");
  buffer_number(text, sign * term->number);
  buffer_add(text, ")");
  if (w->other) write_source(text, w, s, term->source);
  for (int i = 0; i < term->factor_count; i++) {
    buffer_add(text, "*");
    write_factor(text, w, s, &term->factors[order[i]]);
  }
  if (term->symbol >= 0) buffer_add(text, "*%s", symbol_name(w, term->symbol));
  if (!w->other) write_source(text, w, s, term->source);
}

static void write_equation(buffer *text, const wording *w, const sketch *s, int equation) {
  bool right[TERMS];
  buffer_add(text, "equation %s: 0", field_name(w, equation));
  for (int t = 0; t < s->terms; t++) {
    right[t] = w->other && below(w->stream, 3) == 0;
    const sketch_term *term = &s->list[w->terms[t]];
    if (term->equation == equation && !right[t]) write_term(text, w, s, term, 1);
  }
  buffer_add(text, " = 0");
  for (int t = 0; t < s->terms; t++) {
    const sketch_term *term = &s->list[w->terms[t]];
    if (term->equation == equation && right[t]) write_term(text, w, s, term, -1);
  }
  buffer_add(text, "\n");
}

static bool is_used(const sketch *s, int symbol) {
  for (int t = 0; t < s->terms; t++)
    if (s->list[t].symbol == symbol) return true;
  return false;
}

static void write_text(buffer *text, const wording *w, const sketch *s) {
  for (int c = 0; c < s->coordinates; c++)
    buffer_add(text, "coordinate %s in [0, 1%s\n", coordinate_name(w, s, c),
               c == s->coordinates - 1 ? "] time" : ") periodic");
  for (int f = 0; f < s->fields; f++) buffer_add(text, "field %s\n", field_name(w, w->fields[f]));
  for (int i = 0; i < SYMBOLS; i++)
    if (is_used(s, w->symbols[i])) buffer_add(text, "coefficient %s in [0.5, 2]\n", symbol_name(w, w->symbols[i]));
  for (int f = 0; f < s->fields; f++) write_equation(text, w, s, w->fields[s->fields - 1 - f]);
  for (int f = 0; f < s->fields; f++) buffer_add(text, "initial %s = 1\n", field_name(w, f));
  buffer_add(text, "structure all\ncase one all:");
  for (int i = 0; i < SYMBOLS; i++) {
    if (!is_used(s, w->symbols[i])) continue;
    buffer_add(text, " %s=", symbol_name(w, w->symbols[i]));
    buffer_number(text, s->values[w->symbols[i]]);
  }
  buffer_add(text, "\n");
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

typedef struct summary {
  uint64_t hash;
  int nodes, edges;
  double feature_sum; /* of everything that no name or order can change: term attributes */
} summary;

static summary summarise(ans_context *context, const ans_instance *instance) {
  ans_graph *graph;
  assert_ok(context, graph_build(context, instance, &graph));
  summary result = {.hash = graph->hash, .nodes = graph->node_count, .edges = graph->edge_count};
  for (int n = 0; n < graph->node_count; n++)
    for (int i = 1; i <= 4; i++) result.feature_sum += graph->features[(n + 1) * graph->feature_count - i];
  graph_free(graph);
  return result;
}

static summary read_back(ans_context *context, const wording *w, const sketch *s) {
  buffer text = {0};
  ans_problem *problem;
  ans_instance *instance;
  write_text(&text, w, s);
  assert_false(text.failed);
  if (system_parse(context, "random", NULL, text.text, text.length, &problem) != ANS_OK)
    fail_msg("%s in\n%s", ans_context_diagnostic(context)->message, text.text);
  assert_ok(context, system_instance(context, problem, 0, problem->cases[0].values, false, &instance));
  summary result = summarise(context, instance);
  system_instance_free(instance);
  system_free(problem);
  buffer_drop(&text);
  return result;
}

static void other_words_same_graph(void **state) {
  (void)state;
  ans_context *context = new_context();
  random_stream stream = random_open(11, RANDOM_TEST, 0, 0);
  for (int i = 0; i < SYSTEMS; i++) {
    sketch s;
    make_sketch(&stream, &s);
    wording plain = choose_words(&stream, &s, false), other = choose_words(&stream, &s, true);
    summary a = read_back(context, &plain, &s), b = read_back(context, &other, &s);
    if (a.hash != b.hash || a.nodes != b.nodes || a.edges != b.edges) {
      buffer first = {0}, second = {0};
      write_text(&first, &plain, &s);
      write_text(&second, &other, &s);
      fail_msg("system %d: %d and %d nodes, %d and %d edges\n%s\n%s", i, a.nodes, b.nodes, a.edges, b.edges, first.text,
               second.text);
    }
    assert_near(a.feature_sum, b.feature_sum, 1e-9);
  }
  ans_context_free(context);
}

/* A number changed by one part in a thousand must show. */
static void other_number_other_hash(void **state) {
  (void)state;
  ans_context *context = new_context();
  random_stream stream = random_open(12, RANDOM_TEST, 0, 0);
  for (int i = 0; i < SYSTEMS / 10; i++) {
    sketch s;
    make_sketch(&stream, &s);
    wording plain = choose_words(&stream, &s, false);
    summary before = read_back(context, &plain, &s);
    s.list[below(&stream, s.terms)].number *= 1.001;
    summary after = read_back(context, &plain, &s);
    assert_true(before.hash != after.hash);
  }
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(other_words_same_graph),
                                     cmocka_unit_test(other_number_other_hash)};
  return cmocka_run_group_tests_name("rewording", tests, NULL, NULL);
}
