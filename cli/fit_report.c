/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_report.c - a fit as text and as JSON.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit.h"
#include "output.h"

/* ---- Text ---------------------------------------------------------------------------------------------- */

static void print_structures(const fit_result *result) {
  if (!result->structures) return;
  double least = ans_fit_summarise(result->fit).bic;
  printf("structure              unknowns     criterion over the best\n");
  for (size_t i = 0; i < result->structure_count; i++) {
    const ans_fit_candidate *c = &result->structures[i];
    if (c->fitted)
      printf("  %-20s %8zu     %.4g%s\n", c->structure, c->unknowns, c->bic - least,
             c->bic == least ? "   chosen" : "");
    else if (isfinite(c->bic))
      printf("  %-20s %8zu     about %.0f   out of reach, not fitted\n", c->structure, c->unknowns, c->bic - least);
    else
      printf("  %-20s        -     not fitted: %s\n", c->structure, c->reason);
  }
  printf("\n");
}

static void print_profiles(const fit_result *result) {
  if (!result->profiles) return;
  printf("\nprofile    chi2 above its minimum, all other unknowns refitted\n");
  for (size_t i = 0; i < ans_fit_count(result->fit); i++) {
    const ans_fit_profile *p = &result->profiles[i];
    printf("  %s: 95 %% interval %.5g .. %.5g\n", ans_fit_number(result->fit, i).name, p->low, p->high);
    for (int k = 0; k < ANS_FIT_PROFILE; k++)
      if (isfinite(p->chi2[k])) printf("    %12.6g %10.4g\n", p->values[k], p->chi2[k] - p->least);
  }
}

/* A line of names and lines of places, to be pasted into a table, and what they would bring. */
static void print_next(const fit_result *result) {
  const ans_problem *problem = ans_fit_problem(result->fit);
  if (result->next_count == 0) return;
  printf("\nnext       measure here, best place first\n");
  for (size_t d = 0; d < ans_problem_count(problem, ANS_COORDINATES); d++)
    printf("%s,", ans_problem_name(problem, ANS_COORDINATES, d));
  printf("field\n");
  for (size_t i = 0; i < result->next_count; i++) {
    for (size_t d = 0; d < ans_problem_count(problem, ANS_COORDINATES); d++) printf("%.6g,", result->next[i].point[d]);
    printf("%s\n", ans_problem_name(problem, ANS_FIELDS, result->next[i].field));
  }
  printf("           errors then:");
  for (size_t i = 0; i < ans_fit_count(result->fit); i++)
    printf("%s %s %.2g", i ? "," : "", ans_fit_number(result->fit, i).name,
           result->next[result->next_count - 1].errors[i]);
  printf("\n");
}

static void print_files(const fit_result *result) {
  const char *files[] = {result->output, result->figure, result->save};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (files[i]) printf("wrote      %s\n", files[i]);
}

void fit_print(const fit_result *result) {
  print_structures(result);
  printf("%s", result->text);
  print_profiles(result);
  print_next(result);
  print_files(result);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *unknowns_json(const ans_fit *fit) {
  json_t *list = json_array();
  for (size_t i = 0; i < ans_fit_count(fit); i++) {
    ans_fit_unknown u = ans_fit_number(fit, i);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_of_text(u.name));
    json_object_set_new(object, "estimate", json_of_number(u.estimate));
    json_object_set_new(object, "error", json_of_number(u.error));
    json_object_set_new(object, "low", json_of_number(u.low));
    json_object_set_new(object, "high", json_of_number(u.high));
    json_object_set_new(object, "start", json_of_number(u.start));
    json_object_set_new(object, "identified", json_boolean(u.identified));
    json_object_set_new(object, "at_end", json_boolean(u.at_end));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *noise_json(const ans_fit *fit, const ans_fit_summary *s) {
  json_t *list = json_array();
  const ans_problem *problem = ans_fit_problem(fit);
  for (size_t f = 0; f < ans_problem_count(problem, ANS_FIELDS); f++) {
    if (s->measured[f] == 0) continue;
    json_t *field = json_object();
    json_object_set_new(field, "field", json_of_text(ans_problem_name(problem, ANS_FIELDS, f)));
    json_object_set_new(field, "measured", json_integer((json_int_t)s->measured[f]));
    json_object_set_new(field, "sigma", s->noise[f] > 0 ? json_of_number(s->noise[f]) : json_null());
    json_object_set_new(field, "estimated", json_boolean(s->noise_estimated[f]));
    json_object_set_new(field, "misfit", json_of_number(s->misfit[f]));
    json_array_append_new(list, field);
  }
  return list;
}

static json_t *reference_json(const fit_result *result) {
  const ans_fit_reference *r = &result->reference;
  if (!result->checked) return json_null();
  json_t *object = json_object();
  json_object_set_new(object, "available", json_boolean(r->available));
  if (!r->available) {
    json_object_set_new(object, "reason", json_of_text(r->reason));
    return object;
  }
  size_t count = ans_fit_count(result->fit);
  json_object_set_new(object, "estimates", json_of_numbers(r->estimates, count));
  json_object_set_new(object, "errors", json_of_numbers(r->errors, count));
  json_object_set_new(object, "network_estimates", json_of_numbers(r->network, count));
  json_object_set_new(object, "network_errors", json_of_numbers(r->network_errors, count));
  json_object_set_new(object, "distance", json_of_number(r->distance));
  json_object_set_new(object, "agrees", json_boolean(r->agrees));
  json_object_set_new(object, "converged", json_boolean(r->converged));
  json_object_set_new(object, "chi2", json_of_number(r->chi2));
  json_object_set_new(object, "chi2_network", json_of_number(r->chi2_network));
  json_object_set_new(object, "iterations", json_integer(r->iterations));
  json_object_set_new(object, "seconds", json_of_number(r->seconds));
  return object;
}

static json_t *notes_json(const ans_fit *fit) {
  json_t *list = json_array();
  bool flagged;
  const char *note;
  for (size_t i = 0; (note = ans_fit_note(fit, i, &flagged)); i++) {
    json_t *object = json_object();
    json_object_set_new(object, "text", json_of_text(note));
    json_object_set_new(object, "flagged", json_boolean(flagged));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *structures_json(const fit_result *result) {
  json_t *list = json_array();
  for (size_t i = 0; i < result->structure_count; i++) {
    const ans_fit_candidate *c = &result->structures[i];
    json_t *object = json_object();
    json_object_set_new(object, "structure", json_of_text(c->structure));
    json_object_set_new(object, "fitted", json_boolean(c->fitted));
    json_object_set_new(object, "reason", c->fitted ? json_null() : json_of_text(c->reason));
    json_object_set_new(object, "count", json_integer((json_int_t)c->unknowns));
    json_object_set_new(object, "chi2", json_of_number(c->chi2));
    json_object_set_new(object, "bic", json_of_number(c->bic));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *profiles_json(const fit_result *result) {
  json_t *list = json_array();
  for (size_t i = 0; i < ans_fit_count(result->fit); i++) {
    const ans_fit_profile *p = &result->profiles[i];
    json_t *object = json_object();
    json_object_set_new(object, "name", json_of_text(ans_fit_number(result->fit, i).name));
    json_object_set_new(object, "at", json_of_numbers(p->values, ANS_FIT_PROFILE));
    json_object_set_new(object, "chi2", json_of_numbers(p->chi2, ANS_FIT_PROFILE));
    json_object_set_new(object, "low", json_of_number(p->low));
    json_object_set_new(object, "high", json_of_number(p->high));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *next_json(const fit_result *result) {
  json_t *list = json_array();
  const ans_problem *problem = ans_fit_problem(result->fit);
  for (size_t i = 0; i < result->next_count; i++) {
    json_t *object = json_object();
    const ans_fit_place *place = &result->next[i];
    json_object_set_new(object, "point", json_of_numbers(place->point, ans_problem_count(problem, ANS_COORDINATES)));
    json_object_set_new(object, "field", json_of_text(ans_problem_name(problem, ANS_FIELDS, place->field)));
    json_object_set_new(object, "errors", json_of_numbers(place->errors, ans_fit_count(result->fit)));
    json_array_append_new(list, object);
  }
  return list;
}

/* The space coordinate; time: there is none. */
static ans_coordinate space_of(const ans_problem *problem) {
  ans_coordinate first = ans_problem_coordinate(problem, 0);
  return first.time && ans_problem_count(problem, ANS_COORDINATES) > 1 ? ans_problem_coordinate(problem, 1) : first;
}

static json_t *initial_json(ans_context *context, const ans_fit *fit, size_t index, double reach) {
  enum { PLACES = 65 };
  double places[PLACES], values[PLACES], errors[PLACES], low[PLACES], high[PLACES];
  ans_coordinate space = space_of(ans_fit_problem(fit));
  size_t count = space.time ? 1 : PLACES;
  for (size_t i = 0; i < count; i++)
    places[i] = space.time ? 0 : space.low + (space.high - space.low) * (double)i / (PLACES - 1);
  if (ans_fit_initial_at(context, fit, index, space.time ? NULL : places, count, values, errors) != ANS_OK)
    return json_null();
  for (size_t i = 0; i < count; i++) {
    low[i] = values[i] - reach * errors[i];
    high[i] = values[i] + reach * errors[i];
  }
  json_t *object = json_object();
  json_object_set_new(object, "field", json_of_text(ans_fit_initial_of(fit, index).field));
  json_object_set_new(object, "terms", json_integer((json_int_t)ans_fit_initial_of(fit, index).terms));
  json_object_set_new(object, "places", space.time ? json_null() : json_of_numbers(places, count));
  json_object_set_new(object, "estimates", json_of_numbers(values, count));
  json_object_set_new(object, "errors", json_of_numbers(errors, count));
  json_object_set_new(object, "low", json_of_numbers(low, count));
  json_object_set_new(object, "high", json_of_numbers(high, count));
  return object;
}

static json_t *initials_json(ans_context *context, const ans_fit *fit, double reach) {
  json_t *list = json_array();
  for (size_t i = 0; ans_fit_initial_of(fit, i).field; i++)
    json_array_append_new(list, initial_json(context, fit, i, reach));
  return list;
}

static void add_extras(const fit_result *result, json_t *object) {
  if (result->structures) json_object_set_new(object, "structures", structures_json(result));
  if (result->profiles) json_object_set_new(object, "profiles", profiles_json(result));
  if (result->next_count) json_object_set_new(object, "next", next_json(result));
  if (result->output) json_object_set_new(object, "output", json_of_text(result->output));
  if (result->figure) json_object_set_new(object, "figure", json_of_text(result->figure));
  if (result->save) json_object_set_new(object, "save", json_of_text(result->save));
}

json_t *fit_json(ans_context *context, const fit_result *result) {
  json_t *object = json_object();
  json_object_set_new(object, "data", json_of_text(result->data));
  if (result->group) json_object_set_new(object, "group", json_of_text(result->group));
  if (!result->fit) {
    json_object_set_new(object, "failure", json_of_text(result->message));
    return object;
  }
  ans_fit_summary s = ans_fit_summarise(result->fit);
  size_t count = ans_fit_count(result->fit);
  json_object_set_new(object, "unknowns", unknowns_json(result->fit));
  json_object_set_new(object, "covariance", json_of_rows(ans_fit_covariance(result->fit), count, count));
  json_object_set_new(object, "chi2", json_of_number(s.chi2));
  json_object_set_new(object, "freedom", json_of_number(s.freedom));
  json_object_set_new(object, "bic", json_of_number(s.bic));
  json_object_set_new(object, "noise", noise_json(result->fit, &s));
  json_object_set_new(object, "forward", json_of_text(s.classical ? "classical" : "network"));
  json_object_set_new(object, "structure", json_of_text(s.structure));
  json_object_set_new(object, "points", json_integer((json_int_t)s.points));
  json_object_set_new(object, "measured", json_integer((json_int_t)s.values));
  json_object_set_new(object, "converged", json_boolean(s.converged));
  json_object_set_new(object, "corrected", json_boolean(s.corrected));
  json_object_set_new(object, "network_error", json_of_number(s.network_error));
  json_object_set_new(object, "flagged", json_boolean(s.flagged));
  json_object_set_new(object, "notes", notes_json(result->fit));
  json_object_set_new(object, "starts", json_integer(s.starts));
  json_object_set_new(object, "iterations", json_integer(s.iterations));
  json_object_set_new(object, "steps", json_integer(s.steps));
  if (ans_fit_initial_of(result->fit, 0).field)
    json_object_set_new(object, "initial", initials_json(context, result->fit, s.reach));
  json_object_set_new(object, "reference", reference_json(result));
  json_object_set_new(object, "seconds", json_of_number(s.seconds));
  add_extras(result, object);
  return object;
}

int fit_exit_code(const fit_result *result) {
  if (!result->fit) return exit_code(result->status);
  return ans_fit_summarise(result->fit).flagged ? exit_code(ANS_TOLERANCE) : EXIT_OK;
}
