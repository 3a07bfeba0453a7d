/* SPDX-License-Identifier: Apache-2.0
 *
 * ladder_test.c - the sizes that errors of windows are weighed by, of which only the ladder knows: its source is
 * compiled here.
 */
#include "small.h"

#include "training/ladder.c"

/* Several fields, of sizes that differ. */
static void sizes_are_root_mean_squares(void **state) {
  (void)state;
  static const char text[] = "coordinate t in [0, 3] time\nfield u, v, w\nequation u: u_t = v\nequation v: v_t = -u\n"
                             "equation w: w_t = -w\ninitial u = 1\ninitial v = 5\ninitial w = 20\n"
                             "network width 4, layers 1\n";
  enum { PLACES = 12 }; /* in the middle of twelve equal parts */
  ans_context *context = new_context();
  ans_problem *problem;
  ans_instance *instance;
  double none[1] = {(double)NAN}, times[PLACES], values[PLACES * 3], sizes[SYSTEM_MAX_FIELDS];
  ans_solver_options options = {.seed = 3};
  window window;
  assert_ok(context, system_parse(context, "p", NULL, text, strlen(text), &problem));
  assert_ok(context, system_instance(context, problem, 0, none, false, &instance));
  windows *windows = memory_take(sizeof *windows);
  windows->instance = instance;
  assert_ok(context, windows_draft(context, windows, &(window_draft){.end = 3}, &options, &window));
  assert_ok(context, measure_sizes(context, window.piece, sizes));
  for (int i = 0; i < PLACES; i++) times[i] = 3 * (i + 0.5) / PLACES;
  static const uint8_t order[SYSTEM_MAX_COORDINATES] = {0};
  assert_ok(context, piece_evaluate(context, window.piece, times, PLACES, order, values));
  for (int f = 0; f < 3; f++) {
    double sum = 0;
    for (int i = 0; i < PLACES; i++) sum += values[3 * i + f] * values[3 * i + f];
    assert_true(sum > 0);
    assert_near(sizes[f], sqrt(sum / PLACES), 1e-12 * sizes[f]);
  }
  window_free(&window);
  memory_give(windows);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

/* A shorter window that is hardly better is the last try, unless neither solves anything. */
static void shorter_windows_are_tried_where_they_help(void **state) {
  (void)state;
  pace pace = {.length = 1, .allowed = 1e-4};
  double unsolved = UNSOLVED * pace.allowed;
  assert_false(is_useless(&pace, 3e-4, (double)INFINITY)); /* the first try */
  assert_false(is_useless(&pace, 3e-4, 1.01 * 3e-4 / USELESS));
  assert_true(is_useless(&pace, 3e-4, 0.99 * 3e-4 / USELESS));
  assert_true(is_useless(&pace, 0.99 * unsolved, unsolved));
  assert_false(is_useless(&pace, unsolved, unsolved));
}

/* Easy windows are followed by longer ones; what length does not mend is allowed to those that follow. */
static void windows_set_the_pace(void **state) {
  (void)state;
  pace easy = {.length = 1, .allowed = 1e-4}, fair = easy, hard = easy, light = easy;
  keep_pace(&easy, EASY * 1e-4, false);
  assert_true(easy.length == 2 && easy.allowed == 1e-4);
  keep_pace(&fair, 0.9e-4, false);
  assert_true(fair.length == 1 && fair.allowed == 1e-4);
  keep_pace(&hard, 3e-4, true);
  assert_near(hard.allowed, 6e-4, 1e-18);
  assert_true(hard.length == 1);
  keep_pace(&light, 0.4e-4, true); /* never stricter */
  assert_true(light.allowed == 1e-4);
}

/* What a plan is called says what it does. */
static void plans_do_what_they_say(void **state) {
  (void)state;
  for (size_t i = 1; i < sizeof evolving / sizeof *evolving; i++) assert_true(evolving[i].windows);
  assert_true(evolving[0].network.narrow && !evolving[0].windows && strstr(evolving[0].what, "narrow network"));
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    const plan *plan = &other[i];
    assert_true(plan->what && !plan->windows);
    assert_int_equal(plan->other != 0, strstr(plan->what, "another start") != NULL);
    assert_int_equal(plan->network.finer > 0, strstr(plan->what, "finer network") != NULL);
    assert_int_equal(plan->thinning, strstr(plan->what, "layers") != NULL);
    assert_int_equal(plan->network.narrow, strstr(plan->what, "narrow network") != NULL);
  }
  assert_true(evolving[1].network.finer == 0 && evolving[2].network.finer > 0);
  assert_true(evolving[2].strictness > evolving[1].strictness);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_are_root_mean_squares),
                                     cmocka_unit_test(shorter_windows_are_tried_where_they_help),
                                     cmocka_unit_test(windows_set_the_pace), cmocka_unit_test(plans_do_what_they_say)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
