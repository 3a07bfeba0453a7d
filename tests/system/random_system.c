/* SPDX-License-Identifier: Apache-2.0 */
#include "random_system.h"

static const char *const coordinate_names[3][3] = {{"x", "y", "t"}, {"xi", "eta", "tau"}, {"r", "phi", "s"}};
static const char *const field_names[3][RANDOM_FIELDS] = {
    {"u", "v", "w", "z"}, {"N", "Phi", "n_e", "T_gas"}, {"alpha", "b_1", "c", "Q"}};
static const char *const symbol_names[3][RANDOM_SYMBOLS] = {
    {"a", "b", "c", "k", "m", "eps"}, {"D", "mu", "k_uv", "rho", "S0", "L"}, {"p1", "p2", "p3", "p4", "p5", "p_6"}};

static int below(random_stream *r, uint32_t limit) { return (int)random_below(r, limit); }
static bool chance(random_stream *r, uint32_t one_in) { return random_below(r, one_in) == 0; }

/* ---- Drawing --------------------------------------------------------------------------------------------- */

static random_factor draw_factor(random_stream *r, const random_system *s) {
  random_factor f = {.field = below(r, (uint32_t)s->fields), .power = 1};
  int order = chance(r, 2) ? 0 : below(r, 3);
  for (int i = 0; i < order; i++) f.order[below(r, (uint32_t)s->spaces)]++;
  if (chance(r, 4)) f.power = 2;
  return f;
}

static random_term draw_term(random_stream *r, const random_system *s) {
  static const double numbers[] = {1, 1, 1, -1, -1, 2, -0.5, 0.1, 3.25, -1e-3, 1e5};
  random_term t = {.number = numbers[below(r, sizeof numbers / sizeof *numbers)]};
  for (int i = 0; i < s->symbols; i++)
    if (chance(r, 3)) t.symbols[i] = chance(r, 5) && !s->optional[i] ? -1 : chance(r, 5) ? 2 : 1;
  t.source = chance(r, 4) ? 1 + below(r, RANDOM_SOURCES) : 0;
  t.factor_count = below(r, RANDOM_FACTORS + 1);
  for (int i = 0; i < t.factor_count; i++) t.factors[i] = draw_factor(r, s);
  t.conservative = t.factor_count > 0 && chance(r, 4);
  return t;
}

random_system random_system_draw(uint64_t seed) {
  random_stream r = random_open(seed, RANDOM_TEST, 1, 0);
  random_system s = {
      .spaces = 1 + chance(&r, 3), .fields = 1 + below(&r, RANDOM_FIELDS), .symbols = below(&r, RANDOM_SYMBOLS + 1)};
  s.initial_seed = random_bits(&r);
  for (int i = 0; i < s.symbols; i++) {
    s.optional[i] = chance(&r, 3);
    s.logarithmic[i] = chance(&r, 2);
  }
  for (int f = 0; f < s.fields; f++) {
    s.soft[f] = chance(&r, 2);
    s.term_count[f] = 1 + below(&r, RANDOM_TERMS);
    s.terms[f][0] =
        (random_term){.number = 1, .factor_count = 1, .factors = {{.field = f, .order = {0, 0, 1}, .power = 1}}};
    for (int i = 1; i < s.term_count[f]; i++) s.terms[f][i] = draw_term(&r, &s);
  }
  return s;
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

typedef struct writer {
  buffer *out;
  const random_system *system;
  random_style style;
  random_stream order;
} writer;

static const char *coordinate(const writer *w, int i) { return coordinate_names[w->style.names][i]; }
static const char *symbol(const writer *w, int i) { return symbol_names[w->style.names][i]; }

/* 0 .. count-1, shuffled when the style says so */
static void permutation(writer *w, int count, int *result) {
  for (int i = 0; i < count; i++) result[i] = i;
  for (int i = count - 1; w->style.shuffle && i > 0; i--) {
    int k = below(&w->order, (uint32_t)i + 1), kept = result[i];
    result[i] = result[k];
    result[k] = kept;
  }
}

static void write_factor(writer *w, const random_factor *f) {
  const char *name = field_names[w->style.names][f->field];
  int total = f->order[0] + f->order[1] + f->order[2];
  bool call = total > 0 && w->style.shuffle && chance(&w->order, 2);
  buffer_add(w->out, "%s%s%s", call ? "d(" : "", name, total > 0 && !call ? "_" : "");
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < f->order[c]; k++) buffer_add(w->out, "%s%s", call ? ", " : "", coordinate(w, c));
  buffer_add(w->out, "%s", call ? ")" : "");
  if (f->power > 1) buffer_add(w->out, "^%d", f->power);
}

static void write_source(writer *w, int source) {
  const char *x = coordinate(w, 0), *t = coordinate(w, 2);
  bool swap = w->style.shuffle && chance(&w->order, 2);
  switch (source) {
  case 1: buffer_add(w->out, "sin(2*pi*%s)", x); break;
  case 2: buffer_add(w->out, "inside(%s, 0.25, 0.5)", x); break;
  case 3:
    if (swap)
      buffer_add(w->out, "cos(%s)*exp(-%s)", x, t);
    else
      buffer_add(w->out, "exp(-%s)*cos(%s)", t, x);
    break;
  case 4: buffer_add(w->out, "(%s - 0.5)^2", x); break;
  case 5: buffer_add(w->out, "%s^3", t); break;
  case 6: buffer_add(w->out, "tanh(%s + 1)/(%s + 2)", x, t); break;
  default: { /* powers of a sum that cancel, some of them to one */
    int up = 1 + (source - 7) / 3, down = 1 + (source - 7) % 3;
    if (swap)
      buffer_add(w->out, "1/(%s + 1.5)^%d*(%s + 1.5)^%d", x, down, x, up);
    else
      buffer_add(w->out, "(%s + 1.5)^%d/(%s + 1.5)^%d", x, up, x, down);
  }
  }
}

/* A term is a product of pieces: one per symbol, the source, one per factor. */
static void write_term(writer *w, const random_term *t, bool first) {
  int order[RANDOM_SYMBOLS + 1 + RANDOM_FACTORS], count = w->system->symbols + 1 + t->factor_count;
  double size = t->number < 0 ? -t->number : t->number;
  permutation(w, count, order);
  buffer_add(w->out, "%s", t->number < 0 ? " - " : first ? "" : " + ");
  buffer_number(w->out, size);
  if (t->conservative) buffer_add(w->out, "*d(1");
  for (int i = 0; i < count; i++) {
    int piece = order[i];
    if (piece < w->system->symbols) {
      int power = t->symbols[piece];
      if (power) buffer_add(w->out, "%s%s%s", power < 0 ? "/" : "*", symbol(w, piece), power == 2 ? "^2" : "");
    } else if (piece == w->system->symbols) {
      if (!t->source || (t->conservative && t->source == 2)) continue; /* an indicator has no derivative */
      buffer_add(w->out, "*");
      write_source(w, t->source);
    } else {
      buffer_add(w->out, "*");
      write_factor(w, &t->factors[piece - w->system->symbols - 1]);
    }
  }
  if (t->conservative) buffer_add(w->out, ", %s)", coordinate(w, 0));
}

static void write_equation(writer *w, int field) {
  int order[RANDOM_TERMS];
  permutation(w, w->system->term_count[field], order);
  buffer_add(w->out, "equation %s: ", field_names[w->style.names][field]);
  for (int i = 0; i < w->system->term_count[field]; i++) write_term(w, &w->system->terms[field][order[i]], i == 0);
  buffer_add(w->out, " = 0\n");
}

/* A random expression of the space coordinates, the same in every style. */
static void write_scalar(writer *w, random_stream *r, int depth) {
  static const char *const functions[] = {"sin", "cos", "tanh", "exp", "abs"};
  static const char *const operators[] = {" + ", " - ", "*", "/", "*"};
  int kind = depth ? below(r, 8) : below(r, 2);
  if (kind == 0)
    buffer_add(w->out, "%s", coordinate(w, below(r, (uint32_t)w->system->spaces)));
  else if (kind == 1)
    buffer_add(w->out, "%d.%d", below(r, 10), below(r, 100));
  else if (kind == 2) {
    buffer_add(w->out, "%s(", functions[below(r, 5)]);
    write_scalar(w, r, depth - 1);
    buffer_add(w->out, ")");
  } else if (kind == 3) {
    buffer_add(w->out, "-");
    write_scalar(w, r, depth - 1);
  } else if (kind == 4) {
    buffer_add(w->out, "(");
    write_scalar(w, r, depth - 1);
    buffer_add(w->out, ")^%d", 1 + below(r, 4));
  } else {
    buffer_add(w->out, "(");
    write_scalar(w, r, depth - 1);
    buffer_add(w->out, "%s", operators[below(r, 5)]);
    write_scalar(w, r, depth - 1);
    buffer_add(w->out, ")");
  }
}

static void write_declarations(writer *w) {
  const random_system *s = w->system;
  for (int i = 0; i < s->spaces; i++) buffer_add(w->out, "coordinate %s in [-1, 1) periodic\n", coordinate(w, i));
  buffer_add(w->out, "coordinate %s in [0, 2] time\n", coordinate(w, 2));
  for (int f = 0; f < s->fields; f++) buffer_add(w->out, "field %s\n", field_names[w->style.names][f]);
  for (int i = 0; i < s->symbols; i++)
    buffer_add(w->out, "coefficient %s in [0.5, 2]%s%s\n", symbol(w, i), s->logarithmic[i] ? " log" : "",
               s->optional[i] ? " optional" : "");
}

void random_system_write(buffer *out, const random_system *s, random_style style) {
  writer w = {out, s, style, random_open(style.seed, RANDOM_TEST, 2, 0)};
  int order[RANDOM_FIELDS];
  buffer_add(out, "family drawn\n");
  write_declarations(&w);
  permutation(&w, s->fields, order);
  for (int i = 0; i < s->fields; i++) write_equation(&w, order[i]);
  random_stream initial = random_open(s->initial_seed, RANDOM_TEST, 3, 0);
  for (int f = 0; f < s->fields; f++) {
    buffer_add(out, "initial %s = ", field_names[style.names][f]);
    write_scalar(&w, &initial, 4);
    buffer_add(out, "%s\n", s->soft[f] ? " soft weight 0.5" : "");
  }
}
