/* SPDX-License-Identifier: Apache-2.0
 *
 * train_output.c - the log, the figure and the texts of `ansatz train`.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ansatz_tools.h"
#include "json.h"
#include "output.h"
#include "progress.h"
#include "train.h"

/* ---- Log --------------------------------------------------------------------------------------------- */

bool train_log_open(trained *trained, const char *path) {
  if (!path) return true;
  trained->log = fopen(path, trained->first > 0 ? "a" : "w");
  if (!trained->log) complain("cannot write %s: %s", path, strerror(errno));
  return trained->log != NULL;
}

void train_log(trained *trained) {
  enum { EVERY = 10 };
  ans_progress now = ans_training_state(trained->training);
  if (!trained->log || (now.step % EVERY != 0 && now.step != 1 && now.step != now.steps)) return;
  errno = 0;
  int written =
      fprintf(trained->log,
              "{\"step\": %ld, \"loss\": %.9g, \"gradient_norm\": %.9g, \"rate\": %.9g, \"radius\": %.9g, "
              "\"seconds\": %.3f}\n",
              now.step, now.loss, now.gradient_norm, now.rate, now.radius, monotonic_seconds() - trained->begun);
  if ((fflush(trained->log) != 0 || written < 0) && !trained->log_failure) trained->log_failure = errno ? errno : EIO;
}

int train_log_close(trained *trained) {
  if (!trained->log) return EXIT_OK;
  errno = 0;
  if (fclose(trained->log) != 0 && !trained->log_failure) trained->log_failure = errno ? errno : EIO;
  trained->log = NULL;
  if (!trained->log_failure) return EXIT_OK;
  complain("cannot write %s: %s", option_value(trained->arguments, "log"), strerror(trained->log_failure));
  return EXIT_FILE;
}

/* ---- Figure ------------------------------------------------------------------------------------------ */

/* Thinned to what a page can show: the mean of each of at most this many stretches. */
enum { STRETCHES = 1000 };

static size_t thin(const double *losses, size_t count, double *steps, double *means) {
  size_t stretch = count / STRETCHES + 1, used = 0;
  for (size_t begin = 0; begin < count; begin += stretch, used++) {
    size_t end = begin + stretch < count ? begin + stretch : count;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += losses[i];
    steps[used] = (double)(begin + end + 1) / 2;
    means[used] = sum / (double)(end - begin);
  }
  return used;
}

ans_status train_figure(ans_context *context, const trained *trained, const char *path) {
  size_t count;
  const double *losses = ans_training_losses(trained->training, &count);
  double *steps = malloc(sizeof *steps * 2 * (STRETCHES + 1));
  if (!steps) return ANS_MEMORY;
  double *means = steps + STRETCHES + 1;
  ans_series series = {.count = thin(losses, count, steps, means), .x = steps, .y = means, .line = true};
  ans_plot plot = {.title = "Meta-training",
                   .x_title = "step",
                   .y_title = "loss",
                   .log_y = true,
                   .series_count = 1,
                   .series = &series};
  ans_status status = ans_plot_draw(context, &plot, path);
  free(steps);
  return status;
}

/* ---- Table of parts ---------------------------------------------------------------------------------- */

static size_t array_count(ans_array array) { return array.rows * (array.columns ? array.columns : 1); }

static bool of_backbone(ans_array array) { return strncmp(array.name, "backbone.", 9) == 0; }

static size_t backbone_count(const ans_model *model) {
  size_t total = 0;
  ans_array array;
  for (size_t i = 0; (array = ans_model_array(model, i)).name; i++)
    if (of_backbone(array)) total += array_count(array);
  return total;
}

static json_t *parts_json(const ans_model *model) {
  json_t *list = json_array();
  ans_array array;
  for (size_t i = 0; (array = ans_model_array(model, i)).name; i++) {
    json_t *shape = json_pack("[I]", (json_int_t)array.rows);
    if (array.columns) json_array_append_new(shape, json_integer((json_int_t)array.columns));
    json_array_append_new(list, json_pack("{s:s, s:o, s:I}", "name", array.name, "shape", shape, "parameters",
                                          (json_int_t)array_count(array)));
  }
  return list;
}

int train_describe(const trained *trained) {
  const ans_model *model = trained->model;
  ans_model_info info = ans_model_information(model);
  size_t backbone = backbone_count(model);
  if (trained->arguments->json)
    return print_json(json_pack("{s:o, s:s, s:i, s:I, s:I, s:I, s:o}", "file", json_of_text(trained->file),
                                "descriptor", info.descriptor, "rounds", info.rounds, "parameters",
                                (json_int_t)info.parameters, "backbone", (json_int_t)backbone, "hypernetwork",
                                (json_int_t)(info.parameters - backbone), "parts", parts_json(model)));
  printf("%-40s %12s %12s\n", "part", "shape", "parameters");
  ans_array array;
  for (size_t i = 0; (array = ans_model_array(model, i)).name; i++) {
    char shape[32];
    if (array.columns)
      snprintf(shape, sizeof shape, "%zu x %zu", array.rows, array.columns);
    else
      snprintf(shape, sizeof shape, "%zu", array.rows);
    printf("%-40s %12s %12zu\n", array.name, shape, array_count(array));
  }
  printf("%-40s %12s %12zu\n", "backbone", "", backbone);
  printf("%-40s %12s %12zu\n", "hypernetwork", "", info.parameters - backbone);
  printf("%-40s %12s %12zu\n", "total", "", info.parameters);
  return EXIT_OK;
}

/* ---- Report ------------------------------------------------------------------------------------------ */

/* One step's loss is noisy: the mean of the last hundred. */
static double final_loss(const ans_training *training) {
  size_t count;
  const double *losses = ans_training_losses(training, &count);
  size_t used = count < 100 ? count : 100;
  double sum = 0;
  for (size_t i = count - used; i < count; i++) sum += losses[i];
  return used ? sum / (double)used : (double)NAN;
}

int train_report(const trained *trained) {
  ans_model_info info = ans_model_information(trained->model);
  ans_progress now = ans_training_state(trained->training);
  double loss = final_loss(trained->training);
  if (trained->arguments->json)
    return print_json(json_pack("{s:o, s:o, s:s, s:i, s:I, s:I, s:I, s:I, s:o, s:o, s:i, s:b, s:o}", "model",
                                json_of_text(trained->complete ? trained->output : NULL), "checkpoint",
                                json_of_text(trained->complete ? NULL : trained->checkpoint), "descriptor",
                                info.descriptor, "rounds", info.rounds, "seed", (json_int_t)info.seed, "parameters",
                                (json_int_t)info.parameters, "steps", (json_int_t)now.step, "planned",
                                (json_int_t)now.steps, "loss", json_of_number(loss), "seconds",
                                json_of_number(trained->seconds), "rollbacks", now.rollbacks, "interrupted",
                                !trained->complete, "rate", json_of_number(now.rate)));
  char duration[32];
  duration_text(trained->seconds, duration, sizeof duration);
  printf("trained    %s, descriptor %s, %d rounds, seed %llu\n", trained->file, info.descriptor, info.rounds,
         (unsigned long long)info.seed);
  long done = now.step - trained->first;
  printf("steps      %ld of %ld", now.step, now.steps);
  if (trained->first) printf(", %ld of them in this run,", done);
  printf(" in %s (%.1f per second)\n", duration, (double)done / (trained->seconds > 0 ? trained->seconds : 1));
  printf("loss       %.4e (mean of the last 100 steps)\n", loss);
  if (now.rollbacks)
    printf("divergence the run was rolled back %d times; the rate is now %g\n", now.rollbacks, now.rate);
  printf("%s %s (%zu parameters)\n", trained->complete ? "model     " : "checkpoint",
         trained->complete ? trained->output : trained->checkpoint, info.parameters);
  return EXIT_OK;
}
