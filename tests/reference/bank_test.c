/* SPDX-License-Identifier: Apache-2.0
 *
 * The paper's bank of plasma references at full settings: every cell passes the paper's filter, is periodic and
 * balanced; one cell against a finer grid. Argument: the folder of the families.
 */
#include "problem.h"

#include "reference/drift_diffusion.h"

static const char *families;

/* The filter: finite, bulk density in the middle of the gap at least 0.7 on average, potential within 3. */
static bool passes(const ans_solution *s) {
  int nodes = s->axis_sizes[1], times = s->axis_sizes[0];
  double bulk = 0, largest = 0;
  for (size_t i = 0; i < s->point_count; i++) {
    if (!isfinite(s->values[0][i]) || !isfinite(s->values[1][i])) return false;
    largest = fmax(largest, fabs(s->values[1][i]));
  }
  for (int k = 0; k < times; k++) bulk += s->values[0][(size_t)k * (size_t)nodes + (size_t)(nodes / 2)] / times;
  return bulk >= 0.7 && largest <= 3;
}

static void every_cell_passes(void **state) {
  (void)state;
  const char *voltages[] = {"130", "200", "270"}, *rates[] = {"1e20", "2e20", "3.5e20", "5e20"};
  char path[1024], assignments[64];
  snprintf(path, sizeof path, "%s/ccp.pde", families);
  for (int v = 0; v < 3; v++)
    for (int r = 0; r < 4; r++) {
      snprintf(assignments, sizeof assignments, "V0=%s,R0=%s", voltages[v], rates[r]);
      made made = make_member(path, "plasma", assignments);
      ans_solution *solution;
      reference_report report;
      assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, true, &solution, &report));
      print_message("%s: %.2f s, periodicity %.1e, balance %.1e, against half the resolution %.1e\n", assignments,
                    report.seconds, report.periodicity, report.balance, report.self_difference);
      assert_true(passes(solution));
      assert_near(report.periodicity, 0, 1e-8);
      assert_near(report.balance, 0, 1e-8);
      assert_near(report.self_difference, 0, 1e-3);
      solution_free(solution);
      give_back(&made);
    }
}

static void the_paper_s_grid_is_this_far_from_a_finer_one(void **state) {
  (void)state;
  char path[1024];
  snprintf(path, sizeof path, "%s/ccp.pde", families);
  made made = make_case(path, "R2.0");
  drift_model model;
  drift_outcome outcome;
  ans_solution *paper, *finer;
  assert_ok(made.context, drift_recognise(made.context, made.instance, &model));
  drift_settings settings = drift_defaults(made.problem, 0, 0);
  assert_ok(made.context, drift_solve(made.context, &model, settings, &paper, &outcome));
  settings.cells *= 2;
  settings.steps *= 2;
  assert_ok(made.context, drift_solve(made.context, &model, settings, &finer, &outcome));
  double difference = drift_difference(finer, paper);
  print_message("200 cells and 2000 steps against 400 and 4000: %.2e\n", difference);
  assert_near(difference, 0, 3e-4);
  solution_free(paper);
  solution_free(finer);
  give_back(&made);
}

int main(int count, char **words) {
  if (count < 2) return 2;
  families = words[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cell_passes),
      cmocka_unit_test(the_paper_s_grid_is_this_far_from_a_finer_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
