/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "training/sampler.h"

static const system_symbol SYMBOLS[] = {
    {.name = "a", .kind = SYMBOL_COEFFICIENT, .low = 2, .high = 12, .grid = 5},
    {.name = "D",
     .kind = SYMBOL_COEFFICIENT,
     .low = 1e-3,
     .high = 1e-1,
     .logarithmic = true,
     .optional = true,
     .grid = 5},
    {.name = "r", .kind = SYMBOL_COEFFICIENT, .low = 1, .high = 10, .grid = 5},
    {.name = "b", .kind = SYMBOL_DERIVED},
};
static const bool NONE[4] = {0}, WITHOUT_D[4] = {false, true, false, false};
static const system_structure STRUCTURES[] = {{.name = "all", .absent = NONE}, {.name = "some", .absent = WITHOUT_D}};

static ans_problem problem_of(protocol_sampler sampler) {
  return (ans_problem){.symbol_count = 4,
                       .symbols = SYMBOLS,
                       .structure_count = 2,
                       .structures = STRUCTURES,
                       .protocol.sampler = sampler};
}

static void the_radius_follows_its_schedule(void **state) {
  (void)state;
  protocol_sampler scheduled = {.kind = SAMPLER_JITTER, .begin = 8000, .end = 24000};
  assert_near(sampler_radius(&scheduled, 1), 0, 0);
  assert_near(sampler_radius(&scheduled, 8000), 0, 0);
  assert_near(sampler_radius(&scheduled, 16000), 0.5, 0);
  assert_near(sampler_radius(&scheduled, 24000), 1, 0);
  assert_near(sampler_radius(&scheduled, 30000), 1, 0);
  protocol_sampler full = {.kind = SAMPLER_JITTER}, nodes = {.kind = SAMPLER_JITTER, .begin = -1};
  assert_near(sampler_radius(&full, 1), 1, 0);
  assert_near(sampler_radius(&nodes, 30000), 0, 0);
}

static void uniform_draws_cover_their_ranges(void **state) {
  (void)state;
  ans_problem problem = problem_of((protocol_sampler){.kind = SAMPLER_UNIFORM});
  double least[3] = {1e9, 1e9, 1e9}, most[3] = {-1e9, -1e9, -1e9}, logs = 0;
  for (long step = 1; step <= 4000; step++) {
    double values[4];
    sampler_draw(&problem, 0, 7, step, values);
    assert_true(isnan(values[3]));
    for (int i = 0; i < 3; i++) {
      assert_true(values[i] >= SYMBOLS[i].low && values[i] <= SYMBOLS[i].high);
      if (values[i] < least[i]) least[i] = values[i];
      if (values[i] > most[i]) most[i] = values[i];
    }
    logs += log10(values[1]) / 4000;
  }
  assert_near(least[0], 2, 0.02);
  assert_near(most[0], 12, 0.02);
  assert_near(logs, -2, 0.03); /* uniform in the logarithm */
}

static void a_grid_without_jitter_gives_its_nodes(void **state) {
  (void)state;
  ans_problem problem = problem_of((protocol_sampler){.kind = SAMPLER_JITTER, .begin = -1});
  int counts[5] = {0};
  for (long step = 1; step <= 1000; step++) {
    double values[4];
    sampler_draw(&problem, 0, 1, step, values);
    double node = (values[0] - 2) / 2.5, exponent = (log10(values[1]) + 3) / 0.5;
    assert_near(node, round(node), 1e-12);
    assert_near(exponent, round(exponent), 1e-12);
    counts[(int)round(node)]++;
  }
  for (int i = 0; i < 5; i++) assert_near(counts[i], 200, 60);
}

/* a and log10(D), which has its range in the logarithm, drawn at one step with many seeds. */
enum { SEEDS = 2000 };

static void draw_many(const ans_problem *problem, long step, double draws[2][SEEDS]) {
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    double values[4];
    sampler_draw(problem, 0, seed, step, values);
    draws[0][seed] = values[0];
    draws[1][seed] = log10(values[1]);
  }
}

static double least(const double *numbers) {
  double result = INFINITY;
  for (int i = 0; i < SEEDS; i++) result = fmin(result, numbers[i]);
  return result;
}

static double most(const double *numbers) {
  double result = -INFINITY;
  for (int i = 0; i < SEEDS; i++) result = fmax(result, numbers[i]);
  return result;
}

/* The numbers stay in [low, high] and come to within a hundredth of its ends. */
static void assert_filled(const double *numbers, double low, double high) {
  double near = 0.01 * (high - low), rounding = 1e-12 * (high - low);
  assert_true(least(numbers) >= low - rounding && most(numbers) <= high + rounding);
  assert_near(least(numbers), low, near);
  assert_near(most(numbers), high, near);
}

static const double LOW[2] = {2, -3}, SPACING[2] = {2.5, 0.5};

/* At radius r up to r/2 spacings from a node to either side, but not out of the range. */
static void jitter_fills_its_radius(void **state) {
  (void)state;
  static double draws[2][SEEDS], offsets[SEEDS];
  ans_problem problem = problem_of((protocol_sampler){.kind = SAMPLER_JITTER, .begin = 0, .end = 100});
  const long steps[] = {40, 100, 150};
  for (int k = 0; k < 3; k++) {
    draw_many(&problem, steps[k], draws);
    double reach = 0.5 * fmin((double)steps[k] / 100, 1);
    for (int i = 0; i < 2; i++) {
      for (int n = 0; n < SEEDS; n++) {
        double node = (draws[i][n] - LOW[i]) / SPACING[i];
        offsets[n] = node - round(node);
      }
      assert_filled(offsets, -reach, reach);
      assert_filled(draws[i], LOW[i], LOW[i] + 4 * SPACING[i]);
    }
  }
}

static void the_centre_comes_first(void **state) {
  (void)state;
  static double draws[2][SEEDS];
  ans_problem problem = problem_of((protocol_sampler){.kind = SAMPLER_CENTRE_OUT, .begin = 750, .end = 2250});
  draw_many(&problem, 750, draws);
  assert_near(least(draws[0]), 7, 1e-12);
  assert_near(most(draws[0]), 7, 1e-12);
  assert_near(least(draws[1]), -2, 1e-12);
  assert_near(most(draws[1]), -2, 1e-12);
  draw_many(&problem, 1500, draws); /* half the way */
  assert_filled(draws[0], 4.5, 9.5);
  assert_filled(draws[1], -2.5, -1.5);
  draw_many(&problem, 3000, draws);
  assert_filled(draws[0], 2, 12);
  assert_filled(draws[1], -3, -1);
}

static void shared_draws_share_what_is_common(void **state) {
  (void)state;
  ans_problem shared = problem_of((protocol_sampler){.kind = SAMPLER_UNIFORM, .shared = true});
  ans_problem independent = problem_of((protocol_sampler){.kind = SAMPLER_UNIFORM});
  double first[4], second[4];
  sampler_draw(&shared, 0, 5, 9, first);
  sampler_draw(&shared, 1, 5, 9, second);
  assert_true(first[0] == second[0] && first[2] == second[2]);
  assert_true(isnan(second[1]) && !isnan(first[1]));
  sampler_draw(&independent, 1, 5, 9, second);
  assert_true(first[0] != second[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_radius_follows_its_schedule),
      cmocka_unit_test(uniform_draws_cover_their_ranges),
      cmocka_unit_test(a_grid_without_jitter_gives_its_nodes),
      cmocka_unit_test(jitter_fills_its_radius),
      cmocka_unit_test(the_centre_comes_first),
      cmocka_unit_test(shared_draws_share_what_is_common),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
