/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows of time: seams, second order, walls, files; and the ladder that makes them.
 */
#include "posed.h"
#include "small.h"

#include "base/clock.h"
#include "training/windows_file.h"

static const double PI = 3.14159265358979323846;

/* `count` windows of the same length. */
static windows *cut(setting *s, int count) {
  windows *made = memory_take(sizeof *made);
  const system_coordinate *time = &s->problem->coordinates[s->problem->time];
  ans_solver_options options = {.seed = 3};
  made->instance = s->instance;
  for (int i = 0; i < count; i++) {
    window *next = &made->list[i];
    double end = time->low + (time->high - time->low) * (i + 1) / count;
    assert_ok(s->context, windows_draft(s->context, made, &(window_draft){.end = end}, &options, next));
    assert_ok(s->context, piece_run(s->context, next->piece, (run_rules){.goal = 30}));
    piece_settle(next->piece);
    made->count++;
  }
  return made;
}

static double error_of(setting *s, const windows *windows) {
  estimate *estimate;
  assert_ok(s->context, windows_estimate(s->context, windows, &estimate));
  const estimate_summary *summary = estimate_result(estimate);
  if (!summary->trusted && !(summary->mean < 1e-5)) /* below, float is noise */
    fail_msg("%s (%.3g +- %.3g)", summary->reason, summary->mean, summary->mean_difference);
  double error = summary->mean;
  estimate_free(estimate);
  return error;
}

static const char OSCILLATOR[] = "coordinate t in [0, 12] time\nfield u\nequation u: u_tt = -u\n"
                                 "initial u = 1\ninitial u_t = 0\nnetwork width 16, layers 2\n";
static const char WAVE[] = "coordinate x in [0, 1]\ncoordinate t in [0, 2] time\nfield u\nequation u: u_tt = u_xx\n"
                           "initial u = sin(pi*x)\ninitial u_t = 0\nboundary u at x = 0: u = 0\n"
                           "boundary u at x = 1: u = 0\nnetwork width 24, layers 2\n";
static const char CARRIED[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 2] time\nfield u\n"
                              "equation u: u_t + u_x = 0.01*u_xx\ninitial u = sin(2*pi*x)\n"
                              "network width 24, layers 2, fourier x 1..2\n";

static const char PLANE[] =
    "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\ncoordinate t in [0, 1] time\n"
    "field u\nequation u: u_t = 0.01*u_xx + 0.01*u_yy\ninitial u = sin(2*pi*x)*cos(2*pi*y)\n"
    "network width 4, layers 1, fourier x 1..1, fourier y 1..1\nadapt points 64\n";

/* Against the exact solution, at places on both sides of the seams. */
static void check_values(setting *s, const windows *windows, double (*exact)(double x, double t), double tolerance) {
  int dimensions = s->problem->coordinate_count;
  double end = s->problem->coordinates[s->problem->time].high;
  for (int i = 0; i <= 40; i++) {
    double x = 0.3 + 0.01 * i, t = end * i / 40, point[2] = {dimensions == 1 ? t : x, t}, value;
    assert_ok(s->context, windows_evaluate(s->context, windows, point, 1, NULL, &value));
    assert_near(value, exact(x, t), tolerance);
  }
}

static double swing(double x, double t) {
  (void)x;
  return cos(t);
}

static double string(double x, double t) { return sin(PI * x) * cos(PI * t); }

static double drift(double x, double t) { return exp(-0.01 * 4 * PI * PI * t) * sin(2 * PI * (x - t)); }

/* Save and load: the same bits, at times of every window. */
static void check_windows_file(setting *s, const windows *windows) {
  ans_solver *loaded;
  char path[300];
  int dimensions = s->problem->coordinate_count;
  double end = s->problem->coordinates[s->problem->time].high;
  temporary_path(path, sizeof path, "solver");
  assert_ok(s->context, windows_save(s->context, windows, s->problem, path));
  assert_ok(s->context, solver_load(s->context, path, 1, &loaded));
  assert_int_equal(solver_info(loaded).windows, windows->count);
  for (int i = 0; i <= 20; i++) {
    double t = end * i / 20, point[2] = {dimensions == 1 ? t : 0.37, t}, before, after;
    assert_ok(s->context, windows_evaluate(s->context, windows, point, 1, NULL, &before));
    assert_ok(s->context, solver_evaluate(s->context, loaded, point, 1, NULL, &after));
    assert_memory_equal(&before, &after, sizeof before);
  }
  solver_free(loaded);
  remove_path(path);
}

static void windows_follow_the_solution(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int count;
    double (*exact)(double x, double t);
  } cases[] = {{OSCILLATOR, 6, swing}, {WAVE, 4, string}, {CARRIED, 2, drift}};
  for (int i = 0; i < 3; i++) {
    setting s = pose(cases[i].text);
    windows *windows = cut(&s, cases[i].count);
    double error = error_of(&s, windows);
    if (!(error < 1e-2)) fail_msg("%s\nestimate %.3g", cases[i].text, error);
    check_values(&s, windows, cases[i].exact, fmax(8 * error, 1e-4));
    check_windows_file(&s, windows);
    windows_clear(windows);
    memory_give(windows);
    tear_down(&s);
  }
}

static void what_cannot_be_cut_is_told(void **state) {
  (void)state;
  setting steady = pose("coordinate x in [0, 1]\nfield u\nequation u: u_xx = 1\nboundary u at x = 0: u = 0\n"
                        "boundary u at x = 1: u = 0\n");
  assert_string_equal(windows_obstacle(steady.instance), "it has no time");
  tear_down(&steady);
  setting plane = pose(PLANE);
  assert_string_equal(windows_obstacle(plane.instance), "profiles are taken along one space coordinate");
  tear_down(&plane);
  setting plain = pose(CARRIED);
  assert_null(windows_obstacle(plain.instance));
  tear_down(&plain);
}

/* Each allocation of a second window fails once: a sentence, and nothing is left behind. */
static void a_window_may_run_out_of_memory(void **state) {
  (void)state;
  static const char *const texts[] = {
      "coordinate t in [0, 2] time\nfield u\nequation u: u_t = -u\ninitial u = 1\nnetwork width 4, layers 1\n",
      "coordinate x in [0, 1) periodic\ncoordinate t in [0, 2] time\nfield u\nequation u: u_t = 0.01*u_xx\n"
      "initial u = sin(2*pi*x)\nnetwork width 4, layers 1, fourier x 1..1\n"};
  for (int i = 0; i < 2; i++) {
    setting s = pose(texts[i]);
    windows *windows = cut(&s, 2);
    ans_solver_options options = {.seed = 3};
    window_free(&windows->list[--windows->count]);
    ans_status status = ANS_MEMORY;
    long n = 0;
    while (status == ANS_MEMORY && n < 2000) {
      memory_fail_after(++n, false);
      status = windows_draft(s.context, windows, &(window_draft){.end = 2}, &options, &windows->list[1]);
      memory_fail_after(0, false);
      if (status == ANS_MEMORY) assert_null(windows->list[1].piece);
    }
    assert_ok(s.context, status);
    assert_true(n > 10);
    windows->count++;
    windows_clear(windows);
    memory_give(windows);
    tear_down(&s);
  }
}

/* An oscillation too long for so small a network: the ladder cuts it. */
static const char LONG_SWING[] = "coordinate t in [0, 30] time\nfield u, v\nequation u: u_t = v\nequation v: v_t = -u\n"
                                 "initial u = 1\ninitial v = 0\nnetwork width 16, layers 2\n";

static ans_solver *climb(setting *s, int attempts) {
  ans_solver *solver;
  ans_solver_options options = {.seed = 3, .attempts = attempts};
  ans_run_rules rules = {.steps = -1, .seconds = 300};
  assert_ok(s->context, solver_begin(s->context, NULL, s->instance, &options, &solver));
  assert_ok(s->context, solver_run(s->context, solver, &rules, NULL, NULL));
  return solver;
}

/* Save and load: the same bits. */
static void check_file(setting *s, ans_solver *solver) {
  ans_solver *loaded;
  char path[300];
  temporary_path(path, sizeof path, "solver");
  assert_ok(s->context, solver_save(s->context, solver, path));
  assert_ok(s->context, solver_load(s->context, path, 1, &loaded));
  assert_int_equal(solver_info(loaded).windows, solver_info(solver).windows);
  double residual[2];
  assert_ok(s->context, solver_residual(s->context, solver, &residual[0], NULL));
  assert_ok(s->context, solver_residual(s->context, loaded, &residual[1], NULL));
  assert_near(residual[1] / residual[0], 1, 1e-6);
  for (int i = 0; i <= 20; i++) {
    double point = 1.5 * i, before[2], after[2];
    assert_ok(s->context, solver_evaluate(s->context, solver, &point, 1, NULL, before));
    assert_ok(s->context, solver_evaluate(s->context, loaded, &point, 1, NULL, after));
    assert_memory_equal(before, after, sizeof before);
  }
  solver_free(loaded);
  remove_path(path);
}

static void the_ladder_cuts_a_long_time(void **state) {
  (void)state;
  setting s = pose(LONG_SWING);
  double begun = clock_seconds();
  ans_solver *solver = climb(&s, 2);
  double passed = clock_seconds() - begun, counted = solver_progress(solver).seconds;
  assert_true(counted > 0 && counted <= passed); /* every attempt once */
  ans_attempt first = solver_attempt(solver, 0), second = solver_attempt(solver, 1);
  assert_string_equal(first.what, "one network");
  assert_true(first.estimate > 0.1 && !first.kept);
  assert_true(second.kept && second.finished && second.trusted && second.estimate < 1e-2);
  assert_true(second.windows > 4 && solver_info(solver).windows == second.windows);
  assert_null(solver_attempt(solver, 2).what);
  double point = 28.5, values[2];
  assert_ok(s.context, solver_evaluate(s.context, solver, &point, 1, NULL, values));
  assert_near(values[0], cos(28.5), 0.03);
  assert_near(values[1], -sin(28.5), 0.03);
  check_file(&s, solver);
  /* Further steps do nothing. */
  long steps = solver_progress(solver).step;
  assert_ok(s.context, solver_step(s.context, solver, 3));
  assert_int_equal(solver_progress(solver).step, steps);
  solver_free(solver);
  tear_down(&s);
}

/* Attempts are paced by their work: what else the machine does changes no bit. */
static void a_climb_repeats_itself(void **state) {
  (void)state;
  double found[2][2];
  setting s = pose("coordinate x in [0, 1) periodic\ncoordinate t in [0, 4] time\nfield u\n"
                   "equation u: u_t + u*u_x = 0.01*u_xx\ninitial u = sin(2*pi*x)\nnetwork width 6, layers 1\n");
  for (int i = 0; i < 2; i++) {
    ans_solver *solver = climb(&s, 2);
    double point[2] = {0.3, 3.7};
    assert_non_null(solver_attempt(solver, 1).what);
    assert_ok(s.context, solver_evaluate(s.context, solver, point, 1, NULL, &found[i][0]));
    found[i][1] = (double)solver_progress(solver).step;
    solver_free(solver);
  }
  assert_memory_equal(found[0], found[1], sizeof found[0]);
  tear_down(&s);
}

static void one_attempt_is_one_network(void **state) {
  (void)state;
  setting s = pose(LONG_SWING);
  ans_solver *solver = climb(&s, 1);
  assert_null(solver_attempt(solver, 0).what);
  assert_int_equal(solver_info(solver).windows, 1);
  solver_free(solver);
  tear_down(&s);
}

/* Then there is no telling which attempt is better. */
static void without_an_estimate_there_is_one_attempt(void **state) {
  (void)state;
  setting s = pose(PLANE);
  ans_solver *solver = climb(&s, 3);
  estimate *estimate;
  assert_ok(s.context, solver_estimate(s.context, solver, &estimate));
  assert_false(estimate_result(estimate)->available);
  estimate_free(estimate);
  assert_string_equal(solver_attempt(solver, 0).what, "one network");
  assert_null(solver_attempt(solver, 1).what);
  solver_free(solver);
  tear_down(&s);
}

/* Bytes of a file of windows that are not what they should be. */
static void damaged_files_are_refused(void **state) {
  (void)state;
  setting s = pose("coordinate t in [0, 2] time\nfield u\nequation u: u_t = -u\ninitial u = 1\n"
                   "network width 4, layers 1\n");
  windows *windows = cut(&s, 2);
  struct {
    double *number;
    double value;
  } damages[] = {{&windows->list[0].end, 1.5},
                 {&windows->list[1].end, 3},
                 {&windows->list[1].begin, 0.5},
                 {&windows->list[1].numbers[0], (double)NAN}};
  char path[300];
  temporary_path(path, sizeof path, "solver");
  for (int i = -1; i < 4; i++) {
    ans_solver *loaded;
    double before = i < 0 ? 0 : *damages[i].number;
    if (i >= 0) *damages[i].number = damages[i].value;
    ans_status saved = windows_save(s.context, windows, s.problem, path);
    ans_status status = saved == ANS_OK ? solver_load(s.context, path, 1, &loaded) : saved;
    if (i >= 0) *damages[i].number = before;
    assert_int_equal(status == ANS_OK, i < 0);
    if (status == ANS_OK) solver_free(loaded);
  }
  remove_path(path);
  windows_clear(windows);
  memory_give(windows);
  tear_down(&s);
}

/* Many points at once, of all windows and in no order of time: the values of each point alone. */
static void points_of_several_windows_keep_their_places(void **state) {
  (void)state;
  setting s = pose("coordinate t in [0, 2] time\nfield u, v\nequation u: u_t = v\nequation v: v_t = -u\n"
                   "initial u = 1\ninitial v = 0\nnetwork width 8, layers 1\n");
  windows *windows = cut(&s, 3);
  double times[] = {1.9, 0.1, 1.0, 0.5, 1.5, 0.0, 2.0}, all[14], one[2];
  assert_ok(s.context, windows_evaluate(s.context, windows, times, 7, NULL, all));
  for (int i = 0; i < 7; i++) {
    assert_ok(s.context, windows_evaluate(s.context, windows, &times[i], 1, NULL, one));
    assert_memory_equal(one, all + 2 * i, sizeof one);
    assert_near(one[0], cos(times[i]), 0.05);
    assert_near(one[1], -sin(times[i]), 0.05);
  }
  windows_clear(windows);
  memory_give(windows);
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows_follow_the_solution),
      cmocka_unit_test(points_of_several_windows_keep_their_places),
      cmocka_unit_test(what_cannot_be_cut_is_told),
      cmocka_unit_test(the_ladder_cuts_a_long_time),
      cmocka_unit_test(a_climb_repeats_itself),
      cmocka_unit_test(one_attempt_is_one_network),
      cmocka_unit_test(without_an_estimate_there_is_one_attempt),
      cmocka_unit_test(a_window_may_run_out_of_memory),
      cmocka_unit_test(damaged_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
