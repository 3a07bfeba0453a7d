/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.h - a line that shows how far a long computation is.
 *
 *   adapt  [##########..........]  1500/3000   loss 2.1e-05   412 steps/s   4 s left
 *
 * On stderr, only on a terminal, drawn at most ten times a second, gone when it ends.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
  const char *label; /* one word */
  long total, first; /* steps in all; the step at which this run began (resumed runs) */
  bool shown;
  double residual;     /* held-out, shown beside the loss; 0: none */
  double begun, drawn; /* seconds of the monotonic clock */
} progress;

void progress_begin(progress *progress, const char *label, long first, long total, bool quiet);
void progress_update(progress *progress, long done, double loss); /* loss NaN: not shown */
void progress_clear(const progress *progress); /* before a sentence; the next update draws the line again */
void progress_end(progress *progress);

double monotonic_seconds(void);

/* "4 s", "3 min 20 s", "2 h 05 min" */
void duration_text(double seconds, char *text, int room);

/* Says on stderr when a run of some length has learnt nothing: its loss is zero or did not fall. */
void remark_losses(double first, double last, long steps);
void remark_each_loss(const double *losses, size_t count); /* of every step */

#endif
