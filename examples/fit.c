/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.c - an unknown coefficient from measurements, with its error, through the library.
 *
 *   cc fit.c $(pkg-config --cflags --libs ansatz) -o fit && ./fit
 *
 * The data are made here: two of a kind meet and are gone, u = 1 / (1 + k t) with k = 1.5, and noise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ansatz_fit.h>

static const char text[] = "coordinate t in [0, 2] time\n"
                           "field u\n"
                           "coefficient k in [0.1, 10] log\n"
                           "equation u: u_t = -k*u^2\n"
                           "initial u = 1\n"
                           "network width 16, layers 1\n";

enum { ROWS = 40 };

static void measure(double rows[ROWS][2]) {
  long random = 12345;
  for (int i = 0; i < ROWS; i++) {
    double noise = -6, t = 2.0 * i / (ROWS - 1);
    for (int k = 0; k < 12; k++) { /* the sum of twelve even numbers is nearly normal */
      random = random * 16807 % 2147483647;
      noise += (double)random / 2147483647;
    }
    rows[i][0] = t;
    rows[i][1] = 1 / (1 + 1.5 * t) + 0.01 * noise;
  }
}

int main(void) {
  static const char *const names[] = {"t", "u"};
  double rows[ROWS][2];
  ans_context *context;
  ans_problem *problem = NULL;
  ans_measurements *measurements = NULL;
  ans_fit *fit = NULL;
  ans_fit_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.unknown = "k"; /* "k,c=0.5": more, and where to start */
  if (ans_context_new(&context) != ANS_OK) return EXIT_FAILURE;
  measure(rows);
  ans_status status = ans_problem_parse(context, "pairs", text, strlen(text), &problem);
  if (status == ANS_OK) status = ans_measurements_new(context, problem, names, 2, &rows[0][0], ROWS, &measurements);
  if (status == ANS_OK) status = ans_fit_new(context, problem, measurements, &options, &fit);
  if (status == ANS_OK) {
    ans_fit_unknown k = ans_fit_number(fit, 0);
    ans_fit_summary summary = ans_fit_summarise(fit);
    bool flagged;
    printf("k = %.5f +- %.5f, 95 %% interval %.5f .. %.5f\n", k.estimate, k.error, k.low, k.high);
    printf("noise %.4f, %s\n", summary.noise[0], summary.flagged ? "flagged" : "nothing to object");
    for (size_t i = 0; ans_fit_note(fit, i, &flagged); i++) printf("%s\n", ans_fit_note(fit, i, &flagged));
  } else {
    fprintf(stderr, "%s\n", ans_context_diagnostic(context)->message);
  }
  ans_fit_free(fit);
  ans_measurements_free(measurements);
  ans_problem_free(problem);
  ans_context_free(context);
  return status == ANS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
