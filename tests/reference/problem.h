/* SPDX-License-Identifier: Apache-2.0
 *
 * problem.h - problems from text and their references, for these tests.
 */
#ifndef TESTS_REFERENCE_PROBLEM_H
#define TESTS_REFERENCE_PROBLEM_H

#include "check.h"

#include "reference/reference.h"

typedef struct made {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
} made;

/* From text; the first structure, with "name=value,..." for its symbols. */
made make_text(const char *text, const char *assignments);
/* From a family's file, by the name of a case. */
made make_case(const char *path, const char *name);
/* From a family's file, by structure and assignments. */
made make_member(const char *path, const char *structure, const char *assignments);
void give_back(made *made);

/* Lines that most problems here share: x in [low, high) periodic or [low, high], t in [0, end]. */
#define PERIODIC(low, high, end)                                                                                       \
  "coordinate x in [" low ", " high ") periodic\ncoordinate t in [0, " end "] time\nfield u\n"
#define BOUNDED(low, high, end) "coordinate x in [" low ", " high "]\ncoordinate t in [0, " end "] time\nfield u\n"

typedef double exact_function(double x, double t, const double *parameters);

/* ||field - exact||_2 / ||exact||_2 over the whole grid. */
double relative_error(const ans_solution *solution, int field, exact_function *exact, const double *parameters);

#endif
