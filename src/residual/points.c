/* SPDX-License-Identifier: Apache-2.0
 *
 * points.c - where the loss looks: segments, the order of their points in memory, and drawing them.
 *
 * Draws come from one stream: segment after segment (interior; values at the start and on boundaries in the
 * order of the conditions; periodic pairs; derivative conditions), unit after unit, coordinate after
 * coordinate in order of declaration, each uniform over its interval; a fixed coordinate takes no draw. The
 * network has no part in it, so the same stream gives the same points for every network.
 *
 * Nested points are not drawn: unit k of a segment stands at the fractional part of start + k/g^j in its j-th free
 * coordinate. More of them fill the gaps of those there are, evenly at every number (the golden ratio on a line,
 * M. Roberts' sequence in more dimensions).
 */
#include "residual/plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool is_value(const system_condition *condition) {
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++)
    if (condition->order[i]) return false;
  return true;
}

static ans_status add_segment(ans_context *context, residual *residual, residual_set *set, residual_segment segment) {
  if (segment.capacity <= 0) return ANS_OK;
  FAIL_IF(residual->segment_count == RESIDUAL_MAX_SEGMENTS, context, ANS_UNSUPPORTED, "more than %d soft conditions",
          RESIDUAL_MAX_SEGMENTS);
  segment.units = segment.capacity;
  residual->segments[residual->segment_count++] = segment;
  set->segment_count++;
  return ANS_OK;
}

/* Conditions at the same place share their points. */
static ans_status add_conditions(ans_context *context, residual *residual, residual_set *set, bool values) {
  for (int c = 0; c < residual->problem->condition_count; c++) {
    const system_condition *condition = &residual->problem->conditions[c];
    bool initial = condition->kind == CONDITION_INITIAL, known = false;
    if (condition->hard || is_value(condition) != values) continue;
    for (int i = set->first_segment; i < residual->segment_count; i++) {
      const residual_segment *other = &residual->segments[i];
      known = known ||
              (other->coordinate == condition->coordinate && other->at == condition->at && other->initial == initial);
    }
    if (known) continue;
    int units = initial ? residual->options.initial_points : residual->options.boundary_points;
    TRY(add_segment(
        context, residual, set,
        (residual_segment){
            .coordinate = condition->coordinate, .at = condition->at, .initial = initial, .capacity = units}));
  }
  return ANS_OK;
}

int residual_seam_order(const residual *residual, int coordinate, int field) {
  const ans_problem *problem = residual->problem;
  int order = 1;
  for (int t = 0; residual->options.smooth && t < problem->term_count; t++)
    for (int i = 0; i < problem->terms[t].factor_count; i++) {
      const system_factor *factor = &problem->terms[t].factors[i];
      if (factor->field == field && factor->order[coordinate] > order) order = factor->order[coordinate];
    }
  return order;
}

/* Whether a pair needs derivatives. */
static bool is_smooth_seam(const residual *residual, int coordinate) {
  for (int f = 0; f < residual->problem->field_count; f++)
    if (residual_seam_order(residual, coordinate, f) > 1) return true;
  return false;
}

static ans_status add_periods(ans_context *context, residual *residual, residual_set *set, bool values) {
  for (int d = 0; d < residual->problem->coordinate_count; d++)
    if (residual->problem->coordinates[d].soft_period && is_smooth_seam(residual, d) != values)
      TRY(add_segment(context, residual, set,
                      (residual_segment){.coordinate = d, .pair = true, .capacity = residual->options.period_points}));
  return ANS_OK;
}

static residual_set *open_set(residual *residual) {
  assert(residual->set_count < RESIDUAL_SETS);
  residual_set *set = &residual->sets[residual->set_count++];
  set->first_segment = residual->segment_count;
  return set;
}

ans_status residual_plan_segments(ans_context *context, residual *residual) {
  TRY(add_segment(context, residual, open_set(residual),
                  (residual_segment){.coordinate = -1, .capacity = residual->options.points}));
  residual_set *set = open_set(residual);
  residual->value_set = residual->set_count - 1;
  TRY(add_conditions(context, residual, set, true));
  TRY(add_periods(context, residual, set, true));
  if (set->segment_count == 0) residual->set_count--, residual->value_set = -1;
  set = open_set(residual);
  TRY(add_conditions(context, residual, set, false));
  TRY(add_periods(context, residual, set, false));
  if (set->segment_count == 0) residual->set_count--;
  return ANS_OK;
}

static int slice(int units, int chunk) { return (int)((long)units * chunk / RESIDUAL_CHUNKS); }

void residual_arrange(residual *residual, residual_set *set) {
  size_t position = 0;
  for (int chunk = 0; chunk <= RESIDUAL_CHUNKS; chunk++)
    for (int i = set->first_segment; i < set->first_segment + set->segment_count; i++) {
      residual_segment *segment = &residual->segments[i];
      segment->start[chunk] = position;
      if (chunk < RESIDUAL_CHUNKS)
        position += (size_t)(slice(segment->units, chunk + 1) - slice(segment->units, chunk)) * (segment->pair ? 2 : 1);
    }
}

bool residual_tile_next(const residual *residual, const residual_set *set, int chunk, size_t position,
                        residual_tile *tile) {
  assert(chunk >= 0 && chunk < RESIDUAL_CHUNKS);
  *tile = (residual_tile){.position = position};
  for (int i = set->first_segment; i < set->first_segment + set->segment_count; i++) {
    const residual_segment *segment = &residual->segments[i];
    int width = segment->pair ? 2 : 1, begin = slice(segment->units, chunk), end = slice(segment->units, chunk + 1);
    size_t at = position + (size_t)tile->points;
    int unit = begin + (at > segment->start[chunk] ? (int)(at - segment->start[chunk]) / width : 0);
    int room = (set->tile_points - tile->points) / width, units = end - unit < room ? end - unit : room;
    if (units <= 0) {
      if (unit < end) break;
      continue;
    }
    int run = tile->run_count++;
    tile->runs[run].segment = i;
    tile->runs[run].first = tile->points;
    tile->runs[run].units = units;
    tile->runs[run].unit = unit;
    tile->points += units * width;
    assert(tile->points <= set->tile_points && unit + units <= end);
    if (unit + units < end) break;
  }
  return tile->points > 0;
}

/* The second point of a pair stands at the other end. */
static void close_pair(const residual *residual, const residual_segment *segment, double *point) {
  int count = residual->problem->coordinate_count;
  if (!segment->pair) return;
  memcpy(point + count, point, (size_t)count * sizeof *point);
  point[count + segment->coordinate] = chart_interval_of(residual->problem, &residual->chart, segment->coordinate).high;
}

static void draw_unit(const residual *residual, const residual_segment *segment, random_stream *stream, double *point) {
  const ans_problem *problem = residual->problem;
  int count = problem->coordinate_count;
  for (int d = 0; d < count; d++) {
    chart_interval axis = chart_interval_of(problem, &residual->chart, d);
    bool fixed = d == segment->coordinate;
    point[d] = !fixed          ? random_between(stream, axis.low, axis.high)
               : segment->pair ? axis.low
                               : chart_enter(problem, &residual->chart, d, segment->at);
  }
  close_pair(residual, segment, point);
}

void residual_sample(residual *residual, uint64_t seed, random_purpose purpose, uint64_t step, uint32_t part) {
  random_stream stream = random_open(seed, purpose, step, part);
  size_t count = (size_t)residual->problem->coordinate_count;
  for (int i = 0; i < residual->segment_count; i++) residual->segments[i].units = residual->segments[i].capacity;
  for (int s = 0; s < residual->set_count; s++) {
    residual_set *set = &residual->sets[s];
    residual_arrange(residual, set);
    for (int i = set->first_segment; i < set->first_segment + set->segment_count; i++) {
      const residual_segment *segment = &residual->segments[i];
      for (int chunk = 0; chunk < RESIDUAL_CHUNKS; chunk++) {
        double *point = set->points + segment->start[chunk] * count;
        for (int u = slice(segment->units, chunk); u < slice(segment->units, chunk + 1);
             u++, point += count * (segment->pair ? 2 : 1))
          draw_unit(residual, segment, &stream, point);
      }
    }
  }
}

/* ---- Nested points ------------------------------------------------------------------------------------- */

/* The root above 1 of x^(d+1) = x + 1; its powers -1, .., -d are as far from rational, and from each other, as can be.
 */
static double nested_ratio(int dimensions) {
  assert(dimensions >= 0 && dimensions <= SYSTEM_MAX_COORDINATES);
  double x = 1.5;
  for (int i = 0; i < 64; i++) x = pow(1 + x, 1.0 / (dimensions + 1));
  return x;
}

static void lay_unit(const residual *residual, const residual_segment *segment, double start, double ratio, int unit,
                     double *point) {
  const ans_problem *problem = residual->problem;
  int count = problem->coordinate_count;
  double power = 1;
  for (int d = 0; d < count; d++) {
    chart_interval axis = chart_interval_of(problem, &residual->chart, d);
    if (d == segment->coordinate) {
      point[d] = segment->pair ? axis.low : chart_enter(problem, &residual->chart, d, segment->at);
      continue;
    }
    power /= ratio;
    double place = start + (unit + 1) * power;
    point[d] = axis.low + (axis.high - axis.low) * (place - floor(place));
  }
  close_pair(residual, segment, point);
}

void residual_lay_points(residual *residual, double start, double share) {
  for (int i = 0; i < residual->segment_count; i++) {
    residual_segment *segment = &residual->segments[i];
    int units = (int)ceil(share * segment->capacity);
    segment->units = units < 1 ? 1 : units < segment->capacity ? units : segment->capacity;
  }
  size_t count = (size_t)residual->problem->coordinate_count;
  for (int s = 0; s < residual->set_count; s++) {
    residual_set *set = &residual->sets[s];
    residual_arrange(residual, set);
    for (int i = set->first_segment; i < set->first_segment + set->segment_count; i++) {
      const residual_segment *segment = &residual->segments[i];
      double ratio = nested_ratio((int)count - (segment->coordinate >= 0));
      for (int chunk = 0; chunk < RESIDUAL_CHUNKS; chunk++)
        for (int u = slice(segment->units, chunk); u < slice(segment->units, chunk + 1); u++) {
          size_t offset = (size_t)(u - slice(segment->units, chunk)) * (segment->pair ? 2 : 1);
          lay_unit(residual, segment, start, ratio, u, set->points + (segment->start[chunk] + offset) * count);
        }
    }
  }
}

void residual_set_points(residual *residual, const double *points, int count) {
  assert(points && count > 0);
  residual_segment *interior = &residual->segments[0];
  interior->units = count < interior->capacity ? count : interior->capacity;
  residual_arrange(residual, &residual->sets[0]);
  int coordinates = residual->problem->coordinate_count;
  for (int p = 0; p < interior->units; p++)
    for (int d = 0; d < coordinates; d++)
      residual->sets[0].points[p * coordinates + d] =
          chart_enter(residual->problem, &residual->chart, d, points[p * coordinates + d]);
}
