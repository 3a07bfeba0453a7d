/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.c - `ansatz bench`: how fast this machine takes an adaptation step, and how the cost grows.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "ansatz_tools.h"
#include "bench_accuracy.h"
#include "bench_compare.h"
#include "bench_zoo.h"
#include "commands.h"
#include "commit.h"
#include "json.h"
#include "output.h"
#include "problem_file.h"

/* In the order of ans_bench_group. */
static const struct {
  const char *name, *title, *axis;
} groups[] = {
    {"structures", "only active derivatives cost: structures of cdr", ""},
    {"instruction_sets", "the Fisher step on each instruction set", ""},
    {"points", "growth with points (one field, width 96)", "points"},
    {"width", "growth with width (one field, 1024 points)", "width"},
    {"fields", "growth with fields (width 96, 1024 points)", "fields"},
    {"order", "growth with derivative order (one field, width 96, 1024 points)", "order of the derivative"},
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* ---- Text ---------------------------------------------------------------------------------------------- */

static void print_step(const char *name, const ans_bench_step *step) {
  printf("%-12s %5d %6d %6d %8d %8.2f %8.1f %8.2f %10.2f %10.2f %8.2f\n", name, step->width, step->fields, step->points,
         step->channels, step->ms, step->gflops, step->fma_fraction, step->speedup_2_threads,
         step->speedup_2_threads_wall, step->operator_speedup);
}

static void print_parts(const char *name, const ans_bench_step *step) {
  printf("%-12s %8.2f %8.2f %7.1f %%\n", name, step->product_fraction, step->outer_fraction, 100 * step->forming_share);
}

static double entry_ms(const ans_bench_report *report, ans_bench_group group, const char *name) {
  for (int i = 0; i < report->entry_count; i++)
    if (report->entries[i].group == group && strcmp(report->entries[i].name, name) == 0) return report->entries[i].ms;
  return (double)NAN;
}

static void print_group(const ans_bench_report *report, int group) {
  double first = 0;
  for (int i = 0; i < report->entry_count; i++) {
    const ans_bench_entry *entry = &report->entries[i];
    if ((int)entry->group != group) continue;
    if (first == 0) {
      printf("\n%s\n  %-18s %8s %8s %8s %8s\n", groups[group].title, "", "channels", "ms", "GF/s", "ratio");
      first = entry->ms;
    }
    printf("  %-18s %8d %8.2f %8.1f %8.2f\n", entry->name, entry->channels, entry->ms, entry->gflops,
           entry->ms / first);
  }
}

static void print_report(const ans_bench_report *report, int threads) {
  printf(
      "processor    %s\nkernels      %s\nBLAS         %s\nthreads      %d available; steps below on one and on two\n",
      report->cpu, report->isa, report->blas, threads);
  printf("FMA peak     %.1f GF/s of one core\n", report->fma_peak_gflops);
  printf("loudness     %.2f (median over best%s)\n\n", report->loudness,
         report->loudness > 1.05 ? "; the machine is busy: repeat when it is quiet, or with --realtime" : "");
  printf("%-12s %5s %6s %6s %8s %8s %8s %8s %10s %10s %8s\n", "step", "width", "fields", "points", "channels", "ms",
         "GF/s", "of peak", "2 threads", "(clock)", "operator");
  print_step("fisher", &report->fisher);
  print_step("cdr", &report->cdr);
  printf("\n%-12s %8s %8s %9s\n", "of a step", "products", "outer", "forming W");
  print_parts("fisher", &report->fisher);
  print_parts("cdr", &report->cdr);
  for (int g = 0; g < GROUPS; g++) print_group(report, g);
  if (report->order_speed[0] > 0)
    printf("\nspeed per unit of work over that of order two: %.2f (order three), %.2f (order four)\n",
           report->order_speed[0], report->order_speed[1]);
  double loops = entry_ms(report, ANS_BENCH_ISA, "plain loops"), avx2 = entry_ms(report, ANS_BENCH_ISA, "avx2");
  if (loops > 0 && avx2 > 0) printf("\nAVX2 kernels over plain compiled loops: %.2f\n", loops / avx2);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *add_noise(json_t *object, ans_bench_noise noise) {
  json_object_set_new(object, "repeats", json_integer(noise.repeats));
  json_object_set_new(object, "median_ms", json_of_number(noise.median_ms));
  json_object_set_new(object, "spread", json_of_number(noise.spread));
  return object;
}

static json_t *step_json(const ans_bench_step *step) {
  json_t *object =
      json_pack("{s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:f, s:f, s:f, s:f}", "width", step->width,
                "fields", step->fields, "points", step->points, "channels", step->channels, "ms", step->ms, "gflop",
                step->gflop, "gflops", step->gflops, "fma_fraction", step->fma_fraction, "speedup_2_threads",
                step->speedup_2_threads, "speedup_2_threads_wall", step->speedup_2_threads_wall, "plain_channels",
                step->plain_channels, "operator_speedup", step->operator_speedup, "product_fraction",
                step->product_fraction, "outer_fraction", step->outer_fraction, "forming_share", step->forming_share);
  return add_noise(object, step->noise);
}

static json_t *group_json(const ans_bench_report *report, int group) {
  json_t *list = json_array();
  for (int i = 0; i < report->entry_count; i++) {
    const ans_bench_entry *entry = &report->entries[i];
    if ((int)entry->group == group)
      json_array_append_new(list,
                            add_noise(json_pack("{s:s, s:f, s:i, s:f, s:f}", "name", entry->name, "x", entry->x,
                                                "channels", entry->channels, "ms", entry->ms, "gflops", entry->gflops),
                                      entry->noise));
  }
  return list;
}

static json_t *report_json(const ans_bench_report *report, int threads) {
  json_t *object =
      json_pack("{s:s, s:s, s:o, s:s, s:s, s:i, s:f, s:f, s:o, s:o}", "version", ans_version(), "commit", build_commit,
                "cpu", json_of_text(report->cpu), "isa", report->isa, "blas", report->blas, "threads", threads,
                "fma_peak_gflops", report->fma_peak_gflops, "loudness", report->loudness, "fisher_step",
                step_json(&report->fisher), "cdr_step", step_json(&report->cdr));
  for (int g = 0; g < GROUPS && report->entry_count > 0; g++)
    json_object_set_new(object, groups[g].name, group_json(report, g));
  double loops = entry_ms(report, ANS_BENCH_ISA, "plain loops"), avx2 = entry_ms(report, ANS_BENCH_ISA, "avx2");
  if (report->order_speed[0] > 0) json_object_set_new(object, "order_speed", json_of_numbers(report->order_speed, 2));
  if (loops > 0 && avx2 > 0) json_object_set_new(object, "avx2_over_plain_loops", json_of_number(loops / avx2));
  return object;
}

/* ---- Figure -------------------------------------------------------------------------------------------- */

/* Cost relative to the smallest member of each group, over the relative size. */
static ans_status draw(ans_context *context, const ans_bench_report *report, const char *path) {
  double x[GROUPS][ANS_BENCH_ENTRIES], y[GROUPS][ANS_BENCH_ENTRIES];
  ans_series series[GROUPS];
  size_t count = 0;
  for (int g = ANS_BENCH_POINTS; g < GROUPS; g++) {
    ans_series *it = &series[count];
    *it = (ans_series){.label = groups[g].axis, .x = x[g], .y = y[g], .colour = (int)count, .line = true, .dots = true};
    for (int i = 0; i < report->entry_count; i++) {
      const ans_bench_entry *entry = &report->entries[i];
      if ((int)entry->group != g) continue;
      x[g][it->count] = entry->x;
      y[g][it->count++] = entry->ms;
    }
    for (size_t i = it->count; i-- > 0;) x[g][i] /= x[g][0], y[g][i] /= y[g][0];
    if (it->count > 0) count++;
  }
  ans_plot plot = {.title = "Cost of an adaptation step",
                   .x_title = "size, relative to the smallest",
                   .y_title = "time, relative to the smallest",
                   .log_x = true,
                   .log_y = true,
                   .series_count = count,
                   .series = series};
  return ans_plot_draw(context, &plot, path);
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* The family that ships, whatever lies in the current directory: figures are compared between machines. */
static ans_status open_shipped(ans_context *context, const char *name, ans_problem **problem) {
  char path[4096];
  return ans_problem_read(context, shipped_path(name, path, sizeof path) ? path : name, problem);
}

static ans_status measure(ans_context *context, double seconds, bool groups_too, ans_bench_report *report) {
  ans_problem *fisher = NULL, *cdr = NULL;
  ans_status status = open_shipped(context, "families/fisher.pde", &fisher);
  if (status == ANS_OK) status = open_shipped(context, "families/cdr.pde", &cdr);
  if (status == ANS_OK) status = ans_bench(context, fisher, cdr, seconds, groups_too, report);
  ans_problem_free(fisher);
  ans_problem_free(cdr);
  return status;
}

/* Other programs wait, so that a busy machine measures as a quiet one. Threads started later inherit it. */
static bool go_before_others(void) {
  struct sched_param priority = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) == 0) return true;
  complain("--realtime: %s", strerror(errno));
  return false;
}

/* The figures as they are printed; with an older file, the two side by side. */
static int tell(const ans_bench_report *report, const arguments *arguments, const json_t *old) {
  if (!old && !arguments->json) {
    print_report(report, arguments->threads);
    return EXIT_OK;
  }
  json_t *object = report_json(report, arguments->threads);
  return old ? bench_compare(old, object, arguments->json) : print_json(object);
}

static int measure_and_tell(const arguments *arguments, double seconds, const json_t *old) {
  static ans_bench_report report;
  ans_context *context;
  const char *path = option_value(arguments, "figure");
  bool groups_too = !option_value(arguments, "steps-only");
  if (option_value(arguments, "realtime") && !go_before_others()) return EXIT_USAGE;
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  ans_status status = measure(context, seconds, groups_too, &report);
  if (status == ANS_OK && path) status = draw(context, &report, path);
  int code = status == ANS_OK ? tell(&report, arguments, old) : report_failure(context, status);
  ans_context_free(context);
  return code;
}

static int run_bench(const arguments *arguments) {
  bool zoo = option_value(arguments, "zoo") != NULL;
  double seconds = zoo ? 60 : 3;
  const char *parts = option_value(arguments, "accuracy");
  if (parts) return bench_accuracy(arguments, parts);
  if (!option_number(arguments, "seconds", 0.01, 3600, &seconds)) return EXIT_USAGE;
  if (zoo) return bench_zoo(arguments, seconds);
  int code = option_file(arguments, "figure", FIGURE_FORMATS);
  if (code != EXIT_OK) return code;
  const char *old_path = option_value(arguments, "compare"), *new_path = option_value(arguments, "against");
  json_t *old = NULL, *other = NULL;
  if (old_path) code = bench_read(old_path, &old);
  if (code == EXIT_OK && new_path) code = bench_read(new_path, &other);
  if (code == EXIT_OK)
    code = other ? bench_compare(old, other, arguments->json) : measure_and_tell(arguments, seconds, old);
  json_decref(old);
  return code;
}

const command bench_command = {
    .name = "bench",
    .operands = "",
    .summary = "measure the speed of a step, or the accuracy of adaptation",
    .description =
        "Measures the adaptation steps of the two families fisher (width 96, two fields) and cdr (width 256) against "
        "the multiply-add peak of one core, on one thread and on two, with and without the operator channel. Then "
        "measures the cost of structures, the speed of each instruction set, and how the time grows with points, "
        "width, fields and derivative order. Samples alternate and the best of each counts, which limits the effect "
        "of a busy machine; the loudness shows how busy it was. --compare compares two commits or machines by the "
        "ratio of their medians over five parts of each run, and says which ratios lie within the spread of these "
        "parts. --accuracy adapts equations instead, in processor time of one thread, and prints their errors against "
        "references next to the targets: cases and random members of fisher from the model, with Adam for comparison; "
        "those of cdr; four equations from the literature from scratch, by wall-clock time on two threads; every "
        "shipped family against Adam in equal time; and two threads against one. All parts together take an hour or "
        "more; with --record they can be run in pieces.",
    .options =
        (const option[]){
            {"seconds", 0, "NUMBER", "time for each group of measurements (default: 3), or each equation of --zoo"},
            {"zoo", 0, NULL,
             "solve the equations of families/zoo from scratch instead, --seconds (60) each: error, estimate, verdict"},
            {"realtime", 0, NULL, "run with real-time priority while measuring; needs the permission to do so"},
            {"steps-only", 0, NULL, "measure the two steps and nothing else"},
            {"figure", 0, "PATH", "plot the growth of the cost (.svg, .pdf or .png)"},
            {"compare", 0, "PATH", "compare the times with this file, an earlier output of bench --json"},
            {"accuracy", 0, "PARTS",
             "measure errors: all, or a list of fisher, members, cdr, scratch, burgers, allen-cahn, kdv, advection, "
             "families, threads"},
            {"members", 0, "N", "with --accuracy: random members in the parts members and scratch (default: 20)"},
            {"record", 0, "PATH",
             "with --accuracy: record every trial in this file and reuse those already there, so that an interrupted "
             "run continues"},
            {"against", 0, "PATH", "with --compare: compare with this file instead of a new measurement"},
            {0},
        },
    .rules = (const option_rule[]){{"steps-only", NULL, "figure"},
                                   {"zoo", NULL, "realtime|steps-only|figure|compare|against|accuracy"},
                                   {"against", "compare", "seconds|realtime|steps-only|figure"},
                                   {"accuracy", NULL, "seconds|realtime|steps-only|figure|compare"},
                                   {"members", "accuracy", NULL},
                                   {"record", "accuracy", NULL},
                                   {0}},
    .examples = (const example[]){{"bench", "the whole table"},
                                  {"bench --steps-only --json", "the two steps, as JSON"},
                                  {"bench --figure cost.svg", "with a plot of the growth"},
                                  {"bench --zoo", "how the default settings do on the equations of the zoo"},
                                  {"bench --json > old.json", "save the times of this commit or machine"},
                                  {"bench --compare old.json", "how much faster or slower it is now"},
                                  {"bench --accuracy fisher,cdr --json", "errors of two parts, as JSON"},
                                  {0}},
    .run = run_bench,
};
