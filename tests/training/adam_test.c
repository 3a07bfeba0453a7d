/* SPDX-License-Identifier: Apache-2.0
 *
 * Adam on one number, in double, against steps that are computed here from the paper's formulas.
 */
#include "check.h"

#include "training/adam.h"
#include "training/objective.h"

/* loss = x^2 / 2 + the step's own slope * x */
static const double slopes[] = {3, -1, 0.5, 2, -4, 1e-3, 0, 1, -0.25, 5};
enum { STEPS = sizeof slopes / sizeof *slopes };

static ans_status gradient(ans_context *context, objective *objective, long step, double *loss, real *result) {
  (void)context;
  double x = objective->values[0], slope = slopes[(step - 1) % STEPS];
  *loss = x * x / 2 + slope * x;
  result[0] = x + slope;
  return ANS_OK;
}

static const objective_class LINE = {.gradient = gradient};

typedef struct line {
  unknown_part part;
  real value;
  objective objective;
  optimiser *adam;
} line;

static void open_line(ans_context *context, line *line, double rate, double clip) {
  *line = (struct line){.value = 1};
  line->objective = (objective){
      .class = &LINE, .unknowns = {.parts = &line->part, .limit = 1}, .values = &line->value, .worst = "line"};
  unknown_add(&line->objective.unknowns, UNKNOWN_INPUT, 1, 0, "x");
  optimiser_settings settings = {.rate = rate, .clip = clip};
  assert_ok(context, adam_class.begin(context, &line->objective, &settings, &line->adam));
}

static void advance(ans_context *context, line *line, long first, long last) {
  double loss;
  for (long s = first; s <= last; s++) {
    assert_ok(context, adam_class.look(context, line->adam, s, &loss));
    assert_ok(context, adam_class.step(context, line->adam));
  }
}

/* beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8. */
static void ten_steps_follow_the_formulas(void **state) {
  (void)state;
  const double clips[] = {0, 2};
  for (int c = 0; c < 2; c++) {
    ans_context *context = new_context();
    line line;
    double x = 1, m = 0, v = 0, rate = 0.01, clip = clips[c];
    open_line(context, &line, rate, clip);
    for (int s = 1; s <= STEPS; s++) {
      double g = x + slopes[s - 1];
      advance(context, &line, s, s);
      assert_near(line.adam->norm, fabs(g), 1e-14);
      if (clip > 0 && fabs(g) > clip) g *= clip / fabs(g);
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      x -= rate * (m / (1 - pow(0.9, s))) / (sqrt(v / (1 - pow(0.999, s))) + 1e-8);
      assert_near(line.value, x, 1e-14);
    }
    adam_class.end(line.adam);
    ans_context_free(context);
  }
}

/* Where the gradient is tiny, epsilon decides: from v = 0 the first step is rate * g / (|g| + epsilon). */
static void epsilon_is_1e_8(void **state) {
  (void)state;
  ans_context *context = new_context();
  line line;
  open_line(context, &line, 1, 0);
  line.value = -3 + 1e-8; /* gradient 1e-8 at step 1 */
  double g = line.value + slopes[0], before = line.value;
  advance(context, &line, 1, 1);
  assert_near(before - line.value, g / (g + 1e-8), 1e-6);
  adam_class.end(line.adam);
  ans_context_free(context);
}

/* What was kept comes back whole: the same steps follow, with moments and count. A softer optimiser goes half as far.
 */
static void the_kept_state_comes_back(void **state) {
  (void)state;
  ans_context *context = new_context();
  line line;
  open_line(context, &line, 0.01, 0);
  advance(context, &line, 1, 4);
  adam_class.keep(line.adam);
  double there = line.value;
  advance(context, &line, 5, 9);
  double first = line.value;
  adam_class.back(line.adam);
  assert_true(line.value == there);
  advance(context, &line, 5, 9);
  assert_true(line.value == first);
  adam_class.back(line.adam);
  advance(context, &line, 5, 5);
  double whole = line.value - there;
  adam_class.back(line.adam);
  adam_class.soften(line.adam);
  assert_true(line.adam->rate == 0.005);
  advance(context, &line, 5, 5);
  assert_near(line.value - there, whole / 2, 1e-15);
  adam_class.end(line.adam);
  ans_context_free(context);
}

/* Present and kept state go into a file and come out again. */
static void stored_states_continue(void **state) {
  (void)state;
  ans_context *context = new_context();
  line line, other;
  double now[3], kept[3];
  optimiser_state present = {.unknowns = &now[0], .blocks = {&now[1], &now[2]}},
                  back = {.unknowns = &kept[0], .blocks = {&kept[1], &kept[2]}};
  open_line(context, &line, 0.01, 0);
  open_line(context, &other, 0.01, 0);
  advance(context, &line, 1, 3);
  adam_class.keep(line.adam);
  advance(context, &line, 4, 6);
  adam_class.store(line.adam, false, &present);
  adam_class.store(line.adam, true, &back);
  assert_int_equal(present.updates, 6);
  assert_int_equal(back.updates, 3);
  adam_class.load(other.adam, &back);
  advance(context, &other, 4, 6);
  assert_true(other.value == line.value);
  adam_class.load(other.adam, &present);
  advance(context, &line, 7, 10);
  advance(context, &other, 7, 10);
  assert_true(other.value == line.value);
  adam_class.end(line.adam);
  adam_class.end(other.adam);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_steps_follow_the_formulas),
      cmocka_unit_test(epsilon_is_1e_8),
      cmocka_unit_test(the_kept_state_comes_back),
      cmocka_unit_test(stored_states_continue),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
