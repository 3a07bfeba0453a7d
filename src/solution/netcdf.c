/* SPDX-License-Identifier: Apache-2.0
 *
 * netcdf.c - the only place that sees libnetcdf: solutions to files that xarray, ncview and ParaView open, and
 * back from files this program wrote itself.
 */
#include "solution/files.h"
#include "solution/stack.h"

#include <math.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library underneath has state that threads may not share. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

/* The file in work and the first failure; later calls do nothing, so that writers need one check at the end. */
typedef struct netcdf_file {
  int id;
  int code; /* NC_NOERR, or the library's reason */
} netcdf_file;

#define STEP(file, call)                                                                                               \
  do {                                                                                                                 \
    if ((file)->code == NC_NOERR) (file)->code = (call);                                                               \
  } while (0)

static void put_text(netcdf_file *file, int variable, const char *name, const char *text) {
  STEP(file, nc_put_att_text(file->id, variable, name, strlen(text), text));
}

static void define_coordinates(netcdf_file *file, const ans_solution *solution, int *dimensions, int *variables) {
  for (int i = 0; i < solution->coordinate_count; i++) {
    const char *name = solution->coordinate_names[i];
    STEP(file, nc_def_dim(file->id, name, (size_t)solution->axis_sizes[i], &dimensions[i]));
    STEP(file, nc_def_var(file->id, name, NC_DOUBLE, 1, &dimensions[i], &variables[i]));
    char long_name[160];
    snprintf(long_name, sizeof long_name, "coordinate %s", name);
    put_text(file, variables[i], "long_name", long_name);
    put_text(file, variables[i], "units", "1");
  }
}

static void define_fields(netcdf_file *file, const ans_solution *solution, const int *dimensions, int *variables) {
  for (int f = 0; f < solution->field_count; f++) {
    const char *name = solution->field_names[f];
    STEP(file, nc_def_var(file->id, name, NC_DOUBLE, solution->coordinate_count, dimensions, &variables[f]));
    char long_name[160];
    snprintf(long_name, sizeof long_name, "field %s", name);
    put_text(file, variables[f], "long_name", long_name);
    put_text(file, variables[f], "units", "1");
  }
}

static void put_number(netcdf_file *file, int variable, const char *name, double number) {
  STEP(file, nc_put_att_double(file->id, variable, name, NC_DOUBLE, 1, &number));
}

/* How wrong the fields are, or why that is not known. */
static void put_estimate(netcdf_file *file, const ans_solution *solution, const int *fields) {
  const ans_estimate *estimate = &solution->estimate;
  if (solution->corrected) put_text(file, NC_GLOBAL, "corrected", "by the defect equation");
  if (!solution->estimated) return;
  put_text(file, NC_GLOBAL, "estimate_trusted", estimate->trusted ? "yes" : "no");
  if (!estimate->trusted) put_text(file, NC_GLOBAL, "estimate_reason", estimate->reason);
  if (!estimate->available) return;
  put_number(file, NC_GLOBAL, "estimate_mean", solution->corrected ? estimate->mean_difference : estimate->mean);
  for (int f = 0; f < solution->field_count; f++) {
    double error = solution->corrected ? estimate->differences[f] : estimate->errors[f];
    put_number(file, fields[f], "estimated_error", error);
    if (estimate->varying[f] > 0) put_number(file, fields[f], "estimated_error_varying", error / estimate->varying[f]);
  }
}

static void write_content(netcdf_file *file, const ans_solution *solution) {
  int dimensions[SOLUTION_MAX_AXES] = {0}, axes[SOLUTION_MAX_AXES] = {0}, fields[SYSTEM_MAX_FIELDS] = {0};
  put_text(file, NC_GLOBAL, "Conventions", "CF-1.8");
  put_text(file, NC_GLOBAL, "title", "ansatz solution");
  put_text(file, NC_GLOBAL, "ansatz_version", ans_version());
  put_text(file, NC_GLOBAL, "settings", solution->settings);
  put_text(file, NC_GLOBAL, "problem", solution->problem_text);
  define_coordinates(file, solution, dimensions, axes);
  define_fields(file, solution, dimensions, fields);
  put_estimate(file, solution, fields);
  STEP(file, nc_enddef(file->id));
  for (int i = 0; i < solution->coordinate_count; i++)
    STEP(file, nc_put_var_double(file->id, axes[i], solution->axes[i]));
  for (int f = 0; f < solution->field_count; f++)
    STEP(file, nc_put_var_double(file->id, fields[f], solution->values[f]));
}

/* At least what the file will take: numbers, texts, and what the library adds of its own. */
static size_t room_needed(const ans_solution *solution) {
  size_t numbers = size_product(solution->point_count, (size_t)solution->field_count);
  for (int i = 0; i < solution->coordinate_count; i++) numbers += (size_t)solution->axis_sizes[i];
  return size_product(numbers, sizeof(double)) + strlen(solution->problem_text) + strlen(solution->settings) +
         (1 << 20);
}

/* The library hands out its memory with spare room behind the file, whose own length stands at this place of the
 * oldest form of header, the one it writes (HDF5 file format, level 0A, version 0). Else the spare room stays. */
static size_t file_length(const unsigned char *image, size_t size) {
  enum { VERSION = 8, LENGTH = 40, END = 48 };
  uint64_t length = 0;
  if (size < END || image[VERSION] != 0) return size;
  for (int i = 7; i >= 0; i--) length = length << 8 | image[LENGTH + i];
  return length >= END && length <= size ? (size_t)length : size;
}

/* In memory, because the library underneath crashes at the program's end once it could not write to a file. It cannot
 * stand a failing allocation either, so there must be room for the image before it begins. */
static ans_status make_file(ans_context *context, const ans_solution *solution, NC_memio *image) {
  netcdf_file file = {0};
  void *room = memory_take(room_needed(solution));
  if (!room) return context_no_memory(context);
  memory_give(room);
  file.code = nc_create_mem("solution", NC_NETCDF4, 0, &file.id);
  if (file.code == NC_NOERR) {
    write_content(&file, solution);
    int closed = nc_close_memio(file.id, image);
    if (file.code == NC_NOERR) file.code = closed;
  }
  FAIL_IF(file.code != NC_NOERR, context, ANS_FILE, "cannot make a netCDF file: %s", nc_strerror(file.code));
  return ANS_OK;
}

ans_status netcdf_bytes(ans_context *context, const ans_solution *solution, buffer *out) {
  NC_memio image = {0};
  pthread_mutex_lock(&library);
  ans_status status = make_file(context, solution, &image);
  pthread_mutex_unlock(&library);
  if (status == ANS_OK) buffer_bytes(out, image.memory, file_length(image.memory, image.size));
  free(image.memory);
  return status;
}

/* ---- Reading back ------------------------------------------------------------------------------------ */

enum { AXIS_LIMIT = 1 << 20, POINT_LIMIT = 1 << 28, TEXT_LIMIT = 1 << 20 };

static void read_sizes(netcdf_file *file, const ans_problem *problem, int *sizes) {
  size_t points = 1;
  for (int i = 0; i < problem->coordinate_count; i++) {
    int dimension = -1;
    size_t length = 0;
    STEP(file, nc_inq_dimid(file->id, problem->coordinates[solution_coordinate(problem, i)].name, &dimension));
    STEP(file, nc_inq_dimlen(file->id, dimension, &length));
    points = size_product(points, length);
    if (file->code == NC_NOERR && (length < 1 || length > AXIS_LIMIT || points > POINT_LIMIT)) file->code = NC_EDIMSIZE;
    sizes[i] = (int)length;
  }
}

/* A double variable over exactly the first `count` of our dimensions, or over one of them. */
static void read_variable(netcdf_file *file, const char *name, const char *const *dimensions, int count,
                          double *numbers) {
  int variable = -1, dimension_count = 0, ids[NC_MAX_VAR_DIMS], expected = -1;
  nc_type type = NC_NAT;
  STEP(file, nc_inq_varid(file->id, name, &variable));
  STEP(file, nc_inq_var(file->id, variable, NULL, &type, &dimension_count, ids, NULL));
  if (file->code == NC_NOERR && (type != NC_DOUBLE || dimension_count != count)) file->code = NC_EBADTYPE;
  for (int i = 0; i < count; i++) {
    STEP(file, nc_inq_dimid(file->id, dimensions[i], &expected));
    if (file->code == NC_NOERR && ids[i] != expected) file->code = NC_EBADDIM;
  }
  STEP(file, nc_get_var_double(file->id, variable, numbers));
}

static void read_axes(netcdf_file *file, const ans_problem *problem, const int *sizes, double **axes) {
  for (int i = 0; i < problem->coordinate_count; i++) {
    const char *name = problem->coordinates[solution_coordinate(problem, i)].name;
    axes[i] = memory_take(size_product((size_t)sizes[i], sizeof(double)));
    if (!axes[i]) file->code = NC_ENOMEM;
    read_variable(file, name, &name, 1, axes[i]);
  }
}

static void read_settings(netcdf_file *file, char **settings) {
  size_t length = 0;
  STEP(file, nc_inq_attlen(file->id, NC_GLOBAL, "settings", &length));
  if (file->code == NC_NOERR && length > TEXT_LIMIT) file->code = NC_EATTMETA;
  if (file->code != NC_NOERR) return;
  *settings = memory_take(length + 1);
  if (!*settings) file->code = NC_ENOMEM;
  STEP(file, nc_get_att_text(file->id, NC_GLOBAL, "settings", *settings));
}

static ans_status read_fields(ans_context *context, netcdf_file *file, const char *path, ans_solution *solution) {
  for (int f = 0; f < solution->field_count; f++) {
    int variable;
    if (nc_inq_varid(file->id, solution->field_names[f], &variable) == NC_NOERR)
      read_variable(file, solution->field_names[f], solution->coordinate_names, solution->coordinate_count,
                    solution->values[f]);
    else
      for (size_t i = 0; i < solution->point_count; i++) solution->values[f][i] = (double)NAN;
    FAIL_IF(file->code != NC_NOERR, context, ANS_FILE, "cannot read %s: %s: %s", path, solution->field_names[f],
            nc_strerror(file->code));
  }
  return ANS_OK;
}

static ans_status read_content(ans_context *context, netcdf_file *file, const ans_problem *problem, const char *path,
                               ans_solution **result) {
  int sizes[SYSTEM_MAX_COORDINATES] = {0};
  double *axes[SYSTEM_MAX_COORDINATES] = {0};
  char *settings = NULL;
  ans_solution *solution = NULL;
  read_sizes(file, problem, sizes);
  if (file->code == NC_NOERR) read_axes(file, problem, sizes, axes);
  read_settings(file, &settings);
  ans_status status = ANS_OK;
  if (file->code != NC_NOERR)
    status = context_fail(context, ANS_FILE, "cannot read %s: %s", path, nc_strerror(file->code));
  if (status == ANS_OK)
    status = solution_new(context, problem, sizes, (const double *const *)axes, settings, &solution);
  if (status == ANS_OK) status = read_fields(context, file, path, solution);
  for (int i = 0; i < problem->coordinate_count; i++) memory_give(axes[i]);
  memory_give(settings);
  if (status != ANS_OK) {
    solution_free(solution);
    return status;
  }
  *result = solution;
  return ANS_OK;
}

static ans_status read_file(ans_context *context, const ans_problem *problem, const char *path, ans_solution **result) {
  netcdf_file file = {0};
  file.code = nc_open(path, NC_NOWRITE, &file.id);
  FAIL_IF(file.code != NC_NOERR, context, ANS_FILE, "cannot read %s: %s", path, nc_strerror(file.code));
  ans_status status = read_content(context, &file, problem, path, result);
  nc_close(file.id);
  return status;
}

ans_status netcdf_read(ans_context *context, const ans_problem *problem, const char *path, ans_solution **result) {
  *result = NULL;
  pthread_mutex_lock(&library);
  ans_status status = read_file(context, problem, path, result);
  pthread_mutex_unlock(&library);
  return status;
}

/* ---- Many solutions ----------------------------------------------------------------------------------- */

/* The classic format with 64-bit offsets, the rows along its unlimited dimension: a row lies in one piece at the file's
 * end, so that rows can follow each other without any in memory, and the same rows give the same bytes. */
typedef struct netcdf_rows {
  netcdf_file file;
  int axis, axes[ANS_MAX_COORDINATES], fields[ANS_MAX_FIELDS];
  int *columns;
} netcdf_rows;

static void define_row_axes(netcdf_rows *rows, const ans_stack_shape *shape, int *dimensions) {
  netcdf_file *file = &rows->file;
  STEP(file, nc_def_dim(file->id, shape->axis, NC_UNLIMITED, &dimensions[0]));
  STEP(file, nc_def_var(file->id, shape->axis, NC_INT, 1, &dimensions[0], &rows->axis));
  put_text(file, rows->axis, "long_name", "row of the table of targets, from 0");
  for (size_t i = 0; i < shape->axis_count; i++) {
    char long_name[160];
    snprintf(long_name, sizeof long_name, "coordinate %s", shape->axis_names[i]);
    STEP(file, nc_def_dim(file->id, shape->axis_names[i], shape->axis_sizes[i], &dimensions[i + 1]));
    STEP(file, nc_def_var(file->id, shape->axis_names[i], NC_DOUBLE, 1, &dimensions[i + 1], &rows->axes[i]));
    put_text(file, rows->axes[i], "long_name", long_name);
    put_text(file, rows->axes[i], "units", "1");
  }
}

static void define_row_fields(netcdf_rows *rows, const ans_stack_shape *shape, const int *dimensions) {
  netcdf_file *file = &rows->file;
  for (size_t f = 0; f < shape->field_count; f++) {
    char long_name[160];
    snprintf(long_name, sizeof long_name, "field %s", shape->field_names[f]);
    STEP(file, nc_def_var(file->id, shape->field_names[f], NC_DOUBLE, (int)shape->axis_count + 1, dimensions,
                          &rows->fields[f]));
    put_text(file, rows->fields[f], "long_name", long_name);
    put_text(file, rows->fields[f], "units", "1");
  }
}

static void define_column(netcdf_rows *rows, const ans_column *column, int row_dimension, int *variable) {
  static const nc_type types[] = {[ANS_NUMBERS] = NC_DOUBLE, [ANS_INTEGERS] = NC_INT, [ANS_TEXTS] = NC_CHAR};
  netcdf_file *file = &rows->file;
  int dimensions[2] = {row_dimension};
  bool text = column->kind == ANS_TEXTS;
  if (text) {
    char name[160];
    snprintf(name, sizeof name, "%s_bytes", column->name);
    STEP(file, nc_def_dim(file->id, name, column->bytes > 0 ? column->bytes : 1, &dimensions[1]));
  }
  STEP(file, nc_def_var(file->id, column->name, types[column->kind], text ? 2 : 1, dimensions, variable));
  put_text(file, *variable, "long_name", column->meaning);
  if (text) put_text(file, *variable, "_Encoding", "utf-8");
}

static void define_rows(netcdf_rows *rows, const ans_stack_shape *shape) {
  netcdf_file *file = &rows->file;
  int dimensions[ANS_MAX_COORDINATES + 1] = {0}, before;
  STEP(file, nc_set_fill(file->id, NC_NOFILL, &before));
  put_text(file, NC_GLOBAL, "Conventions", "CF-1.8");
  put_text(file, NC_GLOBAL, "title", "ansatz solutions of many targets");
  put_text(file, NC_GLOBAL, "ansatz_version", ans_version());
  put_text(file, NC_GLOBAL, "settings", shape->settings);
  put_text(file, NC_GLOBAL, "problem", shape->problem);
  if (shape->corrected) put_text(file, NC_GLOBAL, "corrected", "by the defect equation");
  define_row_axes(rows, shape, dimensions);
  define_row_fields(rows, shape, dimensions);
  for (size_t c = 0; c < shape->column_count; c++)
    define_column(rows, &shape->columns[c], dimensions[0], &rows->columns[c]);
  STEP(file, nc_enddef(file->id));
  for (size_t i = 0; i < shape->axis_count; i++) STEP(file, nc_put_var_double(file->id, rows->axes[i], shape->axes[i]));
}

/* The sentence of the first failure. */
static ans_status row_status(ans_context *context, const ans_stack *stack, const netcdf_file *file) {
  FAIL_IF(file->code != NC_NOERR, context, ANS_FILE, "cannot write %s: %s", stack->path, nc_strerror(file->code));
  return ANS_OK;
}

static ans_status rows_begin(ans_context *context, ans_stack *stack) {
  netcdf_rows *rows = stack->state = memory_take(sizeof *rows);
  if (!rows) return context_no_memory(context);
  rows->file.id = -1;
  rows->columns = memory_take(size_product(stack->shape.column_count + 1, sizeof *rows->columns));
  if (!rows->columns) return context_no_memory(context);
  pthread_mutex_lock(&library);
  rows->file.code = nc_create(stack->file.temporary, NC_CLOBBER | NC_64BIT_OFFSET, &rows->file.id);
  define_rows(rows, &stack->shape);
  pthread_mutex_unlock(&library);
  return row_status(context, stack, &rows->file);
}

static void put_cell(netcdf_rows *rows, const ans_column *column, int variable, size_t row, const ans_cell *cell) {
  netcdf_file *file = &rows->file;
  size_t room = column->bytes > 0 ? column->bytes : 1, length = column->kind == ANS_TEXTS ? strlen(cell->text) : 0;
  size_t first[2] = {row, 0}, count[2] = {1, room};
  char *padded;
  switch (column->kind) {
  case ANS_NUMBERS: STEP(file, nc_put_var1_double(file->id, variable, first, &cell->number)); break;
  case ANS_INTEGERS: STEP(file, nc_put_var1_double(file->id, variable, first, &cell->number)); break;
  case ANS_TEXTS:
    padded = memory_take(room);
    if (!padded && file->code == NC_NOERR) file->code = NC_ENOMEM;
    if (padded) memcpy(padded, cell->text, length < room ? length : room);
    STEP(file, nc_put_vara_text(file->id, variable, first, count, padded));
    memory_give(padded);
  }
}

static ans_status rows_add(ans_context *context, ans_stack *stack, const ans_cell *cells, const double *const *fields) {
  netcdf_rows *rows = stack->state;
  const ans_stack_shape *shape = &stack->shape;
  size_t first[ANS_MAX_COORDINATES + 1] = {stack->added}, count[ANS_MAX_COORDINATES + 1] = {1};
  int number = (int)stack->added;
  for (size_t i = 0; i < shape->axis_count; i++) count[i + 1] = shape->axis_sizes[i];
  pthread_mutex_lock(&library);
  STEP(&rows->file, nc_put_var1_int(rows->file.id, rows->axis, first, &number));
  for (size_t f = 0; f < shape->field_count; f++)
    STEP(&rows->file, nc_put_vara_double(rows->file.id, rows->fields[f], first, count, fields[f]));
  for (size_t c = 0; c < shape->column_count; c++)
    put_cell(rows, &shape->columns[c], rows->columns[c], stack->added, &cells[c]);
  pthread_mutex_unlock(&library);
  return row_status(context, stack, &rows->file);
}

static void close_rows(netcdf_rows *rows) {
  if (rows->file.id < 0) return;
  pthread_mutex_lock(&library);
  int closed = nc_close(rows->file.id);
  pthread_mutex_unlock(&library);
  if (rows->file.code == NC_NOERR) rows->file.code = closed;
  rows->file.id = -1;
}

static ans_status rows_end(ans_context *context, ans_stack *stack) {
  netcdf_rows *rows = stack->state;
  close_rows(rows);
  return row_status(context, stack, &rows->file);
}

static void rows_drop(ans_stack *stack) {
  netcdf_rows *rows = stack->state;
  close_rows(rows);
  memory_give(rows->columns);
  memory_give(rows);
}

const stack_writer netcdf_stack = {
    .extension = ".nc", .begin = rows_begin, .add = rows_add, .end = rows_end, .drop = rows_drop};
