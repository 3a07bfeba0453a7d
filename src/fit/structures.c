/* SPDX-License-Identifier: Apache-2.0
 *
 * structures.c - which optional terms are there: the structures of a family compared by the Bayesian information
 * criterion of their fits.
 *
 * A structure without a term is the wider one with that coefficient zero. So the widest structure is fitted first, its
 * optional coefficients free to vanish, and its covariance says what each structure would lose (structure_forecast.c).
 * Then they are fitted in that order, each from where the forecast puts it: at least two, and all that are within reach
 * of the best. Where there is no such forecast, all are fitted.
 */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "fit/structure_forecast.h"

static const double NEAR = 6;   /* of the criterion: odds of twenty to one */
static const double REACH = 40; /* far more than a forecast is wrong by where it matters */
enum { FEWEST = 2 };

typedef struct comparison {
  const ans_problem *problem;
  const measurements *data;
  const ans_fit_options *options;
  sought all;
  ans_fit *wide; /* NULL: none */
  ans_fit_candidate *table;
  bool waits[SYSTEM_MAX_STRUCTURES]; /* neither fitted nor known to be impossible */
  structure_forecast forecasts[SYSTEM_MAX_STRUCTURES];
  int fitted;
  ans_fit *best;
} comparison;

/* ---- One structure -------------------------------------------------------------------------------------- */

static void begin_row(comparison *c, int index) {
  ans_fit_candidate *row = &c->table[index];
  sought own;
  *row = (ans_fit_candidate){.structure = c->problem->structures[index].name, .bic = (double)NAN, .chi2 = (double)NAN};
  bool known = sought_in_structure(&c->all, index, &own);
  c->waits[index] = known && own.count > 0;
  if (known) row->unknowns = (size_t)own.named;
  if (!c->waits[index])
    snprintf(row->reason, sizeof row->reason, "%s",
             known ? "nothing is sought in this structure"
                   : "a coefficient of this structure is neither sought nor fixed");
}

static void keep_better(comparison *c, ans_fit *fit) {
  bool better = !c->best || fit->summary.bic < c->best->summary.bic;
  fit_free(better ? c->best : fit);
  if (better) c->best = fit;
}

/* A structure that cannot be fitted has its reason in the table. */
static ans_status fit_structure(ans_context *context, comparison *c, int index) {
  ans_fit_candidate *row = &c->table[index];
  const structure_forecast *forecast = &c->forecasts[index];
  sought own;
  ans_fit *fit;
  c->waits[index] = false;
  sought_in_structure(&c->all, index, &own);
  fit_hint hint = {.z = forecast->z,
                   .network = c->wide ? c->wide->network : NULL,
                   .network_z = forecast->wide_z,
                   .hopeless = c->best ? c->best->summary.bic + REACH : (double)INFINITY};
  ans_status status = fit_new_of(context, c->problem, c->data, c->options, &own, forecast->known ? &hint : NULL, &fit);
  if (status == ANS_MEMORY || status == ANS_FILE) return status;
  if (status != ANS_OK) {
    snprintf(row->reason, sizeof row->reason, "%s", ans_context_diagnostic(context)->message);
    return ANS_OK;
  }
  c->fitted++;
  row->fitted = true;
  row->chi2 = fit->summary.chi2;
  row->bic = fit->summary.bic;
  keep_better(c, fit);
  return ANS_OK;
}

/* ---- All of them ---------------------------------------------------------------------------------------- */

/* Every optional term at once. A fit that fails or is not at an optimum forecasts nothing. */
static ans_status fit_wide(ans_context *context, comparison *c) {
  sought wide;
  if (!forecast_widest(&c->all, &wide)) return ANS_OK;
  ans_status status = fit_new_of(context, c->problem, c->data, c->options, &wide, NULL, &c->wide);
  if (status == ANS_MEMORY || status == ANS_FILE) return status;
  for (int i = 0; status == ANS_OK && c->wide->search.converged && i < c->problem->structure_count; i++)
    forecast_structure(c->wide, i, &c->forecasts[i]);
  return ANS_OK;
}

/* The structure to be fitted next: one without a forecast, else the one that is said to be best; -1: none waits. */
static int next_structure(const comparison *c) {
  int next = -1;
  for (int i = 0; i < c->problem->structure_count; i++) {
    if (!c->waits[i]) continue;
    if (!c->forecasts[i].known) return i;
    if (next < 0 || c->forecasts[i].bic < c->forecasts[next].bic) next = i;
  }
  return next;
}

static bool is_out_of_reach(const comparison *c, int index) {
  return c->fitted >= FEWEST && c->forecasts[index].known && c->forecasts[index].bic > c->best->summary.bic + REACH;
}

static ans_status compare(ans_context *context, comparison *c) {
  for (int i = 0; i < c->problem->structure_count; i++) begin_row(c, i);
  TRY(fit_wide(context, c));
  for (int next; (next = next_structure(c)) >= 0 && !is_out_of_reach(c, next);) TRY(fit_structure(context, c, next));
  FAIL_IF(!c->best, context, ANS_ARGUMENT, "no structure of %s could be fitted; the first: %s", c->problem->name,
          c->table[0].reason);
  for (int i = 0; i < c->problem->structure_count; i++) {
    if (!c->waits[i]) continue;
    c->table[i].bic = c->forecasts[i].bic;
    snprintf(c->table[i].reason, sizeof c->table[i].reason,
             "out of reach: by the fit of all terms its criterion would be larger by about %.0f",
             c->forecasts[i].bic - c->best->summary.bic);
  }
  return ANS_OK;
}

static void note_choice(ans_fit *best, const ans_fit_candidate *table, int count) {
  for (int i = 0; i < count; i++) {
    double behind = table[i].bic - best->summary.bic;
    if (table[i].fitted && behind > 0 && behind < NEAR)
      fit_note_add(best, true, "structure %s is nearly as likely as %s: the criterion differs by %.2g only",
                   table[i].structure, best->summary.structure, behind);
  }
}

ans_status fit_structures_of(ans_context *context, const ans_problem *problem, const measurements *data,
                             const ans_fit_options *options, const sought *all, ans_fit_candidate *table,
                             ans_fit **best) {
  double begun = clock_seconds();
  *best = NULL;
  comparison *c = memory_take(sizeof *c);
  if (!c) return context_no_memory(context);
  *c = (comparison){.problem = problem, .data = data, .options = options, .all = *all, .table = table};
  ans_status status = compare(context, c);
  if (status == ANS_OK) {
    note_choice(c->best, table, problem->structure_count);
    c->best->begun = begun;
    c->best->summary.seconds = clock_seconds() - begun;
    *best = c->best;
  } else {
    fit_free(c->best);
  }
  fit_free(c->wide);
  memory_give(c);
  return status;
}

ans_status fit_structures(ans_context *context, const ans_problem *problem, const measurements *data,
                          const ans_fit_options *options, ans_fit_candidate *table, ans_fit **best) {
  sought_request request = {.unknown = options->unknown, .fixed = options->fixed, .case_name = options->case_name};
  sought all;
  *best = NULL;
  if (system_unknown_initial(problem) >= 0) return fit_with_initials(context, problem, data, options, table, best);
  TRY(sought_read_any(context, problem, &request, &all));
  return fit_structures_of(context, problem, data, options, &all, table, best);
}
