/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_zoo.c - see bench_zoo.h. The reference is computed after the solver has ended, and judges alone.
 */
#include "bench_zoo.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ansatz.h"
#include "ansatz_tools.h"
#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "problem_file.h"

enum { MOST = 256, NAME = 64 };

typedef struct zoo {
  char folder[4096];
  size_t count;
  char names[MOST][NAME];
} zoo;

typedef struct zoo_row {
  const char *name;
  double error; /* mean over the fields; NaN: no reference */
  ans_estimate estimate;
  size_t windows, attempts;
  double seconds, cpu; /* on the clock; of the processor, without the reference */
} zoo_row;

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static bool find_zoo(zoo *zoo) {
  DIR *stream = shipped_path("families/zoo", zoo->folder, sizeof zoo->folder) ? opendir(zoo->folder) : NULL;
  for (struct dirent *entry; stream && zoo->count < MOST && (entry = readdir(stream));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot && strcmp(dot, ".pde") == 0 && dot - entry->d_name < NAME)
      snprintf(zoo->names[zoo->count++], NAME, "%.*s", (int)(dot - entry->d_name), entry->d_name);
  }
  if (stream) closedir(stream);
  qsort(zoo->names, zoo->count, NAME, by_name);
  return zoo->count > 0;
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* The error against the reference; one that there is none of is no failure. */
static ans_status compare(ans_context *context, const ans_instance *instance, ans_solver *solver, zoo_row *row) {
  double errors[ANS_MAX_FIELDS];
  ans_solution *reference = NULL, *solution = NULL;
  ans_reference_report report;
  ans_status status = ans_reference_solve(context, instance, (ans_reference_options){0}, &reference, &report);
  if (status == ANS_UNSUPPORTED || status == ANS_DIVERGED || status == ANS_TOLERANCE) return ANS_OK;
  if (status == ANS_OK) status = ans_solver_solution_like(context, solver, reference, &solution);
  if (status == ANS_OK) status = ans_solution_compare(context, solution, reference, errors);
  size_t fields = status == ANS_OK ? ans_solution_field_count(reference) : 0;
  if (fields > 0) row->error = 0;
  for (size_t f = 0; f < fields; f++) row->error += errors[f] / (double)fields;
  ans_solution_free(reference);
  ans_solution_free(solution);
  return status;
}

static ans_status solve(ans_context *context, const arguments *arguments, const ans_instance *instance, double seconds,
                        zoo_row *row) {
  ans_solver *solver;
  ans_solver_options options = {.size = sizeof options, .seed = arguments->seed, .threads = arguments->threads};
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  double begun = processor_seconds();
  rules.seconds = seconds;
  rules.interrupt = interrupt_flag();
  ans_status status = ans_solver_begin(context, NULL, instance, &options, &solver);
  if (status != ANS_OK) return status;
  status = ans_solver_run(context, solver, &rules, NULL, NULL);
  if (status == ANS_OK) status = ans_solver_estimate(context, solver, &row->estimate);
  row->cpu = processor_seconds() - begun;
  row->seconds = ans_solver_state(solver).seconds;
  row->windows = ans_solver_information(solver).windows;
  while (ans_solver_attempt(solver, row->attempts).what) row->attempts++;
  if (status == ANS_OK) status = compare(context, instance, solver, row);
  ans_solver_free(solver);
  return status;
}

static ans_status measure(ans_context *context, const arguments *arguments, const zoo *zoo, size_t index,
                          double seconds, zoo_row *row) {
  char path[4096 + NAME + 8];
  ans_problem *problem;
  ans_instance *instance = NULL;
  ans_choice choice = ANS_CHOICE_DEFAULT;
  *row = (zoo_row){.name = zoo->names[index], .error = (double)NAN};
  snprintf(path, sizeof path, "%s/%s.pde", zoo->folder, row->name);
  ans_status status = ans_problem_read(context, path, &problem);
  if (status != ANS_OK) return status;
  choice.fill = true;
  choice.case_name = ans_problem_name(problem, ANS_CASES, 0);
  status = ans_instance_new(context, problem, choice, &instance);
  if (status == ANS_OK) status = solve(context, arguments, instance, seconds, row);
  ans_instance_free(instance);
  ans_problem_free(problem);
  return status;
}

static void print_row(const zoo_row *row) {
  char error[32] = "no reference", estimate[32] = "none";
  if (!isnan(row->error)) snprintf(error, sizeof error, "%.2e", row->error);
  if (row->estimate.available) snprintf(estimate, sizeof estimate, "%.2e", row->estimate.mean);
  printf("| [%s](%s.pde) | %s | %s | %s | %zu | %zu | %.1f |\n", row->name, row->name, error, estimate,
         row->estimate.trusted ? "trusted" : "not trusted", row->windows, row->attempts, row->cpu);
  fflush(stdout);
}

static json_t *row_json(const zoo_row *row) {
  return json_pack("{s:s, s:o, s:o, s:b, s:I, s:I, s:o, s:o}", "name", row->name, "error", json_of_number(row->error),
                   "estimate", row->estimate.available ? json_of_number(row->estimate.mean) : json_null(), "trusted",
                   row->estimate.trusted, "windows", (json_int_t)row->windows, "attempts", (json_int_t)row->attempts,
                   "seconds", json_of_number(row->seconds), "cpu_seconds", json_of_number(row->cpu));
}

static int measure_all(ans_context *context, const arguments *arguments, const zoo *zoo, double seconds) {
  json_t *list = json_array();
  interrupt_begin();
  if (!arguments->json)
    printf("| equation | error | estimate | its verdict | windows | attempts | cpu s |\n"
           "|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < zoo->count && !interrupted(); i++) {
    zoo_row row;
    ans_status status = measure(context, arguments, zoo, i, seconds, &row);
    if (status != ANS_OK) {
      json_decref(list);
      return report_failure(context, status);
    }
    if (!arguments->json) print_row(&row);
    json_array_append_new(list, row_json(&row));
  }
  int code = EXIT_OK;
  if (arguments->json) code = print_json(json_pack("{s:O}", "zoo", list));
  json_decref(list);
  return interrupted() ? interrupt_code() : code;
}

int bench_zoo(const arguments *arguments, double seconds) {
  static zoo zoo;
  ans_context *context;
  if (!find_zoo(&zoo)) {
    complain("families/zoo is missing");
    return exit_code(ANS_FILE);
  }
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  int code = measure_all(context, arguments, &zoo, seconds);
  ans_context_free(context);
  return code;
}
