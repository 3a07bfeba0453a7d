/* SPDX-License-Identifier: Apache-2.0
 *
 * measurements.h - what was measured: values of fields at points of the domain, some of them missing.
 *
 * A table has a line of names, then one line per point: a column for every coordinate, columns for some of the fields,
 * and for each of these, if its noise is known, a column sigma_NAME. An empty cell was not measured. The file is read
 * as a stream; what is kept is one number per coordinate of a point and two per measured value.
 */
#ifndef FIT_MEASUREMENTS_H
#define FIT_MEASUREMENTS_H

#include "base/base.h"
#include "system/system.h"

typedef struct measured_value {
  uint32_t point;
  uint32_t field;
  double value, sigma; /* sigma NaN: its noise is not known */
} measured_value;

typedef struct ans_measurements {
  int coordinate_count, field_count;
  size_t point_count, value_count, point_room, value_room;
  double *points;         /* [points][coordinates] */
  measured_value *values; /* in the order of the points */
} measurements;

enum { MEASUREMENTS_MOST = 1 << 26 }; /* points */
#define MEASUREMENTS_LARGEST 1e100    /* value: sums of squares stay finite */

ans_status measurements_new(ans_context *context, const ans_problem *problem, measurements **result);
void measurements_free(measurements *m); /* accepts NULL */

/* One point. values, sigmas: [fields], NaN where there is none. What is wrong with it is said without a place. */
ans_status measurements_add(ans_context *context, measurements *m, const ans_problem *problem, const double *point,
                            const double *values, const double *sigmas);

/* From a CSV file ("-": standard input), separated by commas, semicolons or tabs. */
ans_status measurements_read(ans_context *context, const ans_problem *problem, const char *path, measurements **result);

/* By the path's extension: .nc or .npz, a grid whose values may be NaN, else CSV. */
ans_status measurements_load(ans_context *context, const ans_problem *problem, const char *path, measurements **result);

ans_status measurements_copy(ans_context *context, const measurements *from, measurements **result);

size_t measurements_of(const measurements *m, int field); /* how many values it has */

#endif
