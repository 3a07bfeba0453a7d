/* SPDX-License-Identifier: Apache-2.0
 *
 * no_netcdf.c - in the place of netcdf.c where libnetcdf is missing.
 */
#include "solution/files.h"
#include "solution/stack.h"

static ans_status refuse(ans_context *context) {
  FAIL(context, ANS_UNSUPPORTED, "this program was built without netCDF: write .npz or .csv instead");
}

ans_status netcdf_bytes(ans_context *context, const ans_solution *solution, buffer *out) {
  (void)solution, (void)out;
  return refuse(context);
}

ans_status netcdf_read(ans_context *context, const ans_problem *problem, const char *path, ans_solution **result) {
  (void)problem, (void)path;
  *result = NULL;
  return refuse(context);
}

static ans_status refuse_rows(ans_context *context, ans_stack *stack) {
  (void)stack;
  return refuse(context);
}

const stack_writer netcdf_stack = {.extension = ".nc", .begin = refuse_rows};
