/* SPDX-License-Identifier: Apache-2.0
 *
 * windows.h - the solution of one instance as one piece, or as several that follow each other in time.
 *
 * A network that has to follow many oscillations, a fast layer and a slow decay, or a front that steepens is asked too
 * much; in a short window each of them is a smooth function. The interval of time is cut, and every window has a
 * network of its own that begins with what the one before ended with: a profile (system/profile.h) of every initial
 * value, of second order in time also of the velocity. The variant of the problem that says so (system_vary) is a
 * problem like any other: charts, rows, transforms and estimates need not know.
 */
#ifndef TRAINING_WINDOWS_H
#define TRAINING_WINDOWS_H

#include "training/piece.h"

enum { WINDOWS_MAX = 128 };

/* The network of a window; 0: what the text says. */
typedef struct window_network {
  int width, layers, fourier;
} window_network;

typedef struct window {
  double begin, end;
  window_network network;
  double thickening;               /* of a step on the way to the equation itself, see ans_problem; 0: none */
  arena *arena;                    /* of the initial values */
  const system_profile **profiles; /* [conditions], of initial ones; NULL: the text's, or numbers */
  double *numbers;                 /* [conditions], of initial ones; NULL in the first window */
  ans_problem *problem;            /* the variant; NULL: the problem itself */
  piece *piece;
} window;

typedef struct windows {
  const ans_instance *instance; /* of the whole; the caller's */
  int count;
  window list[WINDOWS_MAX];
} windows;

/* NULL, or why the instance cannot be cut. */
const char *windows_obstacle(const ans_instance *instance);

/* Which network is wanted. */
typedef struct network_wish {
  int finer;   /* than the data ask for: 0, or how often it is made finer */
  bool narrow; /* to be adapted whole, weights and all */
} network_wish;

/* What the next window is to be. */
typedef struct window_draft {
  double end;
  network_wish network;
  double thickening;
  bool hasty;        /* what is not solved soon is given up: another attempt follows */
  const piece *like; /* whose numbers are the start where they fit; NULL: those of the window before */
} window_draft;

/* A window from the end of the last one (or from the beginning), with a piece that has taken no step. */
ans_status windows_draft(ans_context *context, const windows *windows, const window_draft *wanted,
                         const ans_solver_options *options, window *result);

/* The same from what a file holds: window->begin, end, network, profiles and numbers are set. */
ans_status windows_restore(ans_context *context, const windows *windows, window *window,
                           const ans_solver_options *options, int bits, bool moving, bool scaled,
                           const double *unknowns, size_t count);

void window_free(window *window);
void windows_clear(windows *windows);

double windows_reached(const windows *windows); /* the end of the last window */

/* values: [count][fields] of the derivative of this order. A time outside belongs to the nearest window. */
ans_status windows_evaluate(ans_context *context, const windows *windows, const double *points, size_t count,
                            const uint8_t *order, double *values);

/* Means over time. */
ans_status windows_residual(ans_context *context, const windows *windows, double *held_out, double *grid);

/* Of the whole, the errors of earlier windows carried through the later ones. */
ans_status windows_estimate(ans_context *context, const windows *windows, estimate **result);

#endif
