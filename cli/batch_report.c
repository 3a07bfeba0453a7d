/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_report.c - what came of every row, as text or JSON, read back row by row.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "interrupt.h"
#include "output.h"

void batch_view_of(const ans_problem *problem, ledger *ledger, batch_view *view) {
  const json_t *settings = json_object_get(ledger->header, "settings");
  *view = (batch_view){.problem = problem, .ledger = ledger, .shard = {1, 1, false}};
  view->check = json_is_string(json_object_get(settings, "--check"));
  view->tolerance = json_is_string(json_object_get(settings, "--tolerance"));
  view->corrected = json_is_string(json_object_get(settings, "--correct"));
}

/* What the rows add up to. */
typedef struct tally {
  size_t told, missed;
  double seconds;
  int failure, reference; /* exit codes of the first row of each kind */
  char first_missed[ROW_NAME], shortfall[ROW_SHORTFALL];
} tally;

static void count(const row_outcome *outcome, tally *tally) {
  tally->told++;
  tally->seconds += outcome->seconds;
  if (outcome->status != ANS_OK && tally->failure == EXIT_OK) tally->failure = exit_code(outcome->status);
  if (outcome->reference_status != ANS_OK && tally->reference == EXIT_OK)
    tally->reference = exit_code(outcome->reference_status);
  if (outcome->missed && tally->missed++ == 0) {
    memcpy(tally->first_missed, outcome->name, sizeof tally->first_missed);
    memcpy(tally->shortfall, outcome->shortfall, sizeof tally->shortfall);
  }
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static void add_errors(const batch_view *view, const row_outcome *outcome, json_t *object) {
  json_t *errors = json_object(), *absolute = json_array();
  for (size_t f = 0; f < ans_problem_count(view->problem, ANS_FIELDS); f++) {
    const char *name = ans_problem_name(view->problem, ANS_FIELDS, f);
    json_object_set_new(errors, name, json_of_number(outcome->errors[f]));
    if (outcome->absolute[f]) json_array_append_new(absolute, json_string(name));
  }
  json_object_set_new(object, "error_absolute", absolute);
  json_object_set_new(object, "error", errors);
  json_object_set_new(object, "error_mean", json_of_number(outcome->error));
  json_object_set_new(object, "reference_self_check", json_of_number(outcome->self_check));
}

static json_t *outcome_json(const batch_view *view, const row_outcome *outcome) {
  json_t *object = json_pack("{s:o, s:b, s:I}", "name", json_of_text(outcome->name), "ok", row_solved(outcome), "steps",
                             (json_int_t)outcome->steps);
  if (!row_solved(outcome)) {
    json_object_set_new(object, "failure", json_of_text(outcome->sentence));
    return object;
  }
  json_object_set_new(object, "structure",
                      json_string(ans_problem_name(view->problem, ANS_STRUCTURES, outcome->structure)));
  json_object_set_new(object, "seconds", json_of_number(outcome->seconds));
  json_object_set_new(object, "residual_initial", json_of_number(outcome->before));
  json_object_set_new(object, "residual", json_of_number(outcome->residual));
  estimate_json(view->problem, &outcome->estimate, object);
  if (view->tolerance) json_object_set_new(object, "tolerance_met", json_boolean(!outcome->missed));
  if (!view->check) return object;
  if (outcome->reference_status != ANS_OK)
    json_object_set_new(object, "reference_failure", json_of_text(outcome->sentence));
  else
    add_errors(view, outcome, object);
  return object;
}

static bool print_row_json(const batch_view *view, const row_outcome *outcome, bool first) {
  json_t *object = outcome_json(view, outcome);
  fputs(first ? "" : ",\n", stdout);
  bool whole = object && json_write(object, stdout);
  json_decref(object);
  if (!whole) complain("memory is exhausted");
  return whole;
}

static void print_json_end(const batch_view *view, const tally *tally) {
  printf("],\n\"rows\": %zu,\n\"done\": %zu,\n\"seconds\": %.17g,\n\"interrupted\": %s\n}\n", view->ledger->rows,
         view->ledger->done, tally->seconds, interrupted() ? "true" : "false");
}

/* ---- Text --------------------------------------------------------------------------------------------- */

/* Names and sentences hold what stands in the file. */
static void print_name(const char *name) {
  enum { COLUMN = 24 };
  size_t used = print_safely(stdout, name, SIZE_MAX);
  printf("%*s ", used < COLUMN ? (int)(COLUMN - used) : 0, "");
}

static bool any_absolute(const row_outcome *outcome) {
  for (size_t f = 0; f < ANS_MAX_FIELDS; f++)
    if (outcome->absolute[f]) return true;
  return false;
}

static void print_check(const row_outcome *outcome) {
  char doubt[160];
  if (outcome->reference_status != ANS_OK) {
    printf(" %12s  (no reference: ", "-");
    print_safely(stdout, outcome->sentence, SIZE_MAX);
    printf(")");
    return;
  }
  printf(" %12.3e%s", outcome->error, any_absolute(outcome) ? " (absolute)" : "");
  if (solve_doubts(outcome->self_check, doubt, sizeof doubt)) printf("  (%s)", doubt);
}

/* A residual, or that it was not computed. */
static void print_residual(double residual) {
  if (isnan(residual))
    printf(" %12s", "-");
  else
    printf(" %12.3e", residual);
}

static void print_outcome(const row_outcome *outcome, bool check) {
  const ans_estimate *estimate = &outcome->estimate;
  char number[32] = "none";
  print_name(outcome->name);
  if (!row_solved(outcome)) {
    fputs(outcome->begun ? "failed: " : "", stdout);
    print_safely(stdout, outcome->sentence, SIZE_MAX);
    printf("\n");
    return;
  }
  if (estimate->available) snprintf(number, sizeof number, "%.3e", estimate->mean);
  printf("%8lld", (long long)outcome->steps);
  print_residual(outcome->before);
  print_residual(outcome->residual);
  printf(" %12s", number);
  if (check) print_check(outcome);
  if (!estimate->trusted) printf("  (%s%s)", estimate->available ? "not trusted: " : "", estimate->reason);
  printf("\n");
}

/* ---- All rows ----------------------------------------------------------------------------------------- */

/* Rows that this report tells: the shard's, or without fixed ones those that this process did. */
static bool told(const batch_view *view, size_t row) {
  if (view->shard.any) return view->ledger->entries[row].part == 1;
  return shard_has(&view->shard, row);
}

static void not_begun(const batch_view *view, size_t row, row_outcome *outcome) {
  *outcome = (row_outcome){.row = row, .sentence = "not begun"};
  if (view->table)
    row_name(view->table, row, outcome->name);
  else
    snprintf(outcome->name, sizeof outcome->name, "%zu", row + 1);
}

static int tell_rows(batch_view *view, tally *tally) {
  part_row row = {0};
  int code = EXIT_OK;
  for (size_t r = 0; code == EXIT_OK && r < view->ledger->rows; r++) {
    bool unreadable;
    if (!told(view, r)) continue;
    if (!ledger_load(view->ledger, view->problem, r, false, &row, &unreadable)) not_begun(view, r, &row.outcome);
    if (unreadable) code = EXIT_FILE;
    if (code == EXIT_OK && view->json && !print_row_json(view, &row.outcome, tally->told == 0)) code = EXIT_MEMORY;
    if (code == EXIT_OK && !view->json) print_outcome(&row.outcome, view->check);
    count(&row.outcome, tally);
  }
  part_row_drop(&row);
  return code;
}

static int first_failure(const tally *tally) {
  if (tally->failure != EXIT_OK) return tally->failure;
  if (tally->reference != EXIT_OK) return tally->reference;
  if (tally->missed == 0) return EXIT_OK;
  complain("%zu of %zu targets miss the tolerance; the first, %s: %s", tally->missed, tally->told, tally->first_missed,
           tally->shortfall);
  return exit_code(ANS_TOLERANCE);
}

int batch_report(batch_view *view, int *failed) {
  tally tally = {0};
  if (view->json)
    printf("{\n\"targets\": [\n");
  else
    printf("%-24s %8s %12s %12s %12s%s\n", "target", "steps", "residual 0", "residual", "estimate",
           view->check ? "   mean error" : "");
  int code = tell_rows(view, &tally);
  if (code == EXIT_OK && view->json) print_json_end(view, &tally);
  if (code == EXIT_OK && !view->json) printf("adapted in %.2f s\n", tally.seconds);
  *failed = code == EXIT_OK ? first_failure(&tally) : code;
  return code;
}
