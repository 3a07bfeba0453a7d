/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h - what `ansatz check` finds in a problem file, and the checks that find it.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <stdbool.h>

#include "ansatz_tools.h"
#include "output.h"

typedef enum finding_kind { FINDING_NOTE, FINDING_DOUBTFUL, FINDING_WRONG } finding_kind;

typedef struct finding {
  finding_kind kind;
  char *text; /* one sentence without its full stop */
} finding;

typedef struct findings {
  size_t count;
  finding *list;
  bool failed; /* memory was exhausted: some finding is missing */
} findings;

/* Keeps a sentence unless it is there already. */
void findings_add(findings *findings, finding_kind kind, const char *format, ...) CLI_PRINTF_LIKE(3, 4);
void findings_drop(findings *findings);

/* ---- The checks --------------------------------------------------------------------------------------- */

/* Values that do not exist, or grow without bound, somewhere in the ranges of the coefficients (of a structure) or of
 * the coordinates (of a member). */
void check_ranges(ans_context *context, const ans_problem *problem, size_t structure, findings *findings);
void check_sources(ans_context *context, const ans_instance *instance, findings *findings);

/* Conditions that contradict the initial value at the beginning. */
void check_conditions(const ans_instance *instance, findings *findings);

/* Terms of very different size. reference: the member's, or NULL: at the initial value. */
void check_sizes(ans_context *context, const ans_instance *instance, const char *member, const ans_solution *reference,
                 findings *findings);

/* ---- A function over an interval (check_scan.c) ------------------------------------------------------- */

typedef double (*scanned_function)(const void *data, double at);
typedef enum scan_result { SCAN_REGULAR, SCAN_UNDEFINED, SCAN_UNBOUNDED } scan_result;

/* Looks for a place where the function has no finite value, or near which it grows without bound. */
scan_result scan_function(scanned_function function, const void *data, double low, double high, double *at);

#endif
