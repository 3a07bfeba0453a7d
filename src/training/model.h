/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h - a trained amortizer and the files that hold one: model, checkpoint, solver.
 *
 * All three are safetensors files whose metadata says what they are (doc/formats.md). The problem's canonical
 * text is in the file, so a model needs nothing beside it.
 */
#ifndef TRAINING_MODEL_H
#define TRAINING_MODEL_H

#include "training/engine.h"
#include "training/safetensors.h"
#include "training/training.h"

struct ans_model {
  arena *arena;
  uint64_t number;      /* no other model of this process has it */
  ans_problem *problem; /* shared with whoever gave it */
  descriptor_kind kind;
  int rounds;
  uint64_t seed;
  long steps; /* of meta-training */
  int bits;
  unknown_table unknowns; /* backbone, then hypernetwork */
  double *parameters;     /* [unknowns.size]; NULL until they are taken */
};

/* A model without parameters. */
ans_status model_new(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds, uint64_t seed,
                     int bits, ans_model **result);

ans_status model_take_parameters(ans_context *context, ans_model *model); /* zeros */

/* ---- Shared by the three files ---- */

enum { MODEL_MAX_NOTES = 64 }; /* as many as are read */

/* Notes and tensors on their way into a file. */
typedef struct model_sheet {
  arena *arena;
  int note_count, tensor_count;
  tensor_note notes[MODEL_MAX_NOTES];
  tensor tensors[SAFETENSORS_MAX_TENSORS];
  bool failed; /* memory ran out */
} model_sheet;

ans_status sheet_new(ans_context *context, model_sheet **result);
void sheet_free(model_sheet *sheet);
void sheet_note(model_sheet *sheet, const char *key, const char *format, ...) PRINTF_LIKE(3, 4);
/* values are borrowed until the sheet is written. columns = 0: a vector. */
void sheet_tensor(model_sheet *sheet, const char *name, int bits, size_t rows, size_t columns, const double *values);
/* The parts of a block, their names after `prefix`. */
void sheet_unknowns(model_sheet *sheet, const char *prefix, const unknown_table *unknowns, int bits,
                    const double *block);
ans_status sheet_write(ans_context *context, model_sheet *sheet, const char *path);

/* What is common to every file: kind, version, problem, descriptor, rounds, seed, precision. */
ans_status sheet_model(ans_context *context, model_sheet *sheet, const char *kind, const ans_model *model);

/* Opens a file of this kind; ANS_MODEL says what it is instead. */
ans_status model_open(ans_context *context, const char *path, const char *kind, safetensors **result);
/* The model without its parameters. */
ans_status model_read_plan(ans_context *context, const char *path, const safetensors *file, ans_model **result);
/* ANS_MODEL unless the file holds at least as many numbers as these; before anything of that size is allocated. */
ans_status model_check_size(ans_context *context, const char *path, const safetensors *file,
                            const unknown_table *unknowns);
ans_status model_read_unknowns(ans_context *context, const char *path, const safetensors *file, const char *prefix,
                               const unknown_table *unknowns, double *block);
/* Takes the parameters and reads them, once the file is known to hold as many. */
ans_status model_read_parameters(ans_context *context, const char *path, const safetensors *file, ans_model *model);
ans_status model_read_tensor(ans_context *context, const char *path, const safetensors *file, const char *name,
                             size_t rows, size_t columns, double *values);
ans_status model_read_integer(ans_context *context, const char *path, const safetensors *file, const char *key,
                              long low, long high, long *result);
ans_status model_read_number(ans_context *context, const char *path, const safetensors *file, const char *key,
                             double *result); /* finite */
ans_status model_read_rate(ans_context *context, const char *path, const safetensors *file, double *rate);

#endif
