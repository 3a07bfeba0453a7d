/* SPDX-License-Identifier: Apache-2.0
 *
 * files.h - the formats a solution can be written in, one file of code each.
 *
 * Each writer returns bytes; solution_write makes them a file, whole or not at all.
 */
#ifndef SOLUTION_FILES_H
#define SOLUTION_FILES_H

#include "solution/solution.h"

/* netCDF-4: one variable per coordinate and field, time first, and as attributes the problem's text, the settings
 * and the version. */
ans_status netcdf_bytes(ans_context *context, const ans_solution *solution, buffer *out);

/* Reads back what netcdf_bytes made for the same problem: names, sizes and types are checked before use, and
 * anything else is ANS_FILE. A field that is not there is all NaN. */
ans_status netcdf_read(ans_context *context, const ans_problem *problem, const char *path, ans_solution **result);

/* NumPy's archive of arrays: one float64 array per coordinate and field, and the two texts. */
ans_status npz_bytes(ans_context *context, const ans_solution *solution, buffer *out);

/* Reads back what npz_bytes made; arrays of numpy.savez are the same. */
ans_status npz_read(ans_context *context, const ans_problem *problem, const char *path, ans_solution **result);

/* One row per point: coordinates, then fields; a first line with their names. */
ans_status csv_bytes(ans_context *context, const ans_solution *solution, buffer *out);

#endif
