/* SPDX-License-Identifier: Apache-2.0
 *
 * small.h - a family so small that training it takes milliseconds.
 */
#ifndef TESTS_TRAINING_SMALL_H
#define TESTS_TRAINING_SMALL_H

#include "check.h"

#include "base/base.h"
#include "temporary.h"
#include "training/model.h"
#include "training/training.h"

static const char SMALL[] = "coordinate x in [0, 1) periodic\n"
                            "coordinate t in [0, 1] time\n"
                            "field u\n"
                            "coefficient a in [0.5, 1]\n"
                            "coefficient D in [0.01, 0.1] log optional\n"
                            "equation u: u_t + a*u_x - D*u_xx = 0\n"
                            "initial u = sin(2*pi*x)\n"
                            "structure both\n"
                            "structure moving without D\n"
                            "case one both: a=0.7 D=0.05\n"
                            "network width 16, layers 2, activation tanh, fourier x 1..2, codes relu\n"
                            "sampler uniform, draws shared\n"
                            "train steps 30, rate 1e-3, points 64, clip 10\n"
                            "adapt steps 30, rate 1e-3, points 64, clip 10\n"
                            "descriptor graph compact, style shared, rounds 2\n";

static inline ans_problem *small_problem(ans_context *context) {
  ans_problem *problem;
  assert_ok(context, system_parse(context, "small", NULL, SMALL, strlen(SMALL), &problem));
  return problem;
}

static inline ans_instance *small_instance(ans_context *context, const ans_problem *problem) {
  ans_instance *instance;
  assert_ok(context, system_instance(context, problem, 0, problem->cases[0].values, false, &instance));
  return instance;
}

static const descriptor_kind SMALL_KINDS[] = {DESCRIPTOR_GRAPH,  DESCRIPTOR_SET,      DESCRIPTOR_OWNERSHIP,
                                              DESCRIPTOR_VECTOR, DESCRIPTOR_PRESENCE, DESCRIPTOR_DICTIONARY};
enum { SMALL_KIND_COUNT = sizeof SMALL_KINDS / sizeof *SMALL_KINDS };

static inline ans_training *small_training_of(ans_context *context, const ans_problem *problem, descriptor_kind kind,
                                              int threads, int precision) {
  ans_training *training;
  ans_training_options options = {.seed = 7, .threads = threads, .precision = precision};
  assert_ok(context, training_begin(context, problem, kind, &options, &training));
  return training;
}

static inline ans_training *small_training(ans_context *context, const ans_problem *problem, int threads,
                                           int precision) {
  return small_training_of(context, problem, DESCRIPTOR_GRAPH, threads, precision);
}

/* A model after a few steps. */
static inline ans_model *small_model_of(ans_context *context, const ans_problem *problem, descriptor_kind kind,
                                        int precision) {
  ans_training *training = small_training_of(context, problem, kind, 1, precision);
  ans_model *model;
  assert_ok(context, training_step(context, training, 30));
  assert_ok(context, training_model(context, training, &model));
  training_free(training);
  return model;
}

static inline ans_model *small_model(ans_context *context, const ans_problem *problem) {
  return small_model_of(context, problem, DESCRIPTOR_GRAPH, 32);
}

/* The file at `path` again, with `text` for the note `key`, called `name`: sound, with the right checksum. */
static inline void rewrite_note(ans_context *context, const char *path, const char *key, const char *name,
                                const char *text) {
  safetensors *file;
  assert_ok(context, safetensors_read(context, path, &file));
  tensor_note notes[MODEL_MAX_NOTES];
  tensor *tensors = memory_take((size_t)file->tensor_count * sizeof *tensors);
  double *values[SAFETENSORS_MAX_TENSORS];
  int count = 0;
  for (int i = 0; i < file->note_count; i++) {
    if (strcmp(file->notes[i].key, "checksum") == 0) continue;
    bool found = strcmp(file->notes[i].key, key) == 0;
    notes[count++] = found ? (tensor_note){name, text ? text : file->notes[i].text} : file->notes[i];
  }
  for (int i = 0; i < file->tensor_count; i++) {
    tensors[i] = file->tensors[i];
    values[i] = memory_take((tensors[i].count + 1) * sizeof(double));
    tensor_values(&tensors[i], values[i]);
    tensors[i].values = values[i];
  }
  assert_ok(context, safetensors_write(context, path, notes, count, tensors, file->tensor_count));
  for (int i = 0; i < file->tensor_count; i++) memory_give(values[i]);
  memory_give(tensors);
  safetensors_free(file);
}

#endif
