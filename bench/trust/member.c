/* SPDX-License-Identifier: Apache-2.0
 *
 * member.c - one random member of a family against its classical reference.
 *
 * Member i is drawn from the family's ranges by a stream that depends on i alone; structures take turns.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "trust.h"

enum { TOLERANCE_SECONDS = 20, DRAWN = 777 /* the seed of the members */ };

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double mean(const double *numbers, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += numbers[i] / (double)count;
  return sum;
}

static double largest(const double *numbers, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, numbers[i]);
  return most;
}

/* What a look has in hand. */
typedef struct view {
  ans_context *context;
  const arm *arm;
  ans_solver *solver;
  const ans_solution *reference;
  const char *structure;
  long member;
  double seconds; /* of processor time in steps */
  FILE *to;
} view;

/* family,member,structure,steps,error,estimate,ratio of the worst field,trusted,difference of two resolutions,
 * error after correction,ms of the estimate,ms of the steps */
static ans_status look(const view *view) {
  ans_context *context = view->context;
  ans_solution *fields = NULL;
  ans_estimate estimate, left;
  double errors[ANS_MAX_FIELDS] = {0}, corrected[ANS_MAX_FIELDS] = {0}, worst = NAN;
  size_t count = ans_solution_field_count(view->reference);
  ans_status status = ans_solver_solution_like(context, view->solver, view->reference, &fields);
  if (status == ANS_OK) status = ans_solution_compare(context, fields, view->reference, errors);
  if (status == ANS_OK) status = ans_solver_estimate(context, view->solver, &estimate);
  if (status == ANS_OK && estimate.available) {
    status = ans_solver_correct(context, view->solver, fields, &left);
    if (status == ANS_OK) status = ans_solution_compare(context, fields, view->reference, corrected);
    for (size_t f = 0; f < count; f++) {
      double ratio = estimate.errors[f] / errors[f];
      if (!(fabs(log(ratio)) <= fabs(log(worst)))) worst = ratio;
    }
  }
  ans_solution_free(fields);
  if (status != ANS_OK) return status;
  fprintf(view->to, "%s,%ld,%s,%ld,%.4e,%.4e,%.4f,%d,%.1e,%.1e,%.0f,%.0f\n", view->arm->name, view->member,
          view->structure, ans_solver_state(view->solver).step, mean(errors, count),
          estimate.available ? estimate.mean : (double)NAN, worst, estimate.trusted, estimate.mean_difference,
          estimate.available ? mean(corrected, count) : (double)NAN, 1e3 * estimate.seconds, 1e3 * view->seconds);
  return ANS_OK;
}

/* family,member,structure,tolerance,steps,met according to the program,error of the worst field,ms of the run */
static ans_status settle(const view *view, double tolerance, ans_end end) {
  ans_solution *fields = NULL;
  double errors[ANS_MAX_FIELDS] = {0};
  ans_status status = ans_solver_solution_like(view->context, view->solver, view->reference, &fields);
  if (status == ANS_OK) status = ans_solution_compare(view->context, fields, view->reference, errors);
  ans_solution_free(fields);
  if (status != ANS_OK) return status;
  fprintf(view->to, "%s,%ld,%s,%g,%ld,%d,%.4e,%.0f\n", view->arm->name, view->member, view->structure, tolerance,
          ans_solver_state(view->solver).step, end == ANS_END_TOLERANCE,
          largest(errors, ans_solution_field_count(view->reference)), 1e3 * view->seconds);
  return ANS_OK;
}

/* Steps up to `goal` of them, or until the tolerance is met. */
static ans_status go_on(view *view, long goal, ans_end *end) {
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  rules.steps = goal < 0 ? goal : goal - ans_solver_state(view->solver).step;
  rules.seconds = goal < 0 ? TOLERANCE_SECONDS : 0;
  double begun = processor_seconds();
  ans_status status = ans_solver_run(view->context, view->solver, &rules, NULL, NULL);
  view->seconds += processor_seconds() - begun;
  *end = ans_solver_state(view->solver).end;
  return status;
}

static ans_status begin(view *view, const ans_instance *instance, double tolerance) {
  ans_solver_options options = {.size = sizeof options,
                                .seed = (uint64_t)view->member,
                                .threads = 1,
                                .method = view->arm->method,
                                .tolerance = tolerance};
  return ans_solver_begin(view->context, view->arm->model, instance, &options, &view->solver);
}

static ans_status look_after_steps(view *view, const ans_instance *instance) {
  const arm *arm = view->arm;
  ans_end end = ANS_END_NONE;
  long before = -1;
  ans_status status = begin(view, instance, 0);
  for (int i = 0; i < arm->look_count && status == ANS_OK; i++) {
    /* Every eighth member of Adam's goes on for eight times as long as the others do. */
    bool longer = arm->method == ANS_ADAM && i == arm->look_count - 1 && view->member % 8 == 0;
    status = go_on(view, (long)arm->looks[i] * (longer ? 8 : 1), &end);
    long step = ans_solver_state(view->solver).step;
    if (status == ANS_OK && step != before) status = look(view);
    before = step;
  }
  ans_solver_free(view->solver);
  return status;
}

static ans_status look_at_tolerances(view *view, const ans_instance *instance) {
  ans_status status = ANS_OK;
  for (int i = 0; i < view->arm->look_count && status == ANS_OK; i++) {
    ans_end end = ANS_END_NONE;
    view->seconds = 0;
    status = begin(view, instance, view->arm->looks[i]);
    if (status == ANS_OK) status = go_on(view, -1, &end);
    if (status == ANS_OK) status = settle(view, view->arm->looks[i], end);
    ans_solver_free(view->solver);
    view->solver = NULL;
  }
  return status;
}

ans_status member_study(ans_context *context, const arm *arm, long member, FILE *to) {
  size_t structure = (size_t)member % ans_problem_count(arm->problem, ANS_STRUCTURES);
  ans_reference_options settings = {0};
  ans_reference_report report;
  ans_instance *instance = NULL;
  ans_solution *reference = NULL;
  ans_status status = ans_instance_draw(context, arm->problem, structure, member, DRAWN, &instance);
  if (status == ANS_OK) status = ans_reference_solve(context, instance, settings, &reference, &report);
  view view = {.context = context,
               .arm = arm,
               .reference = reference,
               .structure = ans_problem_name(arm->problem, ANS_STRUCTURES, structure),
               .member = member,
               .to = to};
  if (status == ANS_OK)
    status = arm->tolerance ? look_at_tolerances(&view, instance) : look_after_steps(&view, instance);
  ans_solution_free(reference);
  ans_instance_free(instance);
  return status;
}
