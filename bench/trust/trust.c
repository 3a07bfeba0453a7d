/* SPDX-License-Identifier: Apache-2.0
 *
 * trust.c - how often the estimate of the error is right: random members of a family, each looked at after several
 * numbers of steps, good and bad, against the classical reference. One line of CSV per look.
 *
 *   trust FILE|MODEL MEMBERS STEPS,STEPS,... [FIRST]
 *   trust --figure FIGURE RECORDS...
 *
 * Member i is drawn from the family's ranges by a stream that depends on i alone; structures take turns.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trust.h"

enum { MAX_LOOKS = 16, MAX_SYMBOLS = 128 };

typedef struct study {
  ans_context *context;
  const char *name;
  ans_model *model;
  ans_problem *own;
  const ans_problem *problem;
  long steps[MAX_LOOKS];
  int looks;
} study;

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int fail(const study *study) {
  fprintf(stderr, "trust: %s\n", ans_context_diagnostic(study->context)->message);
  return 1;
}

/* SplitMix64: a stream for every member. */
static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static ans_status draw(study *study, long member, size_t structure, ans_instance **instance) {
  uint64_t state = (uint64_t)member * 0x2545f4914f6cdd1du + 777;
  double values[MAX_SYMBOLS];
  for (size_t i = 0; i < MAX_SYMBOLS; i++) {
    ans_symbol symbol = ans_problem_symbol(study->problem, i);
    double share = uniform(&state);
    values[i] = (double)NAN;
    if (!symbol.name || symbol.kind == ANS_DERIVED || !ans_structure_has(study->problem, structure, i)) continue;
    values[i] = symbol.logarithmic ? symbol.low * pow(symbol.high / symbol.low, share)
                                   : symbol.low + (symbol.high - symbol.low) * share;
  }
  return ans_instance_from_values(study->context, study->problem, structure, values, false, instance);
}

static double mean(const double *numbers, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += numbers[i] / (double)count;
  return sum;
}

/* One line: error and estimate after so many steps. */
static ans_status look(study *study, ans_solver *solver, const ans_solution *reference, const char *structure,
                       long member, double seconds) {
  ans_context *context = study->context;
  ans_solution *fields = NULL;
  ans_estimate estimate, left;
  double errors[ANS_MAX_FIELDS] = {0}, corrected[ANS_MAX_FIELDS] = {0}, worst = NAN;
  size_t count = ans_solution_field_count(reference);
  ans_status status = ans_solver_solution_like(context, solver, reference, &fields);
  if (status == ANS_OK) status = ans_solution_compare(context, fields, reference, errors);
  if (status == ANS_OK) status = ans_solver_estimate(context, solver, &estimate);
  if (status == ANS_OK && estimate.available) {
    status = ans_solver_correct(context, solver, fields, &left);
    if (status == ANS_OK) status = ans_solution_compare(context, fields, reference, corrected);
    for (size_t f = 0; f < count; f++) {
      double ratio = estimate.errors[f] / errors[f];
      if (!(fabs(log(ratio)) <= fabs(log(worst)))) worst = ratio;
    }
  }
  ans_solution_free(fields);
  if (status != ANS_OK) return status;
  printf("%s,%ld,%s,%ld,%.4e,%.4e,%.4f,%d,%.1e,%.1e,%.0f,%.0f\n", study->name, member, structure,
         ans_solver_state(solver).step, mean(errors, count), estimate.available ? estimate.mean : (double)NAN, worst,
         estimate.trusted, estimate.mean_difference, estimate.available ? mean(corrected, count) : (double)NAN,
         1e3 * estimate.seconds, 1e3 * seconds);
  fflush(stdout);
  return ANS_OK;
}

static ans_status adapt(study *study, const ans_instance *instance, const char *structure, long member) {
  ans_context *context = study->context;
  ans_reference_options settings = {0};
  ans_reference_report report;
  ans_solver_options options = {.size = sizeof options, .seed = (uint64_t)member, .threads = 1};
  ans_solution *reference = NULL;
  ans_solver *solver = NULL;
  double seconds = 0;
  ans_status status = ans_reference_solve(context, instance, settings, &reference, &report);
  if (status == ANS_OK) status = ans_solver_begin(context, study->model, instance, &options, &solver);
  for (int i = 0; i < study->looks && status == ANS_OK; i++) {
    /* Every eighth member goes on for eight times as long as the others do. */
    long goal = study->steps[i] * (i == study->looks - 1 && member % 8 == 0 ? 8 : 1);
    double begun = processor_seconds();
    status = ans_solver_step(context, solver, goal - ans_solver_state(solver).step);
    seconds += processor_seconds() - begun;
    if (status == ANS_OK) status = look(study, solver, reference, structure, member, seconds);
  }
  ans_solver_free(solver);
  ans_solution_free(reference);
  return status;
}

static int run(study *study, long first, long members) {
  size_t structures = ans_problem_count(study->problem, ANS_STRUCTURES);
  for (long member = first; member < first + members; member++) {
    ans_instance *instance;
    size_t structure = (size_t)member % structures;
    if (draw(study, member, structure, &instance) != ANS_OK) return fail(study);
    ans_status status = adapt(study, instance, ans_problem_name(study->problem, ANS_STRUCTURES, structure), member);
    ans_instance_free(instance);
    if (status != ANS_OK) fail(study);
  }
  return 0;
}

static bool open_study(study *study, const char *path) {
  const char *dot = strrchr(path, '.');
  bool model = dot && strcmp(dot, ".safetensors") == 0;
  ans_status status =
      model ? ans_model_read(study->context, path, &study->model) : ans_problem_read(study->context, path, &study->own);
  study->problem = status != ANS_OK ? NULL : model ? ans_model_problem(study->model) : study->own;
  const char *slash = strrchr(path, '/');
  study->name = slash ? slash + 1 : path;
  return status == ANS_OK;
}

int main(int count, char **words) {
  study study = {0};
  if (count < 4 || ans_context_new(&study.context) != ANS_OK) {
    fprintf(stderr, "usage: trust FILE|MODEL MEMBERS STEPS,STEPS,... [FIRST]\n");
    return 2;
  }
  if (strcmp(words[1], "--figure") == 0) {
    int drawn = trust_figure(study.context, words[2], count - 3, words + 3);
    ans_context_free(study.context);
    return drawn;
  }
  for (char *word = strtok(words[3], ","); word && study.looks < MAX_LOOKS; word = strtok(NULL, ","))
    study.steps[study.looks++] = atol(word);
  int code = open_study(&study, words[1]) ? run(&study, count > 4 ? atol(words[4]) : 0, atol(words[2])) : fail(&study);
  ans_model_free(study.model);
  ans_problem_free(study.own);
  ans_context_free(study.context);
  return code;
}
