/* SPDX-License-Identifier: Apache-2.0
 *
 * merge.c - `ansatz merge`: the parts that shards of `solve --targets` left, as the one file of the whole.
 */
#include <string.h>

#include "batch.h"
#include "output.h"

static bool first_missing(const ledger *ledger, size_t *row) {
  for (*row = 0; *row < ledger->rows; ++*row)
    if (!ledger_has(ledger, *row)) return true;
  return false;
}

/* Whether rows are missing that must not be. */
static int check_complete(ledger *ledger, bool partial) {
  size_t row;
  if (partial || !first_missing(ledger, &row)) return EXIT_OK;
  complain("%s: %zu of %zu rows are not done, the first of them row %zu%s; solve them, or write what there is with "
           "--partial",
           ledger->output, ledger->rows - ledger->done, ledger->rows, row + 1,
           ledger_in_work(ledger) ? " (a run is at work on some)" : "");
  return EXIT_FILE;
}

static int merge_parts(ans_context *context, const arguments *arguments, ledger *ledger, const ans_problem *problem) {
  const char *output = arguments->operands[0];
  bool partial = option_value(arguments, "partial") != NULL, none = false;
  batch_view view;
  int failed = EXIT_OK, code = check_complete(ledger, partial);
  if (code != EXIT_OK) return code;
  batch_view_of(problem, ledger, &view);
  view.json = arguments->json;
  code = arguments->quiet && !arguments->json ? EXIT_OK : batch_report(&view, &failed);
  if (code == EXIT_OK) code = batch_write(context, &view, output, &none);
  if (code == EXIT_OK && !view.json) printf("wrote %s\n", output);
  bool complete = ledger->done == ledger->rows;
  ledger_close(ledger, code == EXIT_OK && complete && !option_value(arguments, "keep") && !ledger_in_work(ledger));
  return code == EXIT_OK ? failed : code;
}

static int run_with(ans_context *context, const arguments *arguments) {
  ledger ledger = {0};
  ans_problem *problem = NULL;
  int code = ledger_open(arguments->operands[0], NULL, &ledger);
  if (code != EXIT_OK) return code;
  const char *text = ledger_text(ledger.header, "problem");
  ans_status status = ans_problem_parse(context, arguments->operands[0], text, strlen(text), &problem);
  code = status == ANS_OK ? merge_parts(context, arguments, &ledger, problem) : report_failure(context, status);
  ledger_close(&ledger, false);
  ans_problem_free(problem);
  return code;
}

static int run_merge(const arguments *arguments) {
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  int code = run_with(context, arguments);
  ans_context_free(context);
  return code;
}

const command merge_command = {
    .name = "merge",
    .operands = "OUTPUT",
    .summary = "join the part files of a sharded run into one file",
    .description =
        "Reads the part files that `ansatz solve --targets TABLE -o OUTPUT --shard K/N` left beside OUTPUT, prints "
        "the result of every row and writes OUTPUT, in the order of the table: the same bytes as a run without "
        "shards. Parts with other settings or from other versions are refused, and so is an incomplete set. Once "
        "OUTPUT is written, the parts are removed. The time of each row, which differs from run to run, goes to "
        "OUTPUT.times.csv.",
    .options = (const option[]){{"partial", 0, NULL, "write the rows that are done, and keep the parts"},
                                {"keep", 0, NULL, "keep the parts"},
                                {0}},
    .examples = (const example[]){{"merge all.nc",
                                   "after `ansatz solve fisher-graph --targets t.csv -o all.nc --shard 1/2` and 2/2"},
                                  {"merge all.nc --partial", "what an interrupted run has so far"},
                                  {0}},
    .run = run_merge,
};
