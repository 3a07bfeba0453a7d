/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include <assert.h>
#include <math.h>

#include "measure.h"

cell cell_of(const experiment_records *records, size_t arm, const char *measure, const char *field,
             const char *const *cases, size_t case_count) {
  cell cell = {0};
  size_t count = 0;
  for (size_t r = 0; r < records->found[arm]; r++) {
    const record *record = &records->records[arm][r];
    double value = measure_value(record, measure, field, cases, case_count);
    if (isnan(value)) continue;
    cell.names[count] = record->seed;
    assert(count < EXPERIMENT_MAX_SEEDS);
    cell.seeds[count++] = value;
  }
  cell.over = sample_of(cell.seeds, count);
  if (count == 0 || !measure_is_pooled(measure)) return cell;
  cell.over.mean = measure_pooled(records->records[arm], records->found[arm], measure, cases, case_count);
  cell.over.deviation = nan("");
  return cell;
}

cell table_cell(const experiment_records *records, size_t arm, const experiment_table *table) {
  cell cell = cell_of(records, arm, table->measure, table->field, table->cases, table->case_count);
  cell.over.mean /= table->unit;
  cell.over.deviation /= table->unit;
  for (size_t i = 0; i < cell.over.count; i++) cell.seeds[i] /= table->unit;
  return cell;
}

verdict verdict_of(const cell *ours, const experiment_table *table, size_t arm) {
  assert(arm < EXPERIMENT_MAX_ARMS);
  const sample *paper = &table->paper[arm].over;
  measure_direction better = measure_better(table->measure);
  if (isnan(paper->mean)) return NOT_IN_PAPER;
  if (ours->over.count == 0) return NO_RECORD;
  if (better == OTHER_HARDWARE) return NOT_COMPARED;
  double gain = (better == MORE_IS_BETTER ? 1 : -1) * (ours->over.mean - paper->mean);
  if (isnan(paper->deviation)) return gain >= 0 ? AS_GOOD : LESS_GOOD;
  if (fabs(gain) > 2 * paper->deviation) return gain > 0 ? BETTER : WORSE;
  return paper->mean - 2 * paper->deviation <= 0 ? NO_TEST : INSIDE;
}

const char *verdict_text(verdict verdict) {
  static const char *const texts[VERDICTS] = {[NOT_IN_PAPER] = "not in the paper",
                                              [NO_RECORD] = "no record yet",
                                              [NOT_COMPARED] = "not compared: other hardware",
                                              [AS_GOOD] = "as good or better (no spread given)",
                                              [LESS_GOOD] = "worse (no spread given)",
                                              [NO_TEST] = "no test: mean ± 2 SD reaches zero",
                                              [INSIDE] = "inside mean ± 2 SD",
                                              [BETTER] = "better",
                                              [WORSE] = "worse"};
  return texts[verdict];
}

double verdict_p(const cell *ours, const experiment_table *table, size_t arm) {
  if (measure_better(table->measure) == OTHER_HARDWARE || isnan(ours->over.deviation)) return nan("");
  const sample *paper = &table->paper[arm].over;
  return isnan(paper->deviation) ? nan("") : welch_p(ours->over, *paper);
}
