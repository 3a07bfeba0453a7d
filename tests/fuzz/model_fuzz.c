/* SPDX-License-Identifier: Apache-2.0
 *
 * model_fuzz.c - any bytes into the reader of model files. Refusing them is fine; what is accepted must lie inside
 * the file and be finite. The checksum would keep nearly everything out, so the bytes are also tried with the right
 * one written in. (libFuzzer harness, built with clang.)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mend.h"
#include "training/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(int condition) {
  if (!condition) abort();
}

static void check_content(const safetensors *file, size_t size) {
  size_t total = 0;
  for (int i = 0; i < file->tensor_count; i++) {
    const tensor *tensor = &file->tensors[i];
    insist(tensor->count <= size && safetensors_find(file, tensor->name) == tensor);
    double *values = malloc(tensor->count * sizeof *values + 1);
    tensor_values(tensor, values);
    for (size_t k = 0; k < tensor->count; k++) insist(isfinite(values[k]));
    total += tensor->end - tensor->begin;
    free(values);
  }
  insist(total < size);
  for (int i = 0; i < file->note_count; i++) insist(safetensors_note(file, file->notes[i].key) == file->notes[i].text);
}

static void try_bytes(ans_context *context, const char *bytes, size_t size) {
  safetensors *file;
  ans_status status = safetensors_parse(context, "fuzz", bytes, size, &file);
  insist((status == ANS_OK) == (file != NULL));
  insist(status == ANS_OK || status == ANS_MODEL);
  if (file) check_content(file, size);
  safetensors_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) return 0;
  char *bytes = malloc(size + 1);
  if (size > 0) memcpy(bytes, data, size);
  try_bytes(context, bytes, size);
  mend(bytes, size);
  try_bytes(context, bytes, size);
  free(bytes);
  ans_context_free(context);
  return 0;
}
