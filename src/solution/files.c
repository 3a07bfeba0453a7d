/* SPDX-License-Identifier: Apache-2.0
 *
 * files.c - a solution to a file, whole or not at all, and back, in the format its name asks for.
 */
#include "solution/files.h"

#include <strings.h>

typedef ans_status bytes_writer(ans_context *, const ans_solution *, buffer *);

static ans_status write_bytes(ans_context *context, const ans_solution *solution, const char *path,
                              bytes_writer *writer) {
  buffer bytes = {0};
  ans_status status = writer(context, solution, &bytes);
  if (status == ANS_OK && bytes.failed) status = context_no_memory(context);
  if (status == ANS_OK) status = file_write(context, path, bytes.text, bytes.length);
  buffer_drop(&bytes);
  return status;
}

ans_status solution_write(ans_context *context, const ans_solution *solution, const char *path) {
  const char *extension = file_extension(path);
  FAIL_IF(solution->coordinate_count > SOLUTION_MAX_AXES, context, ANS_UNSUPPORTED,
          "fields over %d axes are not written", solution->coordinate_count);
  if (strcasecmp(extension, ".nc") == 0) return write_bytes(context, solution, path, netcdf_bytes);
  if (strcasecmp(extension, ".npz") == 0) return write_bytes(context, solution, path, npz_bytes);
  if (strcasecmp(extension, ".csv") == 0) return write_bytes(context, solution, path, csv_bytes);
  FAIL(context, ANS_ARGUMENT, "%s: fields are written as .nc, .npz or .csv", path);
}

ans_status solution_read(ans_context *context, const ans_problem *problem, const char *path, ans_solution **result) {
  const char *extension = file_extension(path);
  *result = NULL;
  if (strcasecmp(extension, ".nc") == 0) return netcdf_read(context, problem, path, result);
  if (strcasecmp(extension, ".npz") == 0) return npz_read(context, problem, path, result);
  FAIL(context, ANS_ARGUMENT, "%s: fields are read from .nc or .npz", path);
}
