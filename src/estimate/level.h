/* SPDX-License-Identifier: Apache-2.0
 *
 * level.h - the error at one resolution, in both forms of its equation (defect.h).
 */
#ifndef ESTIMATE_LEVEL_H
#define ESTIMATE_LEVEL_H

#include "estimate/march.h"

/* Spectral meshes. The last one costs four times the one before: for what would not be trusted, where transforms make
 * it fast. */
enum { LEVEL_USUAL = 4, LEVEL_COUNT = 5 };
/* Graded meshes, of 256, 512, ... intervals, for what no spectral one resolves. */
enum { LEVEL_GRADES = 4 };

typedef enum level_form { FORM_RESIDUAL, FORM_DIRECT, FORM_COUNT } level_form;

/* A stretch of time between two seams of the network. */
typedef struct level_span {
  double begin, end;
  mesh *times;
  sample *sample;
  int first; /* number of its first time among those of all spans */
} level_span;

/* What one form gave. */
typedef struct level_answer {
  bool tried;
  march_outcome outcome;
  double reached;                    /* time */
  double *error;                     /* [times of all spans][fields][nodes] */
  double *even;                      /* graded: the same at the points of the norm's even grid, instead of the nodes */
  double errors[SYSTEM_MAX_FIELDS];  /* relative norms */
  bool absolute[SYSTEM_MAX_FIELDS];  /* the solution is zero: a root mean square */
  double varying[SYSTEM_MAX_FIELDS]; /* what is left of the solution without its mean, over the solution */
  double sizes[SYSTEM_MAX_FIELDS];   /* of the solution, root mean square */
  double resized;                    /* largest relative change of a size since the coarser resolution */
  double changes[SYSTEM_MAX_FIELDS]; /* since the coarser resolution */
  double score;                      /* the largest change beside its error; infinite when unknown */
} level_answer;

typedef struct level {
  arena *arena;
  int number; /* 0: the coarsest */
  int grade;  /* 0: a spectral mesh; 1: the coarsest graded one */
  mesh *space;
  defect *defect;
  int span_count, time_count; /* times: of all spans */
  level_span *spans;
  bool finite;   /* the network is, at all points */
  size_t points; /* at which it was evaluated */
  long steps;
  double *even; /* graded: the network at the points of the norm's even grid, [times of all spans][fields][points] */
  level_answer answers[FORM_COUNT];
} level;

/* Samples the network and solves. residual: also the residual form. */
ans_status level_solve(ans_context *context, const ans_instance *instance, const estimate_network *network, int number,
                       bool residual, const level *coarse, level **result);
void level_free(level *level); /* accepts NULL */

/* The same in direct form on a graded mesh. coarse: the graded level before, and NULL for grade 1. */
ans_status level_solve_graded(ans_context *context, const ans_instance *instance, const estimate_network *network,
                              int grade, const level *coarse, level **result);

/* By how much the norm of the solution in an answer is wrong, relative, judged by the coarser resolution and by the
 * even points where it is compared: a spectral mesh may resolve the error and not the solution. */
ans_status level_steepness(ans_context *context, const level *level, level_form form, double *result);

/* Without space: the norm of an answer's errors over the even times themselves, where the quadrature over the mesh's
 * times differs from it, as for an error that oscillates fast. */
ans_status level_even_times(ans_context *context, level *level, const estimate_network *network, level_form form);

/* Norms of the answers, and of their changes since the coarse level, which may be NULL. */
ans_status level_measure(ans_context *context, level *level, const struct level *coarse);

/* The unknowns of a form at other times, which increase: fields: [count][fields][nodes]. Without time there is one. */
ans_status level_fields(ans_context *context, level *level, level_form form, const double *times, int count,
                        double *fields, march_outcome *outcome);

/* Whether a finer one is possible within bounded work. */
bool level_refinable(const level *level);

/* Whether a graded mesh could do better: of a spectral level that was solved, or whose error was lost on the way. */
bool level_gradable(const level *level);
/* Whether a finer graded mesh is possible within bounded work. */
bool level_regradable(const level *level);

#endif
