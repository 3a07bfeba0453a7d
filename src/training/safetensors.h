/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors.h - named arrays in one file, in a strict subset of the safetensors format.
 *
 *   offset  size  meaning
 *   0       8     N, little-endian: bytes of the header
 *   8       N     JSON: {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets"}, ...}, padded with
 *                 spaces so that the data starts at a multiple of 64
 *   8+N     ...   the arrays, little-endian, one after the other
 *
 * Any reader of the format opens what is written here. Reading is strict: every size is checked before it is
 * used, offsets are sorted and without gaps and end at the end of the file, names are ASCII and unique, numbers
 * are finite, and the metadata's "checksum" (FNV-1a, 64 bits, over the whole file with its own digits taken as
 * zeros) agrees, so that a file with any bit changed is refused and not misread. Numbers cross as double, which
 * holds both stored types exactly.
 */
#ifndef TRAINING_SAFETENSORS_H
#define TRAINING_SAFETENSORS_H

#include "base/base.h"

/* A header has room for the longest problem, whose text is at most 1 MiB (2 MiB as a JSON string), and for all tensors.
 */
enum { SAFETENSORS_MAX_RANK = 8, SAFETENSORS_MAX_TENSORS = 1024, SAFETENSORS_MAX_HEADER = 1 << 22 };
#define SAFETENSORS_MAX_FILE ((size_t)1 << 30)

typedef enum tensor_type { TENSOR_F32, TENSOR_F64 } tensor_type;

typedef struct tensor {
  const char *name;
  tensor_type type;
  int rank;
  size_t shape[SAFETENSORS_MAX_RANK];
  size_t count;         /* product of the shape */
  size_t begin, end;    /* bytes within the data */
  const char *bytes;    /* reading: the stored numbers, perhaps unaligned */
  const double *values; /* writing: the numbers to store */
} tensor;

typedef struct tensor_note {
  const char *key, *text;
} tensor_note;

typedef struct safetensors {
  arena *arena;
  char *file; /* the whole file */
  int note_count, tensor_count;
  const tensor_note *notes;
  const tensor *tensors;
} safetensors;

/* Everything wrong with the content is ANS_MODEL with the place in bytes. */
ans_status safetensors_read(ans_context *context, const char *path, safetensors **result);
/* The same from memory; `name` stands in messages. */
ans_status safetensors_parse(ans_context *context, const char *name, const char *bytes, size_t size,
                             safetensors **result);
void safetensors_free(safetensors *file);

const char *safetensors_note(const safetensors *file, const char *key);    /* NULL: none */
const tensor *safetensors_find(const safetensors *file, const char *name); /* NULL: none */
void tensor_values(const tensor *tensor, double *values);                  /* [count] */

/* Notes and tensors (name, type, rank, shape, values) in the order given; the checksum is added. A number that
 * is not finite is ANS_DIVERGED and nothing is written. */
ans_status safetensors_write(ans_context *context, const char *path, const tensor_note *notes, int note_count,
                             const tensor *tensors, int tensor_count);

#endif
