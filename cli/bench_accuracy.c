/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_accuracy.c - see bench_accuracy.h. Every part runs some adaptations (trials) and adds rows to one table; a row
 * has a figure, what it should reach at least, and what it aims at. Nothing is fitted to a reference: references judge.
 */
#include "bench_accuracy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ansatz_tools.h"
#include "bench_record.h"
#include "bench_trial.h"
#include "commit.h"
#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "problem_file.h"

static const double NO_DEMAND = -1;

typedef struct table {
  ans_context *context;
  const arguments *arguments;
  const char *part; /* at work */
  long members;
  bench_record record;
  json_t *rows, *trials;
} table;

/* A shipped file: a family or a model with its family. */
typedef struct source {
  ans_problem *own;
  ans_model *model;
  const ans_problem *problem;
} source;

/* ---- Rows and trials ----------------------------------------------------------------------------------- */

/* Small figures are good unless `large`. A negative demand: there is none. */
static const char *verdict_of(double value, double least, double aim, bool large) {
  if (least < 0) return "";
  if (isnan(value)) return "short";
  return (large ? value >= aim : value <= aim) ? "aim" : (large ? value >= least : value <= least) ? "met" : "short";
}

static void add_row(table *table, const char *what, double value, double least, double aim, bool large) {
  const char *verdict = verdict_of(value, least, aim, large);
  json_t *row = json_pack("{s:s, s:s, s:o, s:o, s:o, s:s}", "part", table->part, "what", what, "value",
                          json_of_number(value), "at_least", least < 0 ? json_null() : json_of_number(least), "aim",
                          least < 0 ? json_null() : json_of_number(aim), "verdict", verdict);
  json_array_append_new(table->rows, row);
  if (table->arguments->json) return;
  printf("%-12s %-58s %10.3g", table->part, what, value);
  if (least >= 0) printf(" %9.3g %9.3g  %s", least, aim, verdict);
  printf("\n");
  fflush(stdout);
}

static const char *method_of(const trial_plan *plan) { return plan->method == ANS_ADAM ? "adam" : "gauss_newton"; }

static int precision_of(const trial_plan *plan) { return plan->precision ? plan->precision : 32; }

static void add_trial(table *table, const char *name, const trial_plan *plan, const trial *trial) {
  const char *method = method_of(plan);
  json_array_append_new(table->trials,
                        json_pack("{s:s, s:s, s:b, s:s, s:i, s:I, s:o, s:o, s:o, s:o, s:o}", "part", table->part,
                                  "name", name, "from_scratch", plan->model == NULL, "method", method, "precision",
                                  precision_of(plan), "steps", (json_int_t)trial->steps, "seconds",
                                  json_of_number(trial_spent(trial)), "error", json_of_number(trial_error(trial)),
                                  "seconds_to_percent", json_of_number(trial_time_to(trial, 1e-2)),
                                  "seconds_to_thousandth", json_of_number(trial_time_to(trial, 1e-3)),
                                  "seconds_to_ten_thousandth", json_of_number(trial_time_to(trial, 1e-4))));
  if (!table->arguments->quiet)
    remark("%s %s, %s: %ld steps, %.2f s, error %.3g", table->part, name, method, trial->steps, trial_spent(trial),
           trial_error(trial));
}

static ans_status adapt_and_keep(table *table, const char *key, const trial_plan *plan, trial *trial) {
  ans_solution *reference = NULL;
  ans_reference_report report;
  ans_status status =
      ans_reference_solve(table->context, plan->instance, (ans_reference_options){0}, &reference, &report);
  if (status == ANS_OK) status = trial_run(table->context, plan, reference, trial);
  if (status == ANS_OK && !interrupted()) status = bench_record_add(table->context, &table->record, key, trial);
  ans_solution_free(reference);
  return status;
}

/* Taken from the record where it is there. */
static ans_status try_one(table *table, const char *name, const trial_plan *plan, trial *trial) {
  char key[192];
  ans_status status = ANS_OK;
  snprintf(key, sizeof key, "%s, %s, %s %d", table->part, name, method_of(plan), precision_of(plan));
  if (!bench_record_find(&table->record, key, trial)) status = adapt_and_keep(table, key, plan, trial);
  if (status == ANS_OK) add_trial(table, name, plan, trial);
  return status;
}

static trial_plan plan_of(const table *table, const source *source, const ans_instance *instance) {
  return (trial_plan){.model = source->model,
                      .instance = instance,
                      .method = ANS_GAUSS_NEWTON,
                      .threads = 1,
                      .seed = table->arguments->seed,
                      .every = 1};
}

/* ---- What is tried ------------------------------------------------------------------------------------- */

static ans_status open_source(table *table, const char *name, source *source) {
  char path[4096];
  *source = (struct source){0};
  if (!shipped_path(name, path, sizeof path)) snprintf(path, sizeof path, "%s", name);
  bool model = strncmp(name, "models/", 7) == 0;
  ans_status status = model ? ans_model_read(table->context, path, &source->model)
                            : ans_problem_read(table->context, path, &source->own);
  source->problem = source->model ? ans_model_problem(source->model) : source->own;
  return status;
}

static void close_source(source *source) {
  ans_model_free(source->model);
  ans_problem_free(source->own);
}

static ans_status open_case(table *table, const source *source, size_t index, ans_instance **instance) {
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.case_name = ans_problem_name(source->problem, ANS_CASES, index);
  return ans_instance_new(table->context, source->problem, choice, instance);
}

/* ---- Parts --------------------------------------------------------------------------------------------- */

/* Sums over the four cases of the Fisher family. */
typedef struct fisher_sums {
  double adam_error, sixth_error, end_error, double_error; /* means */
  double adam_seconds, newton_seconds, adam_to, newton_to; /* sums; to 1e-3, or all of Adam's where it never is there */
} fisher_sums;

static ans_status fisher_case(table *table, const source *source, size_t index, size_t count, fisher_sums *sums) {
  static trial adam, newton, wide;
  ans_instance *instance = NULL;
  const char *name = ans_problem_name(source->problem, ANS_CASES, index);
  ans_status status = open_case(table, source, index, &instance);
  trial_plan plan = plan_of(table, source, instance);
  plan.method = ANS_ADAM;
  plan.every = 100;
  if (status == ANS_OK) status = try_one(table, name, &plan, &adam);
  plan.method = ANS_GAUSS_NEWTON;
  plan.every = 1;
  if (status == ANS_OK) status = try_one(table, name, &plan, &newton);
  plan.precision = 64;
  plan.seconds = trial_spent(&adam);
  if (status == ANS_OK) status = try_one(table, name, &plan, &wide);
  ans_instance_free(instance);
  if (status != ANS_OK) return status;
  double slow = trial_time_to(&adam, 1e-3), share = 1 / (double)count;
  sums->adam_error += share * trial_error(&adam);
  sums->sixth_error += share * trial_error_at(&newton, trial_spent(&adam) / 6);
  sums->end_error += share * trial_error(&newton);
  sums->double_error += share * trial_error_at(&wide, trial_spent(&adam));
  sums->adam_seconds += trial_spent(&adam);
  sums->newton_seconds += trial_spent(&newton);
  sums->adam_to += isnan(slow) ? trial_spent(&adam) : slow;
  sums->newton_to += trial_time_to(&newton, 1e-3);
  return ANS_OK;
}

static ans_status fisher_part(table *table) {
  source source;
  fisher_sums sums = {0};
  ans_status status = open_source(table, "models/fisher-graph.safetensors", &source);
  size_t count = status == ANS_OK ? ans_problem_count(source.problem, ANS_CASES) : 0;
  for (size_t i = 0; status == ANS_OK && i < count && !interrupted(); i++)
    status = fisher_case(table, &source, i, count, &sums);
  close_source(&source);
  if (status != ANS_OK || interrupted()) return status;
  add_row(table, "H1-H4 from the model: Adam's seconds in all", sums.adam_seconds, NO_DEMAND, 0, false);
  add_row(table, "Adam's mean error", sums.adam_error, NO_DEMAND, 0, false);
  add_row(table, "mean error at a sixth of Adam's time", sums.sixth_error, 1e-4, 2e-5, false);
  add_row(table, "mean error at the end", sums.end_error, NO_DEMAND, 0, false);
  add_row(table, "seconds to the end over Adam's", sums.newton_seconds / sums.adam_seconds, NO_DEMAND, 0, false);
  add_row(table, "mean error in double at Adam's time", sums.double_error, 2e-5, 3e-6, false);
  add_row(table, "time to 1e-3, Adam's (at least) over Gauss-Newton's", sums.adam_to / sums.newton_to, 20, 60, true);
  return ANS_OK;
}

/* What many trials came to. */
typedef struct tally {
  double mean, worst;
  long count, below_3, below_4; /* at or below 1e-3, 1e-4 */
} tally;

static void count_in(tally *tally, double error) {
  tally->mean += error;
  tally->worst = !(error <= tally->worst) ? error : tally->worst;
  tally->below_3 += error <= 1e-3;
  tally->below_4 += error <= 1e-4;
  tally->count++;
}

/* Members 1, 2, ... of the structures from `first` to before `end`, in turn. */
static ans_status try_members(table *table, const source *source, size_t first, size_t end, double seconds,
                              tally *tally) {
  static trial trial;
  ans_status status = ANS_OK;
  for (long m = 1; status == ANS_OK && m <= table->members && !interrupted(); m++) {
    size_t structure = first + (size_t)(m - 1) % (end - first);
    char name[64];
    ans_instance *instance = NULL;
    snprintf(name, sizeof name, "%s %ld", ans_problem_name(source->problem, ANS_STRUCTURES, structure), m);
    status = ans_instance_draw(table->context, source->problem, structure, m, table->arguments->seed, &instance);
    trial_plan plan = plan_of(table, source, instance);
    plan.seconds = seconds;
    if (status == ANS_OK) status = try_one(table, name, &plan, &trial);
    ans_instance_free(instance);
    if (status == ANS_OK) count_in(tally, trial_error(&trial));
  }
  tally->mean /= (double)(tally->count > 0 ? tally->count : 1);
  return status;
}

static ans_status members_part(table *table) {
  source source;
  tally tally = {0};
  size_t held = 0;
  ans_status status = open_source(table, "models/fisher-graph.safetensors", &source);
  if (status == ANS_OK && ans_problem_find(source.problem, ANS_STRUCTURES, "two_way", &held))
    status = try_members(table, &source, held, held + 1, 0, &tally);
  close_source(&source);
  if (status != ANS_OK || interrupted()) return status;
  add_row(table, "random two-way systems from the model: how many", (double)tally.count, NO_DEMAND, 0, true);
  add_row(table, "share at or below 1e-4", (double)tally.below_4 / (double)tally.count, 0.95, 1, true);
  add_row(table, "worst", tally.worst, 1e-3, 1e-4, false);
  return ANS_OK;
}

static ans_status cdr_part(table *table) {
  static trial trial;
  source source;
  tally tally = {0};
  ans_status status = open_source(table, "models/cdr-graph.safetensors", &source);
  size_t count = status == ANS_OK ? ans_problem_count(source.problem, ANS_CASES) : 0;
  for (size_t i = 0; status == ANS_OK && i < count && !interrupted(); i++) {
    ans_instance *instance = NULL;
    status = open_case(table, &source, i, &instance);
    trial_plan plan = plan_of(table, &source, instance);
    if (status == ANS_OK) status = try_one(table, ans_problem_name(source.problem, ANS_CASES, i), &plan, &trial);
    ans_instance_free(instance);
    if (status == ANS_OK) count_in(&tally, trial_error(&trial));
  }
  close_source(&source);
  if (status != ANS_OK || interrupted()) return status;
  add_row(table, "eight high-reaction cases from the model: mean error", tally.mean / (double)tally.count, 1e-3, 5e-5,
          false);
  add_row(table, "worst", tally.worst, NO_DEMAND, 0, false);
  return ANS_OK;
}

static ans_status scratch_part(table *table) {
  source source;
  tally tally = {0};
  ans_status status = open_source(table, "families/cdr.pde", &source);
  if (status == ANS_OK)
    status = try_members(table, &source, 0, ans_problem_count(source.problem, ANS_STRUCTURES), 10, &tally);
  close_source(&source);
  if (status != ANS_OK || interrupted()) return status;
  double count = (double)tally.count;
  add_row(table, "random members of cdr from scratch, 10 s each: how many", count, NO_DEMAND, 0, true);
  add_row(table, "share at or below 1e-3", (double)tally.below_3 / count, 0.95, 1, true);
  add_row(table, "share at or below 1e-4", (double)tally.below_4 / count, NO_DEMAND, 0, true);
  add_row(table, "worst", tally.worst, NO_DEMAND, 0, false);
  return ANS_OK;
}

/* One equation of the zoo from scratch, in so many seconds by the clock on two threads: a busy machine makes it worse.
 */
static ans_status zoo_part(table *table, const char *file, double seconds, double least, double aim) {
  static trial trial;
  source source;
  ans_instance *instance = NULL;
  char what[64];
  ans_choice choice = ANS_CHOICE_DEFAULT;
  ans_status status = open_source(table, file, &source);
  if (status == ANS_OK) status = ans_instance_new(table->context, source.problem, choice, &instance);
  trial_plan plan = plan_of(table, &source, instance);
  plan.clock = seconds;
  plan.threads = 2;
  plan.every = 0;
  plan.method = ANS_METHOD_AUTOMATIC; /* with further attempts, and double where float does not reach the tolerance */
  plan.tolerance = aim;               /* so that it goes on while there is time */
  if (status == ANS_OK) status = try_one(table, table->part, &plan, &trial);
  ans_instance_free(instance);
  close_source(&source);
  if (status != ANS_OK || interrupted()) return status;
  snprintf(what, sizeof what, "from scratch on two threads: error within %g s", seconds);
  add_row(table, what, trial_error(&trial), least, aim, false);
  add_row(table, "seconds by the clock until it ended", trial.wall, NO_DEMAND, 0, false);
  return ANS_OK;
}

static ans_status burgers_part(table *table) { return zoo_part(table, "families/zoo/burgers.pde", 15, 1e-5, 4e-7); }

static ans_status allen_cahn_part(table *table) {
  return zoo_part(table, "families/zoo/allen-cahn.pde", 60, 2.2e-4, 2.2e-5);
}

static ans_status kdv_part(table *table) { return zoo_part(table, "families/zoo/kdv.pde", 60, 4.3e-3, 4.3e-4); }

static ans_status advection_part(table *table) {
  return zoo_part(table, "families/zoo/advection.pde", 60, 6.9e-3, 6.9e-4);
}

/* Every case of a source: Gauss-Newton until it ends, then Adam for as long. */
static ans_status family_cases(table *table, const source *source, const char *family, tally *worse) {
  static trial newton, adam;
  ans_status status = ANS_OK;
  for (size_t i = 0; status == ANS_OK && i < ans_problem_count(source->problem, ANS_CASES) && !interrupted(); i++) {
    char name[96];
    ans_instance *instance = NULL;
    snprintf(name, sizeof name, "%s %s", family, ans_problem_name(source->problem, ANS_CASES, i));
    status = open_case(table, source, i, &instance);
    trial_plan plan = plan_of(table, source, instance);
    if (status == ANS_OK) status = try_one(table, name, &plan, &newton);
    plan.method = ANS_ADAM;
    plan.every = 10;
    plan.seconds = trial_spent(&newton);
    if (status == ANS_OK) status = try_one(table, name, &plan, &adam);
    ans_instance_free(instance);
    worse->count++;
    worse->below_3 += status == ANS_OK && !(trial_error(&newton) <= trial_error(&adam));
  }
  return status;
}

/* The plasma is left out: there Adam is the method (doc/numerics.md). */
static ans_status families_part(table *table) {
  static const char *const files[] = {"models/fisher-graph.safetensors",
                                      "models/cdr-graph.safetensors",
                                      "families/allen-cahn.pde",
                                      "families/burgers.pde",
                                      "families/heat.pde",
                                      "families/kdv.pde",
                                      "families/kuramoto-sivashinsky.pde",
                                      "families/rod.pde",
                                      "families/three-species.pde"};
  tally worse = {0};
  ans_status status = ANS_OK;
  for (size_t i = 0; status == ANS_OK && i < sizeof files / sizeof *files && !interrupted(); i++) {
    source source;
    status = open_source(table, files[i], &source);
    if (status == ANS_OK) status = family_cases(table, &source, strchr(files[i], '/') + 1, &worse);
    close_source(&source);
  }
  if (status != ANS_OK || interrupted()) return status;
  add_row(table, "cases of the shipped families but the plasma", (double)worse.count, NO_DEMAND, 0, true);
  add_row(table, "of these worse than with Adam at equal time", (double)worse.below_3, 0, 0, false);
  return ANS_OK;
}

/* By the clock: a busy machine makes it too small. */
static ans_status threads_part(table *table) {
  static trial trials[2];
  source source;
  ans_instance *instance = NULL;
  ans_status status = open_source(table, "models/fisher-graph.safetensors", &source);
  if (status == ANS_OK) status = open_case(table, &source, 0, &instance);
  trial_plan plan = plan_of(table, &source, instance);
  plan.every = 100;
  for (int i = 0; status == ANS_OK && i < 2; i++) {
    plan.threads = i + 1;
    status = try_one(table, i ? "two threads" : "one thread", &plan, &trials[i]);
  }
  ans_instance_free(instance);
  close_source(&source);
  if (status != ANS_OK || interrupted()) return status;
  add_row(table, "Fisher H1, two threads over one, by the clock", trials[0].wall / trials[1].wall, 1.6, 1.9, true);
  return ANS_OK;
}

/* ---- The table ----------------------------------------------------------------------------------------- */

/* In the order of ACCURACY_PARTS. */
static ans_status (*const parts[])(table *table) = {fisher_part,   members_part,    cdr_part, scratch_part,
                                                    burgers_part,  allen_cahn_part, kdv_part, advection_part,
                                                    families_part, threads_part};
enum { PARTS = sizeof parts / sizeof *parts };

/* Marks what the list names; false: a word is no part, which was reported. */
static bool choose_parts(const char *list, bool chosen[PARTS]) {
  char word[64];
  int length;
  const char *at;
  for (int i = 0; (at = list_word(list, ',', i, &length)); i++) {
    snprintf(word, sizeof word, "%.*s", length, at);
    int place = list_place(ACCURACY_PARTS, '|', word);
    bool all = strcmp(word, "all") == 0;
    if (place < 0 && !all) {
      complain("--accuracy: '%s' is not one of all|%s", word, ACCURACY_PARTS);
      return false;
    }
    for (int p = 0; p < PARTS; p++) chosen[p] = chosen[p] || all || p == place;
  }
  return true;
}

static ans_status run_parts(table *table, const bool chosen[PARTS]) {
  ans_status status = ANS_OK;
  if (!table->arguments->json) printf("%-12s %-58s %10s %9s %9s\n", "part", "", "measured", "at least", "aim");
  for (int p = 0; status == ANS_OK && p < PARTS && !interrupted(); p++) {
    char name[64];
    int length = 0;
    const char *at = list_word(ACCURACY_PARTS, '|', p, &length);
    if (!chosen[p]) continue;
    snprintf(name, sizeof name, "%.*s", length, at);
    table->part = name;
    status = parts[p](table);
  }
  return status;
}

static int tell(const table *table) {
  if (!table->arguments->json) return EXIT_OK;
  return print_json(json_pack("{s:s, s:s, s:I, s:I, s:O, s:O}", "version", ans_version(), "commit", build_commit,
                              "seed", (json_int_t)table->arguments->seed, "members", (json_int_t)table->members, "rows",
                              table->rows, "trials", table->trials));
}

int bench_accuracy(const arguments *arguments, const char *list) {
  bool chosen[PARTS] = {false};
  table table = {.arguments = arguments, .members = 20};
  if (!choose_parts(list, chosen)) return EXIT_USAGE;
  if (!option_integer(arguments, "members", 1, 100000, &table.members)) return EXIT_USAGE;
  int opened = bench_record_open(option_value(arguments, "record"), arguments->seed, &table.record);
  if (opened != EXIT_OK) return opened;
  if (ans_context_new(&table.context) != ANS_OK) {
    complain("memory is exhausted");
    bench_record_close(&table.record);
    return EXIT_MEMORY;
  }
  interrupt_begin();
  table.rows = json_array();
  table.trials = json_array();
  ans_status status = run_parts(&table, chosen);
  int code = status == ANS_OK ? tell(&table) : report_failure(table.context, status);
  json_decref(table.rows);
  json_decref(table.trials);
  bench_record_close(&table.record);
  ans_context_free(table.context);
  return interrupted() ? interrupt_code() : code;
}
