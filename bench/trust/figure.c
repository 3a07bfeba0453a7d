/* SPDX-License-Identifier: Apache-2.0
 *
 * figure.c - the records of trust.c as a picture: estimate against error, trusted or not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trust.h"

typedef struct dots {
  size_t count;
  double x[RECORDS_MAX], y[RECORDS_MAX];
} dots;

/* family,member,structure,steps,error,estimate,ratio,trusted,... */
static void read_records(const char *path, dots *trusted, dots *doubted) {
  char line[512];
  FILE *file = fopen(path, "r");
  if (!file) fprintf(stderr, "trust: %s cannot be read\n", path);
  while (file && fgets(line, sizeof line, file)) {
    double error, estimate;
    int trust;
    if (sscanf(line, "%*[^,],%*d,%*[^,],%*d,%lf,%lf,%*f,%d", &error, &estimate, &trust) != 3) continue;
    dots *to = trust ? trusted : doubted;
    if (to->count == RECORDS_MAX || !(estimate > 0)) continue;
    to->x[to->count] = error;
    to->y[to->count++] = estimate;
  }
  if (file) fclose(file);
}

int trust_figure(ans_context *context, const char *path, int count, char *const *records) {
  static const double ends[2] = {1e-5, 3}, above[2] = {1.5e-5, 4.5}, below[2] = {1e-5 / 1.5, 2};
  dots *trusted = calloc(1, sizeof *trusted), *doubted = calloc(1, sizeof *doubted);
  int code = 1;
  if (trusted && doubted) {
    for (int i = 0; i < count; i++) read_records(records[i], trusted, doubted);
    const ans_series series[] = {
        {.label = "equal", .count = 2, .x = ends, .y = ends, .colour = 0, .line = true},
        {.label = "1.5 times off", .count = 2, .x = ends, .y = above, .colour = 3, .line = true},
        {.count = 2, .x = ends, .y = below, .colour = 3, .line = true},
        {.label = "trusted", .count = trusted->count, .x = trusted->x, .y = trusted->y, .colour = 1, .dots = true},
        {.label = "not trusted", .count = doubted->count, .x = doubted->x, .y = doubted->y, .colour = 2, .dots = true}};
    ans_plot plot = {.title = "Estimated and true error",
                     .x_title = "relative L2 error against the reference, mean over fields",
                     .y_title = "estimate",
                     .log_x = true,
                     .log_y = true,
                     .series_count = sizeof series / sizeof *series - (doubted->count == 0),
                     .series = series};
    code = ans_plot_draw(context, &plot, path) != ANS_OK;
    if (code) fprintf(stderr, "trust: %s\n", ans_context_diagnostic(context)->message);
  }
  free(trusted);
  free(doubted);
  return code;
}
