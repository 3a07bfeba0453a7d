/* SPDX-License-Identifier: Apache-2.0
 *
 * ansatz_tools.h - functions of the program that are not in the library: references, field files, figures, benchmarks.
 *
 * These functions need SUNDIALS, netCDF and cairo. They are linked into the program and not installed with the
 * library, so that a program that embeds libansatz needs none of them. The rules of ansatz.h hold here too.
 */
#ifndef ANSATZ_TOOLS_H
#define ANSATZ_TOOLS_H

#include <stdbool.h>

#include "ansatz.h"
#include "ansatz_fit.h"

/* ---- Files ------------------------------------------------------------------------------------------ */

/* Reads standard input to its end, at most `limit` bytes. Free them with ans_free. */
ANS_MUST_USE ans_status ans_input_read(ans_context *context, size_t limit, char **bytes, size_t *size);

/* Writes a file completely or not at all; a device or a pipe is written to directly. */
ANS_MUST_USE ans_status ans_file_write(ans_context *context, const char *path, const void *bytes, size_t size);

/* Whether a file holds an adapted solver. ANS_FILE: it cannot be read; ANS_MODEL: this program did not write it. */
ANS_MUST_USE ans_status ans_file_is_solver(ans_context *context, const char *path, bool *is_solver);

/* Lower bounds for the cost of a step, from the sizes in the text alone; nothing of that size is allocated. */
typedef struct ans_cost {
  double gflop, bytes; /* gflop: multiply-adds, counted as two */
} ans_cost;
ans_cost ans_step_cost(const ans_problem *problem, bool training); /* else adaptation from scratch */

/* A random member of the family with this structure: every symbol is drawn from its range, uniformly or uniformly in
 * its logarithm, by a stream that depends only on `seed` and `member`. */
ANS_MUST_USE ans_status ans_instance_draw(ans_context *context, const ans_problem *problem, size_t structure,
                                          long member, uint64_t seed, ans_instance **instance);

/* Like ans_solver_begin, but replaces *solver (which may be NULL) and reuses its memory and plans where they fit, for
 * solving one equation after another. The results have the same bits. After a failure *solver is NULL. */
ANS_MUST_USE ans_status ans_solver_renew(ans_context *context, const ans_model *model, const ans_instance *instance,
                                         const ans_solver_options *options, ans_solver **solver);

/* Records a failure that the program found itself, so that it is reported like one of the library's. Returns `status`.
 */
ANS_MUST_USE ans_status ans_context_fail(ans_context *context, ans_status status, const char *sentence);

/* ---- Spelling --------------------------------------------------------------------------------------- */

enum { ANS_SUGGESTION_BYTES = 96 };

/* "; did you mean 'show'?" with the name nearest to `word`, or "" when none is near. Returns `text`. */
const char *ans_suggestion(const char *word, const char *const *names, size_t count, char text[ANS_SUGGESTION_BYTES]);

/* ---- Graphs and other descriptors ------------------------------------------------------------------- */

/* The operator graph in four columns: fields, derivatives, terms, residuals. SVG, PDF or PNG by the extension. */
ANS_MUST_USE ans_status ans_graph_figure(ans_context *context, const ans_graph *graph, const ans_instance *instance,
                                         const char *path);

/* Whether a descriptor of this kind ("graph", "vector", ...) differs between members that differ only in the symbol. */
bool ans_descriptor_sees(const ans_problem *problem, const char *kind, size_t symbol);

/* ---- References: a classical solution of the same equation ------------------------------------------- */

typedef struct ans_reference_options {
  int points, times; /* nodes (or cells) and stored levels; 0: the problem's own */
  const char *cache; /* cache directory, created if missing; NULL: none. Used only if points and times are the
                        problem's own */
} ans_reference_options;

/* Numbers that do not apply are NaN. */
typedef struct ans_reference_report {
  const char *method;     /* "Fourier-BDF", "Chebyshev-BDF", "difference-BDF", "BDF" (no space), "drift-diffusion" */
  double seconds;         /* of the solution, without the self-check */
  long steps;             /* of the time integrator */
  int nodes;              /* used by the method along the space coordinate; 0 without one */
  double self_difference; /* relative L2 difference against half the resolution, worst field; infinite if that failed */
  double time_difference; /* the same against half the largest time step and ten times the tolerance */
  double periodicity;     /* relative change over the last period */
  double balance;         /* |outflow - production| / production over the last period */
  bool unkept;            /* it could not be written to the cache */
  bool cached;            /* read from the cache: seconds is the reading, the rest to three digits */
} ans_reference_report;

/* ANS_UNSUPPORTED: no method for this form of equation; ANS_DIVERGED or ANS_TOLERANCE: the solver failed. */
ANS_MUST_USE ans_status ans_reference_solve(ans_context *context, const ans_instance *instance,
                                            ans_reference_options options, ans_solution **solution,
                                            ans_reference_report *report);

/* Measurements from a file: by its extension .nc or .npz, fields on a grid as this library writes them (NaN: not
 * measured; a field may be omitted), else CSV as for ans_measurements_read. */
ANS_MUST_USE ans_status ans_measurements_load(ans_context *context, const ans_problem *problem, const char *path,
                                              ans_measurements **measurements);

/* Fits the same data with the reference instead of a network, starting from the fit's result, and records the
 * comparison in the fit's notes. If the reference has a better optimum elsewhere, the network is restarted there. */
ANS_MUST_USE ans_status ans_fit_check(ans_context *context, ans_fit *fit, ans_fit_reference *reference);

/* Several data sets in one CSV table: the column says which one a line belongs to. They are ordered by their first
 * lines; names and measurements are valid as long as the groups. */
typedef struct ans_groups ans_groups;
ANS_MUST_USE ans_status ans_groups_read(ans_context *context, const ans_problem *problem, const char *path,
                                        const char *column, ans_groups **groups);
void ans_groups_free(ans_groups *groups);
size_t ans_groups_count(const ans_groups *groups);
const char *ans_groups_name(const ans_groups *groups, size_t index);
const ans_measurements *ans_groups_measurements(const ans_groups *groups, size_t index);

/* One data set of many. */
typedef struct ans_fit_job {
  const char *path;                     /* given */
  const char *group;                    /* given: its name in the file; NULL: the file is one data set */
  const ans_measurements *measurements; /* given; NULL: those of the file */
  ans_fit *fit;                         /* free it; NULL if it failed */
  ans_fit_reference reference;
  ans_status status;
  char message[512]; /* of a failure, with its place */
} ans_fit_job;

/* Fits every data set, each on one thread, `threads` at a time. A failure does not stop the others. */
void ans_fit_many(const ans_problem *problem, const ans_fit_options *options, bool check, int threads,
                  ans_fit_job *jobs, size_t count);

/* Root mean square of a field minus its mean, over that of the field; 0: it is constant. */
double ans_solution_varying(const ans_solution *solution, size_t field);

/* Whether a field whose varying part is this share of the whole (root mean squares) is mostly constant, so that an
 * error relative to the whole says little: 300 K, give or take 50. */
bool ans_varies_little(double share);

/* ---- Fields to files and figures ----------------------------------------------------------------------- */

/* netCDF (.nc), NumPy (.npz) or a table (.csv) by the extension; the file is written completely or not at all. */
ANS_MUST_USE ans_status ans_solution_write(ans_context *context, const ans_solution *solution, const char *path);

/* Writes many solutions on one grid to one file, row after row, along a new first axis 0, 1, ...; each column has one
 * cell per row. Memory is needed for one row only, however many there are. */
typedef enum ans_column_kind { ANS_NUMBERS, ANS_INTEGERS, ANS_TEXTS } ans_column_kind;

typedef struct ans_column {
  const char *name, *meaning;
  ans_column_kind kind;
  size_t bytes; /* of the longest text */
} ans_column;

typedef struct ans_cell {
  double number; /* of ANS_NUMBERS, ANS_INTEGERS */
  const char *text;
} ans_cell;

typedef struct ans_stack_shape {
  const char *axis; /* the new one's name */
  size_t rows, axis_count, field_count, column_count;
  const char *axis_names[ANS_MAX_COORDINATES], *field_names[ANS_MAX_FIELDS];
  size_t axis_sizes[ANS_MAX_COORDINATES];
  const double *axes[ANS_MAX_COORDINATES];
  const ans_column *columns;
  const char *problem, *settings; /* texts for the file */
  bool corrected;
} ans_stack_shape;

typedef struct ans_stack ans_stack;

/* .nc (netCDF, classic with 64-bit offsets), .npz or .csv (fields only) by the extension. What the shape points to must
 * stay valid until the stack is closed or freed. */
ANS_MUST_USE ans_status ans_stack_open(ans_context *context, const char *path, const ans_stack_shape *shape,
                                       ans_stack **stack);
/* The next row: cells: [columns]; fields: [fields][points], NULL: all NaN. */
ANS_MUST_USE ans_status ans_stack_add(ans_context *context, ans_stack *stack, const ans_cell *cells,
                                      const double *const *fields);
/* Call it after the last row; the complete file then appears. The stack must still be freed; freeing one that was not
 * closed leaves no file. */
ANS_MUST_USE ans_status ans_stack_close(ans_context *context, ans_stack *stack);
void ans_stack_free(ans_stack *stack);

/* How a figure of fields is made. */
typedef struct ans_figure {
  const char *title;
  const char *path; /* SVG, PDF or PNG by the extension */
  bool rainbow;     /* the colours of older publications instead of colour-blind-safe ones */
  bool estimated;   /* a comparison's reference is the prediction itself, corrected: its error is an estimate */
} ans_figure;

/* Maps of the fields, or lines over a single coordinate. */
ANS_MUST_USE ans_status ans_solution_figure(ans_context *context, const ans_solution *solution, ans_figure figure);

/* One row per field: prediction, reference, absolute error. The grids must agree. */
ANS_MUST_USE ans_status ans_comparison_figure(ans_context *context, const ans_solution *prediction,
                                              const ans_solution *reference, ans_figure figure);

/* Maps of errors side by side over one grid: a row for each field, a column for each answer. The maps of a row share a
 * scale that begins at zero. */
typedef struct ans_error_maps {
  size_t row_count, column_count;
  const char *const *rows, *const *columns; /* their names */
  const double *const *values;              /* [rows][columns], each [sizes[0]][sizes[1]] */
  size_t sizes[2];
  const double *axes[2];
  const char *axis_names[2];
} ans_error_maps;
ANS_MUST_USE ans_status ans_error_maps_figure(ans_context *context, const ans_error_maps *maps, ans_figure figure);

/* A fitted field, on a grid, with its data; and with next places unless their number is 0. */
ANS_MUST_USE ans_status ans_fit_figure(ans_context *context, const ans_fit *fit, const ans_solution *solution,
                                       const ans_fit_place *next, size_t next_count, ans_figure figure);

/* ---- Solutions and solvers -------------------------------------------------------------------------- */

/* Reads "u", "u_xx", "N_xitau" as a field and the order of its derivative. */
ANS_MUST_USE ans_status ans_problem_derivative(ans_context *context, const ans_problem *problem, const char *name,
                                               size_t *field, unsigned *order);

/* ---- Parts of an equation as numbers ---------------------------------------------------------------- */

/* The function of the coordinates in a term, at a point [coordinates]; 1 if there is none, not finite where it has no
 * value. */
double ans_instance_source(const ans_instance *instance, size_t term, const double *point);

/* Prescribes a derivative of a field (order 0: the field itself) where a coordinate equals `at`. */
typedef struct ans_condition {
  size_t field, coordinate;
  double at;
  unsigned order[ANS_MAX_COORDINATES];
  bool initial;       /* false: at a boundary */
  bool built_in;      /* the field satisfies it by construction */
  const char *remark; /* why a condition could not be built into its field and is soft; NULL: none */
  bool unknown;       /* an initial value that only a fit can find */
} ans_condition;

/* Beyond the last: all zero. */
ans_condition ans_problem_condition(const ans_problem *problem, size_t condition);

/* The prescribed value at a point [coordinates]. */
double ans_instance_condition_value(const ans_instance *instance, size_t condition, const double *point);

/* The weight of an equation's residual in the loss. */
double ans_problem_equation_weight(const ans_problem *problem, size_t equation);

/* Steps between two evaluations of the error in an experiment, as set in the text; 0: only before and after. */
long ans_problem_adapt_evaluate(const ans_problem *problem);

/* ---- Plots ------------------------------------------------------------------------------------------ */

/* One line or one row of dots. Points that are not finite are skipped. */
typedef struct ans_series {
  const char *label; /* NULL: not in the legend */
  size_t count;
  const double *x, *y;
  const double *spread; /* half length of the whisker at each point; NULL: none */
  int colour;           /* of the colour-blind-safe palette, 0 to 7 */
  bool line, dots, bold;
} ans_series;

typedef struct ans_plot {
  const char *title, *x_title, *y_title;
  bool log_x, log_y;
  size_t category_count; /* when not 0, x = 0, 1, ... stand for these names */
  const char *const *categories;
  size_t series_count;
  const ans_series *series;
} ans_plot;

/* SVG, PDF or PNG by the path's extension; the file is written completely or not at all. */
ANS_MUST_USE ans_status ans_plot_draw(ans_context *context, const ans_plot *plot, const char *path);

/* ---- Speed ------------------------------------------------------------------------------------------- */

#ifndef ANSATZ_WITHOUT_BENCH /* the Python package */

/* The reliability of a time: the samples of a run, in the order they were taken, in `repeats` parts of equal
 * length, each with its best time. spread: (longest - shortest) / median of these. */
typedef struct ans_bench_noise {
  int repeats;
  double median_ms, spread;
} ans_bench_noise;

/* One adaptation step: new points, forming of weights, loss and gradient, their backward pass, norm and Adam.
 * One-thread times are CPU times of the thread, two-thread times the CPU time of the thread that took longest (a
 * waiting thread sleeps, so the time on the clock is a little longer); all are the best of many samples taken in turn.
 */
typedef struct ans_bench_step {
  int width, fields, points, channels; /* points: interior, initial and both ends of periodic pairs */
  double ms, gflop, gflops;            /* gflop: multiply-adds of the matrix products, counted as two */
  double fma_fraction;                 /* gflops / fma_peak_gflops */
  double speedup_2_threads, speedup_2_threads_wall;
  int plain_channels; /* without the operator channel */
  double operator_speedup;
  double product_fraction, outer_fraction; /* speed of the products of hidden layers over fma_peak_gflops: forward and
                                              back, and the one that makes the gradients of weights; one thread */
  double forming_share;                    /* of the step: forming W = C diag(s) R and its backward pass, one thread */
  ans_bench_noise noise;                   /* of the one-thread time */
} ans_bench_step;

typedef enum ans_bench_group {
  ANS_BENCH_STRUCTURES, /* members of one family: only active derivatives cost */
  ANS_BENCH_ISA,        /* the Fisher step on each instruction set, and with plain loops for products, compiled
                           with ordinary flags and for AVX2 */
  ANS_BENCH_POINTS,
  ANS_BENCH_WIDTH,
  ANS_BENCH_FIELDS,
  ANS_BENCH_ORDER
} ans_bench_group;

typedef struct ans_bench_entry {
  ans_bench_group group;
  char name[24];
  double x; /* what grows */
  int channels;
  double ms, gflops;
  ans_bench_noise noise;
} ans_bench_entry;

enum { ANS_BENCH_ENTRIES = 40 };

typedef struct ans_bench_report {
  char cpu[96], isa[16], blas[160];
  double fma_peak_gflops; /* of one core: 90th percentile of windows of 1 ms, taken between the samples */
  double loudness;        /* median over best time of the Fisher step: near 1 on a quiet machine */
  ans_bench_step fisher, cdr;
  double order_speed[2]; /* of orders three and four, gflops over those of order two; 0 without groups */
  int entry_count;
  ans_bench_entry entries[ANS_BENCH_ENTRIES];
} ans_bench_report;

/* The i-th instruction set that kernels are compiled for and this processor has, the widest first; NULL beyond. */
const char *ans_isa_name(size_t index);

/* seconds: CPU time for each of the two steps and for each group of entries; the groups are optional. */
ANS_MUST_USE ans_status ans_bench(ans_context *context, const ans_problem *fisher, const ans_problem *cdr,
                                  double seconds, bool groups, ans_bench_report *report);

#endif
#endif
