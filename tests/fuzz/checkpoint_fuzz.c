/* SPDX-License-Identifier: Apache-2.0
 *
 * checkpoint_fuzz.c - any header into `train --resume`, with as many numbers as it asks for. What is accepted takes a
 * step or says why not.
 */
#include "budget.h"

#include <math.h>

#include "ansatz.h"
#include "whole.h"

static void use(ans_context *context, ans_training *training) {
  ans_status status = ans_training_step(context, training, 1);
  insist(status == ANS_OK || status == ANS_DIVERGED || status == ANS_MEMORY || status == ANS_MEANING,
         "a step that fails");
  if (status == ANS_OK) insist(isfinite(ans_training_state(training).loss), "a loss that is not a number");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  double begun = seconds_used();
  ans_context *context;
  ans_training *training;
  if (ans_context_new(&context) != ANS_OK) return 0;
  size_t whole_size;
  char *bytes = whole_file(data, size, &whole_size);
  ans_status status = ans_training_resume(context, memory_file(bytes, whole_size), 1, &training);
  insist((status == ANS_OK) == (training != NULL), "a failure with a result");
  insist(status == ANS_OK || ans_context_diagnostic(context)->message[0], "a refusal without a sentence");
  insist_on_budget(begun);
  if (training && whole_is_cheap(data, size)) use(context, training);
  ans_training_free(training);
  ans_context_free(context);
  free(bytes);
  return 0;
}
