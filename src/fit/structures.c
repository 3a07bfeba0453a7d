/* SPDX-License-Identifier: Apache-2.0
 *
 * structures.c - which optional terms are there: every structure of the family fitted to the same data and compared by
 * the Bayesian information criterion.
 */
#include <math.h>
#include <stdio.h>

#include "fit/fit.h"

static const double NEAR = 6; /* of the criterion: odds of twenty to one */

/* A structure that cannot be fitted has its reason in the table. */
static ans_status fit_structure(ans_context *context, const ans_problem *problem, const measurements *data,
                                const ans_fit_options *options, const sought *all, int index, ans_fit_candidate *row,
                                ans_fit **fit) {
  sought own;
  *fit = NULL;
  *row = (ans_fit_candidate){.structure = problem->structures[index].name, .bic = (double)NAN, .chi2 = (double)NAN};
  if (!sought_in_structure(all, index, &own)) {
    snprintf(row->reason, sizeof row->reason, "a coefficient of this structure is neither sought nor fixed");
    return ANS_OK;
  }
  if (own.count == 0) {
    snprintf(row->reason, sizeof row->reason, "nothing is sought in this structure");
    return ANS_OK;
  }
  ans_status status = fit_new_of(context, problem, data, options, &own, fit);
  if (status == ANS_MEMORY || status == ANS_FILE) return status;
  if (status != ANS_OK) {
    snprintf(row->reason, sizeof row->reason, "%s", ans_context_diagnostic(context)->message);
    return ANS_OK;
  }
  row->fitted = true;
  row->unknowns = (size_t)own.count;
  row->chi2 = (*fit)->summary.chi2;
  row->bic = (*fit)->summary.bic;
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

ans_status fit_structures(ans_context *context, const ans_problem *problem, const measurements *data,
                          const ans_fit_options *options, ans_fit_candidate *table, ans_fit **best) {
  sought_request request = {.unknown = options->unknown, .fixed = options->fixed, .case_name = options->case_name};
  sought all;
  *best = NULL;
  TRY(sought_read_any(context, problem, &request, &all));
  for (int i = 0; i < problem->structure_count; i++) {
    ans_fit *fit;
    ans_status status = fit_structure(context, problem, data, options, &all, i, &table[i], &fit);
    if (status != ANS_OK) {
      fit_free(*best);
      *best = NULL;
      return status;
    }
    if (fit && (!*best || fit->summary.bic < (*best)->summary.bic)) {
      fit_free(*best);
      *best = fit;
    } else {
      fit_free(fit);
    }
  }
  FAIL_IF(!*best, context, ANS_ARGUMENT, "no structure of %s could be fitted; the first: %s", problem->name,
          table[0].reason);
  note_choice(*best, table, problem->structure_count);
  return ANS_OK;
}
