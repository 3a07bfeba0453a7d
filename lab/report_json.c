/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared.h"
#include "claim.h"
#include "report.h"

static json_t *cell_json(const experiment *experiment, const experiment_records *records, const experiment_table *table,
                         size_t arm) {
  cell cell = table_cell(records, arm, table);
  const experiment_number *paper = &table->paper[arm];
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "arm", experiment->arms[arm].name, "paper_mean",
                   json_of_number(paper->over.mean), "paper_deviation", json_of_number(paper->over.deviation),
                   "paper_seeds", json_of_numbers(paper->seeds, paper->seed_count), "mean",
                   json_of_number(cell.over.mean), "deviation", json_of_number(cell.over.deviation), "seeds",
                   json_of_numbers(cell.seeds, cell.over.count), "p", json_of_number(verdict_p(&cell, table, arm)),
                   "verdict", verdict_text(verdict_of(&cell, table, arm)));
}

static json_t *table_json(const experiment *experiment, const experiment_records *records,
                          const experiment_table *table) {
  json_t *cells = json_array();
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    json_array_append_new(cells, cell_json(experiment, records, table, arm));
  return json_pack("{s:s, s:f, s:o}", "title", table->title, "unit", table->unit, "cells", cells);
}

static json_t *pair_json(const experiment *experiment, const claim_pair *pair) {
  return json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "lower", experiment->arms[pair->lower].name,
                   "upper", experiment->arms[pair->upper].name, "seeds_below", (json_int_t)pair->below, "cases",
                   (json_int_t)pair->cases, "cases_below", (json_int_t)pair->case_below, "difference",
                   json_of_number(pair->difference.mean), "share", json_of_number(pair->share), "low",
                   json_of_number(pair->difference.low), "high", json_of_number(pair->difference.high));
}

static json_t *claim_json(const experiment *experiment, const experiment_records *records,
                          const experiment_claim *claim) {
  claim_judgement judged = claim_judge(experiment, records, claim);
  json_t *pairs = json_array();
  for (size_t i = 0; i < judged.pair_count; i++) json_array_append_new(pairs, pair_json(experiment, &judged.pairs[i]));
  return json_pack("{s:s, s:b, s:s, s:I, s:I, s:o}", "text", claim->text, "ours", claim->ours, "outcome",
                   claim_text(judged.outcome), "shared_seeds", (json_int_t)judged.shared, "planned_seeds",
                   (json_int_t)judged.planned, "pairs", pairs);
}

json_t *report_json(const experiment *experiment, const experiment_records *records) {
  json_t *tables = json_array(), *claims = json_array();
  for (size_t t = 0; t < experiment->table_count; t++)
    json_array_append_new(tables, table_json(experiment, records, &experiment->tables[t]));
  for (size_t i = 0; i < experiment->claim_count; i++)
    json_array_append_new(claims, claim_json(experiment, records, &experiment->claims[i]));
  return json_pack("{s:o, s:o, s:o}", "experiment", json_of_text(experiment->name), "tables", tables, "claims", claims);
}
