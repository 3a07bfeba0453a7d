/* SPDX-License-Identifier: Apache-2.0
 *
 * Drift and diffusion: what form is accepted, period, balance, order. Argument: the folder of the families.
 */
#include "problem.h"

#include "reference/drift_diffusion.h"

static const char *families;

static made plasma(drift_model *model) {
  char path[1024];
  snprintf(path, sizeof path, "%s/ccp.pde", families);
  made made = make_case(path, "R2.0");
  assert_ok(made.context, drift_recognise(made.context, made.instance, model));
  return made;
}

static ans_solution *solve(made *made, const drift_model *model, drift_settings settings, drift_outcome *outcome) {
  ans_solution *solution;
  assert_ok(made->context, drift_solve(made->context, model, settings, &solution, outcome));
  return solution;
}

static void the_plasma_is_recognised(void **state) {
  (void)state;
  drift_model model;
  made made = plasma(&model);
  assert_int_equal(model.density, 0);
  assert_near(model.diffusion, 0.6226, 1e-4);
  assert_near(model.mobility, 41.51, 1e-2);
  assert_near(model.response, 21.02, 1e-2);
  assert_near(-model.background[0].coefficient / model.response, 1, 1e-12);
  drift_settings settings = drift_defaults(made.problem, 0, 0);
  assert_int_equal(settings.cells, 200);
  assert_int_equal(settings.times, 200);
  assert_int_equal(settings.steps, 2000);
  assert_int_equal(settings.periods, 40);
  assert_int_equal(settings.sweeps, 3);
  give_back(&made);
}

static void the_state_is_periodic_and_charge_is_balanced(void **state) {
  (void)state;
  drift_model model;
  drift_outcome outcome;
  made made = plasma(&model);
  ans_solution *s = solve(&made, &model, (drift_settings){50, 50, 400, 25, 3}, &outcome);
  assert_near(outcome.periodicity, 0, 1e-8);
  assert_near(outcome.balance, 0, 1e-6);
  assert_int_equal(outcome.steps, 10000);
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < s->point_count; i++) {
    least = fmin(least, s->values[0][i]);
    most = fmax(most, s->values[0][i]);
  }
  assert_true(least >= 0 && most > 0.9 && most < 1.2);
  /* Walls: no density; the applied voltage at the driven side at a quarter of the period. */
  for (int k = 0; k < 50; k++) assert_near(s->values[1][(size_t)k * 51 + 50], sin(2 * M_PI * k / 50.0), 1e-14);
  assert_near(s->values[0][0], 0, 0);
  /* Half a period later the discharge is its mirror image: both walls then have the other's part. */
  for (int j = 0; j <= 50; j++) assert_near(s->values[0][10 * 51 + j], s->values[0][(10 + 25) * 51 + 50 - j], 1e-8);
  solution_free(s);
  give_back(&made);
}

/* Poisson's equation holds between the stored fields at every inner node. */
static void stored_fields_satisfy_poisson(void **state) {
  (void)state;
  drift_model model;
  drift_outcome outcome;
  made made = plasma(&model);
  ans_solution *s = solve(&made, &model, (drift_settings){40, 20, 200, 3, 3}, &outcome);
  for (size_t k = 0; k < 20; k++)
    for (size_t j = 1; j < 40; j++) {
      const double *p = s->values[1] + k * 41 + j;
      double curvature = (p[-1] - 2 * p[0] + p[1]) * 1600;
      assert_near(curvature, model.response * (s->values[0][k * 41 + j] - 1), 1e-9);
    }
  solution_free(s);
  give_back(&made);
}

/* Backward Euler: each halving of the step halves the change. */
static void time_is_of_first_order(void **state) {
  (void)state;
  drift_model model;
  drift_outcome outcome;
  made made = plasma(&model);
  ans_solution *s[3];
  double change[2] = {0, 0};
  for (int i = 0; i < 3; i++) s[i] = solve(&made, &model, (drift_settings){40, 20, 400 << i, 6, 6}, &outcome);
  for (int i = 0; i < 2; i++)
    for (size_t j = 0; j < s[0]->point_count; j++) change[i] += pow(s[i + 1]->values[0][j] - s[i]->values[0][j], 2);
  assert_near(sqrt(change[0] / change[1]), 2, 0.25);
  for (int i = 0; i < 3; i++) solution_free(s[i]);
  give_back(&made);
}

/* Cells: fluxes between nodes and volumes about them give second order. */
static void space_is_of_second_order(void **state) {
  (void)state;
  drift_model model;
  drift_outcome outcome;
  made made = plasma(&model);
  ans_solution *s[3];
  for (int i = 0; i < 3; i++) s[i] = solve(&made, &model, (drift_settings){50 << i, 20, 400, 6, 6}, &outcome);
  double coarse = drift_difference(s[1], s[0]), fine = drift_difference(s[2], s[1]);
  assert_true(coarse / fine > 3 && coarse / fine < 5.5);
  for (int i = 0; i < 3; i++) solution_free(s[i]);
  give_back(&made);
}

/* n = x (1-x) g, p = x + x (1-x) with g = 1 + a sin(2 pi t), at rest and swinging. Then n_xx = -2 g, p_xx = -2 and
 * (n p_x)_x = g (2 - 8 x + 6 x^2), and the sources are what is missing. Both equations are multiplied by a number. */
static void a_known_state_is_found(void **state) {
  (void)state;
  const double swings[] = {0, 0.5};
  for (int i = 0; i < 2; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "coordinate x in [0, 1]\ncoordinate t in [0, 1) periodic time\nfield n, p\nlet a = %g\n"
             "equation n: 2*(n_t - n_xx + 5*d(n*d(p,x),x) - (1 + a*sin(2*pi*t))*(12 - 40*x + 30*x^2)"
             " - 2*pi*a*cos(2*pi*t)*x*(1-x)) = 0\n"
             "equation p: 4*(p_xx - 3*n + 3*x*(1-x)*(1 + a*sin(2*pi*t)) + 2) = 0\n"
             "boundary n at x = 0: n = 0 soft\nboundary n at x = 1: n = 0 soft\n"
             "boundary p at x = 0: p = 0 soft\nboundary p at x = 1: p = 1 soft\n",
             swings[i]);
    made made = make_text(text, "");
    drift_model model;
    drift_outcome outcome;
    assert_ok(made.context, drift_recognise(made.context, made.instance, &model));
    ans_solution *s = solve(&made, &model, (drift_settings){50, 20, 400, i ? 3 : 10, 3}, &outcome);
    double density = 0, potential = 0;
    for (size_t k = 0; k < 20; k++)
      for (size_t j = 0; j <= 50; j++) {
        double x = (double)j / 50, bump = x * (1 - x), swing = 1 + swings[i] * sin(2 * M_PI * (double)k / 20);
        density = fmax(density, fabs(s->values[0][k * 51 + j] - bump * swing));
        potential = fmax(potential, fabs(s->values[1][k * 51 + j] - x - bump));
      }
    assert_near(density, 0, 2e-3);
    assert_near(potential, 0, 5e-4);
    solution_free(s);
    give_back(&made);
  }
}

static void other_forms_are_refused(void **state) {
  (void)state;
  const char *head = "coordinate x in [0, 1]\ncoordinate t in [0, 1) periodic time\nfield n, p\n";
  const char *walls = "boundary n at x = 0: n = 0 soft\nboundary n at x = 1: n = 0 soft\nboundary p at x = 0: p = 0 "
                      "soft\nboundary p at x = 1: p = sin(2*pi*t) soft\n"
                      "reference drift_diffusion, points 20, times 10, steps_per_period 20, periods 2, sweeps 2\n";
  struct {
    const char *equations;
    ans_status expected;
  } cases[] = {
      {"equation n: n_t - n_xx + 5*d(n*d(p,x),x) - 1 = 0\nequation p: p_xx - 3*(n - 1) = 0\n", ANS_OK},
      {"equation n: 2*n_t - n_xx + 5*d(n*d(p,x),x) - sin(2*pi*t)^2 = 0\nequation p: 4*p_xx - 3*n + 3*x = 0\n", ANS_OK},
      {"equation n: n_t - n_xx + 5*n_x*p_x + 4*n*p_xx - 1 = 0\nequation p: p_xx - 3*(n - 1) = 0\n", ANS_UNSUPPORTED},
      {"equation n: n_t - n_xx + 5*d(n*d(p,x),x) + n^2 = 0\nequation p: p_xx - 3*(n - 1) = 0\n", ANS_UNSUPPORTED},
      {"equation n: n_t + n_xx + 5*d(n*d(p,x),x) = 0\nequation p: p_xx - 3*(n - 1) = 0\n", ANS_UNSUPPORTED},
      {"equation n: n_t - n_xx + 5*d(n*d(p,x),x) = 0\nequation p: p_xx - 3*n*p = 0\n", ANS_UNSUPPORTED},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", head, cases[i].equations, walls);
    made made = make_text(text, "");
    ans_solution *solution;
    reference_report report;
    ans_status status = reference_solve(made.context, made.instance, 0, 0, false, &solution, &report);
    if (status != cases[i].expected) fail_msg("case %zu: status %d", i, status);
    solution_free(solution);
    give_back(&made);
  }
}

int main(int count, char **words) {
  if (count < 2) return 2;
  families = words[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_plasma_is_recognised),      cmocka_unit_test(the_state_is_periodic_and_charge_is_balanced),
      cmocka_unit_test(stored_fields_satisfy_poisson), cmocka_unit_test(time_is_of_first_order),
      cmocka_unit_test(space_is_of_second_order),      cmocka_unit_test(other_forms_are_refused),
      cmocka_unit_test(a_known_state_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
