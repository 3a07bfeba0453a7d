/* SPDX-License-Identifier: Apache-2.0
 *
 * record_fuzz.c - any bytes into the reader of records (`reproduce`). What is accepted has finite numbers and is the
 * same when it is written and read once more.
 */
#include "budget.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lab/job_record.h"

static void check_numbers(const record *record) {
  insist(record->field_count >= 1 && record->field_count <= RECORD_MAX_FIELDS, "a number of fields");
  insist(record->case_count <= RECORD_MAX_CASES, "a number of cases");
  for (size_t c = 0; c < record->case_count; c++) {
    const record_case *entry = &record->cases[c];
    insist(entry->evaluation_count >= 1 && entry->evaluation_count <= RECORD_MAX_EVALUATIONS,
           "a number of evaluations");
    for (size_t e = 0; e < entry->evaluation_count; e++)
      insist(record_error(record, entry, e, NULL) >= 0, "an error that is not a number");
    insist(isfinite(entry->residual), "a residual that is not finite");
  }
}

/* A record has room for the largest, 2.7 MB, and clearing it would be most of the work: it is kept, and what decides
 * how the rest is read is cleared. */
static record *clean(record *kept) {
  record_case *cases = kept->cases;
  if (!cases) {
    insist(record_new(kept), "no memory");
    return kept;
  }
  for (size_t c = 0; c < RECORD_MAX_CASES; c++)
    cases[c].evaluation_count = 0, cases[c].name[0] = cases[c].choice[0] = '\0';
  *kept = (record){.cases = cases};
  return kept;
}

/* The text of a record that reads `text`. */
static char *text_after(const char *text) {
  static record kept;
  char message[256];
  bool found;
  record *again = clean(&kept);
  insist(record_read(memory_file(text, strlen(text)), again, &found, message, sizeof message), "it does not read back");
  return record_text(again);
}

/* The first text rounds the numbers and has means of those that were not: the second and the third are the same. */
static void check(const record *record) {
  check_numbers(record);
  char *text = record_text(record);
  if (!text) return; /* a text that is not UTF-8 is not written */
  char *second = text_after(text);
  insist(second != NULL, "it cannot be written again");
  char *third = text_after(second);
  insist(third && strcmp(second, third) == 0, "another record when read back");
  free(third);
  free(second);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  double begun = seconds_used();
  char message[256] = "";
  bool found;
  static record kept;
  record *read = clean(&kept);
  bool good = record_read(memory_file(data, size), read, &found, message, sizeof message);
  insist(found && good == (message[0] == '\0'), "a refusal without a sentence");
  if (good) check(read);
  insist_on_budget(begun);
  return 0;
}
