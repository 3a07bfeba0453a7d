/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <unistd.h>

#include "base/base.h"
#include "fuzz/mend.h"
#include "training/safetensors.h"

static const double NUMBERS[6] = {1, -2.5, 0.1, 1e-30, 0, 65536};

/* A file of two arrays, as bytes. */
static char *sample(ans_context *context, size_t *size) {
  char path[] = "/tmp/ansatz-safetensors-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  const tensor_note notes[] = {{"format", "test"}, {"text", "a \"quoted\"\\\nline\t1"}};
  const tensor tensors[] = {
      {.name = "wide", .type = TENSOR_F64, .rank = 2, .shape = {2, 3}, .count = 6, .values = NUMBERS},
      {.name = "narrow", .type = TENSOR_F32, .rank = 1, .shape = {4}, .count = 4, .values = NUMBERS}};
  assert_ok(context, safetensors_write(context, path, notes, 2, tensors, 2));
  char *bytes;
  assert_ok(context, file_read(context, path, 10000, &bytes, size));
  unlink(path);
  return bytes;
}

static void what_is_written_is_read_back(void **state) {
  (void)state;
  ans_context *context = new_context();
  size_t size;
  char *bytes = sample(context, &size);
  safetensors *file;
  assert_ok(context, safetensors_parse(context, "sample", bytes, size, &file));
  assert_string_equal(safetensors_note(file, "text"), "a \"quoted\"\\\nline\t1");
  assert_null(safetensors_note(file, "nothing"));
  const tensor *wide = safetensors_find(file, "wide"), *narrow = safetensors_find(file, "narrow");
  assert_non_null(wide);
  assert_int_equal(wide->rank, 2);
  assert_int_equal(wide->shape[1], 3);
  assert_int_equal((wide->bytes - file->file) % 64, 0);
  double values[6];
  tensor_values(wide, values);
  for (int i = 0; i < 6; i++) assert_true(values[i] == NUMBERS[i]);
  tensor_values(narrow, values);
  for (int i = 0; i < 4; i++) assert_true(values[i] == (double)(float)NUMBERS[i]);
  safetensors_free(file);
  memory_give(bytes);
  ans_context_free(context);
}

static void every_truncation_is_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  size_t size;
  char *bytes = sample(context, &size);
  for (size_t cut = 0; cut < size; cut++) {
    safetensors *file;
    assert_int_equal(safetensors_parse(context, "cut", bytes, cut, &file), ANS_MODEL);
    assert_null(file);
  }
  memory_give(bytes);
  ans_context_free(context);
}

static void every_bit_flip_is_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  size_t size;
  char *bytes = sample(context, &size);
  for (size_t bit = 0; bit < 8 * size; bit++) {
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    safetensors *file;
    if (safetensors_parse(context, "flipped", bytes, size, &file) != ANS_MODEL)
      fail_msg("bit %zu was not noticed", bit);
    assert_null(file);
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
  }
  memory_give(bytes);
  ans_context_free(context);
}

#define CHECKSUM "\"__metadata__\":{\"checksum\":\"0000000000000000\"}"
#define ARRAY    "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}"

/* A file of this header and a 1 in float, with the right checksum where the header has zeros for it. */
static size_t file_of(const char *header, char bytes[1024]) {
  const float one = 1;
  size_t length = strlen(header);
  assert_true(8 + length + sizeof one < 1024);
  memset(bytes, 0, 1024);
  bytes[0] = (char)(length & 255);
  bytes[1] = (char)(length >> 8);
  memcpy(bytes + 8, header, length);
  memcpy(bytes + 8 + length, &one, sizeof one);
  if (strstr(header, "\"0000000000000000\"")) mend(bytes, 8 + length + sizeof one);
  return 8 + length + sizeof one;
}

static void a_sound_header_is_accepted(void **state) {
  (void)state;
  ans_context *context = new_context();
  const char *headers[] = {"{" CHECKSUM "," ARRAY "}", "{" ARRAY "," CHECKSUM "}  ",
                           "{" CHECKSUM ",\"none\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]}," ARRAY
                           "}"};
  for (int i = 0; i < 3; i++) {
    char bytes[1024];
    safetensors *file;
    assert_ok(context, safetensors_parse(context, "sound", bytes, file_of(headers[i], bytes), &file));
    double value;
    assert_non_null(safetensors_find(file, "a"));
    tensor_values(safetensors_find(file, "a"), &value);
    assert_true(value == 1);
    safetensors_free(file);
  }
  ans_context_free(context);
}

/* A header that states a lie is refused by the check that is meant, before anything of the stated size is allocated. */
static void hostile_headers_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *header, *sentence;
  } cases[] = {
      {"{}", "a string was expected"},
      {"{" CHECKSUM "}", "0 bytes of numbers were expected and 4 are there"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}",
       "8 bytes of numbers were expected"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}",
       "an array whose shape and offsets disagree"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387905],\"data_offsets\":[0,4]}}",
       "a number that is too large"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}",
       "an array whose shape and offsets disagree"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}",
       "an array whose shape and offsets disagree"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[9007199254740993],\"data_offsets\":[0,4]}}",
       "a number that is too large"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", "a whole number was expected"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[01],\"data_offsets\":[0,4]}}",
       "a number with a leading zero"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}",
       "a number type other than F32 and F64"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,4]}}",
       "an unknown or repeated attribute"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "an array without dtype, shape or data_offsets"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4]}}", "data_offsets needs two numbers"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
       "arrays that overlap or leave a gap"},
      {"{" CHECKSUM "," ARRAY ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
       "arrays that overlap or leave a gap"},
      {"{" CHECKSUM "," ARRAY ",\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]}}", "a repeated name"},
      {"{" CHECKSUM ",\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
       "a list that is too long"},
      {"{" CHECKSUM "," CHECKSUM "," ARRAY "}", "repeated metadata"},
      {"{\"__metadata__\":{\"checksum\":\"0000000000000000\",\"checksum\":\"0000000000000000\"}," ARRAY "}",
       "a repeated name"},
      {"{\"__metadata__\":{\"checksum\":\"0000000000000000\",\"b\":\"\\u00e9\"}," ARRAY "}",
       "a character that is not ASCII"},
      {"{\"__metadata__\":{\"checksum\":\"0000000000000000\",\"b\":\"\\q\"}," ARRAY "}", "an unknown escape"},
      {"{\"__metadata__\":{\"checksum\":\"0000000000000000\",\"b\":\"\t\"}," ARRAY "}",
       "a character that is not printable ASCII"},
      {"{\"__metadata__\":{\"checksum\":\"short\"}," ARRAY "}", "it has no checksum"},
      {"{" ARRAY "}", "it has no checksum"},
      {"{" CHECKSUM ",\"a\":[[[[[[[[[[]]]]]]]]]]}", "'{' was expected"},
      {"{" CHECKSUM "," ARRAY ",}", "a string was expected"},
      {"{" CHECKSUM "," ARRAY "}}", "text after the header"},
      {"{" CHECKSUM "," ARRAY, "'}' was expected"},
      {"{" CHECKSUM ",\"a", "a string without an end"},
  };
  ans_context *context = new_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char bytes[1024];
    safetensors *file;
    size_t size = file_of(cases[i].header, bytes);
    assert_int_equal(safetensors_parse(context, "hostile", bytes, size, &file), ANS_MODEL);
    assert_null(file);
    const char *message = ans_context_diagnostic(context)->message;
    if (!strstr(message, cases[i].sentence))
      fail_msg("%s: '%s', not '%s'", cases[i].header, message, cases[i].sentence);
  }
  ans_context_free(context);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  const float bad[2] = {NAN, INFINITY};
  for (int i = 0; i < 2; i++) {
    char bytes[1024];
    safetensors *file;
    size_t size = file_of("{" CHECKSUM "," ARRAY "}", bytes);
    memcpy(bytes + size - sizeof bad[i], &bad[i], sizeof bad[i]);
    mend(bytes, size);
    assert_int_equal(safetensors_parse(context, "infinite", bytes, size, &file), ANS_MODEL);
    assert_non_null(strstr(ans_context_diagnostic(context)->message, "number 0 of a is not finite"));
    assert_null(file);
  }
  ans_context_free(context);
}

static void a_number_that_is_not_finite_is_never_saved(void **state) {
  (void)state;
  ans_context *context = new_context();
  const double bad[3][1] = {{(double)NAN}, {(double)INFINITY}, {1e300}};
  for (int i = 0; i < 3; i++) {
    const tensor tensor = {.name = "a", .type = TENSOR_F32, .rank = 1, .shape = {1}, .count = 1, .values = bad[i]};
    assert_int_equal(safetensors_write(context, "/tmp/ansatz-never-there", NULL, 0, &tensor, 1), ANS_DIVERGED);
    assert_int_equal(access("/tmp/ansatz-never-there", F_OK), -1);
  }
  ans_context_free(context);
}

static void failing_memory_leaves_nothing(void **state) {
  (void)state;
  ans_context *context = new_context();
  size_t size;
  char *bytes = sample(context, &size);
  ans_status status = ANS_MEMORY;
  for (long n = 1; status == ANS_MEMORY; n++) {
    safetensors *file;
    memory_fail_after(n, false);
    status = safetensors_parse(context, "sample", bytes, size, &file);
    memory_fail_after(0, false);
    assert_true((status == ANS_OK) == (file != NULL));
    safetensors_free(file);
    assert_true(n < 50);
  }
  assert_int_equal(status, ANS_OK);
  memory_give(bytes);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(every_bit_flip_is_refused),
      cmocka_unit_test(a_sound_header_is_accepted),
      cmocka_unit_test(hostile_headers_are_refused),
      cmocka_unit_test(numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(a_number_that_is_not_finite_is_never_saved),
      cmocka_unit_test(failing_memory_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
