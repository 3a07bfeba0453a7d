/* SPDX-License-Identifier: Apache-2.0
 *
 * api_stack.c - what the program's commands need of solutions and fields beyond the library: many solutions as one, and
 * derivatives by their names.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "ansatz_tools.h"
#include "solution/solution.h"

enum { MOST_SOLUTIONS = 1 << 20 };

/* ---- Derivatives by name ----------------------------------------------------------------------------- */

static int field_of(const ans_problem *problem, const char *name, size_t length) {
  for (int f = 0; f < problem->field_count; f++)
    if (strlen(problem->fields[f].name) == length && memcmp(problem->fields[f].name, name, length) == 0) return f;
  return -1;
}

/* As the language reads it: a field, or one and coordinates after the last underscore. */
ans_status ans_problem_derivative(ans_context *context, const ans_problem *problem, const char *name, size_t *field,
                                  unsigned *order) {
  const char *cut = strrchr(name, '_');
  int whole = field_of(problem, name, strlen(name)), part = cut ? field_of(problem, name, (size_t)(cut - name)) : -1;
  for (int c = 0; c < problem->coordinate_count; c++) order[c] = 0;
  bool found = whole >= 0 ||
               (part >= 0 && system_cut_coordinates(problem->coordinates, problem->coordinate_count, cut + 1, order));
  *field = !found ? 0 : whole >= 0 ? (size_t)whole : (size_t)part;
  FAIL_IF(!found, context, ANS_ARGUMENT, "\"%s\" is no field of the problem and no derivative of one", name);
  return ANS_OK;
}

/* ---- Stacking ---------------------------------------------------------------------------------------- */

static bool same_shape(const ans_solution *a, const ans_solution *b) {
  bool same = a->coordinate_count == b->coordinate_count && a->field_count == b->field_count;
  for (int i = 0; same && i < a->coordinate_count; i++) same = a->axis_sizes[i] == b->axis_sizes[i];
  return same;
}

/* The axes of `like` behind the new one; strings and nodes are copied. */
static bool stack_axes(arena *arena, ans_solution *stacked, const ans_solution *like, size_t count, const char *name) {
  assert(count > 0 && count <= MOST_SOLUTIONS);
  size_t axes = (size_t)like->coordinate_count + 1;
  const char **names = arena_array(arena, const char *, axes);
  int *sizes = arena_array(arena, int, axes);
  const double **nodes = arena_array(arena, const double *, axes);
  if (!names || !sizes || !nodes) return false;
  for (size_t i = 0; i < axes; i++) {
    const char *own = i ? like->coordinate_names[i - 1] : name;
    size_t size = i ? (size_t)like->axis_sizes[i - 1] : count;
    double *axis = arena_array(arena, double, size);
    names[i] = arena_string(arena, own, strlen(own));
    if (!axis || !names[i]) return false;
    for (size_t k = 0; k < size; k++) axis[k] = i ? like->axes[i - 1][k] : (double)k;
    sizes[i] = (int)size;
    nodes[i] = axis;
  }
  stacked->coordinate_names = names;
  stacked->axis_sizes = sizes;
  stacked->axes = nodes;
  return true;
}

static bool stack_fields(arena *arena, ans_solution *stacked, const ans_solution *like,
                         const ans_solution *const *solutions, size_t count) {
  size_t fields = (size_t)like->field_count;
  const char **names = arena_array(arena, const char *, fields);
  double **values = arena_array(arena, double *, fields);
  if (!names || !values) return false;
  for (size_t f = 0; f < fields; f++) {
    names[f] = arena_string(arena, like->field_names[f], strlen(like->field_names[f]));
    values[f] = arena_array(arena, double, size_product(count, like->point_count));
    if (!names[f] || !values[f]) return false;
    for (size_t i = 0; i < count * like->point_count; i++) {
      const ans_solution *one = solutions[i / like->point_count];
      values[f][i] = one ? one->values[f][i % like->point_count] : (double)NAN;
    }
  }
  stacked->field_names = names;
  stacked->values = values;
  return true;
}

static bool stack_all(arena *arena, ans_solution *stacked, const ans_solution *like,
                      const ans_solution *const *solutions, size_t count, const char *name) {
  *stacked = (ans_solution){.arena = arena,
                            .coordinate_count = like->coordinate_count + 1,
                            .field_count = like->field_count,
                            .point_count = count * like->point_count,
                            .corrected = like->corrected,
                            .problem_text = arena_string(arena, like->problem_text, strlen(like->problem_text)),
                            .settings = arena_string(arena, like->settings, strlen(like->settings))};
  return stacked->problem_text && stacked->settings && stack_axes(arena, stacked, like, count, name) &&
         stack_fields(arena, stacked, like, solutions, count);
}

ans_status ans_solution_stack(ans_context *context, const ans_solution *const *solutions, size_t count,
                              const char *axis, ans_solution **stacked) {
  *stacked = NULL;
  const ans_solution *like = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!like) like = solutions[i];
    FAIL_IF(solutions[i] && !same_shape(solutions[i], like), context, ANS_ARGUMENT,
            "solution %zu has another grid than the first", i);
  }
  FAIL_IF(!like, context, ANS_ARGUMENT, "there is no solution to write");
  FAIL_IF(count > MOST_SOLUTIONS, context, ANS_ARGUMENT, "%zu solutions are too many for one file, which takes %d",
          count, MOST_SOLUTIONS);
  arena *arena;
  TRY(arena_new(context, &arena));
  ans_solution *made = arena_take(arena, sizeof *made);
  if (!made || !stack_all(arena, made, like, solutions, count, axis)) {
    arena_free(arena);
    return context_no_memory(context);
  }
  *stacked = made;
  return ANS_OK;
}
