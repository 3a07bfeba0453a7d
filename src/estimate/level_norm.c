/* SPDX-License-Identifier: Apache-2.0
 *
 * level_norm.c - the size of an error and of its change, in the norm of a comparison with a reference: the mean over
 * the even grid that the problem's reference has.
 *
 * On a spectral mesh that mean is a quadrature over the nodes. A graded mesh can hold fronts that are thinner than the
 * even grid's intervals, so there the fields are interpolated to the points of that grid themselves.
 */
#include <assert.h>
#include <math.h>

#include "estimate/level.h"

/* More even points than this do not change a mean. */
enum { MOST_EVEN = 2048 };

/* ---- Where the norm is taken ------------------------------------------------------------------------- */

static int even_count(const level *level) {
  int points = level->defect->instance->problem->protocol.reference.points;
  return points <= 1 ? 128 : points < MOST_EVEN ? points : MOST_EVEN;
}

static int point_count(const level *level) {
  return mesh_graded(level->space) ? even_count(level) : level->space->nodes;
}

/* [points] of one field at one time: of the network, and of its error. */
static const double *network_at(const level *level, int span, int k, int field) {
  const level_span *s = &level->spans[span];
  if (!level->even) return sample_values(s->sample, field, k);
  return level->even +
         ((size_t)(s->first + k) * (size_t)level->defect->field_count + (size_t)field) * (size_t)point_count(level);
}

static const double *error_at(const level *level, const level_answer *answer, int time, int field) {
  assert(time >= 0 && time < level->time_count);
  assert(field >= 0 && field < level->defect->field_count);
  size_t row = (size_t)time * (size_t)level->defect->field_count + (size_t)field;
  return level->even ? answer->even + row * (size_t)point_count(level)
                     : answer->error + row * (size_t)level->space->nodes;
}

/* Rows of node values to rows of even points. */
static void resample(const mesh *space, int rows, int count, const double *const *from, double *to) {
  for (int i = 0; i < count; i++) {
    double weights[MESH_REACH];
    int intervals = space->kind == MESH_PERIODIC ? count : count - 1;
    int first = mesh_local(space, space->low + (space->high - space->low) * i / intervals, weights);
    for (int r = 0; r < rows; r++) {
      double sum = 0;
      for (int k = 0; k < MESH_REACH; k++) sum += weights[k] * from[r][(first + k + space->nodes) % space->nodes];
      to[(size_t)r * (size_t)count + (size_t)i] = sum;
    }
  }
}

/* Network and answers of a graded level on the even grid. */
static ans_status make_even(ans_context *context, level *level) {
  int fields = level->defect->field_count, rows = level->time_count * fields, count = even_count(level);
  size_t size = size_product((size_t)rows, (size_t)count);
  const double **from = arena_array(level->arena, const double *, (size_t)rows);
  level->even = arena_array(level->arena, double, size);
  if (!from || !level->even) return context_no_memory(context);
  for (int s = 0; s < level->span_count; s++)
    for (int k = 0; k < level->spans[s].times->nodes; k++)
      for (int f = 0; f < fields; f++)
        from[(level->spans[s].first + k) * fields + f] = sample_values(level->spans[s].sample, f, k);
  resample(level->space, rows, count, from, level->even);
  for (int form = 0; form < FORM_COUNT; form++) {
    level_answer *answer = &level->answers[form];
    if (!answer->tried) continue;
    answer->even = arena_array(level->arena, double, size);
    if (!answer->even) return context_no_memory(context);
    for (int r = 0; r < rows; r++) from[r] = answer->error + (size_t)r * (size_t)level->space->nodes;
    resample(level->space, rows, count, from, answer->even);
  }
  return ANS_OK;
}

/* ---- Weights ----------------------------------------------------------------------------------------- */

/* Weights of the times of all spans in the mean over `count` even times. One span: that of its mesh. */
static void time_weights(const level *level, int count, double *through) {
  const level_span *spans = level->spans;
  int last = level->span_count - 1;
  mesh_mean(spans[0].times, count, through);
  if (last == 0) return;
  double begin = spans[0].begin, end = spans[last].end, own[(16 << LEVEL_COUNT) + 1];
  for (int k = 0; k < level->time_count; k++) through[k] = 0;
  for (int i = 0, s = 0; i < count; i++) {
    double t = begin + (end - begin) * i / (count - 1);
    while (s < last && t > spans[s].end) s++;
    mesh_interpolation(spans[s].times, fmin(t, spans[s].end), own);
    for (int k = 0; k < spans[s].times->nodes; k++) through[spans[s].first + k] += own[k] / count;
  }
}

/* Weights of the mean over the default grid of the problem, [times][points]. */
static ans_status mean_weights(ans_context *context, const level *level, double **result) {
  const ans_problem *problem = level->defect->instance->problem;
  int nodes = point_count(level), times = level->time_count;
  double *along = arena_array(level->arena, double, (size_t)nodes);
  double *through = arena_array(level->arena, double, (size_t)times);
  double *weights = arena_array(level->arena, double, (size_t)nodes *(size_t)times);
  if (!along || !through || !weights) return context_no_memory(context);
  if (!mesh_graded(level->space))
    mesh_mean(level->space, problem->protocol.reference.points > 1 ? problem->protocol.reference.points : 128, along);
  for (int j = 0; mesh_graded(level->space) && j < nodes; j++) along[j] = 1.0 / nodes;
  time_weights(level, problem->protocol.reference.times > 1 ? problem->protocol.reference.times : 101, through);
  for (int k = 0; k < times; k++)
    for (int j = 0; j < nodes; j++) weights[k * nodes + j] = through[k] * along[j];
  *result = weights;
  return ANS_OK;
}

/* ---- Norms ------------------------------------------------------------------------------------------- */

/* Relative norm of the error of one field; the root mean square where the solution is zero. */
static double relative_norm(const level *level, const double *weights, level_answer *answer, int field) {
  assert(weights && answer->error);
  int points = point_count(level);
  double difference = 0, size = 0, sum = 0, whole_weight = 0;
  for (int s = 0; s < level->span_count; s++)
    for (int k = 0; k < level->spans[s].times->nodes; k++) {
      int time = level->spans[s].first + k;
      const double *values = network_at(level, s, k, field), *error = error_at(level, answer, time, field);
      for (int j = 0; j < points; j++) {
        double e = error[j], whole = values[j] + e;
        double weight = weights[time * points + j];
        difference += weight * e * e;
        size += weight * whole * whole;
        sum += weight * whole;
        whole_weight += weight;
      }
    }
  answer->varying[field] = size > 0 ? sqrt(fmax(1 - sum * (sum / whole_weight) / size, 0)) : 0;
  answer->absolute[field] = !(size > 0);
  answer->sizes[field] = sqrt(fmax(size, 0));
  return sqrt(fmax(difference, 0)) / (size > 0 ? sqrt(size) : 1);
}

/* The change since the coarse level, whose times and points are among this one's, beside the solution. */
static double change_norm(const level *fine, const level *coarse, level_form form, const double *weights, int field) {
  int points = point_count(coarse);
  int along = fine->space->kind == MESH_POINT || mesh_graded(fine->space) ? 1 : 2;
  int through = fine->spans[0].times->kind == MESH_POINT
                    ? 1
                    : fine->spans[0].times->intervals / coarse->spans[0].times->intervals;
  assert(through > 0 && weights && mesh_graded(fine->space) == mesh_graded(coarse->space));
  double difference = 0, size = 0;
  for (int s = 0; s < coarse->span_count; s++)
    for (int k = 0; k < coarse->spans[s].times->nodes; k++) {
      int time = coarse->spans[s].first + k, here = fine->spans[s].first + through * k;
      const double *values = network_at(coarse, s, k, field);
      const double *before = error_at(coarse, &coarse->answers[form], time, field);
      const double *now = error_at(fine, &fine->answers[form], here, field);
      for (int j = 0; j < points; j++) {
        double weight = weights[time * points + j];
        double e = now[along * j], change = e - before[j];
        difference += weight * change * change;
        size += weight * (values[j] + e) * (values[j] + e);
      }
    }
  return sqrt(fmax(difference, 0)) / (size > 0 ? sqrt(size) : 1);
}

static void judge(level_answer *answer, int fields) {
  double most = 0;
  for (int f = 0; f < fields; f++) most = fmax(most, answer->errors[f]);
  answer->score = 0;
  for (int f = 0; f < fields; f++) {
    /* A field that is far better than the others need not be known to the same share, nor any to the last digit. */
    double beside = fmax(fmax(answer->errors[f], most / 10), 1e-11);
    answer->score = fmax(answer->score, answer->changes[f] / beside);
  }
  if (!isfinite(most)) answer->score = INFINITY;
}

static void measure(level *level, const struct level *coarse, level_form form, const double *fine_weights,
                    const double *coarse_weights) {
  level_answer *answer = &level->answers[form];
  int fields = level->defect->field_count;
  if (!answer->tried || answer->outcome != MARCH_DONE) return;
  for (int f = 0; f < fields; f++) answer->errors[f] = relative_norm(level, fine_weights, answer, f);
  if (!coarse || !coarse->answers[form].tried || coarse->answers[form].outcome != MARCH_DONE) return;
  for (int f = 0; f < fields; f++) {
    /* The second shows that the times are too few for the norm, though every value is right. */
    double values = change_norm(level, coarse, form, coarse_weights, f);
    answer->changes[f] = fmax(values, fabs(answer->errors[f] - coarse->answers[form].errors[f]));
    if (answer->sizes[f] > 0)
      answer->resized = fmax(answer->resized, fabs(1 - coarse->answers[form].sizes[f] / answer->sizes[f]));
  }
  judge(answer, fields);
}

ans_status level_measure(ans_context *context, level *level, const struct level *coarse) {
  double *weights = NULL, *coarse_weights = NULL;
  if (mesh_graded(level->space)) TRY(make_even(context, level));
  TRY(mean_weights(context, level, &weights));
  if (coarse) TRY(mean_weights(context, coarse, &coarse_weights));
  for (int form = 0; form < FORM_COUNT; form++) measure(level, coarse, (level_form)form, weights, coarse_weights);
  return ANS_OK;
}

/* ---- A solution that is steeper than its error ------------------------------------------------------- */

/* The mean square of b + y over the even points at one time. */
static double even_square(const level *level, const double *interpolation, const double *network, const double *error) {
  int nodes = level->space->nodes, count = even_count(level);
  double square = 0;
  for (int i = 0; i < count; i++) {
    double sum = 0;
    const double *weights = interpolation + (size_t)i * (size_t)nodes;
    for (int j = 0; j < nodes; j++) sum += weights[j] * (network[j] + error[j]);
    square += sum * sum / count;
  }
  return square;
}

/* The root mean square of a field over the even grid itself, not by quadrature. */
static double even_size(const level *level, const level_answer *answer, const double *interpolation,
                        const double *through, int field) {
  double size = 0;
  for (int s = 0; s < level->span_count; s++)
    for (int k = 0; k < level->spans[s].times->nodes; k++) {
      int time = level->spans[s].first + k;
      size += through[time] *
              even_square(level, interpolation, network_at(level, s, k, field), error_at(level, answer, time, field));
    }
  return sqrt(fmax(size, 0));
}

static void fill_interpolation(const level *level, double *interpolation) {
  const mesh *space = level->space;
  int count = even_count(level);
  for (int i = 0; i < count; i++)
    mesh_interpolation(space, i + 1 == count ? space->high : space->low + (space->high - space->low) * i / (count - 1),
                       interpolation + (size_t)i * (size_t)space->nodes);
}

ans_status level_steepness(ans_context *context, const level *level, level_form form, double *result) {
  const level_answer *answer = &level->answers[form];
  const ans_problem *problem = level->defect->instance->problem;
  *result = answer->resized;
  if (level->space->kind != MESH_WALLS || answer->outcome != MARCH_DONE) return ANS_OK;
  double *through = arena_array(level->arena, double, (size_t)level->time_count);
  double *interpolation =
      arena_array(level->arena, double, size_product((size_t)even_count(level), (size_t)level->space->nodes));
  if (!through || !interpolation) return context_no_memory(context);
  time_weights(level, problem->protocol.reference.times > 1 ? problem->protocol.reference.times : 101, through);
  fill_interpolation(level, interpolation);
  for (int f = 0; f < level->defect->field_count; f++) {
    double size = even_size(level, answer, interpolation, through, f);
    if (size > 0) *result = fmax(*result, fabs(1 - answer->sizes[f] / size));
  }
  return ANS_OK;
}

/* ---- An error that is faster than the times of its mesh ---------------------------------------------- */

/* The network at increasing times without space: values: [count][fields]. */
static ans_status network_at_times(ans_context *context, const level *level, const estimate_network *network,
                                   const double *times, int count, double *values) {
  const system_orders value = {.count = 1};
  int fields = level->defect->field_count;
  for (int s = 0, at = 0; at < count; s++) {
    int inside = 0;
    bool last = s + 1 == level->span_count;
    while (at + inside < count && (last || times[at + inside] <= level->spans[s].end)) inside++;
    if (inside > 0)
      TRY(network->evaluate(context, network->object, s, times + at, (size_t)inside, &value,
                            values + (size_t)at * (size_t)fields));
    at += inside;
  }
  return ANS_OK;
}

/* Takes the norm over the even times where it differs from the one by quadrature. y: the unknowns, [times][fields]. */
static void take_even_norm(const level *level, level_form form, int count, const double *network, const double *y,
                           level_answer *answer) {
  const double alike = 0.01;
  int fields = level->defect->field_count;
  for (int f = 0; f < fields; f++) {
    double difference = 0, size = 0;
    for (int i = f; i < count * fields; i += fields) {
      double e = form == FORM_DIRECT ? y[i] - network[i] : y[i];
      difference += e * e;
      size += (network[i] + e) * (network[i] + e);
    }
    double error = size > 0 ? sqrt(difference / size) : answer->errors[f];
    if (isfinite(error) && fabs(error - answer->errors[f]) > alike * answer->errors[f]) answer->errors[f] = error;
  }
}

ans_status level_even_times(ans_context *context, level *level, const estimate_network *network, level_form form) {
  const ans_problem *problem = level->defect->instance->problem;
  level_answer *answer = &level->answers[form];
  if (level->space->kind != MESH_POINT || problem->time < 0 || answer->outcome != MARCH_DONE) return ANS_OK;
  int count = problem->protocol.reference.times > 1 ? problem->protocol.reference.times : 101;
  size_t all = size_product((size_t)count, (size_t)level->defect->field_count);
  double *times = memory_take(((size_t)count + 2 * all) * sizeof *times), *values = times ? times + count : NULL;
  const level_span *first = &level->spans[0], *last = &level->spans[level->span_count - 1];
  march_outcome outcome = MARCH_BLOWN;
  if (!times) return context_no_memory(context);
  for (int i = 0; i < count; i++) times[i] = first->begin + (last->end - first->begin) * i / (count - 1);
  ans_status status = network_at_times(context, level, network, times, count, values);
  if (status == ANS_OK) status = level_fields(context, level, form, times, count, values + all, &outcome);
  if (status == ANS_OK && outcome == MARCH_DONE) take_even_norm(level, form, count, values, values + all, answer);
  level->points += (size_t)count;
  memory_give(times);
  return status;
}
