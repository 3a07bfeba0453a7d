/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment_fuzz.c - any bytes into the reader of experiments (`reproduce`). What is accepted has arms that can be
 * found by their names, which make no file outside their folder, and claims and tables of arms that are there.
 */
#include "budget.h"

#include <stdbool.h>
#include <string.h>

#include "lab/experiment.h"

static void check_arms(const experiment *experiment) {
  insist(experiment->arm_count >= 1 && experiment->arm_count <= EXPERIMENT_MAX_ARMS, "a number of arms");
  for (size_t a = 0; a < experiment->arm_count; a++) {
    const experiment_arm *arm = &experiment->arms[a];
    insist(experiment_find_arm(experiment, arm->name) == (int)a, "an arm that is not found");
    insist(!strchr(arm->name, '/') && !strchr(arm->descriptor, '/'), "a name that is a path");
    insist(arm->family && arm->label, "an arm without a family or a label");
    insist(arm->seed_count >= 1 && arm->seed_count <= EXPERIMENT_MAX_SEEDS, "a number of seeds");
    insist(arm->rounds >= 0 && arm->rounds <= 16, "a number of rounds");
  }
}

static void check(const experiment *experiment) {
  check_arms(experiment);
  insist(experiment->title && experiment->evaluate_every >= 0, "an experiment without a title");
  insist(experiment->case_count <= EXPERIMENT_MAX_CASES && experiment->table_count <= EXPERIMENT_MAX_TABLES &&
             experiment->claim_count <= EXPERIMENT_MAX_TABLES,
         "too many parts");
  for (size_t t = 0; t < experiment->table_count; t++) {
    const experiment_table *table = &experiment->tables[t];
    insist(table->title && table->measure && table->case_count <= EXPERIMENT_MAX_CASES, "a table that lacks a part");
    for (size_t c = 0; c < table->case_count; c++) insist(table->cases[c] != NULL, "a case without a name");
  }
  for (size_t c = 0; c < experiment->claim_count; c++) {
    const experiment_claim *claim = &experiment->claims[c];
    insist(claim->text && claim->measure && claim->arm_count <= EXPERIMENT_MAX_ARMS, "a claim that lacks a part");
    for (size_t a = 0; a < claim->arm_count; a++)
      insist(claim->arms[a] >= 0 && (size_t)claim->arms[a] < experiment->arm_count, "a claim of no arm");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static experiment read;
  double begun = seconds_used();
  char message[256] = "";
  bool good = experiment_read(memory_file(data, size), &read, message, sizeof message);
  insist(good == (message[0] == '\0'), "a refusal without a sentence");
  if (good) {
    check(&read);
    experiment_drop(&read);
  }
  insist_on_budget(begun);
  return 0;
}
