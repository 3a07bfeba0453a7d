/* SPDX-License-Identifier: Apache-2.0
 *
 * npz.c - one solution as NumPy's .npz (npz_format.c).
 */
#include "solution/npz.h"

#include <stdio.h>
#include <string.h>

enum { MAX_MEMBERS = SOLUTION_MAX_AXES + SYSTEM_MAX_FIELDS + 2 };

typedef struct archive {
  buffer *out;
  int count;
  npz_member members[MAX_MEMBERS];
} archive;

static ans_status add_member(ans_context *context, archive *archive, const char *name, buffer *npy) {
  if (npy->failed) return context_no_memory(context);
  FAIL_IF(npy->length >= UINT32_MAX - archive->out->length - 65536, context, ANS_UNSUPPORTED,
          "the fields are too large for .npz; write .nc");
  npz_member *m = &archive->members[archive->count++];
  snprintf(m->name, sizeof m->name, "%s.npy", name);
  m->offset = (uint32_t)archive->out->length;
  m->size = (uint32_t)npy->length;
  m->crc = npz_crc(0, npy->text, npy->length);
  npz_begin_member(archive->out, m);
  buffer_bytes(archive->out, npy->text, npy->length);
  return ANS_OK;
}

static ans_status add_array(ans_context *context, archive *archive, const char *name, const char *shape,
                            const double *numbers, size_t count) {
  buffer npy = {0};
  npz_header(&npy, "<f8", shape);
  npz_numbers(&npy, numbers, count);
  ans_status status = add_member(context, archive, name, &npy);
  buffer_drop(&npy);
  return status;
}

static ans_status add_text(ans_context *context, archive *archive, const char *name, const char *text) {
  char type[32];
  size_t length = strlen(text);
  snprintf(type, sizeof type, "|S%zu", length > 0 ? length : 1);
  buffer npy = {0};
  npz_header(&npy, type, "");
  buffer_bytes(&npy, text, length > 0 ? length : 1);
  ans_status status = add_member(context, archive, name, &npy);
  buffer_drop(&npy);
  return status;
}

static void shape_text(const ans_solution *solution, char *text, size_t room) {
  size_t used = 0;
  for (int i = 0; i < solution->coordinate_count; i++)
    used += (size_t)snprintf(text + used, room - used, "%d,", solution->axis_sizes[i]);
}

ans_status npz_bytes(ans_context *context, const ans_solution *solution, buffer *out) {
  archive archive = {.out = out};
  char shape[128];
  for (int i = 0; i < solution->coordinate_count; i++) {
    snprintf(shape, sizeof shape, "%d,", solution->axis_sizes[i]);
    TRY(add_array(context, &archive, solution->coordinate_names[i], shape, solution->axes[i],
                  (size_t)solution->axis_sizes[i]));
  }
  shape_text(solution, shape, sizeof shape);
  for (int f = 0; f < solution->field_count; f++)
    TRY(add_array(context, &archive, solution->field_names[f], shape, solution->values[f], solution->point_count));
  TRY(add_text(context, &archive, "ansatz_problem", solution->problem_text));
  TRY(add_text(context, &archive, "ansatz_settings", solution->settings));
  npz_directory(out, archive.members, archive.count, out->length);
  return ANS_OK;
}
