/* SPDX-License-Identifier: Apache-2.0 */
#include "training/safetensors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "training/safetensors_header.h"

/* ---- Bytes ------------------------------------------------------------------------------------------- */

static uint64_t load_little(const char *bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | (unsigned char)bytes[i];
  return value;
}

static void store_little(char *bytes, size_t count, uint64_t value) {
  for (size_t i = 0; i < count; i++, value >>= 8) bytes[i] = (char)(value & 255);
}

static double load_number(const char *bytes, tensor_type type) {
  uint64_t bits = load_little(bytes, tensor_type_bytes(type));
  if (type == TENSOR_F64) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
  }
  uint32_t half = (uint32_t)bits;
  float number;
  memcpy(&number, &half, sizeof number);
  return (double)number;
}

static void store_number(char *bytes, tensor_type type, double number) {
  uint64_t bits = 0;
  if (type == TENSOR_F64) {
    memcpy(&bits, &number, sizeof number);
  } else {
    float narrow = (float)number;
    uint32_t half;
    memcpy(&half, &narrow, sizeof half);
    bits = half;
  }
  store_little(bytes, tensor_type_bytes(type), bits);
}

/* FNV-1a. Each byte enters by a bijection of the state, so one changed byte always changes the result. */
static uint64_t fnv(uint64_t state, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) state = (state ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return state;
}

/* Of the whole file, its own digits taken as zeros. */
static uint64_t checksum(const char *file, size_t size, size_t digits_at) {
  uint64_t state = fnv(UINT64_C(0xcbf29ce484222325), file, digits_at);
  state = fnv(state, "0000000000000000", CHECKSUM_DIGITS);
  size_t rest = digits_at + CHECKSUM_DIGITS;
  return fnv(state, file + rest, size - rest);
}

/* ---- Reading ----------------------------------------------------------------------------------------- */

static ans_status check_sum(ans_context *context, const char *name, const safetensors *file, size_t size,
                            size_t digits_at) {
  FAIL_IF(digits_at == 0, context, ANS_MODEL, "%s is no model file: it has no checksum", name);
  char expected[CHECKSUM_DIGITS + 1];
  snprintf(expected, sizeof expected, "%016" PRIx64, checksum(file->file, size, digits_at));
  FAIL_IF(memcmp(expected, file->file + digits_at, CHECKSUM_DIGITS) != 0, context, ANS_MODEL,
          "%s is damaged: its checksum is %.16s and should be %s", name, file->file + digits_at, expected);
  return ANS_OK;
}

static ans_status check_finite(ans_context *context, const char *name, const safetensors *file) {
  for (int i = 0; i < file->tensor_count; i++) {
    const tensor *tensor = &file->tensors[i];
    size_t bytes = tensor_type_bytes(tensor->type);
    for (size_t k = 0; k < tensor->count; k++)
      FAIL_IF(!isfinite(load_number(tensor->bytes + k * bytes, tensor->type)), context, ANS_MODEL,
              "%s is no model file: number %zu of %s is not finite", name, k, tensor->name);
  }
  return ANS_OK;
}

static ans_status read_file(ans_context *context, const char *name, safetensors *file, size_t size) {
  FAIL_IF(size < 10, context, ANS_MODEL, "%s is no model file: it has only %zu bytes", name, size);
  uint64_t length = load_little(file->file, 8);
  FAIL_IF(length < 2 || length > SAFETENSORS_MAX_HEADER || length > size - 8, context, ANS_MODEL,
          "%s is no model file: its header would have %" PRIu64 " bytes", name, length);
  header header;
  TRY(header_read(context, file->arena, name, file->file + 8, (size_t)length, &header));
  size_t data = size - 8 - (size_t)length, used = header.tensor_count ? header.tensors[header.tensor_count - 1].end : 0;
  FAIL_IF(used != data, context, ANS_MODEL, "%s is damaged: %zu bytes of numbers were expected and %zu are there", name,
          used, data);
  for (int i = 0; i < header.tensor_count; i++)
    header.tensors[i].bytes = file->file + 8 + length + header.tensors[i].begin;
  file->note_count = header.note_count;
  file->notes = header.notes;
  file->tensor_count = header.tensor_count;
  file->tensors = header.tensors;
  TRY(check_sum(context, name, file, size, header.checksum_at ? 8 + header.checksum_at : 0));
  return check_finite(context, name, file);
}

/* Takes over `bytes`, also on failure. */
static ans_status parse_owned(ans_context *context, const char *name, char *bytes, size_t size, safetensors **result) {
  *result = NULL;
  safetensors *file = memory_take(sizeof *file);
  if (!file) {
    memory_give(bytes);
    return context_no_memory(context);
  }
  file->file = bytes;
  ans_status status = arena_new(context, &file->arena);
  if (status == ANS_OK) status = read_file(context, name, file, size);
  if (status == ANS_OK)
    *result = file;
  else
    safetensors_free(file);
  return status;
}

ans_status safetensors_read(ans_context *context, const char *path, safetensors **result) {
  *result = NULL;
  char *bytes;
  size_t size;
  TRY(file_read(context, path, SAFETENSORS_MAX_FILE, &bytes, &size));
  return parse_owned(context, path, bytes, size, result);
}

ans_status safetensors_parse(ans_context *context, const char *name, const char *bytes, size_t size,
                             safetensors **result) {
  *result = NULL;
  char *copy = memory_take(size + 1);
  if (!copy) return context_no_memory(context);
  if (size > 0) memcpy(copy, bytes, size);
  return parse_owned(context, name, copy, size, result);
}

void safetensors_free(safetensors *file) {
  if (!file) return;
  arena_free(file->arena);
  memory_give(file->file);
  memory_give(file);
}

const char *safetensors_note(const safetensors *file, const char *key) {
  for (int i = 0; i < file->note_count; i++)
    if (strcmp(file->notes[i].key, key) == 0) return file->notes[i].text;
  return NULL;
}

const tensor *safetensors_find(const safetensors *file, const char *name) {
  for (int i = 0; i < file->tensor_count; i++)
    if (strcmp(file->tensors[i].name, name) == 0) return &file->tensors[i];
  return NULL;
}

void tensor_values(const tensor *tensor, double *values) {
  size_t bytes = tensor_type_bytes(tensor->type);
  for (size_t i = 0; i < tensor->count; i++) values[i] = load_number(tensor->bytes + i * bytes, tensor->type);
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

static ans_status store_tensors(ans_context *context, const tensor *tensors, int tensor_count, char *data) {
  for (int i = 0; i < tensor_count; i++) {
    const tensor *tensor = &tensors[i];
    size_t bytes = tensor_type_bytes(tensor->type);
    for (size_t k = 0; k < tensor->count; k++, data += bytes) {
      store_number(data, tensor->type, tensor->values[k]);
      FAIL_IF(!isfinite(load_number(data, tensor->type)), context, ANS_DIVERGED,
              "number %zu of %s is not finite; nothing was saved", k, tensor->name);
    }
  }
  return ANS_OK;
}

static ans_status write_file(ans_context *context, const char *path, const buffer *head, size_t checksum_at,
                             const tensor *tensors, int tensor_count, char *file, size_t size) {
  store_little(file, 8, head->length);
  memcpy(file + 8, head->text, head->length);
  TRY(store_tensors(context, tensors, tensor_count, file + 8 + head->length));
  char digits[CHECKSUM_DIGITS + 1];
  snprintf(digits, sizeof digits, "%016" PRIx64, checksum(file, size, 8 + checksum_at));
  memcpy(file + 8 + checksum_at, digits, CHECKSUM_DIGITS);
  return file_write(context, path, file, size);
}

/* What no reader would take is not written. */
static ans_status check_sizes(ans_context *context, const char *path, size_t header, size_t size) {
  FAIL_IF(header > SAFETENSORS_MAX_HEADER, context, ANS_UNSUPPORTED,
          "%s would have a header of %zu bytes, and at most %d are read: the problem's text is too long", path, header,
          SAFETENSORS_MAX_HEADER);
  FAIL_IF(size > SAFETENSORS_MAX_FILE, context, ANS_UNSUPPORTED,
          "%s would have %zu bytes, and at most %zu are read: the network is too large", path, size,
          SAFETENSORS_MAX_FILE);
  return ANS_OK;
}

ans_status safetensors_write(ans_context *context, const char *path, const tensor_note *notes, int note_count,
                             const tensor *tensors, int tensor_count) {
  buffer head = {0};
  size_t checksum_at;
  ans_status status = header_print(context, notes, note_count, tensors, tensor_count, &head, &checksum_at);
  if (status == ANS_OK) {
    size_t size = 8 + head.length;
    for (int i = 0; i < tensor_count; i++) size += tensors[i].count * tensor_type_bytes(tensors[i].type);
    status = check_sizes(context, path, head.length, size);
    char *file = status == ANS_OK ? memory_take(size) : NULL;
    if (status == ANS_OK)
      status = file ? write_file(context, path, &head, checksum_at, tensors, tensor_count, file, size)
                    : context_no_memory(context);
    memory_give(file);
  }
  buffer_drop(&head);
  return status;
}
