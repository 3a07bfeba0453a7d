/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "output.h"

double monotonic_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void duration_text(double seconds, char *text, int room) {
  long whole = seconds > 0 && seconds < 1e9 ? lround(seconds) : 0;
  if (whole < 60)
    snprintf(text, (size_t)room, "%ld s", whole);
  else if (whole < 3600)
    snprintf(text, (size_t)room, "%ld min %02ld s", whole / 60, whole % 60);
  else
    snprintf(text, (size_t)room, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
}

void progress_begin(progress *progress, const char *label, long first, long total, bool quiet) {
  *progress = (struct progress){.label = label, .total = total, .first = first, .begun = monotonic_seconds()};
  progress->shown = !quiet && total > 0 && stream_is_terminal(stderr);
}

static int terminal_columns(void) {
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

/* Loss, residual, rate and time left; the rate is left out where it would crowd out the rest. */
static int tail_text(const progress *progress, long done, double loss, double now, int room, char *text, size_t size) {
  char left[40] = "", loss_text[32] = "", residual_text[32] = "", rate_text[32] = "";
  double elapsed = now - progress->begun, rate = elapsed > 0 ? (double)(done - progress->first) / elapsed : 0;
  if (rate > 0) duration_text((double)(progress->total - done) / rate, left, 32);
  if (isfinite(loss)) snprintf(loss_text, sizeof loss_text, "  loss %.3e", loss);
  if (progress->residual > 0) snprintf(residual_text, sizeof residual_text, "  residual %.2e", progress->residual);
  snprintf(rate_text, sizeof rate_text, "  %.4g steps/s", rate);
  for (;;) {
    int used = snprintf(text, size, " %ld/%ld%s%s%s%s%s%s", done, progress->total, loss_text, residual_text, rate_text,
                        *left ? "  " : "", left, *left ? " left" : "");
    if (used <= room || !*rate_text) return used;
    *rate_text = '\0';
  }
}

static void draw(const progress *progress, long done, double loss, double now) {
  enum { BAR = 24, LEAST = 8 };
  char bar[BAR + 1] = "", tail[192], line[256];
  int columns = terminal_columns() - 1, room = columns - (int)strlen(progress->label) - 3;
  int used = tail_text(progress, done, loss, now, room - LEAST, tail, sizeof tail);
  int length = room - used > BAR ? BAR : room - used > LEAST ? room - used : LEAST;
  int filled = (int)((double)length * (double)done / (double)progress->total);
  for (int i = 0; i < length; i++) bar[i] = i < filled ? '#' : '.';
  bar[length] = '\0';
  snprintf(line, sizeof line, "%s [%s]%s", progress->label, bar, tail);
  fprintf(stderr, "\r%.*s\033[K", columns, line);
  fflush(stderr);
}

void progress_update(progress *progress, long done, double loss) {
  if (!progress->shown) return;
  double now = monotonic_seconds();
  if (now - progress->drawn < 0.1 && done < progress->total) return;
  progress->drawn = now;
  draw(progress, done < progress->total ? done : progress->total, loss, now);
}

void progress_clear(const progress *progress) {
  if (progress->shown && progress->drawn > 0) fprintf(stderr, "\r\033[K");
}

void progress_end(progress *progress) {
  progress_clear(progress);
  progress->shown = false;
}

/* ---- Runs that learn nothing ------------------------------------------------------------------------- */

static double mean_of(const double *numbers, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += numbers[i];
  return sum / (double)count;
}

void remark_losses(double first, double last, long steps) {
  enum { ENOUGH = 100 };
  if (steps > 0 && last == 0)
    remark("the loss is 0: there is nothing to learn, or the residuals are too small for the number format; `ansatz "
           "check` says more");
  else if (steps >= ENOUGH && !(last < 0.99 * first))
    remark("the loss did not fall in %ld steps (%.2e at the start, %.2e at the end); `ansatz check` says more", steps,
           first, last);
}

/* Points are new at every step: a tenth of the steps is compared with another. */
void remark_each_loss(const double *losses, size_t count) {
  size_t part = count < 10 ? 1 : count / 10;
  if (count > 0) remark_losses(mean_of(losses, part), mean_of(losses + count - part, part), (long)count);
}
