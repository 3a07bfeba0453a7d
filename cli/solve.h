/* SPDX-License-Identifier: Apache-2.0
 *
 * solve.h - what `ansatz solve` has in hand: where it starts from, one equation, and what came of it.
 */
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include <stdbool.h>

#include "ansatz.h"
#include "ansatz_tools.h"
#include "json.h"
#include "options.h"

/* Where solving starts: a model, a problem alone, or a solver that was saved. */
typedef struct start {
  const char *operand;
  ans_model *model;  /* NULL: from scratch */
  ans_problem *own;  /* the problem read from a file, when there is no model */
  ans_solver *saved; /* to go on with */
  const ans_problem *problem;
} start;

/* A look at the solution during adaptation. */
typedef struct look {
  long step;
  double loss, residual;                /* residual: held-out */
  double errors[ANS_MAX_FIELDS], error; /* relative L2 per field and their mean; NaN without a reference */
} look;

/* How well each equation, and each condition that is not built into its field, holds (solve_parts.c). */
typedef struct solve_part {
  char of[100];    /* "equation of u", or the condition as the text states it */
  double relative; /* root mean square of what is missed, over the size of what stands in it */
} solve_part;

typedef struct solve_parts {
  size_t count;
  solve_part *list;
} solve_parts;

typedef struct solved {
  const arguments *arguments;
  const start *start;
  const char *label;    /* "H1", or the values */
  char label_text[256]; /* what it points to when it is both */
  bool wrote_output, wrote_figure, wrote_save;
  const ans_instance *instance;
  ans_instance *own; /* the same, unless it is a saved solver's */
  ans_solver *solver;
  long before; /* steps that a saved solver had taken */
  ans_solution *reference, *solution;
  ans_status reference_status; /* ANS_OK unless --check could not be made */
  char reference_failure[256]; /* why */
  ans_coverage coverage;
  look *looks; /* the first before adaptation, the last after it */
  size_t look_count;
  solve_parts parts_before, parts;  /* before adaptation and after it */
  ans_estimate estimate;            /* at the end */
  ans_estimate left;                /* with --correct: the estimate behind the fields that were written */
  double corrected[ANS_MAX_FIELDS]; /* with --correct and --check: errors that are left */
  bool corrected_known;
  double self_check;              /* of the reference */
  double varying[ANS_MAX_FIELDS]; /* of the reference */
  double tolerance;               /* 0: none */
  double grid;                    /* mean squared residual on the grid of midpoints, at the end */
  double seconds;                 /* of encoding and adaptation, without looks and references */
  ans_run_rules rules;
} solved;

/* Opens MODEL, FILE or SOLVER. The exit code; a mistake was reported. */
int start_open(ans_context *context, const arguments *arguments, start *start);
void start_close(start *start);

/* The solver's options of the command line. False: a mistake was reported. */
bool solve_climbs(const solved *solved); /* whether further attempts are made */
bool solve_options(const arguments *arguments, ans_solver_options *options);

/* When adaptation ends. False: a mistake was reported. */
bool solve_rules(const arguments *arguments, const start *start, const ans_solver_options *options,
                 ans_run_rules *rules);

long shown_steps(const ans_run_rules *rules); /* for a bar; 0: not known beforehand */

/* What keeps a run from its tolerance, and what to try: one sentence. */
void tolerance_text(const arguments *arguments, const ans_estimate *estimate, ans_progress now, double residual,
                    char *text, size_t room);

/* Sizes of "x=256,t=101" for each coordinate. False: a mistake was reported. */
bool solve_grid(const arguments *arguments, const ans_problem *problem, size_t *sizes);

/* The classical solution of an equation on the family's own grid, and its self-check: the larger of the relative
 * changes at half the points and at other time steps, infinite when it has no answer there. */
ans_status solve_reference(ans_context *context, const ans_instance *instance, ans_solution **reference,
                           double *self_check);

/* Whether a reference that failed so is no reason not to solve: there is none, or it has no answer. */
bool solve_goes_on(ans_status reference_status);

/* Whether the field is zero everywhere, so that errors against it are absolute. */
bool solve_absolute(const ans_solution *reference, size_t field);

/* Whether the self-check is too large to measure errors against the reference, and a sentence that says so. */
bool solve_doubts(double self_check, char *sentence, size_t room);

/* Relative L2 error of every field on the reference's nodes, and their mean. */
ans_status solve_errors(ans_context *context, ans_solver *solver, const ans_solution *reference, double *errors,
                        double *mean);

/* The fields that are written: on --grid, else on the reference's nodes if there is one, else on the family's grid. */
ans_status solve_fields(ans_context *context, const arguments *arguments, ans_solver *solver,
                        const ans_solution *reference, const size_t *sizes, ans_solution **solution);

/* Adds to an empty list; drop it in any case. */
ans_status solve_parts_take(ans_context *context, ans_solver *solver, solve_parts *parts);
void solve_parts_drop(solve_parts *parts);

/* One sentence: whether the model has seen such an equation. */
void coverage_text(const solved *solved, char *text, size_t room);

/* The error of what the solver has, or with --no-estimate no more than that there is none. */
ans_status solve_estimate(ans_context *context, const arguments *arguments, ans_solver *solver, ans_estimate *estimate);

double solve_worst(const ans_estimate *estimate);         /* the error of the worst field */
double solve_worst_varying(const ans_estimate *estimate); /* the same, over what varies where that is little */

/* {field: error over what varies} of the fields that vary little. */
json_t *varying_json(const ans_problem *problem, const double *errors, const double *varying, size_t count);

/* An estimate's keys. */
void estimate_json(const ans_problem *problem, const ans_estimate *estimate, json_t *object);

/* The estimated error of one equation, in either form of the report. */
void solve_print_estimate(const solved *solved);
void solve_estimate_json(const solved *solved, json_t *object);

/* What came of one equation, as text or JSON. The exit code. */
int solve_report(const solved *solved);

/* The rows of a CSV file as equations, many at a time. The exit code. */
int solve_many(ans_context *context, const arguments *arguments, const start *start, const char *path);

#endif
