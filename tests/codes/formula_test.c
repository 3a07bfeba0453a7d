/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_test.c - the codes of every hypernetwork against a plain evaluation of its formula in doc/networks.md.
 */
#include "bench.h"

#include "codes/conditions.h"
#include "codes/plan.h"

enum { MOST = 640, FAR = 5 }; /* numbers in a state, rounds */

typedef double state_row[MOST];

/* ---- Layers ------------------------------------------------------------------------------------------- */

static const unknown_part *find_part(const bench *b, const char *name, const char *suffix) {
  char full[40];
  int count;
  const unknown_part *parts = hypernetwork_parts(b->h, &count);
  snprintf(full, sizeof full, "%s.%s", name, suffix);
  for (int i = 0; i < count; i++)
    if (strcmp(parts[i].name, full) == 0) return &parts[i];
  fail_msg("no part is called %s", full);
  return NULL;
}

/* The numbers of a part, which has to be this large. */
static const double *part_values(const bench *b, const char *name, const char *suffix, int rows, int columns) {
  const unknown_part *part = find_part(b, name, suffix);
  assert_int_equal(part->rows, rows);
  assert_int_equal(part->columns, columns);
  return b->parameters + part->offset;
}

/* y = M x, M [outputs][inputs] */
static void linear(const bench *b, const char *name, int inputs, const double *x, int outputs, double *y) {
  const double *matrix = part_values(b, name, "weight", outputs, inputs);
  assert_true(inputs <= MOST && outputs <= MOST);
  for (int i = 0; i < outputs; i++) {
    y[i] = 0;
    for (int j = 0; j < inputs; j++) y[i] += matrix[i * inputs + j] * x[j];
  }
}

/* y = M x + bias */
static void affine(const bench *b, const char *name, int inputs, const double *x, int outputs, double *y) {
  const double *bias = part_values(b, name, "bias", outputs, 0);
  linear(b, name, inputs, x, outputs, y);
  for (int i = 0; i < outputs; i++) y[i] += bias[i];
}

static void gelu(int count, double *x) {
  for (int i = 0; i < count; i++) x[i] *= 0.5 * erfc(-x[i] / sqrt(2.0));
}

static void relu(int count, double *x) {
  for (int i = 0; i < count; i++) x[i] = fmax(x[i], 0);
}

static void add(int count, const double *from, double *to) {
  for (int i = 0; i < count; i++) to[i] += from[i];
}

/* s_l = ReLU(A_l r + b_l); the heads are called first.1, first.2, ... */
static void heads(const bench *b, const char *first, int inputs, const double *r, double *codes) {
  for (int l = 0; l < b->shape.layers; l++) {
    char name[32];
    snprintf(name, sizeof name, "%s.%d", first, l + 1);
    affine(b, name, inputs, r, b->shape.width, codes + l * b->shape.width);
    relu(b->shape.width, codes + l * b->shape.width);
  }
}

/* ---- Graph -------------------------------------------------------------------------------------------- */

/* One round; the maps of stacked and plain rounds have a number, and the self map a bias. */
static void pass(const bench *b, int round, state_row *h) {
  static state_row next[NODES];
  const descriptor *d = b->descriptor;
  int w = b->shape.width;
  protocol_graph_style style = b->made.problem.protocol.descriptor.style;
  bool numbered = style == GRAPH_STACKED || style == GRAPH_PLAIN;
  char self[24] = "self", neighbour[24] = "neighbour";
  if (numbered)
    snprintf(self, sizeof self, "self.%d", round), snprintf(neighbour, sizeof neighbour, "neighbour.%d", round);
  for (int i = 0; i < d->rows; i++) {
    state_row around = {0}, others;
    for (int j = 0; j < d->rows; j++)
      for (int k = 0; k < w; k++) around[k] += d->adjacency[i * d->rows + j] * h[j][k];
    (numbered ? affine : linear)(b, self, w, h[i], w, next[i]);
    linear(b, neighbour, w, around, w, others);
    add(w, others, next[i]);
    gelu(w, next[i]);
    if (style != GRAPH_PLAIN) add(w, h[i], next[i]);
  }
  memcpy(h, next, sizeof next);
}

/* Of term and field nodes. */
static void mean_of_nodes(const bench *b, state_row *h, double *mean) {
  const descriptor *d = b->descriptor;
  int count = 0, w = b->shape.width;
  memset(mean, 0, (size_t)w * sizeof *mean);
  for (int i = 0; i < d->rows; i++)
    if (d->group[i] == GRAPH_TERM || d->group[i] == GRAPH_FIELD) add(w, h[i], mean), count++;
  for (int k = 0; k < w; k++) mean[k] /= count;
}

/* What the heads of a field read, and how much of it. */
static int read_out(const bench *b, int field, state_row *h, double *r) {
  int w = b->shape.width;
  const double *own = h[b->descriptor->field_row[field]];
  state_row both, hidden;
  switch (b->made.problem.protocol.descriptor.style) {
  case GRAPH_PLAIN: memcpy(r, own, (size_t)w * sizeof *r); return w;
  case GRAPH_STACKED:
    mean_of_nodes(b, h, b->shape.fields > 1 ? r + w : r);
    if (b->shape.fields == 1) return w;
    memcpy(r, own, (size_t)w * sizeof *r);
    return 2 * w;
  default:
    memcpy(both, own, (size_t)w * sizeof *both);
    mean_of_nodes(b, h, both + w);
    affine(b, "rho.1", 2 * w, both, w, hidden);
    gelu(w, hidden);
    affine(b, "rho.2", w, hidden, w, r);
    return w;
  }
}

static void graph_codes(const bench *b, int rounds, double *codes) {
  static state_row h[NODES], all[NODES]; /* all: the states of every round side by side */
  const descriptor *d = b->descriptor;
  int w = b->shape.width;
  for (int i = 0; i < d->rows; i++) {
    affine(b, "phi", d->columns, d->values + i * d->columns, w, h[i]);
    if (b->made.problem.protocol.descriptor.style != GRAPH_LINEAR) gelu(w, h[i]);
    memcpy(all[i], h[i], (size_t)w * sizeof **h);
  }
  for (int k = 1; k <= rounds; k++) {
    pass(b, k, h);
    for (int i = 0; i < d->rows; i++) memcpy(all[i] + k * w, h[i], (size_t)w * sizeof **h);
  }
  if (b->made.problem.protocol.descriptor.style == GRAPH_STACKED)
    for (int i = 0; i < d->rows; i++) affine(b, "project", (rounds + 1) * w, all[i], w, h[i]);
  for (int f = 0; f < b->shape.fields; f++) {
    state_row r;
    int inputs = read_out(b, f, h, r);
    heads(b, "head", inputs, r, codes + f * b->shape.layers * w);
  }
}

/* ---- Sets, vectors, conditional decoder ---------------------------------------------------------------- */

static void set_codes(const bench *b, double *codes) {
  const descriptor *d = b->descriptor;
  int fields = b->shape.fields, e = find_part(b, "phi", "bias")->rows, hidden = find_part(b, "rho.1", "bias")->rows;
  bool grouped = d->kind == DESCRIPTOR_SET && b->made.problem.protocol.descriptor.grouped_set;
  for (int f = 0; f < fields; f++) {
    state_row mean = {0}, token, first, r;
    int count = 0, inputs = e;
    for (int i = 0; i < d->rows; i++) {
      if (grouped && d->group[i] != f) continue;
      affine(b, "phi", d->columns, d->values + i * d->columns, e, token);
      gelu(e, token);
      add(e, token, mean);
      count++;
    }
    for (int k = 0; k < e; k++) mean[k] /= count;
    for (int g = 0; !grouped && fields > 1 && g < fields; g++) mean[inputs++] = g == f;
    affine(b, "rho.1", inputs, mean, hidden, first);
    gelu(hidden, first);
    affine(b, "rho.2", hidden, first, hidden, r);
    heads(b, "head", hidden, r, codes + f * b->shape.layers * b->shape.width);
  }
}

/* Two layers with GELU, or three with tanh. */
static int encode_vector(const bench *b, double *r) {
  const descriptor *d = b->descriptor;
  bool three = b->made.problem.protocol.descriptor.encoder == VECTOR_TANH;
  int inputs = d->columns;
  state_row x;
  memcpy(x, d->values, (size_t)inputs * sizeof *x);
  for (int i = 1; i <= (three ? 3 : 2); i++) {
    char name[24];
    snprintf(name, sizeof name, "phi.%d", i);
    int outputs = find_part(b, name, "bias")->rows;
    affine(b, name, inputs, x, outputs, r);
    if (!three) gelu(outputs, r);
    for (int k = 0; three && k < outputs; k++) r[k] = tanh(r[k]);
    memcpy(x, r, (size_t)outputs * sizeof *x);
    inputs = outputs;
  }
  return inputs;
}

/* Compact: heads of its own for every field. Union: one set of codes for all. */
static void vector_codes(const bench *b, double *codes) {
  bool own = b->made.problem.protocol.descriptor.layout == GRAPH_COMPACT && b->shape.fields > 1;
  state_row r;
  int hidden = encode_vector(b, r);
  for (int f = 0; f < b->shape.fields; f++) {
    char name[24] = "head";
    if (own) snprintf(name, sizeof name, "head.%d", f + 1);
    heads(b, name, hidden, r, codes + f * b->shape.layers * b->shape.width);
  }
}

/* Four layers with a ReLU between them. */
static void four_layers(const bench *b, const char *first, int inputs, const double *x, double *y) {
  state_row h;
  for (int i = 1; i <= 4; i++) {
    char name[24];
    snprintf(name, sizeof name, "%s.%d", first, i);
    affine(b, name, i == 1 ? inputs : b->shape.width, i == 1 ? x : h, b->shape.width, y);
    if (i < 4) relu(b->shape.width, y);
    memcpy(h, y, (size_t)b->shape.width * sizeof *h);
  }
}

static void decoder_codes(const bench *b, double *codes) {
  const ans_problem *problem = &b->made.problem;
  int w = b->shape.width, columns = plan_features(problem) + problem->field_count;
  state_row mean = {0}, point, both;
  double *points = malloc((size_t)columns * PLAN_CONDITION_POINTS * sizeof *points);
  assert_ok(b->context, condition_points(b->context, problem, points));
  for (int i = 0; i < PLAN_CONDITION_POINTS; i++) {
    four_layers(b, "points", columns, points + i * columns, point);
    add(w, point, mean);
  }
  for (int k = 0; k < w; k++) mean[k] /= PLAN_CONDITION_POINTS;
  four_layers(b, "coefficients", b->descriptor->columns, b->descriptor->values, both);
  four_layers(b, "pooled", w, mean, both + w);
  affine(b, "combine", 2 * w, both, w, codes);
  free(points);
}

/* ---- The tests ---------------------------------------------------------------------------------------- */

static void check_codes(families_maker family, descriptor_kind kind, int width, int rounds) {
  bench b;
  open_bench(&b, family, kind, width, rounds, 101);
  double *expected = malloc(b.count * sizeof *expected);
  assert_true(b.descriptor->rows <= NODES);
  switch (kind) {
  case DESCRIPTOR_GRAPH: graph_codes(&b, rounds ? rounds : b.made.problem.protocol.descriptor.rounds, expected); break;
  case DESCRIPTOR_SET:
  case DESCRIPTOR_OWNERSHIP: set_codes(&b, expected); break;
  case DESCRIPTOR_VECTOR:
  case DESCRIPTOR_PRESENCE: vector_codes(&b, expected); break;
  default: decoder_codes(&b, expected);
  }
  weighted(&b);
  assert_true(norm(b.codes, b.count) > 0.1);
  for (size_t i = 0; i < b.count; i++) assert_near(b.codes[i], expected[i], 1e-13 * norm(b.codes, b.count));
  free(expected);
  close_bench(&b);
}

static void graph_codes_follow_their_formula(void **state) {
  (void)state;
  const families_maker styles[] = {families_fisher, families_fisher_linear, families_fisher_stacked, families_cdr,
                                   families_ccp};
  for (int s = 0; s < 5; s++)
    for (int rounds = 1; rounds <= FAR; rounds++) check_codes(styles[s], DESCRIPTOR_GRAPH, 96, rounds);
}

static void other_codes_follow_their_formula(void **state) {
  (void)state;
  for (int f = 0; f < FAMILIES; f++)
    for (int a = 0; a < arms_of(f); a++) check_codes(families_all[f], arms[a], 48, 0);
  check_codes(families_fisher_tanh, DESCRIPTOR_VECTOR, 48, 0);
  check_codes(families_fisher_tanh, DESCRIPTOR_PRESENCE, 48, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graph_codes_follow_their_formula),
      cmocka_unit_test(other_codes_follow_their_formula),
  };
  return cmocka_run_group_tests_name("formula", tests, NULL, NULL);
}
