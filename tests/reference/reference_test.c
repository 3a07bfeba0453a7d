/* SPDX-License-Identifier: Apache-2.0
 *
 * The door of reference/: self-check, conservation, refusals, memory, cache. Argument: the folder of the families.
 */
#include "problem.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *families;

static void family_path(const char *name, char *path, size_t room) { snprintf(path, room, "%s/%s", families, name); }

/* 128 against 256 points, as the paper reports for these four cases. */
static void fisher_is_resolved_to_rounding(void **state) {
  (void)state;
  char path[1024];
  family_path("fisher.pde", path, sizeof path);
  const char *cases[] = {"H1", "H2", "H3", "H4"};
  for (int i = 0; i < 4; i++) {
    made made = make_case(path, cases[i]);
    ans_solution *solution;
    reference_report report;
    assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, true, &solution, &report));
    assert_int_equal(solution->axis_sizes[0], 101);
    assert_int_equal(solution->axis_sizes[1], 256);
    assert_string_equal(solution->coordinate_names[0], "t");
    assert_near(solution->axes[1][255], 255.0 / 256, 1e-15);
    assert_string_equal(report.method, "Fourier-BDF");
    assert_near(report.self_difference, 0, 1e-12);
    assert_true(isnan(report.periodicity) && report.steps > 10 && report.seconds > 0);
    solution_free(solution);
    give_back(&made);
  }
}

/* sum over the last coordinate of the field's power at the first and last level */
static void moments(const ans_solution *solution, int power, double *first, double *last) {
  int nodes = solution->axis_sizes[1];
  size_t end = solution->point_count - (size_t)nodes;
  *first = *last = 0;
  for (int j = 0; j < nodes; j++) {
    *first += pow(solution->values[0][j], power);
    *last += pow(solution->values[0][end + (size_t)j], power);
  }
}

static void invariants_are_kept(void **state) {
  (void)state;
  const char *texts[] = {
      PERIODIC("0", "1", "1") "equation u: u_t + u*u_x - 0.01*u_xx = 0\ninitial u = 0.3 + sin(2*pi*x)\n"
                              "reference points 256, times 3, relative 1e-8, absolute 1e-10\n",
      PERIODIC("-25", "25", "2") "equation u: u_t + 6*u*u_x + u_xxx = 0\ninitial u = 0.5/cosh(0.5*x)^2\n"
                                 "reference points 128, times 3, relative 1e-9, absolute 1e-11\n"};
  for (int i = 0; i < 2; i++) {
    made made = make_text(texts[i], "");
    ans_solution *solution;
    reference_report report;
    double first, last;
    assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, false, &solution, &report));
    moments(solution, 1, &first, &last);
    assert_near(last / first, 1, 1e-8);
    moments(solution, 2, &first, &last);
    if (i == 1) assert_near(last / first, 1, 1e-6); /* the second invariant of Korteweg and de Vries */
    solution_free(solution);
    give_back(&made);
  }
}

/* ---- Refusals -------------------------------------------------------------------------------------------- */

static void assert_refused(const char *text, ans_status expected, const char *word) {
  made made = make_text(text, "");
  ans_solution *solution = (ans_solution *)1;
  reference_report report;
  ans_status status = reference_solve(made.context, made.instance, 0, 0, false, &solution, &report);
  const char *message = ans_context_diagnostic(made.context)->message;
  if (status != expected) fail_msg("status %d, expected %d for\n%s%s", status, expected, text, status ? message : "");
  assert_null(solution);
  if (!strstr(message, word)) fail_msg("\"%s\" does not say \"%s\"", message, word);
  give_back(&made);
}

static double soliton(double x, double t, const double *p) {
  (void)p;
  double s = 1 / cosh(x - 4 * t);
  return 2 * s * s;
}

/* Sixteen points neither resolve the wave nor keep the integration from diverging; more of them do. */
static void more_nodes_are_taken_where_they_are_needed(void **state) {
  (void)state;
  made made = make_text(PERIODIC("-20", "20", "1") "equation u: u_t + 6*u*u_x + u_xxx = 0\ninitial u = 2/cosh(x)^2\n"
                                                   "reference points 16, times 5\n",
                        "");
  ans_solution *solution;
  reference_report report;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, true, &solution, &report));
  assert_int_equal(solution->axis_sizes[1], 16);
  assert_in_range(report.nodes, 64, 512);
  assert_true(report.self_difference < 1e-3);
  assert_near(relative_error(solution, 0, soliton, NULL), 0, 1e-5);
  solution_free(solution);
  give_back(&made);
}

static void what_cannot_be_solved_is_said(void **state) {
  (void)state;
  assert_refused(PERIODIC("0", "1", "2") "equation u: u_t - u^2 = 0\ninitial u = 1\nreference points 16, times 5\n",
                 ANS_DIVERGED, "t = 1");
  /* Backward diffusion amplifies the last bits of the highest modes without bound. */
  assert_refused(
      PERIODIC("0", "1", "1") "equation u: u_t + u_xx = 0\ninitial u = sin(2*pi*x)\nreference points 64, times 5\n",
      ANS_DIVERGED, "t = ");
  assert_refused("coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u, p\nequation u: u_t - p = 0\n"
                 "equation p: p_xx - u = 0\ninitial u = sin(2*pi*x)\n",
                 ANS_UNSUPPORTED, "c*p_t");
  assert_refused(PERIODIC("0", "1", "1") "equation u: u_t + u_xxt = 0\ninitial u = sin(2*pi*x)\n", ANS_UNSUPPORTED,
                 "time derivative");
  made made = make_text(PERIODIC("0", "1", "1") "equation u: u_t - u_xx = 0\ninitial u = sin(2*pi*x)\n", "");
  ans_solution *solution;
  reference_report report;
  assert_int_equal(reference_solve(made.context, made.instance, 4, 0, false, &solution, &report), ANS_ARGUMENT);
  assert_int_equal(reference_solve(made.context, made.instance, 64, 1, false, &solution, &report), ANS_ARGUMENT);
  assert_int_equal(reference_solve(made.context, made.instance, -1, 5, false, &solution, &report), ANS_ARGUMENT);
  give_back(&made);
}

static void memory_failures_leave_nothing(void **state) {
  (void)state;
  made made = make_text(
      BOUNDED("0", "1", "1") "equation u: u_t - u_xx = 0\ninitial u = sin(pi*x)\nboundary u at x = 0: u = 0 soft\n"
                             "boundary u at x = 1: u = 0 soft\nreference points 16, times 3\n",
      "");
  bool reached_the_end = false;
  for (long n = 1; n < 200 && !reached_the_end; n++) {
    ans_solution *solution;
    reference_report report;
    memory_fail_after(n, true);
    ans_status status = reference_solve(made.context, made.instance, 0, 0, true, &solution, &report);
    memory_fail_after(0, false);
    if (status == ANS_OK) {
      reached_the_end = true;
      solution_free(solution);
    } else {
      assert_int_equal(status, ANS_MEMORY);
      assert_null(solution);
    }
  }
  assert_true(reached_the_end);
  give_back(&made);
}

/* ---- Cache ----------------------------------------------------------------------------------------------- */

static char *only_file(const char *directory, char *path, size_t room) {
  DIR *folder = opendir(directory);
  assert_non_null(folder);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] != '.') {
      snprintf(path, room, "%s/%s", directory, entry->d_name);
      count++;
    }
  closedir(folder);
  assert_int_equal(count, 1);
  return path;
}

static const char *cached_text =
    PERIODIC("0", "1", "1") "equation u: u_t - 0.1*u_xx + u*u_x = 0\ninitial u = sin(2*pi*x)\n"
                            "reference points 32, times 5\n";

static ans_solution *ask(made *made, const char *directory, bool cached) {
  ans_solution *solution;
  reference_report report;
  assert_ok(made->context, reference_cached(made->context, made->instance, directory, &solution, &report));
  assert_int_equal(report.cached, cached);
  assert_string_equal(report.method, "Fourier-BDF");
  assert_true(report.self_difference < 1e-3 && report.steps > 5 && isnan(report.periodicity));
  return solution;
}

static void remove_cache(const char *root, const char *directory, const char *file) {
  unlink(file);
  rmdir(directory);
  rmdir(root);
}

static void references_are_kept_and_checked(void **state) {
  (void)state;
  char root[] = "/tmp/ansatz-cache-XXXXXX", directory[64], file[1024];
  assert_non_null(mkdtemp(root));
  snprintf(directory, sizeof directory, "%s/references", root);
  made made = make_text(cached_text, "");
  ans_solution *first = ask(&made, directory, false), *second = ask(&made, directory, true);
  assert_string_equal(first->settings, second->settings);
  assert_string_equal(first->problem_text, second->problem_text);
  assert_memory_equal(first->values[0], second->values[0], first->point_count * sizeof(double));
  assert_memory_equal(first->axes[1], second->axes[1], 32 * sizeof(double));
  solution_free(second);
  /* A damaged file is computed anew and replaced. */
  only_file(directory, file, sizeof file);
  assert_int_equal(truncate(file, 900), 0);
  second = ask(&made, directory, false);
  assert_memory_equal(first->values[0], second->values[0], first->point_count * sizeof(double));
  solution_free(second);
  solution_free(ask(&made, directory, true));
  solution_free(first);
  remove_cache(root, directory, only_file(directory, file, sizeof file));
  give_back(&made);
}

/* Flips the lowest bit of the byte `at` of what stands somewhere in the file. */
static void flip_bit(const char *path, const void *what, size_t size, size_t at) {
  char bytes[1 << 16];
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  size_t length = fread(bytes, 1, sizeof bytes, file), place = 0;
  while (place + size <= length && memcmp(bytes + place, what, size) != 0) place++;
  assert_true(place + size <= length);
  assert_int_equal(fseek(file, (long)(place + at), SEEK_SET), 0);
  assert_int_not_equal(fputc(bytes[place + at] ^ 1, file), EOF);
  assert_int_equal(fclose(file), 0);
}

static void a_flipped_bit_is_noticed(void **state) {
  (void)state;
  char directory[] = "/tmp/ansatz-cache-XXXXXX", file[1024];
  assert_non_null(mkdtemp(directory));
  made made = make_text(cached_text, "");
  ans_solution *first = ask(&made, directory, false);
  const char *mark = strstr(first->settings, ", content "), *told = strstr(first->settings, "self difference ");
  assert_true(mark && told);
  const struct {
    const void *bytes;
    size_t size, at;
  } flips[] = {{first->values[0] + 40, sizeof(double), 0},
               {first->axes[1] + 3, sizeof(double), 1},
               {told, 17, 16},
               {mark, strlen(mark), strlen(mark) - 1}};
  only_file(directory, file, sizeof file);
  for (size_t i = 0; i < sizeof flips / sizeof *flips; i++) {
    flip_bit(file, flips[i].bytes, flips[i].size, flips[i].at);
    ans_solution *anew = ask(&made, directory, false);
    assert_memory_equal(anew->values[0], first->values[0], first->point_count * sizeof(double));
    solution_free(anew);
    solution_free(ask(&made, directory, true));
  }
  /* A file without a hash, as earlier versions wrote it. */
  first->settings = arena_string(first->arena, first->settings, (size_t)(mark - first->settings));
  assert_ok(made.context, solution_write(made.context, first, file));
  solution_free(ask(&made, directory, false));
  solution_free(first);
  unlink(file);
  rmdir(directory);
  give_back(&made);
}

static void concurrent_runs_share_a_cache(void **state) {
  (void)state;
  enum { RUNS = 6 };
  char root[] = "/tmp/ansatz-cache-XXXXXX", directory[64], file[1024];
  assert_non_null(mkdtemp(root));
  snprintf(directory, sizeof directory, "%s/references", root);
  made made = make_text(cached_text, "");
  pid_t children[RUNS];
  for (int i = 0; i < RUNS; i++) {
    children[i] = fork();
    if (children[i] != 0) continue;
    ans_solution *solution;
    reference_report report;
    for (int again = 0; again < 3; again++)
      if (reference_cached(made.context, made.instance, directory, &solution, &report) != ANS_OK) _exit(1);
    _exit(0);
  }
  for (int i = 0; i < RUNS; i++) {
    int outcome = -1;
    assert_int_equal(waitpid(children[i], &outcome, 0), children[i]);
    assert_int_equal(outcome, 0);
  }
  solution_free(ask(&made, directory, true));
  remove_cache(root, directory, only_file(directory, file, sizeof file));
  give_back(&made);
}

static void a_cache_that_cannot_be_written_costs_nothing(void **state) {
  (void)state;
  made made = make_text(cached_text, "");
  solution_free(ask(&made, "/proc/no/such/place", false));
  give_back(&made);
}

int main(int count, char **words) {
  if (count < 2) return 2;
  families = words[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fisher_is_resolved_to_rounding),
      cmocka_unit_test(invariants_are_kept),
      cmocka_unit_test(what_cannot_be_solved_is_said),
      cmocka_unit_test(more_nodes_are_taken_where_they_are_needed),
      cmocka_unit_test(memory_failures_leave_nothing),
      cmocka_unit_test(references_are_kept_and_checked),
      cmocka_unit_test(a_flipped_bit_is_noticed),
      cmocka_unit_test(concurrent_runs_share_a_cache),
      cmocka_unit_test(a_cache_that_cannot_be_written_costs_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
