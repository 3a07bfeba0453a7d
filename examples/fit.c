/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.c - an unknown coefficient from measurements, with its error, through the library.
 *
 *   cc fit.c $(pkg-config --cflags --libs ansatz) -o fit && ./fit
 *
 * The data are made here: the exact solution of the heat equation with D = 0.012, and noise.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ansatz_fit.h>

static const char text[] = "coordinate x in [0, 1) periodic\n"
                           "coordinate t in [0, 1] time\n"
                           "field u\n"
                           "coefficient D in [0.001, 0.1] log\n"
                           "equation u: u_t = D*u_xx\n"
                           "initial u = sin(2*pi*x)\n"
                           "network width 16, layers 1\n";

enum { ROWS = 40 };

static void measure(double rows[ROWS][3]) {
  const double pi = 3.14159265358979323846;
  unsigned long random = 12345;
  for (int i = 0; i < ROWS; i++) {
    double noise = 0;
    for (int k = 0; k < 12; k++) { /* twelve even numbers are nearly a normal one */
      random = random * 6364136223846793005ul + 1442695040888963407ul;
      noise += (double)(random >> 33) / 2147483648.0 - 0.5;
    }
    double x = fmod(0.61803398875 * i, 1), t = fmod(0.41421356237 * i, 1);
    rows[i][0] = x;
    rows[i][1] = t;
    rows[i][2] = exp(-4 * pi * pi * 0.012 * t) * sin(2 * pi * x) + 0.01 * noise;
  }
}

int main(void) {
  static const char *const names[] = {"x", "t", "u"};
  double rows[ROWS][3];
  ans_context *context;
  ans_problem *problem = NULL;
  ans_measurements *measurements = NULL;
  ans_fit *fit = NULL;
  ans_fit_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.unknown = "D"; /* "D,c=0.5": more, and where to start */
  if (ans_context_new(&context) != ANS_OK) return EXIT_FAILURE;
  measure(rows);
  ans_status status = ans_problem_parse(context, "heat", text, strlen(text), &problem);
  if (status == ANS_OK) status = ans_measurements_new(context, problem, names, 3, &rows[0][0], ROWS, &measurements);
  if (status == ANS_OK) status = ans_fit_new(context, problem, measurements, &options, &fit);
  if (status == ANS_OK) {
    ans_fit_unknown d = ans_fit_number(fit, 0);
    ans_fit_summary summary = ans_fit_summarise(fit);
    bool flagged;
    printf("D = %.5f +- %.5f, 95 %% interval %.5f .. %.5f\n", d.estimate, d.error, d.low, d.high);
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
