/* SPDX-License-Identifier: Apache-2.0 */
#include "training/objective.h"

#include <string.h>

void objective_export(const objective *objective, double *values) {
  for (size_t i = 0; i < objective->unknowns.size; i++) values[i] = (double)objective->values[i];
}

void objective_import(objective *objective, const double *values) {
  for (size_t i = 0; i < objective->unknowns.size; i++) objective->values[i] = (real)values[i];
}

void objective_mask(const objective *objective, real *gradient) {
  for (int i = 0; i < objective->unknowns.count; i++) {
    const unknown_part *part = &objective->unknowns.parts[i];
    const real *values = objective->values + part->offset;
    real *own = gradient + part->offset;
    size_t count = unknown_count(part);
    if (part->state == UNKNOWN_FROZEN) memset(own, 0, count * sizeof *own);
    for (size_t k = 0; part->state == UNKNOWN_RELU && k < count; k++)
      if (!(values[k] > 0)) own[k] = REAL(0.0);
  }
}

void objective_scatter(const objective *objective, const real *base, real factor, const real *direction, real *result) {
  for (int i = 0; i < objective->unknowns.count; i++) {
    const unknown_part *part = &objective->unknowns.parts[i];
    size_t count = unknown_count(part);
    bool frozen = part->state == UNKNOWN_FROZEN;
    for (size_t k = part->offset; k < part->offset + count; k++)
      result[k] = frozen ? base[k] : base[k] + factor * *direction++;
  }
}

void objective_gather(const objective *objective, const real *all, real *direction) {
  for (int i = 0; i < objective->unknowns.count; i++) {
    const unknown_part *part = &objective->unknowns.parts[i];
    size_t count = unknown_count(part);
    if (part->state == UNKNOWN_FROZEN) continue;
    memcpy(direction, all + part->offset, count * sizeof *direction);
    direction += count;
  }
}

void objective_drop(objective *objective) {
  if (objective) objective->class->drop(objective);
}

double objective_judge(objective *objective) { return objective->class->judge(objective); }
