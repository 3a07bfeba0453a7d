/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <math.h>
#include <string.h>

#include "claim.h"

/* ---- Tables ------------------------------------------------------------------------------------------ */

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

static void print_p(FILE *out, double p) {
  if (isnan(p))
    fputs("–", out);
  else if (p < 0.001)
    fputs("< 0.001", out);
  else
    fprintf(out, p < 0.1 ? "%.3f" : "%.2f", p);
}

static void write_row(const experiment *experiment, const experiment_table *table, size_t arm, const cell *cell,
                      FILE *out) {
  fprintf(out, "| %s | ", experiment->arms[arm].label);
  print_pair(out, table->paper[arm].over.mean, table->paper[arm].over.deviation);
  fputs(" | ", out);
  print_pair(out, cell->over.mean, cell->over.deviation);
  fprintf(out, " | %zu of %zu | ", cell->over.count, experiment->arms[arm].seed_count);
  print_p(out, verdict_p(cell, table, arm));
  fprintf(out, " | %s | `ansatz reproduce %s --arms %s --out rerun` |\n", verdict_text(verdict_of(cell, table, arm)),
          experiment->call, experiment->arms[arm].name);
}

static void print_list(FILE *out, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i) fputs(", ", out);
    if (values[i] == floor(values[i]))
      fprintf(out, "%.0f", values[i]);
    else
      print_number(out, values[i]);
  }
}

/* Where the paper lists its seeds: its numbers, and ours with the seed that each belongs to. */
static void write_seeds(const experiment *experiment, const experiment_table *table, size_t arm, const cell *cell,
                        FILE *out) {
  const experiment_number *paper = &table->paper[arm];
  if (paper->seed_count == 0) return;
  fprintf(out, "\n* %s by seed: paper ", experiment->arms[arm].label);
  print_list(out, paper->seeds, paper->seed_count);
  fputs(cell->over.count ? "; ours " : "; no record yet", out);
  print_list(out, cell->seeds, cell->over.count);
  for (size_t i = 0; i < cell->over.count; i++)
    fprintf(out, "%s%llu",
            i                      ? ", "
            : cell->over.count > 1 ? " (seeds "
                                   : " (seed ",
            (unsigned long long)cell->names[i]);
  if (cell->over.count) fputc(')', out);
}

static void write_table(const experiment *experiment, const experiment_records *records, const experiment_table *table,
                        FILE *out) {
  fprintf(out, "\n**%s**", table->title);
  if (table->unit != 1) fprintf(out, ", in units of %g", table->unit);
  fputs("\n\n| Arm | Paper | Ours | Seeds | Welch p | Verdict | Rerun |\n|---|---|---|---|---|---|---|\n", out);
  bool listed = false;
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    cell cell = table_cell(records, arm, table);
    write_row(experiment, table, arm, &cell, out);
    listed = listed || table->paper[arm].seed_count > 0;
  }
  for (size_t arm = 0; listed && arm < experiment->arm_count; arm++) {
    cell cell = table_cell(records, arm, table);
    write_seeds(experiment, table, arm, &cell, out);
  }
  if (listed) fputc('\n', out);
}

/* ---- Claims ------------------------------------------------------------------------------------------ */

/* "graph < set: below in 5 of 5 seeds, 17 of 20 cases; difference 0.00103 (40.2 % of the upper), 95 % [...]" */
static void write_pair(const experiment *experiment, const claim_judgement *judged, const claim_pair *pair, FILE *out) {
  fprintf(out, "  * %s < %s: below in %zu of %zu seeds, %zu of %zu cases; difference %.3g",
          experiment->arms[pair->lower].name, experiment->arms[pair->upper].name, pair->below, judged->shared,
          pair->case_below, pair->cases, pair->difference.mean);
  if (!isnan(pair->share)) fprintf(out, " (%.1f %% of the upper)", 100 * pair->share);
  if (isnan(pair->difference.low))
    fputs(", one seed has no interval\n", out);
  else
    fprintf(out, ", 95 %% [%.3g, %.3g]\n", pair->difference.low, pair->difference.high);
}

static void write_claims(const experiment *experiment, const experiment_records *records, FILE *out) {
  if (experiment->claim_count == 0) return;
  fputs("\nClaims, judged on the seeds that all their arms have:\n\n", out);
  for (size_t i = 0; i < experiment->claim_count; i++) {
    const experiment_claim *claim = &experiment->claims[i];
    claim_judgement judged = claim_judge(experiment, records, claim);
    fprintf(out, "* %s%s (%s): %s", claim->ours ? "not the paper's: " : "", claim->text, claim->measure,
            claim_text(judged.outcome));
    if (judged.shared > 0) fprintf(out, ", on %zu of %zu seeds", judged.shared, judged.planned);
    fputc('\n', out);
    for (size_t p = 0; judged.shared > 0 && p < judged.pair_count; p++)
      write_pair(experiment, &judged, &judged.pairs[p], out);
  }
}

/* ---- Costs ------------------------------------------------------------------------------------------- */

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

static cost cost_of(const experiment *experiment, const experiment_records *records, size_t arm) {
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

static cost total_cost(const experiment *experiment, const experiment_records *records) {
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

/* Whether one of the first records has this word in its version, "0.2.0 4f2c1ab 9e01d77". */
static bool has_build(const record *records, size_t count, const char *word, size_t length) {
  for (size_t r = 0; r < count; r++)
    for (const char *place = records[r].version; (place = strstr(place, word)); place += length)
      if ((place == records[r].version || place[-1] == ' ') && (place[length] == ' ' || place[length] == '\0'))
        return true;
  return false;
}

/* The version and every build that worked on an arm's records, each once. */
static void write_builds(const record *records, size_t count, FILE *out) {
  bool first = true;
  for (size_t r = 0; r < count; r++) {
    char words[RECORD_NAME], *rest = NULL;
    strcpy(words, records[r].version);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
      if (has_build(records, r, word, strlen(word))) continue;
      fprintf(out, "%s%s", first ? "" : " ", word);
      first = false;
    }
  }
}

/* So that a reader knows what a rerun takes. Records that experiments share count in each of them. */
static void write_cost(const experiment *experiment, const experiment_records *records, FILE *out) {
  cost total = total_cost(experiment, records);
  fputs("\n| Arm | Parameters | Meta-training [s] | Adaptation per case [s] | Machine | Version and builds "
        "|\n|---|---|---|---|---|---|\n",
        out);
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    cost cost = cost_of(experiment, records, arm);
    if (cost.jobs == 0) continue;
    fprintf(out, "| %s | %zu | %.0f | %.0f | %s | ", experiment->arms[arm].label, cost.first->parameters,
            cost.train / (double)cost.jobs, cost.adapt / (double)cost.cases, cost.first->machine);
    write_builds(records->records[arm], records->found[arm], out);
    fputs(" |\n", out);
  }
  if (total.returns > 0)
    fprintf(out, "\n%d times a run diverged, went back and halved its rate, which the paper does not do.\n",
            total.returns);
  fprintf(out, "\nThe %zu jobs recorded, of %zu, took %.1f hours one after the other.\n", total.jobs, total.planned,
          (total.train + total.adapt) / 3600);
}

/* ---- The whole --------------------------------------------------------------------------------------- */

static ans_status write_figure(ans_context *context, const experiment *experiment, const experiment_records *records,
                               size_t table, const char *figures, const char *link, FILE *out) {
  char name[128], path[1024];
  snprintf(name, sizeof name, "%s-%zu.svg", experiment->name, table + 1);
  snprintf(path, sizeof path, "%s/%s", figures, name);
  ans_status status = report_figure(context, experiment, records, &experiment->tables[table], path);
  if (status == ANS_OK) fprintf(out, "\n![%s](%s/%s)\n", experiment->tables[table].title, link, name);
  return status;
}

static bool any_record(const experiment *experiment, const experiment_records *records) {
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    if (records->found[arm] > 0) return true;
  return false;
}

ans_status report_write(ans_context *context, const experiment *experiment, const experiment_records *records,
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
  fputs("| Experiment | Jobs | Inside ± 2 SD | No test | Better | Worse | No spread: as good, worse | No record yet | "
        "p < "
        "0.05 | Claims that hold | Undecided: in order, not in order | That do not | Open "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        out);
}

/* What the cells of an experiment say, counted. */
typedef struct counts {
  size_t verdicts[VERDICTS], claims[CLAIM_OUTCOMES];
  size_t tested, far; /* cells with a p, and those in which it is below 0.05 */
} counts;

static counts count_all(const experiment *experiment, const experiment_records *records) {
  counts counts = {0};
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    for (size_t t = 0; t < experiment->table_count; t++) {
      const experiment_table *table = &experiment->tables[t];
      cell cell = table_cell(records, arm, table);
      double p = verdict_p(&cell, table, arm);
      counts.verdicts[verdict_of(&cell, table, arm)]++;
      counts.tested += !isnan(p);
      counts.far += p < 0.05;
    }
  for (size_t i = 0; i < experiment->claim_count; i++)
    if (!experiment->claims[i].ours) counts.claims[claim_judge(experiment, records, &experiment->claims[i]).outcome]++;
  return counts;
}

void report_summary(const experiment *experiment, const experiment_records *records, FILE *out) {
  counts counts = count_all(experiment, records);
  cost total = total_cost(experiment, records);
  fprintf(out,
          "| `%s` | %zu of %zu | %zu | %zu | %zu | %zu | %zu, %zu | %zu | %zu of %zu | %zu | %zu, %zu | %zu | %zu |\n",
          experiment->name, total.jobs, total.planned, counts.verdicts[INSIDE], counts.verdicts[NO_TEST],
          counts.verdicts[BETTER], counts.verdicts[WORSE], counts.verdicts[AS_GOOD], counts.verdicts[LESS_GOOD],
          counts.verdicts[NO_RECORD], counts.far, counts.tested, counts.claims[CLAIM_HOLDS], counts.claims[CLAIM_LEANS],
          counts.claims[CLAIM_DOUBTS], counts.claims[CLAIM_FAILS], counts.claims[CLAIM_OPEN]);
}
