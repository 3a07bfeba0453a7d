/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors_header.h - the JSON header of a safetensors file, and its checksum; private to safetensors.
 */
#ifndef TRAINING_SAFETENSORS_HEADER_H
#define TRAINING_SAFETENSORS_HEADER_H

#include "training/safetensors.h"

enum { CHECKSUM_DIGITS = 16 };

typedef struct header {
  int note_count, tensor_count;
  tensor_note *notes;
  tensor *tensors;
  size_t checksum_at; /* where the checksum's digits stand, in bytes from the start of the header */
} header;

/* `text`: exactly `length` bytes of header. Names are copied into the arena. */
ans_status header_read(ans_context *context, arena *arena, const char *name, const char *text, size_t length,
                       header *result);

/* The header of these notes and tensors, padded, with a checksum of zeros. */
ans_status header_print(ans_context *context, const tensor_note *notes, int note_count, const tensor *tensors,
                        int tensor_count, buffer *result, size_t *checksum_at);

size_t tensor_type_bytes(tensor_type type);

#endif
