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

static ans_problem problem_of(system_sampler sampler) {
  return (ans_problem){
      .symbol_count = 4, .symbols = SYMBOLS, .structure_count = 2, .structures = STRUCTURES, .sampler = sampler};
}

static void the_radius_follows_its_schedule(void **state) {
  (void)state;
  system_sampler scheduled = {.kind = SAMPLER_JITTER, .begin = 8000, .end = 24000};
  assert_near(sampler_radius(&scheduled, 1), 0, 0);
  assert_near(sampler_radius(&scheduled, 8000), 0, 0);
  assert_near(sampler_radius(&scheduled, 16000), 0.5, 0);
  assert_near(sampler_radius(&scheduled, 24000), 1, 0);
  assert_near(sampler_radius(&scheduled, 30000), 1, 0);
  system_sampler full = {.kind = SAMPLER_JITTER}, nodes = {.kind = SAMPLER_JITTER, .begin = -1};
  assert_near(sampler_radius(&full, 1), 1, 0);
  assert_near(sampler_radius(&nodes, 30000), 0, 0);
}

static void uniform_draws_cover_their_ranges(void **state) {
  (void)state;
  ans_problem problem = problem_of((system_sampler){.kind = SAMPLER_UNIFORM});
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
  ans_problem problem = problem_of((system_sampler){.kind = SAMPLER_JITTER, .begin = -1});
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

static void jitter_stays_within_half_the_spacing(void **state) {
  (void)state;
  ans_problem problem = problem_of((system_sampler){.kind = SAMPLER_JITTER, .begin = 0, .end = 100});
  double farthest = 0;
  for (uint64_t seed = 0; seed < 500; seed++) {
    double values[4];
    sampler_draw(&problem, 0, seed, 40, values);
    double node = (values[0] - 2) / 2.5, distance = fabs(node - round(node));
    assert_true(distance <= 0.2 + 1e-12 && values[0] >= 2 && values[0] <= 12);
    if (distance > farthest) farthest = distance;
  }
  assert_true(farthest > 0.18);
}

static void the_centre_comes_first(void **state) {
  (void)state;
  ans_problem problem = problem_of((system_sampler){.kind = SAMPLER_CENTRE_OUT, .begin = 750, .end = 2250});
  double values[4];
  sampler_draw(&problem, 0, 3, 750, values);
  assert_near(values[0], 7, 1e-12);
  assert_near(values[1], 1e-2, 1e-14);
  for (uint64_t seed = 0; seed < 200; seed++) {
    sampler_draw(&problem, 0, seed, 1500, values);
    assert_true(fabs(values[0] - 7) <= 2.5 && fabs(log10(values[1]) + 2) <= 0.5);
  }
}

static void shared_draws_share_what_is_common(void **state) {
  (void)state;
  ans_problem shared = problem_of((system_sampler){.kind = SAMPLER_UNIFORM, .shared = true});
  ans_problem independent = problem_of((system_sampler){.kind = SAMPLER_UNIFORM});
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
      cmocka_unit_test(jitter_stays_within_half_the_spacing),
      cmocka_unit_test(the_centre_comes_first),
      cmocka_unit_test(shared_draws_share_what_is_common),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
