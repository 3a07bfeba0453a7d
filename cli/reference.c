/* SPDX-License-Identifier: Apache-2.0
 *
 * reference.c - `ansatz reference`: a classical solution of one member of a family, as file, figure and numbers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ansatz_tools.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "problem_file.h"

enum { PATH_BYTES = 4096, TITLE_BYTES = 256 };

typedef struct request {
  ans_context *context;
  const arguments *arguments;
  ans_problem *problem;
  ans_instance *instance;
  ans_solution *solution;
  ans_reference_report report;
  char title[TITLE_BYTES];
} request;

/* ---- What is asked ----------------------------------------------------------------------------------- */

/* --cache, else $ANSATZ_CACHE, else the user's cache directory; NULL: none is known or wanted. */
static const char *cache_directory(const arguments *arguments, char *path) {
  const char *given = option_value(arguments, "cache"), *own = getenv("ANSATZ_CACHE");
  const char *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (option_value(arguments, "no-cache")) return NULL;
  if (given || (own && *own)) return given ? given : own;
  if (shared && *shared)
    snprintf(path, PATH_BYTES, "%s/ansatz/references", shared);
  else if (home && *home)
    snprintf(path, PATH_BYTES, "%s/.cache/ansatz/references", home);
  else
    return NULL;
  return path;
}

/* "fisher H1" or "ccp V0=200,R0=2e20": the file's name without folder and extension, and the member. */
static void set_title(request *r, const ans_choice *choice) {
  const char *file = r->arguments->operands[0], *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  const char *first = ans_problem_name(r->problem, ANS_CASES, 0);
  const char *member = choice->case_name ? choice->case_name : choice->structure ? choice->structure : "";
  if (!choice->case_name && !choice->structure && !choice->assignments && first) member = first;
  snprintf(r->title, sizeof r->title, "%.*s%s%s%s%s", (int)strcspn(name, "."), name, *member ? " " : "", member,
           choice->assignments ? " " : "", choice->assignments ? choice->assignments : "");
}

static ans_status prepare(request *r) {
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.case_name = option_value(r->arguments, "case");
  choice.structure = option_value(r->arguments, "structure");
  choice.assignments = option_value(r->arguments, "set");
  choice.outside = option_value(r->arguments, "outside") != NULL;
  choice.fill = choice.structure || (!choice.case_name && !choice.assignments);
  ans_status status = problem_open(r->context, r->arguments->operands[0], &r->problem);
  if (status == ANS_OK) status = ans_instance_new(r->context, r->problem, choice, &r->instance);
  if (status == ANS_OK) set_title(r, &choice);
  return status;
}

static ans_status solve(request *r, long points, long times) {
  char path[PATH_BYTES];
  ans_reference_options options = {(int)points, (int)times, cache_directory(r->arguments, path)};
  return ans_reference_solve(r->context, r->instance, options, &r->solution, &r->report);
}

static ans_status deliver(const request *r) {
  const char *output = option_value(r->arguments, "output"), *figure = option_value(r->arguments, "figure");
  ans_figure drawn = {.title = r->title, .path = figure, .rainbow = option_choice(r->arguments, "colours") == 1};
  ans_status status = output ? ans_solution_write(r->context, r->solution, output) : ANS_OK;
  if (status == ANS_OK && figure) status = ans_solution_figure(r->context, r->solution, drawn);
  return status;
}

/* ---- The report ------------------------------------------------------------------------------------- */

static void extremes(const double *values, size_t count, double *low, double *high) {
  *low = *high = values[0];
  for (size_t i = 1; i < count; i++) {
    *low = fmin(*low, values[i]);
    *high = fmax(*high, values[i]);
  }
}

static void tell_grid(const ans_solution *solution) {
  for (size_t i = 0; i < ans_solution_axis_count(solution); i++) {
    const char *name;
    size_t size;
    const double *axis = ans_solution_axis(solution, i, &name, &size);
    printf("%-18s%zu nodes from %g to %g\n", name, size, axis[0], axis[size - 1]);
  }
  for (size_t f = 0; f < ans_solution_field_count(solution); f++) {
    const char *name;
    size_t count;
    double low, high;
    const double *values = ans_solution_values(solution, f, &name, &count);
    extremes(values, count, &low, &high);
    printf("%-18sbetween %.6g and %.6g\n", name, low, high);
  }
}

static void tell_text(const request *r) {
  const ans_reference_report *report = &r->report;
  printf("%-18s%s\n", "reference of", r->title);
  printf("%-18s%s, %ld steps", "method", report->method, report->steps);
  if (report->nodes > 0) printf(", %d nodes", report->nodes);
  printf("\n");
  tell_grid(r->solution);
  printf("%-18s%.3g s%s\n", "time", report->seconds, report->cached ? ", from the cache" : "");
  if (report->unkept) printf("%-18scould not be written: nothing is kept\n", "cache");
  if (isinf(report->self_difference))
    printf("%-18scould not be made at half the resolution\n", "self-check");
  else if (!isnan(report->self_difference))
    printf("%-18s%.2g relative, against half the resolution\n", "self-check", report->self_difference);
  if (isinf(report->time_difference))
    printf("%-18scould not be made with other time steps\n", "time check");
  else if (!isnan(report->time_difference))
    printf("%-18s%.2g relative, against other time steps\n", "time check", report->time_difference);
  if (!isnan(report->periodicity))
    printf("%-18s%.2g relative change over the last period\n", "periodicity", report->periodicity);
  if (!isnan(report->balance)) printf("%-18s%.2g relative, outflow against production\n", "balance", report->balance);
  const char *output = option_value(r->arguments, "output"), *figure = option_value(r->arguments, "figure");
  if (output) printf("%-18s%s\n", "fields", output);
  if (figure) printf("%-18s%s\n", "figure", figure);
}

static json_t *grid_json(const ans_solution *solution) {
  json_t *list = json_array();
  for (size_t i = 0; i < ans_solution_axis_count(solution); i++) {
    const char *name;
    size_t size;
    const double *axis = ans_solution_axis(solution, i, &name, &size);
    json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f}", "name", name, "nodes", (json_int_t)size, "first",
                                          axis[0], "last", axis[size - 1]));
  }
  return list;
}

static json_t *fields_json(const ans_solution *solution) {
  json_t *list = json_array();
  for (size_t f = 0; f < ans_solution_field_count(solution); f++) {
    const char *name;
    size_t count;
    double low, high;
    const double *values = ans_solution_values(solution, f, &name, &count);
    extremes(values, count, &low, &high);
    json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "name", name, "least", low, "most", high));
  }
  return list;
}

static int tell_json(const request *r) {
  const ans_reference_report *report = &r->report;
  const char *output = option_value(r->arguments, "output"), *figure = option_value(r->arguments, "figure");
  return print_json(json_pack(
      "{s:o, s:s, s:I, s:I, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "title", json_of_text(r->title),
      "method", report->method, "steps", (json_int_t)report->steps, "nodes", (json_int_t)report->nodes, "fields",
      fields_json(r->solution), "grid", grid_json(r->solution), "seconds", report->seconds, "self_difference",
      json_of_number(report->self_difference), "time_difference", json_of_number(report->time_difference),
      "periodicity", json_of_number(report->periodicity), "balance", json_of_number(report->balance), "cached",
      report->cached, "output", json_of_text(output), "figure", json_of_text(figure)));
}

/* Only a `max_step` above the distance of two levels lets it happen; what is short may then lie between two steps. */
static void remark_on_steps(const request *r) {
  size_t levels;
  const char *name;
  (void)ans_solution_axis(r->solution, 0, &name, &levels);
  bool in_time = !isnan(r->report.time_difference);
  if (in_time && r->report.steps + 1 < (long)levels)
    remark("%ld steps for %zu levels of %s: what happens between two steps is not seen; give the file's reference "
           "line a smaller `max_step`, or none",
           r->report.steps, levels, name);
}

/* ---- The command ------------------------------------------------------------------------------------- */

static int answer(request *r) {
  long points = 0, times = 0;
  int code = option_file(r->arguments, "output", FIELD_FORMATS);
  if (code == EXIT_OK) code = option_file(r->arguments, "figure", FIGURE_FORMATS);
  if (code != EXIT_OK) return code;
  if (!option_integer(r->arguments, "points", 8, 32768, &points) ||
      !option_integer(r->arguments, "times", 2, 100000, &times))
    return EXIT_USAGE;
  ans_status status = prepare(r);
  if (status == ANS_OK) status = solve(r, points, times);
  if (status == ANS_OK) status = deliver(r);
  if (status != ANS_OK) return report_failure(r->context, status);
  remark_on_steps(r);
  if (r->arguments->json) return tell_json(r);
  tell_text(r);
  return EXIT_OK;
}

static int run_reference(const arguments *arguments) {
  request r = {.arguments = arguments};
  if (ans_context_new(&r.context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  int code = answer(&r);
  ans_solution_free(r.solution);
  ans_instance_free(r.instance);
  ans_problem_free(r.problem);
  ans_context_free(r.context);
  return code;
}

const command reference_command = {
    .name = "reference",
    .operands = "FILE",
    .summary = "solve one member of a family by a classical method, for comparison",
    .description =
        "Computes a classical solution of the same problem file: Fourier or Chebyshev method of lines with BDF for "
        "initial value problems in at most one space dimension, finite volumes for density and potential (reference "
        "drift_diffusion). The file's reference line sets grid, times and tolerances. The answer is checked against "
        "half the resolution and against other time steps, recomputed on more nodes if that check fails, and cached. "
        "FILE is a path, the name of a shipped family (fisher), or - for standard input.",
    .options =
        (const option[]){
            {"case", 0, "NAME", "solve this case of the file (default: its first)"},
            {"structure", 0, "NAME",
             "solve this structure; coefficients without a value take the middle of their range"},
            {"set", 0, "NAME=VALUE,...", "set coefficients; without --structure, the structure that has exactly these"},
            {"outside", 0, NULL, "accept values outside the file's ranges"},
            {"output", 'o', "PATH", "write the fields to this file: .nc (netCDF), .npz (NumPy) or .csv"},
            {"figure", 0, "PATH", "draw the fields into this file: .png, .svg or .pdf"},
            {"colours", 0, "safe|rainbow", "colours of --figure (default safe: also for colour-blind readers)"},
            {"points", 0, "N", "space nodes or cells (default: the file's)"},
            {"times", 0, "N", "stored times (default: the file's)"},
            {"cache", 0, "PATH", "cache directory (default: $ANSATZ_CACHE, else the user's cache)"},
            {"no-cache", 0, NULL, "neither read nor write the cache"},
            {0},
        },
    .rules = (const option_rule[]){{"outside", "set", NULL},
                                   {"colours", "figure", NULL},
                                   {"cache", NULL, "no-cache|points|times"}, /* other grids are not kept */
                                   {0}},
    .examples =
        (const example[]){
            {"reference families/fisher.pde --case H1 -o h1.nc --figure h1.png", "fields and a picture of H1"},
            {"reference families/ccp.pde --set V0=200,R0=2e20 --json", "a plasma cell of the paper's bank, as JSON"},
            {"reference families/kdv.pde --case wide --points 512 -o kdv.npz", "finer than the file asks, for NumPy"},
            {0},
        },
    .run = run_reference,
};
