/* SPDX-License-Identifier: Apache-2.0
 *
 * frame.h - constant advection and dispersion taken out of a periodic problem exactly.
 *
 * The linear terms a f_x and b f_xxx of a field's own equation turn its Fourier modes by phases that are known for
 * all times. Integrating the turned-back field instead leaves them out of the time integration, where BDF of order
 * above two would amplify them: a pure translation is then exact, whatever the tolerance.
 *
 *   f_t = (a d + b d^3) f + rest,   f = exp((a d + b d^3) t) g,   g_t = exp(-(a d + b d^3) t) rest
 */
#ifndef REFERENCE_FRAME_H
#define REFERENCE_FRAME_H

#include "reference/fourier.h"
#include "system/system.h"

typedef struct frame {
  space *space; /* borrowed; Fourier */
  int field_count;
  bool moves[SYSTEM_MAX_FIELDS];
  double first[SYSTEM_MAX_FIELDS], third[SYSTEM_MAX_FIELDS]; /* a and b of each field */
  double time;                                               /* since the start, of the turns below; NaN: none yet */
  double complex *turns;                                     /* [fields][modes] */
  double complex *modes;                                     /* [modes] */
} frame;

ans_status frame_new(ans_context *context, arena *arena, space *space, int field_count, frame **result);

/* Adds scale * d^order f to what the frame takes over, order 1 or 3. */
void frame_take(frame *frame, int field, int order, double scale);

/* In place: node values of g to those of f at `time` after the start (forward), or back. */
void frame_turn(frame *frame, int field, double time, bool forward, double *values);
void frame_turn_modes(frame *frame, int field, double time, bool forward, double complex *modes);

#endif
