/* SPDX-License-Identifier: Apache-2.0
 *
 * ansatz.h - solve families of differential equations that are written as text.
 *
 * Read this file top to bottom: its order is the path the data takes:
 *   text -> problem -> instance -> graph -> model -> solver -> solution
 *
 * Six rules hold for every function here and are not repeated below.
 *   Failure    A function that can fail returns ans_status. On failure each result is NULL or zero (an array you
 *              pass: unspecified), no argument has changed, and ans_context_diagnostic says what happened.
 *   Release    You own what a function returns through an "X **" argument; ans_X_free releases it and accepts NULL.
 *   Borrowing  Memory you pass in is read during the call and never kept. A returned const pointer is valid until its
 *              owner is changed or freed. Pointers must not be NULL unless stated otherwise.
 *   Order      Context first, inputs next, results last. No object refers to the context that it was made with.
 *   Threads    A context belongs to one thread at a time. Const objects may be shared. The library's own threads sleep
 *              while they wait; a child of fork gets new ones. (A build with OpenBLAS limits OpenBLAS to one thread in
 *              the whole process.)
 *   Precision  Numbers cross this header as double. The precision used inside is an option.
 */
#ifndef ANSATZ_H
#define ANSATZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ANS_API      __attribute__((visibility("default")))
#define ANS_MUST_USE __attribute__((warn_unused_result))
#else
#define ANS_API
#define ANS_MUST_USE
#endif

/* ---- Status and context ----------------------------------------------------------------------------- */

/* name, sentence, exit code of the program */
#define ANS_STATUS_LIST(X)                                                                                             \
  X(OK, "success", 0)                                                                                                  \
  X(SYNTAX, "the text could not be read", 3)                                                                           \
  X(MEANING, "the text is readable but states no well-posed problem", 3)                                               \
  X(UNSUPPORTED, "the problem is understood but not supported", 4)                                                     \
  X(ARGUMENT, "an argument is outside its documented range", 2)                                                        \
  X(MODEL, "a model file is damaged or does not belong here", 5)                                                       \
  X(DIVERGED, "a number became infinite or NaN", 6)                                                                    \
  X(TOLERANCE, "the requested tolerance was not met", 7)                                                               \
  X(FILE, "a file could not be read or written", 8)                                                                    \
  X(MEMORY, "memory is exhausted", 9)

typedef enum ans_status {
#define ANS_STATUS_ENUM(name, sentence, exit_code) ANS_##name,
  ANS_STATUS_LIST(ANS_STATUS_ENUM)
#undef ANS_STATUS_ENUM
} ans_status;

/* What went wrong. Lines and columns count from 1 in the given text; line 0 means no place. */
typedef struct ans_diagnostic {
  ans_status status;
  const char *message; /* one sentence, no newline */
  const char *file;    /* the text concerned; "" when there is none */
  const char *source;  /* the line concerned, its first 4095 bytes; "" when there is none */
  size_t line, column; /* column in bytes */
  size_t length;       /* bytes of text concerned, at least 1 when there is a place */
} ans_diagnostic;

typedef struct ans_context ans_context;
ANS_API ANS_MUST_USE ans_status ans_context_new(ans_context **context);
ANS_API void ans_context_free(ans_context *context);

/* The most recent failure recorded in this context. Lives until the next failing call. */
ANS_API const ans_diagnostic *ans_context_diagnostic(const ans_context *context);
ANS_API const char *ans_status_sentence(ans_status status);
ANS_API const char *ans_version(void);

/* Frees text that a function returned through a "char **". Accepts NULL. */
ANS_API void ans_free(void *memory);

/* ---- Problem: a family of equations, read from text ------------------------------------------------- */

typedef struct ans_problem ans_problem;
/* `name` is used in messages, and as the family's name if the text has none. Only ans_problem_read follows includes: of
 * any path, relative to the including file. For text that you do not trust, use ans_problem_parse. */
ANS_API ANS_MUST_USE ans_status ans_problem_parse(ans_context *context, const char *name, const char *text,
                                                  size_t length, ans_problem **problem);
ANS_API ANS_MUST_USE ans_status ans_problem_read(ans_context *context, const char *path, ans_problem **problem);
ANS_API void ans_problem_free(ans_problem *problem);

/* The canonical text, from which an equal problem can be read. Free it with ans_free. */
ANS_API ANS_MUST_USE ans_status ans_problem_print(ans_context *context, const ans_problem *problem, char **text);

/* What a problem consists of. Parts of a kind are counted from 0. */
typedef enum ans_part {
  ANS_COORDINATES,
  ANS_FIELDS,
  ANS_SYMBOLS,   /* coefficients and parameters, which vary, and what is derived from them */
  ANS_EQUATIONS, /* one per field, in the order of the fields */
  ANS_TERMS,     /* of all equations, in their order: coefficient, source and factors, multiplied out */
  ANS_CONDITIONS,
  ANS_STRUCTURES, /* which optional coefficients are present */
  ANS_CASES,      /* named members */
  ANS_SETTINGS    /* network, sampler, train, adapt, reference, descriptor */
} ans_part;

ANS_API size_t ans_problem_count(const ans_problem *problem, ans_part part);

/* The name of a part ("" for terms and conditions, which have none); NULL beyond the last. */
ANS_API const char *ans_problem_name(const ans_problem *problem, ans_part part, size_t index);

/* Finds a part by its name: true and its index, or false. */
ANS_API bool ans_problem_find(const ans_problem *problem, ans_part part, const char *name, size_t *index);

/* One part as in the canonical text, for people. Free it with ans_free. */
ANS_API ANS_MUST_USE ans_status ans_problem_describe(ans_context *context, const ans_problem *problem, ans_part part,
                                                     size_t index, char **text);

typedef struct ans_coordinate {
  const char *name;
  double low, high;
  bool periodic, time;
} ans_coordinate;

typedef enum ans_symbol_kind { ANS_COEFFICIENT, ANS_PARAMETER, ANS_DERIVED } ans_symbol_kind;

typedef struct ans_symbol {
  const char *name;
  ans_symbol_kind kind;
  double low, high; /* the family's range; 0 for derived symbols */
  bool logarithmic; /* varies in its logarithm */
  bool optional;    /* absent in some structures */
} ans_symbol;

/* Beyond the last: all zero, name NULL. */
ANS_API ans_coordinate ans_problem_coordinate(const ans_problem *problem, size_t index);
ANS_API ans_symbol ans_problem_symbol(const ans_problem *problem, size_t index);

/* Whether a structure has the symbol, and whether it is held back from training. */
ANS_API bool ans_structure_has(const ans_problem *problem, size_t structure, size_t symbol);
ANS_API bool ans_structure_held(const ans_problem *problem, size_t structure);

/* ---- Instance: one member of the family, with numbers ----------------------------------------------- */

typedef struct ans_instance ans_instance;
/* Selects a member. The default is the first case or, without cases, the first structure. With only assignments, it is
 * the structure that has exactly the assigned symbols. */
typedef struct ans_choice {
  const char *case_name;   /* NULL: none */
  const char *structure;   /* instead of a case; NULL: none */
  const char *assignments; /* "name=value,name=value", over the case's values; NULL: none */
  bool fill;               /* a symbol without a value takes the middle of its range; otherwise it is an error */
  bool outside;            /* values outside their ranges are accepted */
} ans_choice;

/* clang-format off */
#define ANS_CHOICE_DEFAULT { NULL, NULL, NULL, false, false }
/* clang-format on */

/* The instance refers to `problem`, which must outlive it. */
ANS_API ANS_MUST_USE ans_status ans_instance_new(ans_context *context, const ans_problem *problem, ans_choice choice,
                                                 ans_instance **instance);

/* The same from numbers. values: one per symbol, NaN if it has none (absent or derived). */
ANS_API ANS_MUST_USE ans_status ans_instance_from_values(ans_context *context, const ans_problem *problem,
                                                         size_t structure, const double *values, bool outside,
                                                         ans_instance **instance);
ANS_API void ans_instance_free(ans_instance *instance);

ANS_API const ans_problem *ans_instance_problem(const ans_instance *instance);
ANS_API size_t ans_instance_structure(const ans_instance *instance);
ANS_API double ans_instance_value(const ans_instance *instance, size_t symbol); /* NaN when it is absent */

/* A hash of everything that determines the solution; the same on every machine. */
ANS_API uint64_t ans_instance_hash(const ans_instance *instance);

/* coefficient * source(coordinates) * product of factors. Terms that vanish are not listed. */
typedef struct ans_term {
  size_t index; /* of the corresponding term of the problem */
  size_t equation;
  double coefficient;
  size_t factor_count; /* different ones */
  size_t arity;        /* with their powers */
  bool has_source;     /* it contains a function of the coordinates */
} ans_term;

enum { ANS_MAX_COORDINATES = 4, ANS_MAX_FIELDS = 8, ANS_MAX_ORDER = 4 }; /* of a derivative, in all coordinates */

typedef struct ans_factor {
  size_t field;
  unsigned order[ANS_MAX_COORDINATES]; /* of the derivative in each coordinate */
  unsigned power;
} ans_factor;

ANS_API size_t ans_instance_term_count(const ans_instance *instance);
ANS_API ans_term ans_instance_term(const ans_instance *instance, size_t term);
ANS_API ans_factor ans_instance_factor(const ans_instance *instance, size_t term, size_t factor);

/* "u_xx", and the term "-0.008*u_xx" with its number. Free the text with ans_free. */
ANS_API ANS_MUST_USE ans_status ans_instance_factor_text(ans_context *context, const ans_instance *instance,
                                                         size_t term, size_t factor, char **text);
ANS_API ANS_MUST_USE ans_status ans_instance_term_text(ans_context *context, const ans_instance *instance, size_t term,
                                                       char **text);

/* ---- Graph and other descriptors: an instance as input of a hypernetwork ----------------------------- */

typedef struct ans_graph ans_graph;
typedef enum ans_node_kind { ANS_NODE_FIELD, ANS_NODE_DERIVATIVE, ANS_NODE_TERM, ANS_NODE_RESIDUAL } ans_node_kind;

typedef struct ans_node {
  ans_node_kind kind;
  const char *label;      /* "u", "u_xx", "-0.9 u", "R_u" */
  const double *features; /* [ans_graph_feature_count] */
} ans_node;

/* The graph does not keep a reference to the instance. */
ANS_API ANS_MUST_USE ans_status ans_graph_new(ans_context *context, const ans_instance *instance, ans_graph **graph);
ANS_API void ans_graph_free(ans_graph *graph);
ANS_API size_t ans_graph_node_count(const ans_graph *graph);
ANS_API size_t ans_graph_edge_count(const ans_graph *graph);
ANS_API size_t ans_graph_feature_count(const ans_graph *graph);
ANS_API ans_node ans_graph_node(const ans_graph *graph, size_t index);
ANS_API const char *ans_node_kind_name(ans_node_kind kind); /* "field", "derivative", "term", "residual" */
ANS_API void ans_graph_edge(const ans_graph *graph, size_t index, size_t *from, size_t *to);

/* [nodes][nodes]: symmetrised, with self-loops, rows sum to one. */
ANS_API const double *ans_graph_adjacency(const ans_graph *graph);

/* Invariant under renaming of fields or symbols and reordering of terms or equations. */
ANS_API uint64_t ans_graph_hash(const ans_graph *graph);

/* The graph in the DOT language of Graphviz. Free the text with ans_free. */
ANS_API ANS_MUST_USE ans_status ans_graph_print_dot(ans_context *context, const ans_graph *graph,
                                                    const ans_instance *instance, char **text);

typedef struct ans_descriptor ans_descriptor;
/* kind: "graph", "set", "ownership", "vector", "presence" or "dictionary". */
ANS_API ANS_MUST_USE ans_status ans_descriptor_new(ans_context *context, const ans_instance *instance, const char *kind,
                                                   ans_descriptor **descriptor);
ANS_API void ans_descriptor_free(ans_descriptor *descriptor);
ANS_API size_t ans_descriptor_rows(const ans_descriptor *descriptor);
ANS_API size_t ans_descriptor_columns(const ans_descriptor *descriptor); /* the same for every member of a family */
ANS_API const double *ans_descriptor_values(const ans_descriptor *descriptor); /* [rows][columns] */

/* ---- Model: a trained amortizer, one file ------------------------------------------------------------ */

typedef struct ans_model ans_model;
typedef struct ans_model_info {
  const char *descriptor; /* "graph", "vector", ... */
  int rounds, precision;  /* of message passing; 32 or 64 bits */
  uint64_t seed;
  long steps; /* of meta-training */
  size_t parameters;
} ans_model_info;

/* A named part of the parameters: "backbone.basis.1.C", "hypernetwork.head.1.bias". */
typedef struct ans_array {
  const char *name;
  size_t rows, columns; /* columns 0: a vector */
  const double *values;
} ans_array;

/* How an instance compares with the model's training ranges. */
typedef struct ans_coverage {
  bool structure_trained;  /* false: the structure was held back */
  size_t outside_count;    /* values outside their trained ranges */
  const char *symbol;      /* the first of them, in the instance's problem; NULL: none */
  double value, low, high; /* that value and its range */
} ans_coverage;

ANS_API ANS_MUST_USE ans_status ans_model_read(ans_context *context, const char *path, ans_model **model);
ANS_API ANS_MUST_USE ans_status ans_model_write(ans_context *context, const ans_model *model, const char *path);
ANS_API void ans_model_free(ans_model *model);
ANS_API const ans_problem *ans_model_problem(const ans_model *model);
ANS_API ans_model_info ans_model_information(const ans_model *model);
ANS_API ans_array ans_model_array(const ans_model *model, size_t index); /* beyond the last: all zero */

/* The instance may be of a problem that differs from the model's in name, cases, sampler, train, adapt, reference. */
ANS_API ANS_MUST_USE ans_status ans_model_coverage(ans_context *context, const ans_model *model,
                                                   const ans_instance *instance, ans_coverage *coverage);

/* ---- Training: from a problem to a model, by steps ---------------------------------------------------- */

typedef struct ans_training ans_training;
/* A member that is zero means the problem's own setting or the default; NULL options mean all zero, here and for
 * solvers. Set `size` to sizeof of the struct, so that a later library with more members knows which ones you have; 0
 * means the members of this version. */
typedef struct ans_training_options {
  size_t size;
  const char *descriptor; /* "graph" (default), "set", "ownership", "vector", "presence", "dictionary" */
  int rounds;             /* of message passing */
  uint64_t seed;
  long steps;
  double rate;
  int threads;   /* default 1; no result depends on it */
  int precision; /* 32 (default) or 64 */
} ans_training_options;

/* Why the last call that took steps returned. */
typedef enum ans_end {
  ANS_END_NONE,        /* there was no such call yet */
  ANS_END_STEPS,       /* all its steps are done */
  ANS_END_PATIENCE,    /* the held-out residual no longer falls; further steps do nothing */
  ANS_END_EXHAUSTED,   /* the method finds no better point from here; further steps do nothing */
  ANS_END_SECONDS,     /* the time limit was reached */
  ANS_END_INTERRUPTED, /* the flag was set */
  ANS_END_WATCHER,     /* the watcher returned false */
  ANS_END_TOLERANCE,   /* the estimated error of every field is below the tolerance; further steps do nothing */
  ANS_END_STALLED      /* the estimated error no longer falls; further steps do nothing */
} ans_end;

/* The progress of a training or a solver. */
typedef struct ans_progress {
  long step, steps;                 /* done; planned (0 in a solver) */
  double loss, gradient_norm, rate; /* of the last step; loss NaN before the first */
  double radius;                    /* of training's coefficient sampler, 0 to 1 */
  int rollbacks;                    /* times a diverging run was rolled back and its rate halved */
  bool stopped;                     /* a solver's patience, tolerance or method ended it; further steps do nothing */
  double seconds;                   /* spent in steps */
  ans_end end;
} ans_progress;

/* When a run ends: at the first rule that is met. */
typedef struct ans_run_rules {
  size_t size;                   /* of this struct; see ans_training_options */
  long steps;                    /* more steps; negative: all that are planned */
  double seconds;                /* spent in steps; 0: no limit */
  long every;                    /* steps between two calls of the watcher; 0: never */
  const volatile int *interrupt; /* a nonzero value ends the run; for a signal handler to set; NULL: none */
} ans_run_rules;

/* clang-format off */
#define ANS_RUN_RULES_DEFAULT { sizeof(ans_run_rules), -1, 0, 0, NULL }
/* clang-format on */

/* Called between two steps of a run; it may evaluate and save the training or solver. Returning false ends the run. */
typedef bool (*ans_watcher)(void *user_data, ans_progress now);

ANS_API ANS_MUST_USE ans_status ans_training_begin(ans_context *context, const ans_problem *problem,
                                                   const ans_training_options *options, ans_training **training);
ANS_API void ans_training_free(ans_training *training);

/* Does up to `count` planned steps. ANS_DIVERGED names equation and step; the last good state is restored. */
ANS_API ANS_MUST_USE ans_status ans_training_step(ans_context *context, ans_training *training, long count);

/* Does steps until a rule ends the run; ans_training_state says which one. The watcher (NULL: none) is called at every
 * step whose number is a multiple of rules->every. NULL for rules: the default. */
ANS_API ANS_MUST_USE ans_status ans_training_run(ans_context *context, ans_training *training,
                                                 const ans_run_rules *rules, ans_watcher watcher, void *user_data);
ANS_API void ans_training_plan(ans_training *training, long steps); /* sets the total number of steps */
ANS_API ans_progress ans_training_state(const ans_training *training);
ANS_API const double *ans_training_losses(const ans_training *training, size_t *count); /* of every step so far */

/* A checkpoint. ans_training_resume continues from it with the same bits as an uninterrupted run. */
ANS_API ANS_MUST_USE ans_status ans_training_save(ans_context *context, ans_training *training, const char *path);
ANS_API ANS_MUST_USE ans_status ans_training_resume(ans_context *context, const char *path, int threads,
                                                    ans_training **training);
ANS_API ANS_MUST_USE ans_status ans_training_model(ans_context *context, const ans_training *training,
                                                   ans_model **model);

/* ---- Solver: a network adapted to one equation by steps ----------------------------------------------- */

typedef struct ans_solver ans_solver;
typedef struct ans_solution ans_solution;

/* What is adapted: everything; the codes alone; all but the bases C and R; all but C, so that every weight can take any
 * value (for narrow networks from scratch). Automatic: everything with Adam, all but the bases with Gauss-Newton. */
typedef enum ans_mode { ANS_MODE_AUTOMATIC, ANS_FULL, ANS_CODES, ANS_FROZEN_BASES, ANS_WEIGHTS } ans_mode;

/* Automatic: the text's, else Gauss-Newton if equations and initial values determine the solution, else Adam. */
typedef enum ans_method { ANS_METHOD_AUTOMATIC, ANS_GAUSS_NEWTON, ANS_ADAM } ans_method;

typedef struct ans_solver_options {
  size_t size; /* see ans_training_options */
  ans_mode mode;
  uint64_t seed;
  double rate;   /* Adam's; default 0: the problem's. Gauss-Newton: its first damping */
  int threads;   /* default 1; no result depends on it */
  int precision; /* 32 or 64; default: the model's, 32 from scratch. With 64, Gauss-Newton first converges in 32 */
  int patience;  /* stop after this many consecutive checks (one per 100 steps) without a 1 % improvement of the
                    held-out residual; 0: never */
  ans_method method;
  double time_weight; /* R: equations are weighted by exp(-R (t - t0)/(t1 - t0)); 0: the problem's, or chosen; below
                         0: none */
  double tolerance;   /* stop when the estimated relative L2 error of every field is trusted and below this; 0: never.
                         Below 5e-6 the default precision is 64. A run that ends above it leaves the state with the best
                         estimate. The first step returns ANS_UNSUPPORTED if there is no estimate */
  int attempts;       /* 1: one network only; 0: see ans_solver_run */
} ans_solver_options;

/* How a solver adapts. */
typedef struct ans_solver_info {
  ans_method method;
  ans_mode mode;
  double time_weight;
  bool moving_frame; /* fields are represented in frames that move with constant advection */
  int precision;     /* the current one */
  long steps;        /* planned: the text's for Adam, the maximum for Gauss-Newton */
  size_t windows;    /* of time, each with its own network */
} ans_solver_info;

/* One attempt at the equation; beyond the last: all zero. */
typedef struct ans_attempt {
  const char *what;             /* "one network", "8 windows of time" */
  double estimate;              /* of the error of the worst field; infinite: none */
  bool finished, trusted, kept; /* finished: not ended by the time limit */
  size_t windows, steps;
  double seconds;
} ans_attempt;

/* From a model, or (model NULL) from scratch. The solver copies what it needs from model and instance. */
ANS_API ANS_MUST_USE ans_status ans_solver_begin(ans_context *context, const ans_model *model,
                                                 const ans_instance *instance, const ans_solver_options *options,
                                                 ans_solver **solver);
ANS_API void ans_solver_free(ans_solver *solver);
/* Does up to `count` steps; patience, tolerance or an exhausted method may end them earlier. The result does not depend
 * on how steps are divided among calls. ANS_DIVERGED: the rate was halved eight times and the last good state restored;
 * begin again with a lower rate. */
ANS_API ANS_MUST_USE ans_status ans_solver_step(ans_context *context, ans_solver *solver, long count);
ANS_API long ans_problem_adapt_steps(const ans_problem *problem); /* set in the text */

/* Like ans_training_run. The planned steps are those of ans_solver_information. From scratch, if text and options leave
 * the method open, a run of all planned steps whose estimated error is not trusted or above the tolerance (default
 * 1e-3) continues with further attempts (windows of time, finer networks) for rules->seconds (default 60). The attempt
 * with the best estimate is kept; with several windows, further steps do nothing. */
ANS_API ANS_MUST_USE ans_status ans_solver_run(ans_context *context, ans_solver *solver, const ans_run_rules *rules,
                                               ans_watcher watcher, void *user_data);

/* Runs many solvers in parallel, each until a rule ends it. Skips a solver that is NULL or whose entry in `statuses` is
 * not ANS_OK; initialise `statuses` first. A failure sets a status and (unless messages: [solvers][room] is NULL) a
 * message, and does not stop the others. Interrupt, time and watcher are checked on the calling thread after every
 * rules->every steps (0: 50) of each solver; the watcher's progress counts the steps of all. */
ANS_API void ans_solver_run_many(ans_solver *const *solvers, size_t solver_count, const ans_run_rules *rules,
                                 int threads, ans_watcher watcher, void *user_data, ans_status *statuses,
                                 char *messages, size_t room);

/* The same for `count` steps, with only each solver's own stopping rules. */
ANS_API void ans_solver_step_many(ans_solver *const *solvers, size_t solver_count, long count, int threads,
                                  ans_status *statuses, char *messages, size_t room);

ANS_API ans_progress ans_solver_state(const ans_solver *solver);
/* Steps planned for a solver with these options (NULL: defaults), before there is one; model NULL: from scratch. */
ANS_API long ans_solver_steps(const ans_model *model, const ans_problem *problem, const ans_solver_options *options);
ANS_API ans_solver_info ans_solver_information(const ans_solver *solver);
ANS_API ans_attempt ans_solver_attempt(const ans_solver *solver, size_t index);
ANS_API const ans_instance *ans_solver_instance(const ans_solver *solver);

/* How well the equations hold, without a reference: the loss at held-out points, and the mean squared residual of the
 * equations on a grid of midpoints (32 x 32 in two coordinates). Either may be NULL. */
ANS_API ANS_MUST_USE ans_status ans_solver_residual(ans_context *context, ans_solver *solver, double *held_out,
                                                    double *grid);

/* The error of the fields, estimated without a reference: the error obeys its own equation, which is solved classically
 * on a small mesh at two or more resolutions. Errors are relative L2 norms over the problem's own grid. */
typedef struct ans_estimate {
  bool available;   /* if false, there is no number, and `reason` says why */
  bool trusted;     /* if false, `reason` says why */
  bool lost;        /* not available although the equation is supported: the error could not be followed */
  char reason[200]; /* one clause; "" when trusted */
  size_t field_count;
  double errors[ANS_MAX_FIELDS];      /* of each field */
  double differences[ANS_MAX_FIELDS]; /* between the two finest resolutions, in the same norm */
  bool absolute[ANS_MAX_FIELDS];      /* the field is zero: a root mean square instead */
  double varying[ANS_MAX_FIELDS];     /* norm of the field minus its mean, over the norm of the field */
  double mean, mean_difference;       /* over the fields */
  size_t nodes, times, points;        /* of the finest mesh; evaluations of the network, every derivative counted */
  double seconds;                     /* of processor time of the calling thread */
} ans_estimate;

ANS_API ANS_MUST_USE ans_status ans_solver_estimate(ans_context *context, ans_solver *solver, ans_estimate *estimate);

/* values: [count][fields] at points: [count][coordinates]; order: of the derivative in each coordinate; NULL: none.
 * Outside the domain a periodic coordinate wraps and others extrapolate; NaN where the text has no value. */
ANS_API ANS_MUST_USE ans_status ans_solver_evaluate(ans_context *context, ans_solver *solver, const double *points,
                                                    size_t count, const unsigned *order, double *values);

/* The fields on a uniform grid (sizes: per coordinate; 0 or NULL: the problem's own), or on the nodes of `grid`. */
ANS_API ANS_MUST_USE ans_status ans_solver_solution(ans_context *context, ans_solver *solver, const size_t *sizes,
                                                    ans_solution **solution);
ANS_API ANS_MUST_USE ans_status ans_solver_solution_like(ans_context *context, ans_solver *solver,
                                                         const ans_solution *grid, ans_solution **solution);

/* Subtracts the estimated error from this solver's fields on a grid, labels them as corrected, and returns the
 * estimate; its differences show the error that may remain. ANS_UNSUPPORTED: no estimate is available. */
ANS_API ANS_MUST_USE ans_status ans_solver_correct(ans_context *context, ans_solver *solver, ans_solution *solution,
                                                   ans_estimate *estimate);

/* Saves an adapted solver as a file that needs no model. To continue it, use ans_solver_resume: precision, rate,
 * patience, tolerance and threads are replaced if not zero, all else comes from the file (except Adam's moments). The
 * held-out residual never ends higher than it began. */
ANS_API ANS_MUST_USE ans_status ans_solver_save(ans_context *context, const ans_solver *solver, const char *path);
ANS_API ANS_MUST_USE ans_status ans_solver_load(ans_context *context, const char *path, int threads,
                                                ans_solver **solver);
ANS_API ANS_MUST_USE ans_status ans_solver_resume(ans_context *context, const char *path,
                                                  const ans_solver_options *options, ans_solver **solver);

/* ---- Solution: fields on a grid, from a solver or a reference ----------------------------------------- */

/* Axes: time, then the others. Values run over the last axis fastest. NULL beyond the last. Results may be NULL. */
ANS_API void ans_solution_free(ans_solution *solution);
ANS_API size_t ans_solution_axis_count(const ans_solution *solution);
ANS_API size_t ans_solution_field_count(const ans_solution *solution);
ANS_API const double *ans_solution_axis(const ans_solution *solution, size_t axis, const char **name, size_t *size);
ANS_API const double *ans_solution_values(const ans_solution *solution, size_t field, const char **name, size_t *count);

/* Stores an estimate with the fields, for output files. The number of fields must match. */
ANS_API ANS_MUST_USE ans_status ans_solution_set_estimate(ans_context *context, ans_solution *solution,
                                                          const ans_estimate *estimate);
ANS_API bool ans_solution_corrected(const ans_solution *solution);

/* Relative L2 distance of every field to the reference: [fields]. The grids must agree. */
ANS_API ANS_MUST_USE ans_status ans_solution_compare(ans_context *context, const ans_solution *solution,
                                                     const ans_solution *reference, double *errors);

#ifdef __cplusplus
}
#endif
#endif
