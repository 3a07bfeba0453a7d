/* SPDX-License-Identifier: Apache-2.0
 *
 * npz_read.c - fields back from an .npz that npz.c or numpy.savez wrote: arrays of doubles, stored as they are.
 *
 * Nothing in the file is believed before it is checked: places against its length, shapes against the members' sizes,
 * the numbers against their checksum.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solution/npz.h"

enum { FILE_LIMIT = 1 << 30, AXIS_LIMIT = 1 << 20, POINT_LIMIT = 1 << 28 };
enum { END_BYTES = 22, ENTRY_BYTES = 46, LOCAL_BYTES = 30, LITERAL = 512 };

typedef struct archive {
  ans_context *context;
  const char *path;
  const unsigned char *bytes;
  size_t size;
  size_t directory, entries; /* its first byte, and how many members it has */
} archive;

/* An array of the archive, where it is. */
typedef struct npz_array {
  const unsigned char *numbers; /* NULL: there is none of this name */
  int dimensions;
  size_t sizes[SOLUTION_MAX_AXES];
} npz_array;

static size_t little(const unsigned char *bytes, int count) {
  size_t value = 0;
  for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
}

/* ---- The archive --------------------------------------------------------------------------------------- */

static ans_status open_archive(archive *a) {
  size_t most = 65535 + END_BYTES, least = a->size > most ? a->size - most : 0;
  for (size_t at = a->size >= END_BYTES ? a->size - END_BYTES + 1 : 0; at-- > least;) {
    if (memcmp(a->bytes + at, "PK\x05\x06", 4) != 0) continue;
    a->entries = little(a->bytes + at + 10, 2);
    a->directory = little(a->bytes + at + 16, 4);
    return ANS_OK;
  }
  FAIL(a->context, ANS_FILE, "%s is not a complete .npz archive", a->path);
}

/* The member behind an entry of the directory: its bytes. */
static ans_status locate(archive *a, const unsigned char *entry, const unsigned char **member, size_t *length) {
  size_t local = little(entry + 42, 4);
  *length = little(entry + 24, 4);
  FAIL_IF(little(entry + 10, 2) != 0, a->context, ANS_UNSUPPORTED,
          "%s is compressed: write it with numpy.savez, not savez_compressed", a->path);
  FAIL_IF(local > a->size || a->size - local < LOCAL_BYTES || memcmp(a->bytes + local, "PK\x03\x04", 4) != 0,
          a->context, ANS_FILE, "%s is damaged: a member is not where its directory says", a->path);
  size_t begin = local + LOCAL_BYTES + little(a->bytes + local + 26, 2) + little(a->bytes + local + 28, 2);
  FAIL_IF(begin > a->size || *length > a->size - begin, a->context, ANS_FILE, "%s is damaged: a member is cut off",
          a->path);
  *member = a->bytes + begin;
  FAIL_IF(npz_crc(0, *member, *length) != little(entry + 16, 4), a->context, ANS_FILE,
          "%s is damaged: a member does not have its checksum", a->path);
  return ANS_OK;
}

/* *member NULL: there is none of this name. */
static ans_status find_member(archive *a, const char *name, const unsigned char **member, size_t *length) {
  size_t at = a->directory, wanted = strlen(name);
  *member = NULL;
  for (size_t i = 0; i < a->entries; i++) {
    FAIL_IF(at > a->size || a->size - at < ENTRY_BYTES || memcmp(a->bytes + at, "PK\x01\x02", 4) != 0, a->context,
            ANS_FILE, "%s is damaged: its directory is", a->path);
    const unsigned char *entry = a->bytes + at;
    size_t named = little(entry + 28, 2), next = ENTRY_BYTES + named + little(entry + 30, 2) + little(entry + 32, 2);
    FAIL_IF(a->size - at < next, a->context, ANS_FILE, "%s is damaged: its directory is", a->path);
    if (named == wanted + 4 && memcmp(entry + ENTRY_BYTES, name, wanted) == 0 &&
        memcmp(entry + ENTRY_BYTES + wanted, ".npy", 4) == 0)
      return locate(a, entry, member, length);
    at += next;
  }
  return ANS_OK;
}

/* ---- Arrays -------------------------------------------------------------------------------------------- */

/* "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }" */
static bool read_literal(const char *literal, npz_array *array) {
  const char *shape = strstr(literal, "'shape': (");
  if (!shape || !strstr(literal, "'descr': '<f8'") || !strstr(literal, "'fortran_order': False")) return false;
  shape += strlen("'shape': (");
  for (array->dimensions = 0; *shape != ')'; array->dimensions++) {
    char *end;
    if (array->dimensions == SOLUTION_MAX_AXES || *shape < '0' || *shape > '9') return false;
    unsigned long long size = strtoull(shape, &end, 10);
    if (size < 1 || size > POINT_LIMIT) return false;
    array->sizes[array->dimensions] = (size_t)size;
    for (shape = end; *shape == ',' || *shape == ' ';) shape++;
  }
  return true;
}

static ans_status find_array(archive *a, const char *name, npz_array *array) {
  const unsigned char *member;
  size_t length, count = 1;
  char literal[LITERAL + 1] = "";
  *array = (npz_array){0};
  TRY(find_member(a, name, &member, &length));
  if (!member) return ANS_OK;
  size_t head = length > 10 ? little(member + 8, 2) : 0;
  if (length > 10 && memcmp(member, "\x93NUMPY\x01", 7) == 0 && head <= LITERAL && head <= length - 10)
    memcpy(literal, member + 10, head);
  FAIL_IF(!read_literal(literal, array), a->context, ANS_FILE, "%s: '%s' is not an array of doubles in C's order",
          a->path, name);
  for (int i = 0; i < array->dimensions; i++) count = size_product(count, array->sizes[i]);
  FAIL_IF(size_product(count, sizeof(double)) != length - 10 - head, a->context, ANS_FILE,
          "%s is damaged: '%s' does not have as many numbers as its shape", a->path, name);
  array->numbers = member + 10 + head;
  return ANS_OK;
}

static void copy_numbers(const unsigned char *bytes, size_t count, double *numbers) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = little(bytes + 8 * i, 8);
    memcpy(&numbers[i], &bits, sizeof bits);
  }
}

/* ---- Solutions ----------------------------------------------------------------------------------------- */

static ans_status read_axes(archive *a, const ans_problem *problem, int *sizes, double **axes) {
  size_t points = 1;
  for (int i = 0; i < problem->coordinate_count; i++) {
    const char *name = problem->coordinates[solution_coordinate(problem, i)].name;
    npz_array array;
    TRY(find_array(a, name, &array));
    FAIL_IF(!array.numbers, a->context, ANS_FILE, "%s has no array '%s' for the coordinate", a->path, name);
    points = size_product(points, array.sizes[0]);
    FAIL_IF(array.dimensions != 1 || array.sizes[0] > AXIS_LIMIT || points > POINT_LIMIT, a->context, ANS_FILE,
            "%s: '%s' is not an axis of a grid of at most %d points", a->path, name, POINT_LIMIT);
    sizes[i] = (int)array.sizes[0];
    axes[i] = memory_take(size_product(array.sizes[0], sizeof(double)));
    if (!axes[i]) return context_no_memory(a->context);
    copy_numbers(array.numbers, array.sizes[0], axes[i]);
  }
  return ANS_OK;
}

static ans_status read_fields(archive *a, ans_solution *solution) {
  for (int f = 0; f < solution->field_count; f++) {
    npz_array array;
    TRY(find_array(a, solution->field_names[f], &array));
    bool fits = array.dimensions == solution->coordinate_count;
    for (int i = 0; fits && i < array.dimensions; i++) fits = array.sizes[i] == (size_t)solution->axis_sizes[i];
    FAIL_IF(array.numbers && !fits, a->context, ANS_FILE, "%s: '%s' is not an array over the coordinates, %s first",
            a->path, solution->field_names[f], solution->coordinate_names[0]);
    if (array.numbers) copy_numbers(array.numbers, solution->point_count, solution->values[f]);
    for (size_t i = 0; !array.numbers && i < solution->point_count; i++) solution->values[f][i] = (double)NAN;
  }
  return ANS_OK;
}

static ans_status read_solution(archive *a, const ans_problem *problem, ans_solution **result) {
  int sizes[SYSTEM_MAX_COORDINATES] = {0};
  double *axes[SYSTEM_MAX_COORDINATES] = {0};
  TRY(open_archive(a));
  ans_status status = read_axes(a, problem, sizes, axes);
  if (status == ANS_OK)
    status = solution_new(a->context, problem, sizes, (const double *const *)axes, "read from .npz", result);
  if (status == ANS_OK) status = read_fields(a, *result);
  for (int i = 0; i < problem->coordinate_count; i++) memory_give(axes[i]);
  return status;
}

ans_status npz_read(ans_context *context, const ans_problem *problem, const char *path, ans_solution **result) {
  archive a = {.context = context, .path = path};
  char *bytes;
  ans_solution *solution = NULL;
  *result = NULL;
  TRY(file_read(context, path, FILE_LIMIT, &bytes, &a.size));
  a.bytes = (const unsigned char *)bytes;
  ans_status status = read_solution(&a, problem, &solution);
  memory_give(bytes);
  if (status == ANS_OK)
    *result = solution;
  else
    solution_free(solution);
  return status;
}
