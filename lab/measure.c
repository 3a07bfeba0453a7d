/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- One case ---------------------------------------------------------------------------------------- */

/* What a row of the table below is given: a case of a record, one field or NULL for the mean, the measure's argument.
 */
typedef struct view {
  const record *record;
  const record_case *entry;
  const char *field;
  double argument;
} view;

static double initial_error(const view *v) { return record_error(v->record, v->entry, 0, v->field); }

static double final_error(const view *v) {
  assert(v->entry->evaluation_count > 0);
  return record_error(v->record, v->entry, v->entry->evaluation_count - 1, v->field);
}

static double best_error(const view *v) { return record_best_error(v->record, v->entry, v->field); }

static double residual(const view *v) { return v->entry->residual; }

static double error_at_step(const view *v) {
  for (size_t e = 0; e < v->entry->evaluation_count; e++)
    if (v->entry->steps[e] == (long)v->argument) return record_error(v->record, v->entry, e, v->field);
  return nan("");
}

/* Mean of the last evaluations: what is left when the noise of the last one is averaged out. */
static double last_errors(const view *v) {
  size_t count = (size_t)v->argument;
  if (count < 1 || count > v->entry->evaluation_count) return nan("");
  double sum = 0;
  for (size_t i = 1; i <= count; i++)
    sum += record_error(v->record, v->entry, v->entry->evaluation_count - i, v->field);
  return sum / (double)count;
}

static double is_below(const view *v) { return record_best_error(v->record, v->entry, NULL) < v->argument; }

static double is_reached(const view *v) { return record_best_error(v->record, v->entry, NULL) <= v->argument; }

/* The first evaluation at or below the argument, or -1. */
static int first_hit(const view *v) {
  for (size_t e = 0; e < v->entry->evaluation_count; e++)
    if (record_error(v->record, v->entry, e, NULL) <= v->argument) return (int)e;
  return -1;
}

static double first_step(const view *v) {
  int hit = first_hit(v);
  return hit < 0 ? nan("") : (double)v->entry->steps[hit];
}

static double first_seconds(const view *v) {
  int hit = first_hit(v);
  return hit < 0 ? nan("") : v->entry->seconds[hit];
}

/* ---- The table --------------------------------------------------------------------------------------- */

typedef enum argument_kind { NO_ARGUMENT, A_COUNT, AN_ERROR } argument_kind;

/* How the cases of a record become one number: NaN of one case makes a mean or a sum NaN, while a median is that of
 * the cases that have a number. OF_TRAINING is none of the cases'. */
typedef enum gathering { MEAN, SUM, MEDIAN, POOLED, OF_TRAINING } gathering;

typedef struct measure_kind {
  const char *name;
  argument_kind argument;
  measure_direction better;
  gathering gathering;
  double (*of_case)(const view *);
} measure_kind;

static const measure_kind kinds[] = {
    {"initial", NO_ARGUMENT, LESS_IS_BETTER, MEAN, initial_error},
    {"step", A_COUNT, LESS_IS_BETTER, MEAN, error_at_step},
    {"final", NO_ARGUMENT, LESS_IS_BETTER, MEAN, final_error},
    {"last", A_COUNT, LESS_IS_BETTER, MEAN, last_errors},
    {"best", NO_ARGUMENT, LESS_IS_BETTER, MEAN, best_error},
    {"residual", NO_ARGUMENT, LESS_IS_BETTER, MEAN, residual},
    {"hits", AN_ERROR, MORE_IS_BETTER, MEAN, is_below},
    {"count", AN_ERROR, MORE_IS_BETTER, SUM, is_below},
    {"reach", AN_ERROR, MORE_IS_BETTER, MEAN, is_reached},
    {"first", AN_ERROR, LESS_IS_BETTER, MEDIAN, first_step},
    {"pooled", AN_ERROR, LESS_IS_BETTER, POOLED, first_step},
    {"seconds:train", NO_ARGUMENT, OTHER_HARDWARE, OF_TRAINING, NULL},
    {"seconds", AN_ERROR, OTHER_HARDWARE, MEAN, first_seconds},
};

static bool read_argument(argument_kind kind, const char *text, double *argument) {
  char *end;
  if (kind == A_COUNT) {
    *argument = (double)strtol(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
  }
  *argument = strtod(text, &end);
  return *argument > 0 && isfinite(*argument) && *end == '\0';
}

/* The row of a measure and its argument; NULL: there is no such measure. */
static const measure_kind *find(const char *measure, double *argument) {
  *argument = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t length = strlen(kinds[i].name);
    if (strncmp(measure, kinds[i].name, length) != 0) continue;
    if (kinds[i].argument == NO_ARGUMENT && measure[length] == '\0') return &kinds[i];
    if (kinds[i].argument != NO_ARGUMENT && measure[length] == ':' &&
        read_argument(kinds[i].argument, measure + length + 1, argument))
      return &kinds[i];
  }
  return NULL;
}

bool measure_known(const char *measure) {
  double argument;
  return find(measure, &argument) != NULL;
}

measure_direction measure_better(const char *measure) {
  double argument;
  return find(measure, &argument)->better;
}

bool measure_is_pooled(const char *measure) {
  double argument;
  return find(measure, &argument)->gathering == POOLED;
}

/* ---- A record ---------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double median(double *values, size_t count) {
  if (count == 0) return nan("");
  qsort(values, count, sizeof *values, ascending);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* The numbers of the cases that have one. False: a case is missing, or one without a number spoils the rest. */
static bool gather(const measure_kind *kind, view *v, const char *const *cases, size_t case_count, double *values,
                   size_t *count) {
  bool some = kind->gathering == MEDIAN || kind->gathering == POOLED;
  for (size_t c = 0; c < case_count; c++) {
    v->entry = record_find_case(v->record, cases[c]);
    if (!v->entry) return false;
    double value = kind->of_case(v);
    assert(*count < case_count || kind->gathering == POOLED);
    if (!isnan(value))
      values[(*count)++] = value;
    else if (!some)
      return false;
  }
  return true;
}

double measure_value(const record *record, const char *measure, const char *field, const char *const *cases,
                     size_t case_count) {
  view v = {.record = record, .field = field};
  const measure_kind *kind = find(measure, &v.argument);
  assert(kind && case_count <= RECORD_MAX_CASES);
  if (kind->gathering == OF_TRAINING) return record->train_steps > 0 ? record->train_seconds : nan("");
  double values[RECORD_MAX_CASES], sum = 0;
  size_t count = 0;
  if (!gather(kind, &v, cases, case_count, values, &count)) return nan("");
  if (kind->gathering == MEDIAN || kind->gathering == POOLED) return median(values, count);
  for (size_t i = 0; i < count; i++) sum += values[i];
  return kind->gathering == SUM ? sum : sum / (double)case_count;
}

double measure_pooled(const record *records, size_t count, const char *measure, const char *const *cases,
                      size_t case_count) {
  double *values = malloc((count * case_count + 1) * sizeof *values), result = nan("");
  if (!values) return result;
  size_t used = 0;
  for (size_t r = 0; r < count; r++) {
    view v = {.record = &records[r]};
    size_t before = used;
    const measure_kind *kind = find(measure, &v.argument);
    if (!gather(kind, &v, cases, case_count, values, &used)) used = before;
  }
  result = median(values, used);
  free(values);
  return result;
}
