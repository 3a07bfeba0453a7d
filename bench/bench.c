/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.c - how fast an adaptation step is, in ratios of one run.
 *
 * Things that are compared are sampled in turn, one step each, until the time is up; the best sample of each
 * counts. Other programs can only make a sample worse, so the ratios hold on a loud machine too, given time.
 */
#include "ansatz_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numeric/blas.h"
#include "step.h"

enum { MOST_STEPS = 12 };

/* Steps that are compared with one another, and the processor's peak beside them. */
typedef struct comparison {
  int count;
  bench_step *steps[MOST_STEPS];
  ans_instance *instances[MOST_STEPS];
} comparison;

/* Windows of the peak; a single one may be timed wrongly, so nine tenths of them must be below it. */
enum { MOST_WINDOWS = 4096 };
typedef struct peak_windows {
  int count;
  double gflops[MOST_WINDOWS];
} peak_windows;

static void comparison_close(comparison *it) {
  for (int i = 0; i < it->count; i++) {
    bench_step_close(it->steps[i]);
    system_instance_free(it->instances[i]);
  }
}

/* Takes the instance over. */
static ans_status comparison_add(ans_context *context, comparison *it, ans_instance *instance, int threads,
                                 bool plain) {
  it->instances[it->count] = instance;
  it->steps[it->count] = NULL;
  return bench_step_open(context, instance, threads, plain, &it->steps[it->count++]);
}

/* peak: windows are added, unless NULL. */
static void comparison_run(comparison *it, double seconds, peak_windows *peak) {
  double spent = 0;
  for (int round = 0; round < 2 || spent < seconds; round++) {
    for (int i = 0; i < it->count; i++) {
      double before = bench_cpu_seconds();
      for (int repeat = 0; repeat < (it->steps[i]->threads > 1 ? 4 : 1); repeat++)
        bench_step_run(it->steps[i]); /* rarely undisturbed */
      spent += bench_cpu_seconds() - before;
    }
    for (int i = 0; peak && i < 2 && peak->count < MOST_WINDOWS; i++) peak->gflops[peak->count++] = bench_fma_peak();
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Best time of each part of the run. The samples must still be in their order. */
static ans_bench_noise noise_of(const bench_step *step) {
  enum { REPEATS = 5 };
  double best[REPEATS];
  int repeats = step->sample_count < REPEATS ? step->sample_count : REPEATS;
  for (int r = 0; r < repeats; r++) {
    int first = step->sample_count * r / repeats, end = step->sample_count * (r + 1) / repeats;
    best[r] = step->samples[first];
    for (int i = first; i < end; i++) best[r] = fmin(best[r], step->samples[i]);
  }
  qsort(best, (size_t)repeats, sizeof *best, by_size);
  double median = best[repeats / 2];
  return (ans_bench_noise){repeats, 1e3 * median, (best[repeats - 1] - best[0]) / median};
}

/* ---- Members of families ------------------------------------------------------------------------------- */

static ans_status last_case(ans_context *context, const ans_problem *problem, ans_instance **result) {
  FAIL_IF(problem->case_count < 1, context, ANS_ARGUMENT, "'%s' has no case to measure", problem->name);
  const system_case *it = &problem->cases[problem->case_count - 1];
  return system_instance(context, problem, it->structure, it->values, true, result);
}

static ans_status middle_of(ans_context *context, const ans_problem *problem, int structure, ans_instance **result) {
  double values[SYSTEM_MAX_SYMBOLS];
  for (int i = 0; i < problem->symbol_count; i++) {
    const system_symbol *symbol = &problem->symbols[i];
    bool given = symbol->kind != SYMBOL_DERIVED && !problem->structures[structure].absent[i];
    values[i] = given ? 0.5 * (symbol->low + symbol->high) : (double)NAN;
  }
  return system_instance(context, problem, structure, values, true, result);
}

/* ---- The two steps of the paper ------------------------------------------------------------------------ */

enum { ONE_THREAD, TWO_THREADS, PLAIN, TIMED };

static void fill_step(const comparison *it, const ans_problem *problem, ans_bench_step *to) {
  const bench_step *one = it->steps[ONE_THREAD], *two = it->steps[TWO_THREADS], *plain = it->steps[PLAIN];
  const protocol_budget *budget = &problem->protocol.adapt;
  to->width = problem->protocol.network.width;
  to->fields = problem->field_count;
  to->points = budget->points + budget->initial_points + 2 * budget->period_points + budget->boundary_points;
  to->channels = residual_channels(one->residual);
  to->ms = 1e3 * one->best;
  to->gflop = bench_step_gflop(one);
  to->gflops = to->gflop / one->best;
  to->speedup_2_threads = one->best / two->best;
  to->speedup_2_threads_wall = one->wall / two->wall;
  to->plain_channels = residual_channels(plain->residual);
  to->operator_speedup = plain->best / one->best;
  to->forming_share = one->forming / one->best;
  to->product_fraction = it->steps[TIMED]->gflops[BENCH_PRODUCT]; /* over the peak, when that is known */
  to->outer_fraction = it->steps[TIMED]->gflops[BENCH_OUTER];
  to->noise = noise_of(one);
}

static double median_over_best(bench_step *step) {
  qsort(step->samples, (size_t)step->sample_count, sizeof *step->samples, by_size);
  return step->samples[step->sample_count / 2] / step->best;
}

static ans_status open_paper_step(ans_context *context, const ans_problem *problem, comparison *it) {
  ans_status status = ANS_OK;
  for (int i = ONE_THREAD; status == ANS_OK && i <= TIMED; i++) {
    ans_instance *instance = NULL;
    if (i == TIMED) kernels_use(bench_timed_kernels());
    status = last_case(context, problem, &instance);
    if (status == ANS_OK) status = comparison_add(context, it, instance, i == TWO_THREADS ? 2 : 1, i == PLAIN);
  }
  kernels_use(NULL);
  return status;
}

static ans_status measure_paper_step(ans_context *context, const ans_problem *problem, double seconds,
                                     peak_windows *peak, ans_bench_report *report, ans_bench_step *to) {
  comparison it = {0};
  ans_status status = open_paper_step(context, problem, &it);
  if (status == ANS_OK) {
    comparison_run(&it, seconds, peak);
    fill_step(&it, problem, to);
    report->loudness = fmax(report->loudness, median_over_best(it.steps[ONE_THREAD]));
  }
  comparison_close(&it);
  return status;
}

/* ---- Groups of entries --------------------------------------------------------------------------------- */

static ans_bench_entry *add_entry(ans_bench_report *report, ans_bench_group group, const char *name, double x) {
  ans_bench_entry *entry = &report->entries[report->entry_count++];
  *entry = (ans_bench_entry){.group = group, .x = x};
  snprintf(entry->name, sizeof entry->name, "%s", name);
  return entry;
}

static void finish_entries(comparison *it, double seconds, ans_bench_entry *entries) {
  comparison_run(it, seconds, NULL);
  for (int i = 0; i < it->count; i++) {
    entries[i].channels = residual_channels(it->steps[i]->residual);
    entries[i].ms = 1e3 * it->steps[i]->best;
    entries[i].gflops = bench_step_gflop(it->steps[i]) / it->steps[i]->best;
    entries[i].noise = noise_of(it->steps[i]);
  }
}

static ans_status measure_structures(ans_context *context, const ans_problem *problem, double seconds,
                                     ans_bench_report *report) {
  comparison it = {0};
  ans_bench_entry *first = &report->entries[report->entry_count];
  ans_status status = ANS_OK;
  for (int s = 0; status == ANS_OK && s < problem->structure_count && s < MOST_STEPS; s++) {
    ans_instance *instance = NULL;
    add_entry(report, ANS_BENCH_STRUCTURES, problem->structures[s].name, s);
    status = middle_of(context, problem, s, &instance);
    if (status == ANS_OK) status = comparison_add(context, &it, instance, 1, false);
  }
  if (status == ANS_OK) finish_entries(&it, seconds, first);
  comparison_close(&it);
  return status;
}

static ans_status measure_sets(ans_context *context, const ans_problem *problem, double seconds,
                               ans_bench_report *report) {
  const kernel_table *tables[] = {bench_plain_loops(), bench_plain_loops_avx2(), kernels_by_name("baseline"),
                                  kernels_by_name("avx2"), kernels_by_name("avx512")};
  comparison it = {0};
  ans_bench_entry *first = &report->entries[report->entry_count];
  ans_status status = ANS_OK;
  for (int t = 0; status == ANS_OK && t < 5; t++) {
    ans_instance *instance = NULL;
    if (!tables[t]) continue;
    add_entry(report, ANS_BENCH_ISA, tables[t]->name, t);
    kernels_use(tables[t]);
    status = last_case(context, problem, &instance);
    if (status == ANS_OK) status = comparison_add(context, &it, instance, 1, false);
  }
  kernels_use(NULL);
  if (status == ANS_OK) finish_entries(&it, seconds, first);
  comparison_close(&it);
  return status;
}

/* A family of `fields` equations u_t = c u_x..x of some order, as text. */
static void write_family(char *text, size_t room, int points, int width, int fields, int order) {
  char derivative[8] = "", *end = text + room;
  for (int i = 0; i < order; i++) derivative[i] = 'x';
  text +=
      snprintf(text, (size_t)(end - text), "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u1");
  for (int f = 1; f < fields; f++) text += snprintf(text, (size_t)(end - text), ", u%d", f + 1);
  for (int f = 0; f < fields; f++)
    text += snprintf(text, (size_t)(end - text),
                     "\nequation u%d: u%d_t + u%d*u%d_%s - u%d^2 = 0\ninitial u%d = sin(2*pi*x)", f + 1, f + 1, f + 1,
                     f + 1, derivative, (f + 1) % fields + 1, f + 1);
  snprintf(text, (size_t)(end - text), "\nnetwork width %d, layers 3\ntrain points %d\nadapt points %d\n", width,
           points, points);
}

static const struct growth {
  ans_bench_group group;
  int values[6]; /* ends with 0 */
} growths[] = {
    {ANS_BENCH_POINTS, {256, 512, 1024, 2048, 4096}},
    {ANS_BENCH_WIDTH, {32, 64, 96, 128, 256}},
    {ANS_BENCH_FIELDS, {1, 2, 4, 8}},
    {ANS_BENCH_ORDER, {1, 2, 3, 4}},
};

static ans_status add_member(ans_context *context, ans_bench_group group, int value, comparison *it,
                             ans_problem **problem) {
  char text[4096];
  write_family(text, sizeof text, group == ANS_BENCH_POINTS ? value : 1024, group == ANS_BENCH_WIDTH ? value : 96,
               group == ANS_BENCH_FIELDS ? value : 1, group == ANS_BENCH_ORDER ? value : 2);
  TRY(system_parse(context, "bench", NULL, text, strlen(text), problem));
  ans_instance *instance = NULL;
  TRY(middle_of(context, *problem, 0, &instance));
  return comparison_add(context, it, instance, 1, false);
}

static ans_status measure_growth(ans_context *context, const struct growth *growth, double seconds,
                                 ans_bench_report *report) {
  comparison it = {0};
  ans_problem *problems[6] = {NULL};
  ans_bench_entry *first = &report->entries[report->entry_count];
  ans_status status = ANS_OK;
  for (int i = 0; status == ANS_OK && i < 6 && growth->values[i]; i++) {
    char name[24];
    snprintf(name, sizeof name, "%d", growth->values[i]);
    add_entry(report, growth->group, name, growth->values[i]);
    status = add_member(context, growth->group, growth->values[i], &it, &problems[i]);
  }
  if (status == ANS_OK) finish_entries(&it, seconds, first);
  comparison_close(&it);
  for (int i = 0; i < 6; i++) system_free(problems[i]);
  return status;
}

/* ---- The door ------------------------------------------------------------------------------------------ */

static void describe_machine(ans_bench_report *report) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256];
  snprintf(report->cpu, sizeof report->cpu, "unknown");
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, "model name", 10) != 0) continue;
    const char *name = strchr(line, ':');
    if (name) snprintf(report->cpu, sizeof report->cpu, "%.*s", (int)strcspn(name + 2, "\n"), name + 2);
    break;
  }
  if (file) fclose(file);
  snprintf(report->isa, sizeof report->isa, "%s", kernels_chosen()->name);
  snprintf(report->blas, sizeof report->blas, "%s", blas_description());
}

static void relate_to_peak(double peak, ans_bench_step *step) {
  step->fma_fraction = step->gflops / peak;
  step->product_fraction /= peak;
  step->outer_fraction /= peak;
}

/* Speed per unit of work of the higher orders, over that of order two. */
static void relate_orders(ans_bench_report *report) {
  double gflops[5] = {0};
  for (int i = 0; i < report->entry_count; i++)
    if (report->entries[i].group == ANS_BENCH_ORDER) gflops[(int)report->entries[i].x] = report->entries[i].gflops;
  for (int i = 0; i < 2; i++) report->order_speed[i] = gflops[3 + i] / gflops[2];
}

ans_status ans_bench(ans_context *context, const ans_problem *fisher, const ans_problem *cdr, double seconds,
                     bool groups, ans_bench_report *report) {
  static peak_windows peak;
  peak.count = 0;
  memset(report, 0, sizeof *report);
  describe_machine(report);
  TRY(measure_paper_step(context, fisher, seconds, &peak, report, &report->fisher));
  TRY(measure_paper_step(context, cdr, seconds, &peak, report, &report->cdr));
  qsort(peak.gflops, (size_t)peak.count, sizeof *peak.gflops, by_size);
  report->fma_peak_gflops = peak.gflops[peak.count * 9 / 10];
  relate_to_peak(report->fma_peak_gflops, &report->fisher);
  relate_to_peak(report->fma_peak_gflops, &report->cdr);
  if (!groups) return ANS_OK;
  TRY(measure_structures(context, cdr, seconds, report));
  TRY(measure_sets(context, fisher, seconds, report));
  for (size_t i = 0; i < sizeof growths / sizeof *growths; i++)
    TRY(measure_growth(context, &growths[i], seconds, report));
  relate_orders(report);
  return ANS_OK;
}
