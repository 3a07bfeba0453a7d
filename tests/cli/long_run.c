/* SPDX-License-Identifier: Apache-2.0
 *
 * long_run.c - a command that takes long, reduced to its progress line and its answer to signals.
 *
 *   long_run STEPS MILLISECONDS [stubborn]    stubborn: never asks whether it was interrupted
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../cli/interrupt.h"
#include "../../cli/progress.h"

int main(int count, char **words) {
  if (count < 3) return 2;
  long steps = atol(words[1]), milliseconds = atol(words[2]);
  progress progress;
  interrupt_begin();
  progress_begin(&progress, "count", 0, steps, false);
  for (long step = 1; step <= steps; step++) {
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
    progress_update(&progress, step, 1.0 / (double)step);
    if (count < 4 && interrupted()) break;
  }
  progress_end(&progress);
  printf("saved\n");
  return interrupt_code();
}
