/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.c - `ansatz fit`: unknown coefficients from measurements.
 */
#include "fit.h"

#include <stdio.h>
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
  if (!options->unknown) {
    complain("fit needs --unknown: which coefficients are sought");
    return false;
  }
  if (!option_value(arguments, "data")) {
    complain("fit needs --data: a CSV file of measurements");
    return false;
  }
  return option_number(arguments, "seconds", 1e-3, 1e9, &options->seconds);
}

/* Fits one file. The exit code; what failed was reported. */
static int fit_one(ans_context *context, const arguments *arguments, const ans_problem *problem,
                   const ans_fit_options *options, fit_result *result) {
  ans_measurements *data = NULL;
  ans_status status = ans_measurements_read(context, problem, result->data, &data);
  if (status == ANS_OK) status = ans_fit_new(context, problem, data, options, &result->fit);
  ans_measurements_free(data);
  if (status == ANS_OK && !option_value(arguments, "no-check") && !interrupted()) {
    status = ans_fit_check(context, result->fit, &result->reference);
    result->checked = status == ANS_OK;
  }
  return status == ANS_OK ? EXIT_OK : report_failure(context, status);
}

static int finish(ans_context *context, const arguments *arguments, fit_result *result) {
  const char *save = option_value(arguments, "save");
  ans_status status = ANS_OK;
  if (save) status = ans_solver_save(context, ans_fit_solver(result->fit), save);
  if (status != ANS_OK) return report_failure(context, status);
  int code = EXIT_OK;
  if (arguments->json)
    code = print_json(fit_json(result));
  else
    fit_print(result);
  if (interrupted()) return interrupt_code();
  return code == EXIT_OK ? fit_exit_code(result) : code;
}

static int fit_all(ans_context *context, const arguments *arguments, const ans_problem *problem,
                   const ans_fit_options *options) {
  fit_result result = {.data = option_value(arguments, "data")};
  int code = fit_one(context, arguments, problem, options, &result);
  if (code == EXIT_OK) code = finish(context, arguments, &result);
  ans_fit_free(result.fit);
  return code;
}

static int open_all(ans_context *context, const arguments *arguments, ans_fit_options *options) {
  ans_problem *problem = NULL;
  ans_model *model = NULL;
  const char *name = option_value(arguments, "model");
  char path[4096];
  ans_status status = problem_open(context, arguments->operands[0], &problem);
  if (status == ANS_OK && name)
    status = ans_model_read(context, model_path(name, path, sizeof path) ? path : name, &model);
  options->model = model;
  int code = status == ANS_OK ? fit_all(context, arguments, problem, options) : report_failure(context, status);
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
        "Seeks the unknown coefficients and parameters of an equation inside the ranges that FILE gives them, from "
        "measured values of its fields. A network solves the equation while the numbers follow the data; its own error "
        "is estimated and taken away. Printed are estimates with standard errors and 95 % intervals, what the data do "
        "not fix, and how well the equation describes them. Then the same data are fitted with the classical "
        "reference: "
        "both answers must agree within a tenth of a standard error. A result that is not to be believed as it stands "
        "is flagged, and the exit code is 7. DATA is CSV: a line of names (every coordinate, some fields, sigma_NAME "
        "for standard deviations), then one line per point; an empty cell was not measured.",
    .options =
        (const option[]){
            {"data", 'd', "PATH", "the measurements (- for standard input)"},
            {"unknown", 'u', "NAME,...", "what is sought; NAME=VALUE starts there (default: the middle of its range)"},
            {"fixed", 0, "NAME=VALUE,...", "the other coefficients"},
            {"case", 0, "NAME", "the case of the family whose values the other coefficients have"},
            {"structure", 0, "NAME", "the structure (default: the one with exactly these coefficients)"},
            {"noise", 0, "FIELD=VALUE,...", "standard deviations of values that have none (default: estimated)"},
            {"model", 0, "MODEL", "start from a trained model: its file, or the name of one that ships"},
            {"seconds", 0, "S", "begin nothing new after S seconds"},
            {"no-check", 0, NULL, "leave the classical fit out"},
            {"save", 0, "PATH", "keep the solver of the equation found, for `ansatz eval`"},
            {0},
        },
    .examples =
        (const example[]){
            {"fit burgers --data probes.csv --unknown nu", "the viscosity, from scratch"},
            {"fit fisher --data probes.csv --unknown k_uv,k_vu --case H1 --model fisher-graph",
             "two couplings, starting from a model's guesses"},
            {0},
        },
    .run = run_fit,
};
