/* SPDX-License-Identifier: Apache-2.0
 *
 * objective.h - what is minimised: a loss over one block of unknowns, and what it offers to an optimiser.
 *
 * Every objective has a loss and its gradient. One that is a sum of squares also offers its rows r(x), with
 * loss = r . r, and their Jacobian J, whole or as products; such a loss is taken at one fixed set of points. What is
 * not offered is NULL. Rows are double; vectors over unknowns are `real`.
 */
#ifndef TRAINING_OBJECTIVE_H
#define TRAINING_OBJECTIVE_H

#include "numeric/real.h"
#include "numeric/unknowns.h"
#include "training/engine.h"

typedef struct objective_class {
  void (*drop)(objective *objective);

  /* The loss of step 1, 2, ..., which draws its own points, and its gradient: [unknowns.size], zero where frozen. */
  ans_status (*gradient)(ans_context *context, objective *objective, long step, double *loss, real *gradient);

  /* Least squares at the fixed points. free: unknown_free_count, the unknowns that are not frozen, in their order. */
  size_t (*row_count)(const objective *objective);
  ans_status (*rows)(ans_context *context, objective *objective, double *rows);
  ans_status (*jacobian)(ans_context *context, objective *objective, real *jacobian); /* [rows][free] */

  /* The loss at a second set of points, which is never trained on. */
  double (*judge)(objective *objective);

  /* Lets go of what made the start easier (a time weight that was chosen for it); false when there is nothing. The
   * losses are others from then on. */
  bool (*ease)(objective *objective);

  /* From now on the fixed points are at least so many, the first of them as before; *reached says how many. */
  ans_status (*grow)(ans_context *context, objective *objective, size_t points, size_t *reached);
} objective_class;

struct objective {
  const objective_class *class;
  unknown_table unknowns;
  real *values;      /* [unknowns.size] */
  const char *worst; /* the equation that contributed most to the last loss, or is not finite */
};

#define objective_export  REAL_NAME(objective_export)
#define objective_import  REAL_NAME(objective_import)
#define objective_mask    REAL_NAME(objective_mask)
#define objective_scatter REAL_NAME(objective_scatter)
#define objective_gather  REAL_NAME(objective_gather)
#define objective_drop    REAL_NAME(objective_drop)
#define objective_judge   REAL_NAME(objective_judge)

/* Values as double, which holds both precisions exactly: [unknowns.size]. */
void objective_export(const objective *objective, double *values);
void objective_import(objective *objective, const double *values);

/* Zero for what is frozen and for what a ReLU cuts off: it has neither moments nor steps, and does not count in a norm.
 */
void objective_mask(const objective *objective, real *gradient);

/* result <- base + factor * direction, where direction: [free] and the others: [unknowns.size]. result may be base. */
void objective_scatter(const objective *objective, const real *base, real factor, const real *direction, real *result);

/* direction: [free] <- those entries of a vector over all unknowns. */
void objective_gather(const objective *objective, const real *all, real *direction);

/* Through the class. NULL may be dropped. */
void objective_drop(objective *objective);
double objective_judge(objective *objective);

#endif
