/* SPDX-License-Identifier: Apache-2.0
 *
 * solve_estimate.c - the estimated error and its verdict, as text and as JSON.
 */
#include <math.h>
#include <stdio.h>

#include "solve.h"

ans_status solve_estimate(ans_context *context, const arguments *arguments, ans_solver *solver,
                          ans_estimate *estimate) {
  if (!option_value(arguments, "no-estimate")) return ans_solver_estimate(context, solver, estimate);
  *estimate = (ans_estimate){.reason = "not estimated"};
  estimate->field_count = ans_problem_count(ans_instance_problem(ans_solver_instance(solver)), ANS_FIELDS);
  return ANS_OK;
}

static const look *last_look(const solved *solved) { return &solved->looks[solved->look_count - 1]; }

static double mean_of(const double *numbers, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += numbers[i] / (double)count;
  return sum;
}

/* ---- Text -------------------------------------------------------------------------------------------- */

static void print_row(const char *name, double estimate, bool absolute, double error) {
  printf("%-20s %12.3e", name, estimate);
  if (!isnan(error)) printf(" %12.3f", estimate / error);
  printf("%s\n", absolute ? "  (root mean square: the field is zero)" : "");
}

static void print_corrected(const solved *solved) {
  size_t fields = solved->left.field_count;
  if (!solved->left.available) return;
  printf("corrected  error at most about %.1e", solved->left.mean_difference);
  if (solved->corrected_known) printf(", against the reference %.1e", mean_of(solved->corrected, fields));
  printf("\n");
}

void solve_print_estimate(const solved *solved) {
  const ans_estimate *estimate = &solved->estimate;
  const look *last = last_look(solved);
  bool check = solved->reference != NULL;
  if (option_value(solved->arguments, "no-estimate")) {
    printf("\nverdict    not estimated\n");
    return;
  }
  if (!estimate->available) {
    printf("\nno estimate of the error: %s\n", estimate->reason);
    return;
  }
  printf("\nestimated error%s\n", check ? "                     over error" : "");
  for (size_t f = 0; f < estimate->field_count; f++) {
    char name[64];
    snprintf(name, sizeof name, "  of %s", ans_problem_name(solved->start->problem, ANS_FIELDS, f));
    print_row(name, estimate->errors[f], estimate->absolute[f], check ? last->errors[f] : (double)NAN);
    double share = estimate->varying[f];
    if (ans_varies_little(share)) printf("%-20s %12.3e\n", "  of what varies", estimate->errors[f] / share);
  }
  if (estimate->field_count > 1) print_row("  mean", estimate->mean, false, check ? last->error : (double)NAN);
  if (estimate->trusted)
    printf("verdict    trusted: half the resolution changes it by %.2g %%\n",
           100 * estimate->mean_difference / fmax(estimate->mean, 1e-300));
  else
    printf("verdict    not trusted: %s\n", estimate->reason);
  print_corrected(solved);
}

/* ---- The tolerance ----------------------------------------------------------------------------------- */

double solve_worst(const ans_estimate *estimate) {
  double most = 0;
  for (size_t f = 0; f < estimate->field_count; f++) most = fmax(most, estimate->errors[f]);
  return most;
}

double solve_worst_varying(const ans_estimate *estimate) {
  double most = solve_worst(estimate);
  for (size_t f = 0; f < estimate->field_count; f++)
    if (ans_varies_little(estimate->varying[f])) most = fmax(most, estimate->errors[f] / estimate->varying[f]);
  return most;
}

/* What holds back a run whose estimate no longer falls. */
static const char *stall_reason(const arguments *arguments, const ans_estimate *estimate, ans_progress now,
                                double residual) {
  if (residual > 4 * now.loss)
    return "its points limit it (the loss is far below the held-out residual): use more points";
  if (solve_worst(estimate) < 1e-4 && option_choice(arguments, "precision") != 1)
    return "single precision may limit it: try --precision 64";
  return "the network or its optimiser limits it: try more width or layers, more Fourier features, or a smaller --rate";
}

void tolerance_text(const arguments *arguments, const ans_estimate *estimate, ans_progress now, double residual,
                    char *text, size_t room) {
  const char *wanted = option_value(arguments, "tolerance");
  if (!estimate->trusted) {
    snprintf(text, room, "the tolerance %s is not met: the estimate cannot be trusted (%s)", wanted, estimate->reason);
    return;
  }
  const char *why = now.end == ANS_END_SECONDS     ? "the time limit was reached: try more --seconds"
                    : now.end == ANS_END_STEPS     ? "all steps were done: try more --steps"
                    : now.end == ANS_END_EXHAUSTED ? "the method finds no better point from here"
                                                   : stall_reason(arguments, estimate, now, residual);
  snprintf(text, room, "the tolerance %s is not met: the estimated error is %.2e after %ld steps; %s", wanted,
           solve_worst(estimate), now.step, why);
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static json_t *by_field(const ans_problem *problem, const double *numbers, size_t count) {
  json_t *object = json_object();
  for (size_t f = 0; f < count; f++)
    json_object_set_new(object, ans_problem_name(problem, ANS_FIELDS, f), json_of_number(numbers[f]));
  return object;
}

/* Errors over what varies, of the fields that vary little. */
json_t *varying_json(const ans_problem *problem, const double *errors, const double *varying, size_t count) {
  json_t *object = json_object();
  for (size_t f = 0; f < count; f++)
    if (ans_varies_little(varying[f]))
      json_object_set_new(object, ans_problem_name(problem, ANS_FIELDS, f), json_of_number(errors[f] / varying[f]));
  return object;
}

void estimate_json(const ans_problem *problem, const ans_estimate *estimate, json_t *object) {
  bool there = estimate->available;
  json_object_set_new(object, "estimate",
                      there ? by_field(problem, estimate->errors, estimate->field_count) : json_null());
  json_object_set_new(object, "estimate_varying",
                      there ? varying_json(problem, estimate->errors, estimate->varying, estimate->field_count)
                            : json_null());
  json_object_set_new(object, "estimate_mean", there ? json_of_number(estimate->mean) : json_null());
  json_object_set_new(object, "estimate_difference", there ? json_of_number(estimate->mean_difference) : json_null());
  json_object_set_new(object, "estimate_seconds", json_of_number(estimate->seconds));
  json_object_set_new(object, "trusted", json_boolean(estimate->trusted));
  json_object_set_new(object, "trust_reason", estimate->trusted ? json_null() : json_of_text(estimate->reason));
}

void solve_estimate_json(const solved *solved, json_t *object) {
  const ans_problem *problem = solved->start->problem;
  const ans_estimate *estimate = &solved->estimate, *left = &solved->left;
  estimate_json(problem, estimate, object);
  if (solved->tolerance > 0) {
    json_object_set_new(object, "tolerance", json_of_number(solved->tolerance));
    json_object_set_new(object, "tolerance_met",
                        json_boolean(ans_solver_state(solved->solver).end == ANS_END_TOLERANCE));
  }
  if (solved->reference && estimate->available)
    json_object_set_new(object, "estimate_over_error", json_of_number(estimate->mean / last_look(solved)->error));
  json_object_set_new(object, "corrected", json_boolean(left->available));
  if (left->available)
    json_object_set_new(object, "corrected_estimate", by_field(problem, left->differences, left->field_count));
  if (solved->corrected_known) {
    json_object_set_new(object, "corrected_error", by_field(problem, solved->corrected, left->field_count));
    json_object_set_new(object, "corrected_error_mean", json_of_number(mean_of(solved->corrected, left->field_count)));
  }
}
