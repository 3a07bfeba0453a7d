/* SPDX-License-Identifier: Apache-2.0
 *
 * Model files: what is written is read back, and what was damaged is refused.
 */
#define _GNU_SOURCE
#include "small.h"

#include "fuzz/mend.h"

static void a_model_survives_its_file(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_model *model = small_model(context, problem), *read;
  char path[64];
  temporary_path(path, sizeof path, "model");
  assert_ok(context, model_write(context, model, path));
  assert_ok(context, model_read(context, path, &read));
  ans_model_info info = model_info(read);
  assert_string_equal(info.descriptor, "graph");
  assert_int_equal(info.rounds, 2);
  assert_int_equal(info.seed, 7);
  assert_int_equal(info.steps, 30);
  assert_int_equal(info.precision, 32);
  assert_true(system_equal(model_problem(read), problem));
  assert_memory_equal(read->parameters, model->parameters, model->unknowns.size * sizeof *model->parameters);
  size_t total = 0;
  ans_array array;
  for (size_t i = 0; (array = model_array(read, i)).name; i++)
    total += array.rows * (array.columns ? array.columns : 1);
  assert_int_equal(total, info.parameters);
  model_free(read);
  model_free(model);
  remove_path(path);
  system_free(problem);
  ans_context_free(context);
}

/* One bit of every byte, and every 61st truncation; safetensors_test takes a small file's every bit and every cut. */
static void a_damaged_model_is_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_model *model = small_model(context, problem), *read;
  char path[64], *bytes;
  size_t size;
  temporary_path(path, sizeof path, "model");
  assert_ok(context, model_write(context, model, path));
  assert_ok(context, file_read(context, path, 1 << 24, &bytes, &size));
  for (size_t i = 0; i < size; i++) {
    safetensors *file;
    bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
    assert_int_equal(safetensors_parse(context, path, bytes, size, &file), ANS_MODEL);
    bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
  }
  for (size_t cut = 0; cut < size; cut += 61) {
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, cut, file), cut);
    fclose(file);
    assert_int_equal(model_read(context, path, &read), ANS_MODEL);
    assert_null(read);
  }
  memory_give(bytes);
  model_free(model);
  remove_path(path);
  system_free(problem);
  ans_context_free(context);
}

/* A sound file whose content is not what its notes promise. */
static void a_model_of_something_else_is_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_model *model = small_model(context, problem), *read;
  char path[64];
  temporary_path(path, sizeof path, "model");

  unknown_part *part = &model->unknowns.parts[0];
  part->rows--; /* an array of another shape */
  assert_ok(context, model_write(context, model, path));
  assert_int_equal(model_read(context, path, &read), ANS_MODEL);
  part->rows++;

  model->unknowns.count--; /* an array too few */
  assert_ok(context, model_write(context, model, path));
  assert_int_equal(model_read(context, path, &read), ANS_MODEL);
  model->unknowns.count++;

  assert_ok(context, model_write(context, model, path));
  rewrite_note(context, path, "problem", "problem", "? what"); /* a problem that cannot be read */
  assert_int_equal(model_read(context, path, &read), ANS_MODEL);

  ans_training *training = small_training(context, problem, 1, 32); /* a checkpoint */
  assert_ok(context, training_save(context, training, path));
  assert_int_equal(model_read(context, path, &read), ANS_MODEL);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "checkpoint"));
  training_free(training);

  model->parameters[3] = (double)NAN;
  unlink(path);
  assert_int_equal(model_write(context, model, path), ANS_DIVERGED);
  assert_int_equal(access(path, F_OK), -1);

  model_free(model);
  remove_path(path);
  system_free(problem);
  ans_context_free(context);
}

/* Notes that are no numbers, or numbers that no model has, in a file with the right checksum. */
static void a_note_that_is_no_number_is_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_model *model = small_model(context, problem), *read;
  char path[64], *bytes;
  size_t size;
  temporary_path(path, sizeof path, "model");
  static const char *const seeds[] = {"abc", "-12", "1x3", " 12", "0x1"};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    model->seed = 123;
    assert_ok(context, model_write(context, model, path));
    assert_ok(context, file_read(context, path, 1 << 24, &bytes, &size));
    char *note = memmem(bytes, size, "\"seed\":\"123\"", 12);
    assert_non_null(note);
    memcpy(note + 8, seeds[i], 3);
    mend(bytes, size);
    assert_ok(context, file_write(context, path, bytes, size));
    memory_give(bytes);
    assert_int_equal(model_read(context, path, &read), ANS_MODEL);
    assert_non_null(strstr(ans_context_diagnostic(context)->message, seeds[i]));
  }
  model->rounds = 64;
  assert_ok(context, model_write(context, model, path));
  assert_int_equal(model_read(context, path, &read), ANS_MODEL);
  model_free(model);
  remove_path(path);
  system_free(problem);
  ans_context_free(context);
}

static void coverage_tells_what_lies_outside(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_model *model = small_model(context, problem);
  ans_instance *inside = small_instance(context, problem), *outside;
  ans_coverage coverage;
  assert_ok(context, ans_model_coverage(context, model, inside, &coverage));
  assert_true(coverage.structure_trained && coverage.outside_count == 0 && !coverage.symbol);
  const double values[] = {3, 0.5};
  assert_ok(context, system_instance(context, problem, 0, values, true, &outside));
  assert_ok(context, ans_model_coverage(context, model, outside, &coverage));
  assert_int_equal(coverage.outside_count, 2);
  assert_string_equal(coverage.symbol, "a");
  assert_near(coverage.high, 1, 0);
  system_instance_free(outside);
  system_instance_free(inside);
  model_free(model);
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_survives_its_file),
      cmocka_unit_test(a_damaged_model_is_refused),
      cmocka_unit_test(a_model_of_something_else_is_refused),
      cmocka_unit_test(a_note_that_is_no_number_is_refused),
      cmocka_unit_test(coverage_tells_what_lies_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
