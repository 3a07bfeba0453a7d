/* SPDX-License-Identifier: Apache-2.0
 *
 * npz.c - a solution as NumPy's .npz: a zip archive of uncompressed .npy members.
 *
 * A member is: local header, "\x93NUMPY" 1 0, length of a Python literal that states type and shape, the literal
 * padded so that the numbers start at a multiple of 64, the numbers little-endian. The archive ends with a
 * directory of the members. Sizes stay under the format's 32-bit limits or the file is refused.
 */
#include "solution/files.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MAX_MEMBERS = SOLUTION_MAX_AXES + SYSTEM_MAX_FIELDS + 2, DATE_1980 = 0x21 };

typedef struct member {
  char name[128];
  uint32_t crc, size, offset;
} member;

typedef struct archive {
  buffer *out;
  int count;
  member members[MAX_MEMBERS];
} archive;

static void add_little(buffer *out, uint64_t value, int bytes) {
  assert(bytes > 0 && bytes <= 8);
  unsigned char text[8];
  for (int i = 0; i < bytes; i++) text[i] = (unsigned char)(value >> (8 * i));
  buffer_bytes(out, text, (size_t)bytes);
}

static uint32_t crc_of(const void *bytes, size_t count) {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  const unsigned char *text = bytes;
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < count; i++) crc = table[(crc ^ text[i]) & 255] ^ (crc >> 8);
  return crc ^ 0xFFFFFFFFu;
}

/* The part that local headers and directory entries share. */
static void add_common(buffer *out, const member *m) {
  add_little(out, 20, 2); /* version needed */
  add_little(out, 0, 2);  /* flags */
  add_little(out, 0, 2);  /* stored */
  add_little(out, 0, 2);  /* time */
  add_little(out, DATE_1980, 2);
  add_little(out, m->crc, 4);
  add_little(out, m->size, 4);
  add_little(out, m->size, 4);
  add_little(out, strlen(m->name), 2);
  add_little(out, 0, 2); /* no extra field */
}

/* The .npy prefix, so long that the numbers begin at a multiple of 64 within the member. */
static void add_npy_header(buffer *npy, const char *type, const char *shape) {
  char literal[256];
  int length =
      snprintf(literal, sizeof literal, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
  size_t total = ((size_t)length + 10 + 1 + 63) / 64 * 64;
  assert(length > 0 && (size_t)length < sizeof literal);
  buffer_bytes(npy, "\x93NUMPY\x01\x00", 8);
  add_little(npy, total - 10, 2);
  buffer_add(npy, "%s", literal);
  while (npy->length < total - 1 && !npy->failed) buffer_add(npy, " ");
  buffer_add(npy, "\n");
}

static ans_status add_member(ans_context *context, archive *archive, const char *name, buffer *npy) {
  assert(archive->count < MAX_MEMBERS);
  if (npy->failed) return context_no_memory(context);
  FAIL_IF(npy->length >= UINT32_MAX - archive->out->length - 65536, context, ANS_UNSUPPORTED,
          "the fields are too large for .npz; write .nc");
  member *m = &archive->members[archive->count++];
  snprintf(m->name, sizeof m->name, "%s.npy", name);
  m->offset = (uint32_t)archive->out->length;
  m->size = (uint32_t)npy->length;
  m->crc = crc_of(npy->text, npy->length);
  buffer_bytes(archive->out, "PK\x03\x04", 4);
  add_common(archive->out, m);
  buffer_add(archive->out, "%s", m->name);
  buffer_bytes(archive->out, npy->text, npy->length);
  return ANS_OK;
}

static void add_numbers(buffer *npy, const double *numbers, size_t count) {
  const uint16_t probe = 1;
  unsigned char first;
  memcpy(&first, &probe, 1);
  if (first == 1) { /* this machine stores little-endian, as the file does */
    buffer_bytes(npy, numbers, size_product(count, sizeof *numbers));
    return;
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    add_little(npy, bits, 8);
  }
}

static ans_status add_array(ans_context *context, archive *archive, const char *name, const char *shape,
                            const double *numbers, size_t count) {
  buffer npy = {0};
  add_npy_header(&npy, "<f8", shape);
  add_numbers(&npy, numbers, count);
  ans_status status = add_member(context, archive, name, &npy);
  buffer_drop(&npy);
  return status;
}

static ans_status add_text(ans_context *context, archive *archive, const char *name, const char *text) {
  char type[32];
  size_t length = strlen(text);
  snprintf(type, sizeof type, "|S%zu", length > 0 ? length : 1);
  buffer npy = {0};
  add_npy_header(&npy, type, "");
  buffer_bytes(&npy, text, length > 0 ? length : 1);
  ans_status status = add_member(context, archive, name, &npy);
  buffer_drop(&npy);
  return status;
}

static void add_directory(archive *archive) {
  buffer *out = archive->out;
  size_t start = out->length;
  for (int i = 0; i < archive->count; i++) {
    const member *m = &archive->members[i];
    buffer_bytes(out, "PK\x01\x02", 4);
    add_little(out, 20, 2); /* version made by */
    add_common(out, m);
    add_little(out, 0, 2); /* comment */
    add_little(out, 0, 2); /* disk */
    add_little(out, 0, 2); /* internal attributes */
    add_little(out, 0, 4); /* external attributes */
    add_little(out, m->offset, 4);
    buffer_add(out, "%s", m->name);
  }
  size_t size = out->length - start;
  buffer_bytes(out, "PK\x05\x06", 4);
  add_little(out, 0, 4); /* disks */
  add_little(out, (uint64_t)archive->count, 2);
  add_little(out, (uint64_t)archive->count, 2);
  add_little(out, size, 4);
  add_little(out, start, 4);
  add_little(out, 0, 2); /* comment */
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
  add_directory(&archive);
  return ANS_OK;
}
