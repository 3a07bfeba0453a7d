/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <math.h>
#include <string.h>

#include "ansatz_tools.h"
#include "cli/shared.h"
#include "measure.h"

report_cell report_measure(const report_records *records, size_t arm, const char *measure, const char *field,
                           const char *const *cases, size_t case_count) {
  report_cell cell = {0};
  double sum = 0, squares = 0;
  for (size_t r = 0; r < records->found[arm]; r++) {
    double value = measure_value(&records->records[arm][r], measure, field, cases, case_count);
    if (isnan(value)) continue;
    cell.seeds[cell.count++] = value;
    sum += value;
  }
  if (cell.count == 0) return cell;
  cell.mean = sum / (double)cell.count;
  for (size_t i = 0; i < cell.count; i++) squares += (cell.seeds[i] - cell.mean) * (cell.seeds[i] - cell.mean);
  cell.deviation = cell.count > 1 ? sqrt(squares / (double)(cell.count - 1)) : nan("");
  return cell;
}

static report_cell table_cell(const report_records *records, size_t arm, const experiment_table *table) {
  return report_measure(records, arm, table->measure, table->field, table->cases, table->case_count);
}

/* Four significant digits, without exponents in the usual range. */
static void print_number(FILE *out, double value) {
  int decimals = value == 0 ? 0 : (int)fmax(0, 3 - floor(log10(fabs(value))));
  fprintf(out, "%.*f", decimals > 6 ? 6 : decimals, value);
}

static void print_pair(FILE *out, double mean, double deviation) {
  if (isnan(mean)) {
    fputs("–", out);
    return;
  }
  print_number(out, mean);
  if (isnan(deviation)) return;
  fputs(" ± ", out);
  print_number(out, deviation);
}

/* How our mean stands to the paper's mean and two of its deviations. */
typedef enum verdict { NOT_IN_PAPER, NO_RECORD, AT_OR_BELOW, ABOVE, INSIDE, BETTER, WORSE, VERDICTS } verdict;

static const char *const verdict_text[VERDICTS] = {[NOT_IN_PAPER] = "not in the paper",
                                                   [NO_RECORD] = "no record yet",
                                                   [AT_OR_BELOW] = "at or below (no spread given)",
                                                   [ABOVE] = "above (no spread given)",
                                                   [INSIDE] = "inside mean ± 2 SD",
                                                   [BETTER] = "better",
                                                   [WORSE] = "worse"};

static verdict verdict_of(report_cell ours, const experiment_table *table, experiment_number paper) {
  if (isnan(paper.mean)) return NOT_IN_PAPER;
  if (ours.count == 0) return NO_RECORD;
  double mean = ours.mean / table->unit;
  if (isnan(paper.deviation)) return mean <= paper.mean ? AT_OR_BELOW : ABOVE;
  if (fabs(mean - paper.mean) <= 2 * paper.deviation) return INSIDE;
  bool more_is_better = measure_better(table->measure) == MORE_IS_BETTER;
  return (mean < paper.mean) != more_is_better ? BETTER : WORSE;
}

static void write_table(const experiment *experiment, const report_records *records, const experiment_table *table,
                        FILE *out) {
  fprintf(out, "\n**%s**", table->title);
  if (table->unit != 1) fprintf(out, ", in units of %g", table->unit);
  fputs("\n\n| Arm | Paper | Ours | Seeds | Verdict | Rerun |\n|---|---|---|---|---|---|\n", out);
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    report_cell cell = table_cell(records, arm, table);
    fprintf(out, "| %s | ", experiment->arms[arm].label);
    print_pair(out, table->paper[arm].mean, table->paper[arm].deviation);
    fputs(" | ", out);
    print_pair(out, cell.count ? cell.mean / table->unit : nan(""), cell.deviation / table->unit);
    fprintf(out, " | %zu of %zu | %s | `ansatz reproduce %s --arms %s --out rerun` |\n", cell.count,
            experiment->arms[arm].seed_count, verdict_text[verdict_of(cell, table, table->paper[arm])],
            experiment->call, experiment->arms[arm].name);
  }
}

typedef enum outcome { OPEN, HOLDS_SO_FAR, HOLDS, FAILS_SO_FAR, FAILS, OUTCOMES } outcome;

static const char *const outcome_text[OUTCOMES] = {[OPEN] = "no verdict: records are missing",
                                                   [HOLDS_SO_FAR] = "holds for the seeds recorded so far",
                                                   [HOLDS] = "holds",
                                                   [FAILS_SO_FAR] = "does not hold for the seeds recorded so far",
                                                   [FAILS] = "does not hold"};

static outcome outcome_of(const experiment *experiment, const report_records *records, const experiment_claim *claim) {
  double last = -INFINITY;
  bool holds = true, complete = true;
  for (size_t i = 0; i < claim->arm_count; i++) {
    size_t arm = (size_t)claim->arms[i];
    report_cell cell = report_measure(records, arm, claim->measure, NULL, experiment->cases, experiment->case_count);
    if (cell.count == 0) return OPEN;
    holds = holds && cell.mean > last;
    complete = complete && cell.count == experiment->arms[arm].seed_count;
    last = cell.mean;
  }
  if (!complete) return holds ? HOLDS_SO_FAR : FAILS_SO_FAR;
  return holds ? HOLDS : FAILS;
}

static void write_claims(const experiment *experiment, const report_records *records, FILE *out) {
  if (experiment->claim_count == 0) return;
  fputs("\nClaims:\n\n", out);
  for (size_t i = 0; i < experiment->claim_count; i++) {
    const experiment_claim *claim = &experiment->claims[i];
    fprintf(out, "* %s%s (%s): %s\n", claim->ours ? "not the paper's: " : "", claim->text, claim->measure,
            outcome_text[outcome_of(experiment, records, claim)]);
  }
}

/* What the recorded jobs of one arm took, in seconds, and how many of the planned ones they are. */
typedef struct cost {
  double train, adapt;
  size_t jobs, planned, cases;
  int returns;
  const record *first; /* of the recorded ones; NULL: none */
} cost;

/* A record that was begun, or that another experiment completed, may lack cases of this one. */
static bool holds_every_case(const record *record, const experiment *experiment) {
  for (size_t c = 0; c < experiment->case_count; c++)
    if (!record_find_case(record, experiment->cases[c])) return false;
  return true;
}

static cost cost_of(const experiment *experiment, const report_records *records, size_t arm) {
  cost cost = {.planned = experiment->arms[arm].seed_count};
  for (size_t r = 0; r < records->found[arm]; r++) {
    const record *record = &records->records[arm][r];
    if (!holds_every_case(record, experiment)) continue;
    if (cost.jobs++ == 0) cost.first = record;
    cost.train += record->train_seconds;
    cost.returns += record->train_returns;
    for (size_t c = 0; c < record->case_count; c++, cost.cases++) {
      cost.adapt += record->cases[c].seconds[record->cases[c].evaluation_count - 1];
      cost.returns += record->cases[c].returns;
    }
  }
  return cost;
}

static cost total_cost(const experiment *experiment, const report_records *records) {
  cost total = {0};
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    cost cost = cost_of(experiment, records, arm);
    total.train += cost.train;
    total.adapt += cost.adapt;
    total.jobs += cost.jobs;
    total.planned += cost.planned;
    total.returns += cost.returns;
  }
  return total;
}

/* So that a reader knows what a rerun takes. Records that experiments share count in each of them. */
static void write_cost(const experiment *experiment, const report_records *records, FILE *out) {
  cost total = total_cost(experiment, records);
  fputs("\n| Arm | Parameters | Meta-training [s] | Adaptation per case [s] | Machine | Version "
        "|\n|---|---|---|---|---|---|\n",
        out);
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    cost cost = cost_of(experiment, records, arm);
    if (cost.jobs == 0) continue;
    fprintf(out, "| %s | %zu | %.0f | %.0f | %s | %s |\n", experiment->arms[arm].label, cost.first->parameters,
            cost.train / (double)cost.jobs, cost.adapt / (double)cost.cases, cost.first->machine, cost.first->version);
  }
  if (total.returns > 0)
    fprintf(out, "\n%d times a run diverged, went back and halved its rate, which the paper does not do.\n",
            total.returns);
  fprintf(out, "\nThe %zu jobs recorded, of %zu, took %.1f hours one after the other.\n", total.jobs, total.planned,
          (total.train + total.adapt) / 3600);
}

/* Every arm's seeds as dots, joined by seed where asked, and the mean with its deviation. */
static ans_status draw_table(ans_context *context, const experiment *experiment, const report_records *records,
                             const experiment_table *table, const char *path) {
  static double xs[EXPERIMENT_MAX_SEEDS + 1][EXPERIMENT_MAX_ARMS], ys[EXPERIMENT_MAX_SEEDS + 1][EXPERIMENT_MAX_ARMS];
  double spread[EXPERIMENT_MAX_ARMS];
  ans_series series[EXPERIMENT_MAX_SEEDS + 1] = {0};
  const char *names[EXPERIMENT_MAX_ARMS];
  size_t rows = 0;
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    report_cell cell = table_cell(records, arm, table);
    names[arm] = experiment->arms[arm].name;
    for (size_t s = 0; s <= EXPERIMENT_MAX_SEEDS; s++) {
      xs[s][arm] = (double)arm;
      ys[s][arm] = s == 0            ? (cell.count ? cell.mean / table->unit : nan(""))
                   : s <= cell.count ? cell.seeds[s - 1] / table->unit
                                     : nan("");
    }
    spread[arm] = cell.count ? cell.deviation / table->unit : nan("");
    if (cell.count > rows) rows = cell.count;
  }
  for (size_t s = 0; s <= rows; s++)
    series[s] = (ans_series){.label = s == 0   ? "mean and deviation"
                                      : s == 1 ? "seeds"
                                               : NULL,
                             .count = experiment->arm_count,
                             .x = xs[s],
                             .y = ys[s],
                             .spread = s == 0 ? spread : NULL,
                             .colour = s == 0 ? 1 : 0,
                             .line = table->joined,
                             .dots = true,
                             .bold = s == 0};
  char title[64];
  snprintf(title, sizeof title, table->unit == 1 ? "error" : "error / %g", table->unit);
  ans_plot plot = {.title = table->title,
                   .x_title = "",
                   .y_title = title,
                   .category_count = experiment->arm_count,
                   .categories = names,
                   .series_count = rows + 1,
                   .series = series};
  return ans_plot_draw(context, &plot, path);
}

static ans_status write_figure(ans_context *context, const experiment *experiment, const report_records *records,
                               size_t table, const char *figures, const char *link, FILE *out) {
  char name[128], path[1024];
  snprintf(name, sizeof name, "%s-%zu.svg", experiment->name, table + 1);
  snprintf(path, sizeof path, "%s/%s", figures, name);
  ans_status status = draw_table(context, experiment, records, &experiment->tables[table], path);
  if (status == ANS_OK) fprintf(out, "\n![%s](%s/%s)\n", experiment->tables[table].title, link, name);
  return status;
}

static bool any_record(const experiment *experiment, const report_records *records) {
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    if (records->found[arm] > 0) return true;
  return false;
}

ans_status report_write(ans_context *context, const experiment *experiment, const report_records *records,
                        const char *figures, const char *link, FILE *out) {
  fprintf(out,
          "## %s\n\nRerun all: `ansatz reproduce %s --out rerun`. A row's command takes `--seeds LIST` for some of its "
          "seeds.\n",
          experiment->title, experiment->call);
  if (experiment->note) fprintf(out, "\n%s\n", experiment->note);
  for (size_t table = 0; table < experiment->table_count; table++) {
    write_table(experiment, records, &experiment->tables[table], out);
    if (!figures || !experiment->tables[table].figure || !any_record(experiment, records)) continue;
    ans_status status = write_figure(context, experiment, records, table, figures, link, out);
    if (status != ANS_OK) return status;
  }
  write_claims(experiment, records, out);
  if (any_record(experiment, records)) write_cost(experiment, records, out);
  fputc('\n', out);
  return ANS_OK;
}

void report_summary_begin(FILE *out) {
  fputs("| Experiment | Jobs | Inside ± 2 SD | Better | Worse | No spread given | No record yet | Claims that hold | "
        "That do not | Open |\n|---|---|---|---|---|---|---|---|---|---|\n",
        out);
}

void report_summary(const experiment *experiment, const report_records *records, FILE *out) {
  size_t cells[VERDICTS] = {0}, claims[OUTCOMES] = {0};
  cost total = total_cost(experiment, records);
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    for (size_t t = 0; t < experiment->table_count; t++) {
      const experiment_table *table = &experiment->tables[t];
      cells[verdict_of(table_cell(records, arm, table), table, table->paper[arm])]++;
    }
  for (size_t i = 0; i < experiment->claim_count; i++)
    if (!experiment->claims[i].ours) claims[outcome_of(experiment, records, &experiment->claims[i])]++;
  fprintf(out, "| `%s` | %zu of %zu | %zu | %zu | %zu | %zu | %zu | %zu | %zu | %zu |\n", experiment->name, total.jobs,
          total.planned, cells[INSIDE], cells[BETTER], cells[WORSE], cells[AT_OR_BELOW] + cells[ABOVE],
          cells[NO_RECORD], claims[HOLDS] + claims[HOLDS_SO_FAR], claims[FAILS] + claims[FAILS_SO_FAR], claims[OPEN]);
}

static json_t *cell_json(const experiment *experiment, const report_records *records, const experiment_table *table,
                         size_t arm) {
  report_cell cell = table_cell(records, arm, table);
  for (size_t i = 0; i < cell.count; i++) cell.seeds[i] /= table->unit;
  return json_pack(
      "{s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "arm", experiment->arms[arm].name, "paper_mean",
      json_of_number(table->paper[arm].mean), "paper_deviation", json_of_number(table->paper[arm].deviation), "mean",
      json_of_number(cell.count ? cell.mean / table->unit : nan("")), "deviation",
      json_of_number(cell.count ? cell.deviation / table->unit : nan("")), "seeds",
      json_of_numbers(cell.seeds, cell.count), "verdict", verdict_text[verdict_of(cell, table, table->paper[arm])]);
}

json_t *report_json(const experiment *experiment, const report_records *records) {
  json_t *tables = json_array(), *claims = json_array();
  for (size_t t = 0; t < experiment->table_count; t++) {
    json_t *cells = json_array();
    for (size_t arm = 0; arm < experiment->arm_count; arm++)
      json_array_append_new(cells, cell_json(experiment, records, &experiment->tables[t], arm));
    json_array_append_new(tables, json_pack("{s:s, s:f, s:o}", "title", experiment->tables[t].title, "unit",
                                            experiment->tables[t].unit, "cells", cells));
  }
  for (size_t i = 0; i < experiment->claim_count; i++)
    json_array_append_new(claims, json_pack("{s:s, s:b, s:s}", "text", experiment->claims[i].text, "ours",
                                            experiment->claims[i].ours, "outcome",
                                            outcome_text[outcome_of(experiment, records, &experiment->claims[i])]));
  return json_pack("{s:o, s:o, s:o}", "experiment", json_of_text(experiment->name), "tables", tables, "claims", claims);
}
