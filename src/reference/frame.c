/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/frame.h"

#include <math.h>

ans_status frame_new(ans_context *context, arena *arena, space *space, int field_count, frame **result) {
  frame *frame = arena_take(arena, sizeof *frame);
  if (!frame) return context_no_memory(context);
  size_t modes = (size_t)fourier_mode_count(space);
  *frame = (struct frame){.space = space, .field_count = field_count, .time = NAN};
  frame->turns = arena_array(arena, double complex, modes *(size_t)field_count);
  frame->modes = arena_array(arena, double complex, modes);
  if (!frame->turns || !frame->modes) return context_no_memory(context);
  *result = frame;
  return ANS_OK;
}

void frame_take(frame *frame, int field, int order, double scale) {
  *(order == 1 ? &frame->first[field] : &frame->third[field]) += scale;
  frame->moves[field] = true;
}

/* exp((a d + b d^3) time) of every mode: pure phases. */
static void set_time(frame *frame, double time) {
  if (frame->time == time) return;
  int modes = fourier_mode_count(frame->space);
  for (int f = 0; f < frame->field_count; f++)
    for (int k = 0; frame->moves[f] && k < modes; k++) {
      double angle = time * cimag(frame->first[f] * fourier_symbol(frame->space, k, 1) +
                                  frame->third[f] * fourier_symbol(frame->space, k, 3));
      frame->turns[(size_t)f * modes + k] = complex_number(cos(angle), sin(angle));
    }
  frame->time = time;
}

void frame_turn_modes(frame *frame, int field, double time, bool forward, double complex *modes) {
  if (!frame->moves[field]) return;
  set_time(frame, time);
  int count = fourier_mode_count(frame->space);
  const double complex *turns = frame->turns + (size_t)field * count;
  for (int k = 0; k < count; k++) modes[k] *= forward ? turns[k] : conj(turns[k]);
}

void frame_turn(frame *frame, int field, double time, bool forward, double *values) {
  if (!frame->moves[field]) return;
  fft *fft = fourier_transform(frame->space);
  fft_forward(fft, values, frame->modes);
  frame_turn_modes(frame, field, time, forward, frame->modes);
  fft_inverse(fft, frame->modes, values);
}
