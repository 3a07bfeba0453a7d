/* SPDX-License-Identifier: Apache-2.0
 *
 * vector.c - the coefficients in fixed slots.
 *
 * Standardised: z = (y - mean) / deviation, where y is the value, or its log10 for a logarithmic symbol, and mean and
 * deviation are those of what is declared, whichever sampler is used: uniform over the range, or even over the nodes of
 * its grid. Not standardised, or without a range (a derived symbol): log10(|c| + 1e-8). Absent symbols and spare slots
 * are zero.
 */
#include <math.h>

#include "graph/rows.h"

int vector_columns(const ans_problem *problem, descriptor_kind kind) {
  const protocol_descriptor *d = &problem->protocol.descriptor;
  return d->vector_slots + (kind == DESCRIPTOR_PRESENCE ? d->vector_count : 0);
}

/* Of n nodes spread evenly over a length: length * sqrt((n + 1) / (12 (n - 1))); n = 0 stands for infinitely many. */
static double deviation(double length, int nodes) {
  double spread = fabs(length) / sqrt(12);
  if (nodes > 1) spread *= sqrt((nodes + 1.0) / (nodes - 1.0));
  return nodes == 1 || spread == 0 ? 1 : spread;
}

static double entry_value(const ans_problem *problem, const system_symbol *symbol, double value) {
  if (!problem->protocol.descriptor.standardise || symbol->kind == SYMBOL_DERIVED) return log10(fabs(value) + 1e-8);
  double low = symbol->low, high = symbol->high;
  if (symbol->logarithmic) value = log10(value), low = log10(low), high = log10(high);
  return (value - (low + high) / 2) / deviation(high - low, symbol->grid);
}

ans_status vector_fill(ans_context *context, const ans_instance *instance, descriptor *descriptor, double *values) {
  const ans_problem *problem = instance->problem;
  const protocol_descriptor *d = &problem->protocol.descriptor;
  for (int i = 0; i < d->vector_count; i++) {
    int symbol = d->vector[i];
    if (!instance->present[symbol]) continue;
    double value = instance->values[symbol], entry = entry_value(problem, &problem->symbols[symbol], value);
    FAIL_IF(!isfinite(entry), context, ANS_ARGUMENT, "%s = %g has no logarithm, which the coefficient vector needs",
            problem->symbols[symbol].name, value);
    values[i] = entry;
    if (descriptor->kind == DESCRIPTOR_PRESENCE) values[d->vector_slots + i] = 1;
  }
  return ANS_OK;
}
