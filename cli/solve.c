/* SPDX-License-Identifier: Apache-2.0
 *
 * solve.c - `ansatz solve`: one equation of a family, from a trained model, from scratch, or on from a saved solver.
 */
#include "solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "lock.h"
#include "output.h"
#include "progress.h"
#include "shard.h"
#include "unseen.h"

/* ---- Looking ----------------------------------------------------------------------------------------- */

static ans_status take_look(ans_context *context, solved *solved) {
  struct look *larger = realloc(solved->looks, (solved->look_count + 1) * sizeof *larger);
  if (!larger) return ANS_MEMORY;
  solved->looks = larger;
  struct look *look = &solved->looks[solved->look_count++];
  ans_progress now = ans_solver_state(solved->solver);
  *look = (struct look){.step = now.step, .loss = now.loss, .error = (double)NAN};
  ans_status status = ans_solver_residual(context, solved->solver, &look->residual, NULL);
  if (status == ANS_OK && solved->reference)
    status = solve_errors(context, solved->solver, solved->reference, look->errors, &look->error);
  return status;
}

/* ---- Adapting ---------------------------------------------------------------------------------------- */

/* What looks on while the solver runs. */
typedef struct onlooker {
  ans_context *context;
  solved *solved;
  progress bar;
  long every; /* steps between looks; 0: none */
  ans_status status;
} onlooker;

/* The held-out residual beside the bar; it costs a look at the physics, so only where somebody sees it. */
static ans_status show_residual(onlooker *o, long step) {
  enum { EVERY = 100 };
  return o->bar.shown && step % EVERY == 0 ? ans_solver_residual(o->context, o->solved->solver, &o->bar.residual, NULL)
                                           : ANS_OK;
}

static bool look_on(void *data, ans_progress now) {
  onlooker *o = data;
  o->status = show_residual(o, now.step);
  progress_update(&o->bar, now.step, now.loss);
  long done = now.step - o->solved->before;
  if (o->status == ANS_OK && o->every > 0 && done % o->every == 0 && done < o->solved->rules.steps)
    o->status = take_look(o->context, o->solved);
  return o->status == ANS_OK;
}

static ans_status adapt(ans_context *context, solved *solved, long every) {
  onlooker onlooker = {.context = context, .solved = solved, .every = every};
  ans_run_rules rules = solved->rules;
  rules.every = 1;
  if (solve_climbs(solved)) rules.steps = -1;
  ans_status status = take_look(context, solved);
  if (status == ANS_OK) status = solve_parts_take(context, solved->solver, &solved->parts_before);
  long planned = shown_steps(&rules);
  progress_begin(&onlooker.bar, "adapt", solved->before, planned > 0 ? solved->before + planned : 0,
                 solved->arguments->quiet);
  if (status == ANS_OK) status = ans_solver_run(context, solved->solver, &rules, look_on, &onlooker);
  if (status == ANS_OK) status = onlooker.status;
  progress_end(&onlooker.bar);
  ans_progress now = ans_solver_state(solved->solver);
  solved->seconds += now.seconds;
  bool seen = solved->look_count > 0 && solved->looks[solved->look_count - 1].step == now.step;
  if (status == ANS_OK && !seen) status = take_look(context, solved);
  if (status == ANS_OK) status = ans_solver_residual(context, solved->solver, NULL, &solved->grid);
  if (status == ANS_OK) status = solve_parts_take(context, solved->solver, &solved->parts);
  if (status == ANS_OK) status = solve_estimate(context, solved->arguments, solved->solver, &solved->estimate);
  return status;
}

/* Tells a failure, keeps the first exit code and says whether there was none. */
static bool written(ans_context *context, ans_status status, int *code) {
  if (status == ANS_OK) return true;
  int failure = report_failure(context, status);
  if (*code == EXIT_OK) *code = failure;
  return false;
}

/* Fields without reference beside the same, corrected. */
static ans_status draw_estimated(ans_context *context, const solved *solved, const size_t *sizes, ans_figure drawn) {
  ans_solution *corrected;
  ans_estimate estimate;
  ans_status status = solve_fields(context, solved->arguments, solved->solver, NULL, sizes, &corrected);
  if (status == ANS_OK) status = ans_solver_correct(context, solved->solver, corrected, &estimate);
  drawn.estimated = true;
  if (status == ANS_OK) status = ans_comparison_figure(context, solved->solution, corrected, drawn);
  ans_solution_free(corrected);
  return status;
}

static ans_status draw(ans_context *context, const solved *solved, const size_t *sizes, const char *path) {
  char title[300];
  bool rainbow = option_choice(solved->arguments, "colours") == 1, corrected = ans_solution_corrected(solved->solution);
  snprintf(title, sizeof title, "%s%s", solved->label, corrected ? ", corrected by the defect equation" : "");
  ans_figure drawn = {.title = title, .path = path, .rainbow = rainbow};
  if (solved->reference && !option_value(solved->arguments, "grid"))
    return ans_comparison_figure(context, solved->solution, solved->reference, drawn);
  if (option_value(solved->arguments, "error-map") && !corrected) return draw_estimated(context, solved, sizes, drawn);
  return ans_solution_figure(context, solved->solution, drawn);
}

/* The fields that are written, with what is known of their error. */
static ans_status take_fields(ans_context *context, solved *solved, const size_t *sizes) {
  ans_status status =
      solve_fields(context, solved->arguments, solved->solver, solved->reference, sizes, &solved->solution);
  if (status != ANS_OK) return status;
  if (!option_value(solved->arguments, "correct"))
    return ans_solution_set_estimate(context, solved->solution, &solved->estimate);
  status = ans_solver_correct(context, solved->solver, solved->solution, &solved->left);
  if (status != ANS_OK || !solved->reference || option_value(solved->arguments, "grid")) return status;
  solved->corrected_known = true;
  return ans_solution_compare(context, solved->solution, solved->reference, solved->corrected);
}

/* One file that cannot be written costs neither the others nor the report. The exit code. */
static int write_results(ans_context *context, solved *solved, const size_t *sizes) {
  const char *output = option_value(solved->arguments, "output"), *figure = option_value(solved->arguments, "figure");
  const char *save = option_value(solved->arguments, "save");
  int code = EXIT_OK;
  /* First what cost the most to get: a field or a figure can be had again from the solver. */
  if (save) solved->wrote_save = written(context, ans_solver_save(context, solved->solver, save), &code);
  if (!output && !figure) return code;
  if (!written(context, take_fields(context, solved, sizes), &code)) return code;
  if (output) solved->wrote_output = written(context, ans_solution_write(context, solved->solution, output), &code);
  if (figure) solved->wrote_figure = written(context, draw(context, solved, sizes, figure), &code);
  return code;
}

/* ---- One equation ------------------------------------------------------------------------------------ */

/* The equation of a saved solver, and what its structure is called. */
static void take_saved(solved *solved) {
  solved->instance = ans_solver_instance(solved->start->saved);
  solved->before = ans_solver_state(solved->start->saved).step;
  solved->label = ans_problem_name(solved->start->problem, ANS_STRUCTURES, ans_instance_structure(solved->instance));
}

static ans_status choose(ans_context *context, solved *solved) {
  const arguments *arguments = solved->arguments;
  const ans_problem *problem = solved->start->problem;
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.case_name = option_value(arguments, "case");
  choice.structure = option_value(arguments, "structure");
  choice.assignments = option_value(arguments, "set");
  choice.outside = option_value(arguments, "outside") != NULL;
  bool by_default = !choice.case_name && !choice.structure && !choice.assignments;
  const char *first = ans_problem_name(problem, ANS_CASES, 0);
  choice.fill = by_default && !first;
  if (by_default && first) choice.case_name = first;
  if (by_default && !arguments->quiet && (first || ans_problem_count(problem, ANS_SYMBOLS) > 0))
    remark(first ? "no --case or --set: taking the first case, %s"
                 : "no --case or --set: taking the middle of every range%s",
           first ? first : "");
  solved->label = choice.case_name     ? choice.case_name
                  : choice.assignments ? choice.assignments
                  : choice.structure   ? choice.structure
                                       : ans_problem_name(problem, ANS_STRUCTURES, 0);
  if (choice.case_name && choice.assignments) {
    snprintf(solved->label_text, sizeof solved->label_text, "%.100s, %.150s", choice.case_name, choice.assignments);
    solved->label = solved->label_text;
  }
  ans_status status = ans_instance_new(context, problem, choice, &solved->own);
  solved->instance = solved->own;
  if (status == ANS_OK && solved->start->model)
    status = ans_model_coverage(context, solved->start->model, solved->instance, &solved->coverage);
  return status;
}

static ans_status begin(ans_context *context, solved *solved, const ans_solver_options *options) {
  bool scratch = option_value(solved->arguments, "from-scratch") != NULL;
  ans_status status = ANS_OK;
  if (option_value(solved->arguments, "check"))
    status = solve_reference(context, solved->instance, &solved->reference, &solved->self_check);
  if (solve_goes_on(status)) {
    solved->reference_status = status;
    snprintf(solved->reference_failure, sizeof solved->reference_failure, "%s",
             ans_context_diagnostic(context)->message);
    remark("there is no reference to compare with: %s", solved->reference_failure);
  } else if (status != ANS_OK)
    return status;
  for (size_t f = 0; solved->reference && f < ans_solution_field_count(solved->reference); f++)
    solved->varying[f] = ans_solution_varying(solved->reference, f);
  char doubt[160];
  if (solved->reference && !solved->arguments->quiet && solve_doubts(solved->self_check, doubt, sizeof doubt))
    remark("%s", doubt);
  solved->solver = solved->start->saved;
  if (solved->solver) return ANS_OK;
  double begun = monotonic_seconds();
  status = ans_solver_begin(context, scratch ? NULL : solved->start->model, solved->instance, options, &solved->solver);
  solved->seconds = monotonic_seconds() - begun;
  return status;
}

/* The exit code of a tolerance that was missed; the files are written all the same. */
static int judge_tolerance(const solved *solved) {
  char sentence[400];
  ans_progress now = ans_solver_state(solved->solver);
  if (!(solved->tolerance > 0) || now.end == ANS_END_TOLERANCE) return EXIT_OK;
  tolerance_text(solved->arguments, &solved->estimate, now, solved->looks[solved->look_count - 1].residual, sentence,
                 sizeof sentence);
  complain("%s", sentence);
  return exit_code(ANS_TOLERANCE);
}

/* The exit code of an answer from scratch that is not to be relied upon, though everything was tried. */
static int judge_answer(const solved *solved) {
  const double TOO_WRONG = 5e-2;
  const ans_estimate *estimate = &solved->estimate;
  /* Where a text or an option states the protocol, it was followed, and nothing else was tried. */
  bool tried = ans_solver_attempt(solved->solver, 0).what != NULL;
  if (solved->tolerance > 0 || !tried || (!estimate->available && !estimate->lost)) return EXIT_OK;
  if (!estimate->trusted) {
    complain("the solution cannot be trusted: %s", estimate->reason);
    return exit_code(ANS_TOLERANCE);
  }
  double most = solve_worst(estimate), varying = solve_worst_varying(estimate);
  if (varying <= TOO_WRONG) return EXIT_OK;
  complain("this is not a solution: its estimated error is %.2g%s; doc/convergence.md says what may help", varying,
           varying > most ? " of what varies" : "");
  return exit_code(ANS_TOLERANCE);
}

/* Conditions that could not be built into their fields, and why. */
static void remark_conditions(ans_context *context, const solved *solved) {
  const ans_problem *problem = solved->start->problem;
  for (size_t i = 0; !solved->arguments->quiet && i < ans_problem_count(problem, ANS_CONDITIONS); i++) {
    const char *why = ans_problem_condition(problem, i).remark;
    char *text = NULL;
    if (!why || ans_problem_describe(context, problem, ANS_CONDITIONS, i, &text) != ANS_OK) continue;
    remark("%s: %s", text, why);
    ans_free(text);
  }
}

/* Coefficients in which the model's guess does not differ. */
static void remark_unseen(const solved *solved) {
  char text[1024];
  const start *start = solved->start;
  if (!start->model || solved->arguments->quiet || option_value(solved->arguments, "from-scratch")) return;
  if (unseen_text(start->problem, ans_model_information(start->model).descriptor, text, sizeof text))
    remark("%s", text);
}

static int solve_one(ans_context *context, solved *solved) {
  ans_solver_options options = {0};
  size_t sizes[ANS_MAX_COORDINATES] = {0};
  long every = 0;
  if (!solve_options(solved->arguments, &options) ||
      !solve_rules(solved->arguments, solved->start, &options, &solved->rules) ||
      !option_integer(solved->arguments, "evaluate", 1, 1000000000, &every) ||
      !solve_grid(solved->arguments, solved->start->problem, sizes))
    return EXIT_USAGE;
  ans_status status = ANS_OK;
  if (solved->start->saved)
    take_saved(solved);
  else
    status = choose(context, solved);
  if (status != ANS_OK) return report_failure(context, status);
  if (solved->start->model && !solved->arguments->quiet && !solved->arguments->json) {
    char sentence[256];
    coverage_text(solved, sentence, sizeof sentence);
    remark("%s", sentence);
  }
  remark_unseen(solved);
  remark_conditions(context, solved);
  if (options.tolerance > 0 && options.tolerance < 5e-6 && !options.precision && !solved->arguments->quiet)
    remark("a tolerance of %g needs double precision: using --precision 64", options.tolerance);
  interrupt_begin();
  status = begin(context, solved, &options);
  if (status != ANS_OK) return report_failure(context, status);
  solved->tolerance = options.tolerance;
  status = adapt(context, solved, every);
  if (status != ANS_OK) return report_failure(context, status);
  double first = solved->looks[0].residual, last = solved->looks[solved->look_count - 1].residual;
  if (last > 2 * first && !solved->arguments->quiet)
    remark("the held-out residual rose from %.3g to %.3g: this is not a solution; a smaller --rate may help", first,
           last);
  ans_progress now = ans_solver_state(solved->solver);
  if (solved->start->saved && now.end == ANS_END_EXHAUSTED && !solved->arguments->quiet &&
      ans_solver_information(solved->solver).precision == 32)
    remark("single precision is exhausted; --precision 64 goes further");
  /* A run that a rule stopped says so itself. */
  if (!(last > 2 * first) && !now.stopped && !solved->arguments->quiet)
    remark_losses(first, last, now.step - solved->before);
  int code = write_results(context, solved, sizes), told = solve_report(solved);
  if (code == EXIT_OK) code = told;
  if (code == EXIT_OK && solved->reference_status != ANS_OK) code = exit_code(solved->reference_status);
  if (interrupted()) return interrupt_code();
  if (code == EXIT_OK) code = judge_tolerance(solved);
  return code == EXIT_OK ? judge_answer(solved) : code;
}

static int run_single(ans_context *context, const arguments *arguments, const start *start) {
  solved solved = {.arguments = arguments, .start = start, .grid = (double)NAN};
  int code = solve_one(context, &solved);
  free(solved.looks);
  solve_parts_drop(&solved.parts_before);
  solve_parts_drop(&solved.parts);
  ans_solution_free(solved.solution);
  ans_solution_free(solved.reference);
  if (!start->saved) ans_solver_free(solved.solver);
  ans_instance_free(solved.own);
  return code;
}

/* ---- The command ------------------------------------------------------------------------------------- */

/* Before any work: a path that cannot be written would lose it. */
static int check_files(const arguments *arguments) {
  int code = option_file(arguments, "output", FIELD_FORMATS);
  if (code == EXIT_OK) code = option_file(arguments, "figure", FIGURE_FORMATS);
  return code == EXIT_OK ? option_file(arguments, "save", NULL) : code;
}

static int run_solve(const arguments *arguments) {
  ans_context *context;
  int code = check_files(arguments);
  if (code != EXIT_OK) return code;
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  output_lock lock;
  start start = {0};
  const char *targets = option_value(arguments, "targets");
  code = output_lock_take(targets ? NULL : option_value(arguments, "save"), &lock);
  if (code == EXIT_OK) code = start_open(context, arguments, &start);
  if (code == EXIT_OK)
    code = targets ? solve_many(context, arguments, &start, targets) : run_single(context, arguments, &start);
  start_close(&start);
  output_lock_drop(&lock);
  ans_context_free(context);
  return code;
}

const command solve_command = {
    .name = "solve",
    .operands = "MODEL|FILE|SOLVER",
    .summary = "solve one equation of a family, or many",
    .description =
        "Sets up a solver from a trained model, adapts it to one equation at fresh points, and writes fields, a "
        "figure, or the solver itself. MODEL is a file written by `ansatz train` or the name of a shipped model "
        "(fisher-graph). With --from-scratch no model is used, and FILE may be any problem file. SOLVER is a file "
        "written by --save: it is adapted further, and its held-out residual never ends higher than it started. "
        "--check computes a classical reference and reports the relative L2 error of every field (absolute where the "
        "reference is zero), before and after adaptation. If there is no reference, the equation is solved anyway, "
        "and the exit code says why: 4 if the method does not apply, 6 or 7 if it failed. Every answer ends with an "
        "estimate of its error, which needs no reference, and a verdict on whether that estimate can be trusted. From "
        "scratch, if neither the problem file nor the options set a method or a number of steps, the program tries "
        "again with windows of time and finer networks while the estimate is not trusted or above the tolerance (by "
        "default 1e-3). It keeps the attempt with the best estimate. If that is not trusted or above 5e-2 (for a "
        "field that varies little compared with its mean, also relative to the variation), the exit code is 7.",
    .options =
        (const option[]){
            {"case", 0, "NAME", "solve this case of the family"},
            {"structure", 0, "NAME", "solve this structure, with values from --set"},
            {"set", 0, "NAME=VALUE,...", "the coefficients; without --structure, the structure that has exactly these"},
            {"outside", 0, NULL, "accept values outside the family's ranges"},
            {"targets", 0, "PATH",
             "solve every row of a CSV file whose columns are coefficients (and structure, name); with --output, an "
             "interrupted run continues where it stopped"},
            {"shard", 0, "K/N",
             "with --targets: " SHARD_HELP
             "; any: rows that no other process has taken. `ansatz merge` joins the parts"},
            {"steps", 0, "N",
             "adaptation steps (default: the family's); for a saved solver, further steps; 0 returns the model's "
             "first guess"},
            {"from-scratch", 0, NULL, "start from random parameters instead of a model"},
            {"method", 0, "automatic|gauss_newton|adam",
             "optimiser (default: the problem file's, else Gauss-Newton where initial values determine the solution)"},
            {"unknowns", 0, "all|codes|tangent|weights",
             "what is adapted: codes and network, the codes alone, all but the bases C and R, or all but C (default: "
             "all "
             "with Adam, tangent with Gauss-Newton)"},
            {"time-weight", 0, "R",
             "weight the equations by exp(-R t), t from 0 to 1 (default: chosen by the program; below 0: none)"},
            {"rate", 0, "R", "learning rate (default: the family's)"},
            {"precision", 0, "32|64", "bits of a number (default: the model's)"},
            {"tolerance", 0, "T",
             "adapt until the estimated relative error of every field is trusted and below T; exit code 7 if that "
             "fails"},
            {"seconds", 0, "S",
             "stop after S seconds of adaptation (default: 120 per target with --tolerance; 60 for further attempts "
             "from scratch without it)"},
            {"attempts", 0, "N",
             "from scratch: maximum number of attempts (windows of time, finer networks) while the estimated error is "
             "not trusted or above the tolerance, by default 1e-3 (default: as many as --seconds allow; 1: one "
             "network only)"},
            {"patience", 0, "N",
             "stop after N consecutive checks (one per 100 steps) without a 1 % decrease of the held-out residual"},
            {"check", 0, NULL, "compare with a classical reference solution"},
            {"no-estimate", 0, NULL,
             "skip the error estimate, which may cost more than a quick target itself; the verdict is `not "
             "estimated`. With --targets, also skip the held-out residual before the first step"},
            {"correct", 0, NULL,
             "write and draw the fields with the estimated error subtracted (labelled as corrected by the defect "
             "equation)"},
            {"error-map", 0, NULL, "without --check: --figure also shows corrected fields and the estimated error"},
            {"evaluate", 0, "N", "report residual and error every N steps"},
            {"output", 'o', "PATH", "write the fields (.nc, .npz or .csv)"},
            {"grid", 0, "NAME=N,...",
             "number of nodes per coordinate of --output and --figure (default: the points and times of the family's "
             "reference, at most 96 in three coordinates and 32 in four; with --check the nodes of the reference)"},
            {"figure", 0, "PATH", "draw the fields; with --check also reference and error (.svg, .pdf or .png)"},
            {"colours", 0, "safe|rainbow", "colours of --figure (default safe: also for colour-blind readers)"},
            {"save", 0, "PATH",
             "save the adapted solver, for `ansatz eval` or a later `ansatz solve`; with --targets, --save and "
             "--figure write one file per row, and the path must contain {row} or {name}"},
            {0},
        },
    .rules = (const option_rule[]){{"outside", "set|targets", NULL},
                                   {"targets", NULL, "case|structure|set|error-map|evaluate"},
                                   {"shard", "targets", NULL},
                                   {"no-estimate", NULL, "tolerance|attempts|correct|error-map"},
                                   {"correct", "output|figure", NULL},
                                   {"error-map", "figure", "check|correct"},
                                   {"grid", "output|figure", NULL},
                                   {"colours", "figure", NULL},
                                   {0}},
    .examples =
        (const example[]){
            {"solve fisher-graph --case H1 --check", "an unseen equation, checked against a reference"},
            {"solve fisher-graph --case H2 -o h2.nc --figure h2.png --save h2.solver", "fields, picture and solver"},
            {"solve families/cdr.pde --set a=3,D=0.01,r=2 --from-scratch", "a plain solver without a model"},
            {"solve h2.solver --tolerance 1e-4 --save better.solver", "a saved solver, adapted further"},
            {"solve fisher-graph --targets targets.csv -o all.nc", "many equations at once"},
            {"solve fisher-graph --targets targets.csv -o all.nc --shard 3/64", "the third of 64 shares of them"},
            {0}},
    .run = run_solve,
};
