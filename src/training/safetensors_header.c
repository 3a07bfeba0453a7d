/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader for exactly the JSON a safetensors header is made of: an object of objects, strings, and short lists
 * of whole numbers. Its depth is fixed by the format, so nothing here recurses.
 */
#include "training/safetensors_header.h"

#include <string.h>

enum { MAX_NOTES = 64 };

typedef struct reader {
  ans_context *context;
  arena *arena;
  const char *name, *text;
  size_t length, at;
} reader;

static const struct {
  const char *name;
  size_t bytes;
} TYPES[] = {[TENSOR_F32] = {"F32", 4}, [TENSOR_F64] = {"F64", 8}};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

size_t tensor_type_bytes(tensor_type type) { return TYPES[type].bytes; }

/* ---- Reading ----------------------------------------------------------------------------------------- */

static ans_status refuse(reader *r, const char *what) {
  return context_fail(r->context, ANS_MODEL, "%s is no model file: %s at byte %zu", r->name, what, 8 + r->at);
}

static void skip_space(reader *r) {
  while (r->at < r->length && strchr(" \t\r\n", r->text[r->at]) && r->text[r->at]) r->at++;
}

static bool accept(reader *r, char wanted) {
  skip_space(r);
  if (r->at >= r->length || r->text[r->at] != wanted) return false;
  r->at++;
  return true;
}

static ans_status expect(reader *r, char wanted, const char *what) {
  return accept(r, wanted) ? ANS_OK : refuse(r, what);
}

static int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* What follows a backslash. Only ASCII is spelled, so \u has two zeros in front. */
static ans_status read_escape(reader *r, char *result) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  if (r->at >= r->length) return refuse(r, "the text ends inside a string");
  char c = r->text[r->at++];
  const char *letter = c ? strchr(letters, c) : NULL;
  if (letter) {
    *result = meanings[letter - letters];
    return ANS_OK;
  }
  if (c != 'u' || r->length - r->at < 4) return refuse(r, "an unknown escape");
  int value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hexadecimal(r->text[r->at++]);
    if (digit < 0) return refuse(r, "an unknown escape");
    value = value * 16 + digit;
  }
  if (value == 0 || value > 126) return refuse(r, "a character that is not ASCII");
  *result = (char)value;
  return ANS_OK;
}

static ans_status read_string(reader *r, const char **result) {
  TRY(expect(r, '"', "a string was expected"));
  const char *close = r->text + r->at;
  size_t left = r->length - r->at, room = 0;
  for (; room < left && close[room] != '"'; room++)
    if (close[room] == '\\') room++;
  if (room >= left) return refuse(r, "a string without an end");
  char *copy = arena_take(r->arena, room + 1), *out = copy;
  if (!copy) return context_no_memory(r->context);
  while (r->text[r->at] != '"') {
    char c = r->text[r->at++];
    if (c < 32 || c > 126) return refuse(r, "a character that is not printable ASCII");
    if (c == '\\') TRY(read_escape(r, &c));
    *out++ = c;
  }
  r->at++;
  *result = copy;
  return ANS_OK;
}

/* A whole number below 2^53, without sign, fraction or leading zeros. */
static ans_status read_size(reader *r, size_t *result) {
  skip_space(r);
  uint64_t value = 0;
  size_t start = r->at;
  for (; r->at < r->length && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++) {
    value = value * 10 + (uint64_t)(r->text[r->at] - '0');
    if (value > (uint64_t)1 << 53) return refuse(r, "a number that is too large");
  }
  if (r->at == start) return refuse(r, "a whole number was expected");
  if (r->text[start] == '0' && r->at - start > 1) return refuse(r, "a number with a leading zero");
  *result = (size_t)value;
  return ANS_OK;
}

static ans_status read_sizes(reader *r, size_t *sizes, int limit, int *count) {
  *count = 0;
  TRY(expect(r, '[', "'[' was expected"));
  if (accept(r, ']')) return ANS_OK;
  do {
    if (*count == limit) return refuse(r, "a list that is too long");
    TRY(read_size(r, &sizes[(*count)++]));
  } while (accept(r, ','));
  return expect(r, ']', "']' was expected");
}

static ans_status read_type(reader *r, tensor_type *type) {
  const char *name;
  TRY(read_string(r, &name));
  for (int i = 0; i < TYPE_COUNT; i++)
    if (strcmp(name, TYPES[i].name) == 0) {
      *type = (tensor_type)i;
      return ANS_OK;
    }
  return refuse(r, "a number type other than F32 and F64");
}

static ans_status read_attribute(reader *r, tensor *tensor, unsigned *seen) {
  const char *key = "";
  TRY(read_string(r, &key));
  TRY(expect(r, ':', "':' was expected"));
  unsigned bit = strcmp(key, "dtype") == 0          ? 1
                 : strcmp(key, "shape") == 0        ? 2
                 : strcmp(key, "data_offsets") == 0 ? 4
                                                    : 0;
  if (bit == 0 || (*seen & bit)) return refuse(r, "an unknown or repeated attribute");
  *seen |= bit;
  if (bit == 1) return read_type(r, &tensor->type);
  if (bit == 2) return read_sizes(r, tensor->shape, SAFETENSORS_MAX_RANK, &tensor->rank);
  size_t offsets[2];
  int count;
  TRY(read_sizes(r, offsets, 2, &count));
  if (count != 2) return refuse(r, "data_offsets needs two numbers");
  tensor->begin = offsets[0];
  tensor->end = offsets[1];
  return ANS_OK;
}

static ans_status read_tensor(reader *r, tensor *tensor) {
  unsigned seen = 0;
  TRY(expect(r, '{', "'{' was expected"));
  do TRY(read_attribute(r, tensor, &seen));
  while (accept(r, ','));
  TRY(expect(r, '}', "'}' was expected"));
  if (seen != 7) return refuse(r, "an array without dtype, shape or data_offsets");
  tensor->count = 1;
  for (int i = 0; i < tensor->rank; i++) tensor->count = size_product(tensor->count, tensor->shape[i]);
  size_t bytes = size_product(tensor->count, TYPES[tensor->type].bytes);
  if (bytes == SIZE_MAX || tensor->end < tensor->begin || tensor->end - tensor->begin != bytes)
    return refuse(r, "an array whose shape and offsets disagree");
  return ANS_OK;
}

static ans_status read_notes(reader *r, header *result) {
  if (result->note_count > 0) return refuse(r, "repeated metadata");
  TRY(expect(r, '{', "'{' was expected"));
  if (accept(r, '}')) return ANS_OK;
  do {
    if (result->note_count == MAX_NOTES) return refuse(r, "too much metadata");
    tensor_note *note = &result->notes[result->note_count];
    TRY(read_string(r, &note->key));
    for (int i = 0; i < result->note_count; i++)
      if (strcmp(result->notes[i].key, note->key) == 0) return refuse(r, "a repeated name");
    TRY(expect(r, ':', "':' was expected"));
    skip_space(r);
    size_t value_at = r->at + 1;
    TRY(read_string(r, &note->text));
    if (strcmp(note->key, "checksum") == 0 && r->at - value_at == CHECKSUM_DIGITS + 1) result->checksum_at = value_at;
    result->note_count++;
  } while (accept(r, ','));
  return expect(r, '}', "'}' was expected");
}

static ans_status read_entry(reader *r, header *result) {
  const char *name = "";
  TRY(read_string(r, &name));
  TRY(expect(r, ':', "':' was expected"));
  if (strcmp(name, "__metadata__") == 0) return read_notes(r, result);
  if (result->tensor_count == SAFETENSORS_MAX_TENSORS) return refuse(r, "too many arrays");
  for (int i = 0; i < result->tensor_count; i++)
    if (strcmp(result->tensors[i].name, name) == 0) return refuse(r, "a repeated name");
  tensor *tensor = &result->tensors[result->tensor_count];
  tensor->name = name;
  TRY(read_tensor(r, tensor));
  size_t expected = result->tensor_count ? result->tensors[result->tensor_count - 1].end : 0;
  if (tensor->begin != expected) return refuse(r, "arrays that overlap or leave a gap");
  result->tensor_count++;
  return ANS_OK;
}

ans_status header_read(ans_context *context, arena *arena, const char *name, const char *text, size_t length,
                       header *result) {
  reader r = {context, arena, name, text, length, 0};
  *result = (header){.notes = arena_array(arena, tensor_note, MAX_NOTES),
                     .tensors = arena_array(arena, tensor, SAFETENSORS_MAX_TENSORS)};
  if (!result->notes || !result->tensors) return context_no_memory(context);
  if (length == 0 || text[0] != '{') return refuse(&r, "'{' was expected");
  r.at = 1;
  do TRY(read_entry(&r, result));
  while (accept(&r, ','));
  TRY(expect(&r, '}', "'}' was expected"));
  skip_space(&r);
  return r.at == length ? ANS_OK : refuse(&r, "text after the header");
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

static ans_status print_string(ans_context *context, buffer *out, const char *text) {
  buffer_add(out, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    FAIL_IF(c > 126, context, ANS_ARGUMENT, "a model file holds ASCII only, and byte %u is not", c);
    if (c == '\n')
      buffer_add(out, "\\n");
    else if (c < 32)
      buffer_add(out, "\\u%04x", c);
    else
      buffer_add(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
  }
  buffer_add(out, "\"");
  return ANS_OK;
}

static ans_status print_tensor(ans_context *context, buffer *out, const tensor *tensor, size_t begin, size_t end) {
  buffer_add(out, ",");
  TRY(print_string(context, out, tensor->name));
  buffer_add(out, ":{\"dtype\":\"%s\",\"shape\":[", TYPES[tensor->type].name);
  for (int i = 0; i < tensor->rank; i++) buffer_add(out, "%s%zu", i ? "," : "", tensor->shape[i]);
  buffer_add(out, "],\"data_offsets\":[%zu,%zu]}", begin, end);
  return ANS_OK;
}

ans_status header_print(ans_context *context, const tensor_note *notes, int note_count, const tensor *tensors,
                        int tensor_count, buffer *out, size_t *checksum_at) {
  buffer_add(out, "{\"__metadata__\":{\"checksum\":\"");
  *checksum_at = out->length;
  buffer_add(out, "%0*d\"", CHECKSUM_DIGITS, 0);
  for (int i = 0; i < note_count; i++) {
    buffer_add(out, ",");
    TRY(print_string(context, out, notes[i].key));
    buffer_add(out, ":");
    TRY(print_string(context, out, notes[i].text));
  }
  buffer_add(out, "}");
  size_t begin = 0;
  for (int i = 0; i < tensor_count; i++) {
    size_t end = begin + tensors[i].count * TYPES[tensors[i].type].bytes;
    TRY(print_tensor(context, out, &tensors[i], begin, end));
    begin = end;
  }
  buffer_add(out, "}");
  while (!out->failed && (8 + out->length) % 64 != 0) buffer_add(out, " ");
  return out->failed ? context_no_memory(context) : ANS_OK;
}
