/* SPDX-License-Identifier: Apache-2.0
 *
 * solve_row.h - one row of a table as one equation, on one thread: what is asked of it, and what came of it.
 *
 * A row depends on the table, the model and the options, and on nothing else: whichever thread, process or machine
 * takes it, it gives the same bits (a stop by the clock excepted).
 */
#ifndef CLI_SOLVE_ROW_H
#define CLI_SOLVE_ROW_H

#include "solve.h"
#include "table.h"

enum { ROW_NAME = 256, ROW_SENTENCE = 256, ROW_SHORTFALL = 400 };

/* What is asked of every row. */
typedef struct row_task {
  const arguments *arguments;
  const start *start;
  const table *table;
  ans_solver_options options;
  ans_run_rules rules;
  size_t sizes[ANS_MAX_COORDINATES];
  bool fields; /* they will be written */
} row_task;

/* What came of one, but for its coefficients and fields. Plain numbers: it is written to a part file as it stands. */
typedef struct row_outcome {
  uint64_t row;
  char name[ROW_NAME];
  bool begun;     /* false: the run was interrupted before this row's turn */
  bool partial;   /* a signal cut it short: reported, and done again by the next run */
  bool described; /* its structure and coefficients are known */
  bool missed;    /* the tolerance; `shortfall` says why */
  ans_status status,
      reference_status;        /* of the equation; of --check (then `sentence` says why there is no reference) */
  char sentence[ROW_SENTENCE]; /* why there is no solution */
  char shortfall[ROW_SHORTFALL];
  uint64_t structure;
  int64_t steps;
  double before, residual; /* held-out; NaN: not computed, with --no-estimate where no step needs it */
  double errors[ANS_MAX_FIELDS], error;
  double self_check;             /* of the reference */
  double whole_seconds;          /* from reading the row to its fields; no two runs have it alike, nor the next two */
  double processor_seconds;      /* the same, without the time that other programs had the processor */
  double seconds;                /* of adaptation alone */
  bool absolute[ANS_MAX_FIELDS]; /* errors of fields whose reference is zero everywhere */
  ans_estimate estimate;
  uint64_t axis_sizes[ANS_MAX_COORDINATES]; /* of the fields, time first; 0: there are none */
} row_outcome;

typedef struct row_result {
  row_outcome outcome;
  double *values;         /* [symbols], NaN where there is none; owned */
  ans_solution *solution; /* the fields; NULL: none */
} row_result;

/* Whether there is a solution. */
bool row_solved(const row_outcome *outcome);

/* The row's name: its cell, else its number from 1. */
void row_name(const table *table, size_t row, char name[ROW_NAME]);

/* Paths with {row} and {name} for --save and --figure. False: the mistake was reported. */
bool row_patterns_fit(const row_task *task);

/* `watcher`: called between steps (NULL: never). *solver is that of the row before (NULL: none), whose memory is used
 * again, and then this row's: the caller frees the last one. The result is filled whatever happens; false: no memory
 * for it. */
bool row_solve(ans_context *context, const row_task *task, size_t row, ans_watcher watcher, void *user_data,
               ans_solver **solver, row_result *result);
void row_drop(row_result *result);

#endif
