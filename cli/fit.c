/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.c - `ansatz fit`: unknown coefficients from measurements.
 */
#include "fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "problem_file.h"

static bool read_options(const arguments *arguments, ans_fit_options *options) {
  *options = (ans_fit_options){.size = sizeof *options,
                               .unknown = option_value(arguments, "unknown"),
                               .fixed = option_value(arguments, "fixed"),
                               .case_name = option_value(arguments, "case"),
                               .structure = option_value(arguments, "structure"),
                               .noise = option_value(arguments, "noise"),
                               .seed = arguments->seed,
                               .threads = arguments->threads,
                               .interrupt = interrupt_flag()};
  if (!option_value(arguments, "data")) {
    complain("fit needs --data: a file of measurements");
    return false;
  }
  return option_number(arguments, "seconds", 1e-3, 1e9, &options->seconds);
}

/* ---- One data set ---------------------------------------------------------------------------------------- */

bool fit_is_automatic(const arguments *arguments) {
  const char *structure = option_value(arguments, "structure");
  return structure && strcmp(structure, "auto") == 0;
}

static ans_status fit_data(ans_context *context, const arguments *arguments, const ans_problem *problem,
                           const ans_measurements *data, const ans_fit_options *options, fit_result *result) {
  if (!fit_is_automatic(arguments)) return ans_fit_new(context, problem, data, options, &result->fit);
  result->structure_count = ans_problem_count(problem, ANS_STRUCTURES);
  result->structures = calloc(result->structure_count, sizeof *result->structures);
  if (!result->structures) return ans_context_fail(context, ANS_MEMORY, "memory is exhausted");
  return ans_fit_structures(context, problem, data, options, result->structures, &result->fit);
}

static ans_status fit_one(ans_context *context, const arguments *arguments, const ans_problem *problem,
                          const ans_fit_options *options, fit_result *result) {
  ans_measurements *data = NULL;
  ans_status status = ans_measurements_load(context, problem, result->data, &data);
  if (status == ANS_OK) status = fit_data(context, arguments, problem, data, options, result);
  ans_measurements_free(data);
  if (status == ANS_OK) ans_fit_set_interrupt(result->fit, interrupt_flag());
  if (status == ANS_OK && !option_value(arguments, "no-check") && !interrupted()) {
    status = ans_fit_check(context, result->fit, &result->reference);
    result->checked = status == ANS_OK;
  }
  return status;
}

/* What was asked about the fit. */
static ans_status look_closer(ans_context *context, const arguments *arguments, fit_result *result) {
  size_t count = ans_fit_count(result->fit);
  ans_status status = ANS_OK;
  if (result->next_count) status = ans_fit_next(context, result->fit, result->next, result->next_count);
  if (status != ANS_OK || !option_value(arguments, "profile")) return status;
  result->profiles = calloc(count, sizeof *result->profiles);
  if (!result->profiles) return ans_context_fail(context, ANS_MEMORY, "memory is exhausted");
  for (size_t i = 0; i < count && status == ANS_OK; i++)
    status = ans_fit_profile_of(context, result->fit, i, &result->profiles[i]);
  return status;
}

/* The fields on the problem's own grid, without the network's error where that can be taken away. */
static ans_status make_fields(ans_context *context, ans_fit *fit, ans_solution **fields) {
  ans_estimate estimate;
  ans_status status = ans_solver_solution(context, ans_fit_solver(fit), NULL, fields);
  if (status == ANS_OK && ans_fit_summarise(fit).corrected)
    status = ans_solver_correct(context, ans_fit_solver(fit), *fields, &estimate);
  return status;
}

static ans_status write_files(ans_context *context, const arguments *arguments, fit_result *result) {
  const char *output = option_value(arguments, "output"), *path = option_value(arguments, "figure");
  const char *save = option_value(arguments, "save");
  ans_solution *fields = NULL;
  ans_status status = ANS_OK;
  if (save) status = ans_solver_save(context, ans_fit_solver(result->fit), save);
  if (status == ANS_OK) result->save = save;
  if (status == ANS_OK && (output || path)) status = make_fields(context, result->fit, &fields);
  if (status == ANS_OK && output) status = ans_solution_write(context, fields, output);
  if (status == ANS_OK) result->output = output;
  ans_figure figure = {.title = result->data, .path = path};
  if (status == ANS_OK && path)
    status = ans_fit_figure(context, result->fit, fields, result->next, result->next_count, figure);
  if (status == ANS_OK) result->figure = path;
  ans_solution_free(fields);
  return status;
}

static int tell(ans_context *context, const arguments *arguments, const fit_result *result) {
  int code = EXIT_OK;
  if (arguments->json)
    code = print_json(fit_json(context, result));
  else
    fit_print(result);
  if (interrupted()) return interrupt_code();
  return code == EXIT_OK ? fit_exit_code(result) : code;
}

static int run_one(ans_context *context, const arguments *arguments, const ans_problem *problem,
                   const ans_fit_options *options) {
  fit_result result = {.data = option_value(arguments, "data")};
  long next = 0;
  if (!option_integer(arguments, "next", 1, FIT_MOST_NEXT, &next)) return EXIT_USAGE;
  result.next_count = (size_t)next;
  ans_status status = fit_one(context, arguments, problem, options, &result);
  if (status == ANS_OK) status = look_closer(context, arguments, &result);
  if (status == ANS_OK) status = write_files(context, arguments, &result);
  if (status == ANS_OK) status = ans_fit_print(context, result.fit, &result.text);
  int code = status == ANS_OK ? tell(context, arguments, &result) : report_failure(context, status);
  ans_free(result.text);
  free(result.structures);
  free(result.profiles);
  ans_fit_free(result.fit);
  return code;
}

static int open_all(ans_context *context, const arguments *arguments, ans_fit_options *options) {
  ans_problem *problem = NULL;
  ans_model *model = NULL;
  const char *name = option_value(arguments, "model");
  bool many = strchr(option_value(arguments, "data"), ',') || option_value(arguments, "group");
  char path[4096];
  ans_status status = problem_open(context, arguments->operands[0], &problem);
  if (status == ANS_OK && name)
    status = ans_model_read(context, model_path(name, path, sizeof path) ? path : name, &model);
  options->model = model;
  int code = status != ANS_OK ? report_failure(context, status)
             : many           ? fit_many(context, arguments, problem, options)
                              : run_one(context, arguments, problem, options);
  ans_model_free(model);
  ans_problem_free(problem);
  return code;
}

static int run_fit(const arguments *arguments) {
  ans_context *context;
  ans_fit_options options;
  interrupt_begin();
  if (!read_options(arguments, &options)) return EXIT_USAGE;
  int code = option_file(arguments, "save", NULL);
  if (code == EXIT_OK) code = option_file(arguments, "output", FIELD_FORMATS);
  if (code == EXIT_OK) code = option_file(arguments, "figure", FIGURE_FORMATS);
  if (code != EXIT_OK) return code;
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  code = open_all(context, arguments, &options);
  ans_context_free(context);
  return code;
}

const command fit_command = {
    .name = "fit",
    .operands = "FILE",
    .summary = "find coefficients from measurements, with their errors",
    .description =
        "Finds the unknown coefficients and parameters of an equation from measured values of its fields, within the "
        "ranges given in FILE. A network solves the equation while the coefficients are fitted to the data; the "
        "network's own error is estimated and subtracted. The report has estimates with standard errors and 95 % "
        "intervals, says which numbers the data do not determine, and how well the equation describes the data. The "
        "same data are then fitted with the classical reference; both answers must agree within a tenth of a standard "
        "error. A result that should not be believed as it stands is flagged, and the exit code is 7. DATA is CSV: a "
        "line of names (every coordinate, some fields, sigma_NAME for standard deviations), then one line per point; "
        "an empty cell means not measured. Or it is a grid written by the program, .nc or .npz, where NaN means not "
        "measured.",
    .options =
        (const option[]){
            {"data", 'd', "PATH",
             "the measurements (- for standard input); several files, separated by commas, are fitted separately, in "
             "parallel"},
            {"group", 0, "COLUMN",
             "this column of the table names data sets, which are fitted separately, as several files are"},
            {"unknown", 'u', "NAME,...",
             "the coefficients to find; NAME=VALUE starts at that value (default: the middle of its range). Not "
             "needed if FILE has `initial u unknown` and nothing else is sought"},
            {"fixed", 0, "NAME=VALUE,...", "the other coefficients"},
            {"case", 0, "NAME", "take the other coefficients from this case of the family"},
            {"structure", 0, "NAME",
             "the structure (default: the one with exactly these coefficients); auto: compare all and choose the most "
             "likely"},
            {"noise", 0, "FIELD=VALUE,...",
             "standard deviations of values that have none in the data (default: estimated)"},
            {"model", 0, "MODEL", "start from a trained model: a file, or the name of a shipped model"},
            {"seconds", 0, "S", "start no further work after S seconds"},
            {"no-check", 0, NULL, "skip the classical fit"},
            {"profile", 0, NULL,
             "refit along every unknown to see how fast the fit gets worse, and derive intervals from that"},
            {"next", 0, "N", "where to measure next: the N places that reduce the errors most"},
            {"output", 'o', "PATH", "write the fitted fields (.nc, .npz or .csv)"},
            {"figure", 0, "PATH", "draw the fitted fields with the data (.png, .svg or .pdf)"},
            {"save", 0, "PATH", "save the solver of the fitted equation, for `ansatz eval`"},
            {0},
        },
    .examples =
        (const example[]){
            {"fit burgers --data probes.csv --unknown nu", "the viscosity, from scratch"},
            {"fit fisher --data probes.csv --unknown k_uv,k_vu --case H1 --model fisher-graph",
             "two couplings, starting from a model's guesses"},
            {"fit fisher --data probes.csv --unknown k_uv,k_vu --case H1 --structure auto",
             "is there a coupling, and in which direction?"},
            {"fit burgers --data probes.csv --unknown nu --next 3 --figure fit.svg",
             "where to place the next three probes"},
            {"fit burgers --data all.csv --group run --unknown nu --json", "one fit for each run in the table"},
            {0},
        },
    .run = run_fit,
};
