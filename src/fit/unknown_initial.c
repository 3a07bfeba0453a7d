/* SPDX-License-Identifier: Apache-2.0
 *
 * unknown_initial.c - the text of a problem, with series in the places of unknown initial values.
 */
#include "fit/unknown_initial.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "fit/noise.h"
#include "fit/sought.h"
#include "system/print.h"

static const double TWICE = 2; /* the spread of the data: a prior that is wide */
static const double REACH = 3; /* standard deviations of the prior that the range of a coefficient has to each side */
enum { VALUES_PER_TERM = 3, FEWEST = 3, MOST = FIT_MAX_UNKNOWNS - FIT_MAX_NAMED };

/* What is known of the field at an end of the space coordinate. */
typedef enum end_kind { END_FREE, END_VALUE, END_SLOPE } end_kind;

typedef struct end_condition {
  end_kind kind;
  const expression *value;
} end_condition;

typedef struct series {
  const ans_problem *problem;
  int field, space, terms; /* space -1: none */
  int number;              /* of the series: part of the names of its parameters */
  const char *prefix;      /* of these names */
  double mean, spread;
  end_condition low, high;
} series;

/* ---- Waves ---------------------------------------------------------------------------------------------- */

/* One term: a cosine or sine of so many half waves along the coordinate, from its low or its high end. */
typedef struct wave {
  bool sine, from_high;
  double half_waves; /* 0: the constant */
} wave;

/* Both at once: constant, then pairs of cosine and sine. */
static wave paired_wave(int index, double half_waves) {
  return (wave){.sine = index > 0 && index % 2 == 0, .half_waves = (index + 1) / 2 * half_waves};
}

/* A free end is met by waves over twice the length, which take any value and slope there. */
static wave wave_of(const series *s, int index) {
  end_kind low = s->low.kind, high = s->high.kind;
  if (s->problem->coordinates[s->space].periodic) return paired_wave(index, 2);
  if (low == END_FREE && high == END_FREE) return paired_wave(index, 1);
  bool from_high = low == END_FREE;
  end_kind near = from_high ? high : low, far = from_high ? low : high;
  wave w = {.sine = near == END_VALUE, .from_high = from_high};
  double first = near == END_VALUE ? 1 : 0;
  if (far == END_FREE)
    w.half_waves = (index + first) / 2;
  else
    w.half_waves = far == near ? index + first : index + 0.5;
  return w;
}

static double prior_deviation(const series *s, double half_waves) {
  return TWICE * s->spread / fmax(1, half_waves / 2);
}

/* (x - (from)) */
static void print_distance(buffer *out, const system_coordinate *c, double from) {
  buffer_add(out, "(%s - (", c->name);
  buffer_number(out, from);
  buffer_add(out, "))");
}

static void print_wave(buffer *out, const series *s, wave w) {
  const system_coordinate *c = &s->problem->coordinates[s->space];
  double length = c->high - c->low;
  buffer_add(out, "%s(pi*", w.sine ? "sin" : "cos");
  buffer_number(out, w.half_waves);
  buffer_add(out, "*");
  print_distance(out, c, w.from_high ? c->high : c->low);
  buffer_add(out, "/(");
  buffer_number(out, w.from_high ? -length : length);
  buffer_add(out, "))");
}

/* ---- What the ends say ---------------------------------------------------------------------------------- */

static end_condition end_of(const ans_problem *problem, int field, int space, double at) {
  end_condition found = {.kind = END_FREE};
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *c = &problem->conditions[i];
    int order = 0;
    for (int d = 0; d < problem->coordinate_count; d++) order += c->order[d];
    bool here = c->kind == CONDITION_BOUNDARY && c->field == field && c->coordinate == space && c->at == at;
    bool slope = order == 1 && c->order[space] == 1;
    if (!here || (order > 0 && !slope) || (slope && found.kind == END_VALUE)) continue;
    found = (end_condition){.kind = slope ? END_SLOPE : END_VALUE, .value = c->value};
  }
  return found;
}

/* The expression with the first instant in place of the time. */
static ans_status print_at_start(ans_context *context, const series *s, const expression *value, buffer *out) {
  const system_coordinate *time = &s->problem->coordinates[s->problem->time];
  buffer whole = {0};
  char *text;
  print_expression(&whole, s->problem, value);
  TRY(buffer_finish(context, &whole, &text));
  buffer_add(out, "(");
  for (const char *p = text; *p;) {
    size_t length = 0;
    while (isalnum((unsigned char)p[length]) || p[length] == '_') length++;
    if (length == strlen(time->name) && memcmp(p, time->name, length) == 0) {
      buffer_add(out, "(");
      buffer_number(out, time->low);
      buffer_add(out, ")");
    } else {
      buffer_bytes(out, p, length ? length : 1);
    }
    p += length ? length : 1;
  }
  buffer_add(out, ")");
  memory_give(text);
  return ANS_OK;
}

/* + value * (x - from)^power / scale */
static ans_status add_lift(ans_context *context, const series *s, const expression *value, int power, double from,
                           double scale, buffer *out) {
  buffer_add(out, " + ");
  TRY(print_at_start(context, s, value, out));
  if (power == 0) return ANS_OK;
  buffer_add(out, "*");
  print_distance(out, &s->problem->coordinates[s->space], from);
  buffer_add(out, "^%d/(", power);
  buffer_number(out, scale);
  buffer_add(out, ")");
  return ANS_OK;
}

/* A polynomial that has the boundary values; the waves leave them alone. */
static ans_status add_lifts(ans_context *context, const series *s, buffer *out) {
  const system_coordinate *c = &s->problem->coordinates[s->space];
  double a = c->low, b = c->high, length = b - a;
  end_kind low = s->low.kind, high = s->high.kind;
  if (low == high && low != END_FREE) {
    int power = low == END_VALUE ? 1 : 2;
    TRY(add_lift(context, s, s->low.value, power, b, -power * length, out));
    return add_lift(context, s, s->high.value, power, a, power * length, out);
  }
  if (low != END_FREE) TRY(add_lift(context, s, s->low.value, low == END_SLOPE, high == END_VALUE ? b : a, 1, out));
  if (high != END_FREE) TRY(add_lift(context, s, s->high.value, high == END_SLOPE, low == END_VALUE ? a : b, 1, out));
  return ANS_OK;
}

/* ---- Text ----------------------------------------------------------------------------------------------- */

static wave term_of(const series *s, int index) { return s->space < 0 ? (wave){0} : wave_of(s, index); }

static double middle_of(const series *s, int index) { return term_of(s, index).half_waves == 0 ? s->mean : 0; }

static ans_status print_series(ans_context *context, const series *s, buffer *out) {
  buffer_add(out, "initial %s = 0", s->problem->fields[s->field].name);
  if (s->space >= 0 && !s->problem->coordinates[s->space].periodic) TRY(add_lifts(context, s, out));
  for (int i = 0; i < s->terms; i++) {
    wave w = term_of(s, i);
    buffer_add(out, " + %s_%d_%d", s->prefix, s->number, i);
    if (w.half_waves == 0) continue;
    buffer_add(out, "*");
    print_wave(out, s, w);
  }
  buffer_add(out, "\n");
  return ANS_OK;
}

static void print_parameters(const series *s, buffer *out) {
  for (int i = 0; i < s->terms; i++) {
    double reach = REACH * prior_deviation(s, term_of(s, i).half_waves), middle = middle_of(s, i);
    buffer_add(out, "parameter %s_%d_%d in [", s->prefix, s->number, i);
    buffer_number(out, middle - reach);
    buffer_add(out, ", ");
    buffer_number(out, middle + reach);
    buffer_add(out, "]\n");
  }
}

/* A case has a value of every parameter. */
static void print_values(const series *s, buffer *out) {
  for (int i = 0; i < s->terms; i++) {
    buffer_add(out, " %s_%d_%d=", s->prefix, s->number, i);
    buffer_number(out, middle_of(s, i));
  }
}

static const series *series_of_line(const series *all, int count, const char *line, size_t length) {
  for (int k = 0; k < count; k++) {
    char wanted[128];
    int size = snprintf(wanted, sizeof wanted, "initial %s unknown", all[k].problem->fields[all[k].field].name);
    if ((size_t)size == length && memcmp(wanted, line, length) == 0) return &all[k];
  }
  return NULL;
}

/* out <- the problem's own text with the series in it. */
static ans_status rewrite(ans_context *context, const series *all, int count, const char *text, buffer *out) {
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    const series *s = series_of_line(all, count, line, length);
    if (s)
      TRY(print_series(context, s, out));
    else
      buffer_bytes(out, line, length);
    if (strncmp(line, "case ", 5) == 0)
      for (int k = 0; k < count; k++) print_values(&all[k], out);
    if (!s) buffer_add(out, "\n");
    line += length + (line[length] == '\n');
  }
  for (int k = 0; k < count; k++) print_parameters(&all[k], out);
  return ANS_OK;
}

/* ---- Which series --------------------------------------------------------------------------------------- */

static int count_unknown(const ans_problem *problem) {
  int count = 0;
  for (int i = 0; i < problem->condition_count; i++) count += problem->conditions[i].unknown;
  return count;
}

/* Of the field or, where it was not measured, of the one that spreads most. */
static void take_scale(const noise *n, series *s) {
  int field = s->field;
  if (measurements_of(n->data, field) == 0)
    for (int f = 0; f < n->data->field_count; f++)
      if (n->spread[f] > n->spread[field]) field = f;
  s->mean = n->mean[field];
  s->spread = n->spread[field] > 0 ? n->spread[field] : fabs(s->mean) > 0 ? fabs(s->mean) : 1;
}

static ans_status find_space(ans_context *context, const ans_problem *problem, int *space) {
  *space = -1;
  for (int d = 0; d < problem->coordinate_count; d++) {
    if (d == problem->time) continue;
    FAIL_IF(*space >= 0, context, ANS_UNSUPPORTED,
            "an unknown initial value is sought along one space coordinate at most: write it with parameters, and seek "
            "those");
    *space = d;
  }
  return ANS_OK;
}

static bool is_taken(const ans_problem *problem, const char *prefix) {
  size_t length = strlen(prefix);
  for (int i = 0; i < problem->symbol_count; i++)
    if (strncmp(problem->symbols[i].name, prefix, length) == 0) return true;
  for (int i = 0; i < problem->field_count; i++)
    if (strncmp(problem->fields[i].name, prefix, length) == 0) return true;
  return false;
}

static ans_status collect(ans_context *context, const ans_problem *problem, const measurements *data, int terms,
                          const char *prefix, series *all, unknown_initials *initials) {
  noise noise = noise_begin(data, NULL);
  int space, fields = count_unknown(problem), fit = (int)fmin((double)data->value_count, 1e6) / VALUES_PER_TERM;
  assert(fields > 0); /* one is unknown: system_unknown_initial found it */
  TRY(find_space(context, problem, &space));
  if (terms > fit / fields) terms = fit / fields;
  if (terms < FEWEST) terms = FEWEST;
  if (terms > MOST / fields) terms = MOST / fields;
  *initials = (unknown_initials){0};
  for (int i = 0; i < problem->condition_count; i++) {
    if (!problem->conditions[i].unknown) continue;
    int field = problem->conditions[i].field, k = initials->count++;
    series *s = &all[k];
    *s = (series){.problem = problem, .field = field, .space = space, .number = k, .prefix = prefix};
    s->terms = space < 0 ? 1 : terms;
    take_scale(&noise, s);
    if (space >= 0 && !problem->coordinates[space].periodic) {
      s->low = end_of(problem, field, space, problem->coordinates[space].low);
      s->high = end_of(problem, field, space, problem->coordinates[space].high);
    }
    initials->fields[k] = field;
    initials->terms[k] = s->terms;
    initials->total += s->terms;
  }
  return ANS_OK;
}

ans_status unknown_initials_expand(ans_context *context, const ans_problem *problem, const measurements *data,
                                   int terms, unknown_initials *initials, ans_problem **expanded) {
  series all[SYSTEM_MAX_FIELDS];
  char prefix[64] = "initial", *text = NULL, *whole = NULL;
  buffer out = {0};
  *expanded = NULL;
  while (is_taken(problem, prefix) && strlen(prefix) < sizeof prefix - 1) strcat(prefix, "x");
  TRY(collect(context, problem, data, terms, prefix, all, initials));
  TRY(system_print(context, problem, &text));
  ans_status status = rewrite(context, all, initials->count, text, &out);
  memory_give(text);
  if (status != ANS_OK) {
    buffer_drop(&out);
    return status;
  }
  TRY(buffer_finish(context, &out, &whole));
  status = system_parse(context, problem->name, NULL, whole, strlen(whole), expanded);
  memory_give(whole);
  return status;
}
