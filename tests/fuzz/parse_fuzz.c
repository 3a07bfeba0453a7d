/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_fuzz.c - any bytes into the reader. Refusing them is fine; what is accepted must print, read back as an
 * equal problem, and give finite numbers for every structure. (libFuzzer harness, built with clang.)
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "system/system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(int condition) {
  if (!condition) abort();
}

static void check_instances(ans_context *context, const ans_problem *problem) {
  double values[SYSTEM_MAX_SYMBOLS];
  for (int s = 0; s < problem->structure_count; s++) {
    for (int i = 0; i < problem->symbol_count; i++) {
      const system_symbol *symbol = &problem->symbols[i];
      values[i] = symbol->kind == SYMBOL_DERIVED || problem->structures[s].absent[i] ? (double)NAN
                  : symbol->logarithmic ? sqrt(symbol->low) * sqrt(symbol->high)
                                        : symbol->low / 2 + symbol->high / 2;
    }
    /* The centre of the ranges, which the reader has tried; rounding may put it outside of a very short range. */
    ans_instance *instance;
    insist(system_instance(context, problem, s, values, true, &instance) == ANS_OK);
    for (int i = 0; i < instance->term_count; i++) insist(isfinite(instance->terms[i].coefficient));
    for (int i = 0; i < problem->symbol_count; i++) insist(isfinite(instance->values[i]));
    (void)system_instance_hash(instance);
    system_instance_free(instance);
  }
}

static void check_round_trip(ans_context *context, const ans_problem *problem) {
  char *text;
  ans_problem *again;
  insist(system_print(context, problem, &text) == ANS_OK);
  insist(system_parse(context, "again.pde", NULL, text, strlen(text), &again) == ANS_OK);
  insist(system_equal(problem, again));
  system_free(again);
  ans_free(text);
}

static void check_assignments(ans_context *context, const ans_problem *problem, const uint8_t *data, size_t size) {
  double values[SYSTEM_MAX_SYMBOLS] = {0};
  char text[256] = {0};
  memcpy(text, data, size < sizeof text ? size : sizeof text - 1);
  if (system_assign(context, problem, text, values) != ANS_OK) return;
  for (int i = 0; i < problem->symbol_count; i++) insist(isfinite(values[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ans_context *context;
  ans_problem *problem;
  if (ans_context_new(&context) != ANS_OK) return 0;
  ans_status status = system_parse(context, "fuzz.pde", NULL, (const char *)data, size, &problem);
  const ans_diagnostic *diagnostic = ans_context_diagnostic(context);
  if (status != ANS_OK)
    insist(!problem && diagnostic->message[0] && !strchr(diagnostic->message, '\n'));
  else {
    check_round_trip(context, problem);
    check_instances(context, problem);
    check_assignments(context, problem, data, size);
    system_free(problem);
  }
  ans_context_free(context);
  return 0;
}
