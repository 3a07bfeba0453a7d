/* SPDX-License-Identifier: Apache-2.0
 *
 * files.c - a solution to a file, whole or not at all, in the format its name asks for.
 */
#include "solution/files.h"

#include <math.h>
#include <string.h>

static ans_status write_netcdf(ans_context *context, const ans_solution *solution, const char *path) {
  char *temporary;
  TRY(file_temporary(context, path, &temporary));
  ans_status status = netcdf_write(context, solution, temporary);
  if (status != ANS_OK) {
    file_drop(temporary);
    return status;
  }
  return file_commit(context, temporary, path);
}

typedef ans_status bytes_writer(ans_context *, const ans_solution *, buffer *);

static ans_status write_bytes(ans_context *context, const ans_solution *solution, const char *path, bytes_writer *writer) {
  buffer bytes = {0};
  ans_status status = writer(context, solution, &bytes);
  if (status == ANS_OK && bytes.failed) status = context_no_memory(context);
  if (status == ANS_OK) status = file_write(context, path, bytes.text, bytes.length);
  buffer_drop(&bytes);
  return status;
}

static ans_status check_finite(ans_context *context, const ans_solution *solution) {
  for (int f = 0; f < solution->field_count; f++)
    for (size_t i = 0; i < solution->point_count; i++)
      FAIL_IF(!isfinite(solution->values[f][i]), context, ANS_DIVERGED, "field %s is not finite at point %zu and is not written",
              solution->field_names[f], i);
  return ANS_OK;
}

ans_status solution_write(ans_context *context, const ans_solution *solution, const char *path) {
  const char *name = strrchr(path, '/'), *extension = strrchr(name ? name : path, '.');
  if (!extension) extension = "";
  TRY(check_finite(context, solution));
  if (strcmp(extension, ".nc") == 0) return write_netcdf(context, solution, path);
  if (strcmp(extension, ".npz") == 0) return write_bytes(context, solution, path, npz_bytes);
  if (strcmp(extension, ".csv") == 0) return write_bytes(context, solution, path, csv_bytes);
  FAIL(context, ANS_ARGUMENT, "%s: fields are written as .nc, .npz or .csv", path);
}
