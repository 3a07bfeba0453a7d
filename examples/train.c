/* SPDX-License-Identifier: Apache-2.0
 *
 * train.c - train a model of a family of equations and keep it as one file.
 *
 *   cc train.c $(pkg-config --cflags --libs ansatz) -o train
 *   ./train fisher.pde fisher.safetensors 3000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ansatz.h"

static int failed(const ans_context *context) {
  fprintf(stderr, "%s\n", ans_context_diagnostic(context)->message);
  return 1;
}

/* Steps, and a line for each hundred of them. */
static ans_status run(ans_context *context, ans_training *training) {
  ans_progress now = ans_training_state(training);
  while (now.step < now.steps) {
    ans_status status = ans_training_step(context, training, 100);
    if (status != ANS_OK) return status;
    now = ans_training_state(training);
    printf("step %ld  loss %.3e\n", now.step, now.loss);
  }
  return ANS_OK;
}

int main(int count, char **words) {
  if (count != 4) {
    fprintf(stderr, "usage: train FILE.pde MODEL STEPS\n");
    return 2;
  }
  ans_context *context;
  ans_problem *problem = NULL;
  ans_training *training = NULL;
  ans_model *model = NULL;
  if (ans_context_new(&context) != ANS_OK) return 1;
  ans_training_options options;
  memset(&options, 0, sizeof options); /* every setting as the file has it, except: */
  options.descriptor = "graph";
  options.seed = 101;
  options.steps = atol(words[3]);
  options.threads = 2;

  ans_status status = ans_problem_read(context, words[1], &problem);
  if (status == ANS_OK) status = ans_training_begin(context, problem, &options, &training);
  if (status == ANS_OK) status = run(context, training);
  if (status == ANS_OK) status = ans_training_model(context, training, &model);
  if (status == ANS_OK) status = ans_model_write(context, model, words[2]);
  int code = status == ANS_OK ? 0 : failed(context);

  ans_model_free(model);
  ans_training_free(training);
  ans_problem_free(problem);
  ans_context_free(context);
  return code;
}
