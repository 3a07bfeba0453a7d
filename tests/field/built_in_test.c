/* SPDX-License-Identifier: Apache-2.0
 *
 * built_in_test.c - conditions that are built into a field hold for any network: initial values and slopes, values
 * and slopes at the ends of one or two intervals; those that cannot be built in are soft and say why.
 */
#include "made_field.h"

/* Every hard condition, at random points of its place. Returns how many there are. */
static int check_conditions(const made_field *it) {
  random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
  int hard = 0;
  for (int c = 0; c < it->problem->condition_count; c++) {
    const system_condition *condition = &it->problem->conditions[c];
    if (!condition->hard) continue;
    hard++;
    for (int sample = 0; sample < 20; sample++) {
      double point[SYSTEM_MAX_COORDINATES], values[SYSTEM_MAX_FIELDS];
      for (int d = 0; d < it->problem->coordinate_count; d++)
        point[d] = random_between(&stream, it->problem->coordinates[d].low, it->problem->coordinates[d].high);
      point[condition->coordinate] = condition->at;
      double wanted = expression_value(condition->value, it->instance->values, point, 0);
      field_at(it, point, condition->order, values);
      if (!(fabs(values[condition->field] - wanted) < 1e-11 * (1 + fabs(wanted))))
        fail_msg("condition %d: %.15g instead of %.15g", c, values[condition->field], wanted);
    }
  }
  return hard;
}

static void check_text(const char *text, int expected_hard) {
  made_field it = open_field(text);
  assert_int_equal(check_conditions(&it), expected_hard);
  close_field(&it);
}

#define LINE  "coordinate x in [-1, 2]\ncoordinate t in [0.5, 3] time\nfield u\ncoefficient k in [0.5, 2]\n"
#define WALL  "boundary u at x = -1: "
#define OTHER "boundary u at x = 2: "
#define HEAT  "equation u: u_t = k*u_xx\n"
#define WAVE  "equation u: u_tt = k*u_xx\n"
#define NET   "network width 12, layers 2\n"

/* All pairs of a value, a slope, and nothing, with data that depend on time and on a coefficient. */
static void ends_of_an_interval(void **state) {
  (void)state;
  static const char *const low[] = {"", WALL "u = k*(t-0.5)\n", WALL "u_x = 3*exp(-1)*cos(t-0.5)\n"};
  static const char *const high[] = {"", OTHER "u = 4.5*exp(2) + sin(k*(t-0.5))\n", OTHER "u_x = 7.5*exp(2)*(t+0.5)\n"};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      char text[1024];
      /* u0(-1) = 0, u0'(-1) = 3/e, u0(2) = 4.5 e^2 and u0'(2) = 7.5 e^2 agree with the data at t = 0.5 */
      snprintf(text, sizeof text, "%s%s%s%s%s%s", LINE, "equation u: u_t + k*u = 0\n",
               "initial u = (x+1)*(x+1)*0.5*exp(x) + 3*(x+1)*exp(-1)*(2-x)^2/9\n", low[a], high[b], NET);
      check_text(text, 1 + (a > 0) + (b > 0));
    }
}

static void second_order_in_time(void **state) {
  (void)state;
  check_text(LINE WAVE "initial u = sin(pi*(x+1)/3)\ninitial u_t = x+1\n" WALL "u = 0\n" OTHER "u = 3*(t-0.5)\n" NET,
             4);
  check_text(LINE WAVE "initial u = cos(pi*(x+1)/3)\ninitial u_t = 0\n" WALL "u_x = 0\n" OTHER "u_x = 0\n" NET, 4);
}

static void without_time(void **state) {
  (void)state;
  check_text("coordinate x in [0, 3]\nfield u\ncoefficient k in [1, 2]\nequation u: u_xx = -k*sin(x)\n"
             "boundary u at x = 0: u = 1\nboundary u at x = 3: u_x = k\n" NET,
             2);
}

/* A rectangle with compatible data on all four sides. */
static void rectangle(void **state) {
  (void)state;
  check_text("coordinate x in [0, 2]\ncoordinate y in [-1, 1]\nfield u\nequation u: u_xx + u_yy = 0\n"
             "boundary u at x = 0: u = y^2\nboundary u at x = 2: u = y^2 + 2\n"
             "boundary u at y = -1: u = 1 + x\nboundary u at y = 1: u = 1 + x\n" NET,
             4);
}

static const char *remark_of(const made_field *it, int condition) { return it->problem->conditions[condition].remark; }

/* Values that contradict at a corner are soft and say so; the other end is still built in. */
static void contradictions_are_soft(void **state) {
  (void)state;
  made_field it = open_field(LINE HEAT "initial u = x+1\n" WALL "u = 1\n" OTHER "u = 3\n" NET);
  assert_int_equal(check_conditions(&it), 2);
  assert_false(it.problem->conditions[1].hard);
  assert_non_null(strstr(remark_of(&it, 1), "contradicts"));
  assert_null(remark_of(&it, 2));
  close_field(&it);
  it = open_field(LINE "equation u: u_t = -k*u_xxxx\ninitial u = 0\n" WALL "u = 0\n" WALL "u_x = 0\n" OTHER
                       "u = 0\n" OTHER "u_xx = 0\n" NET);
  assert_int_equal(check_conditions(&it), 3); /* the initial value and u at both ends */
  assert_non_null(strstr(remark_of(&it, 2), "each end"));
  assert_non_null(remark_of(&it, 4));
  close_field(&it);
}

/* The tail of a pulse at a wall is no contradiction below a millionth of its size; the wall has its own value. */
static void tails_at_a_wall_are_built_in(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool hard;
  } trials[] = {{LINE HEAT "initial u = x + 1 + 0.9e-6\n" WALL "u = 0\n" OTHER "u_x = 1\n" NET, true},
                {LINE HEAT "initial u = x + 1 + 1.1e-5\n" WALL "u = 0\n" OTHER "u_x = 1\n" NET, false}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    made_field it = open_field(trials[i].text);
    assert_int_equal(it.problem->conditions[1].hard, trials[i].hard);
    assert_int_equal(remark_of(&it, 1) == NULL, trials[i].hard);
    close_field(&it);
  }
}

/* The canonical text says the same, so a model remembers what was built in. */
static void text_survives(void **state) {
  (void)state;
  made_field it = open_field(LINE HEAT "initial u = x+1\n" WALL "u = 1\n" OTHER "u_x = 1\n" NET);
  char *text = NULL;
  ans_problem *again = NULL;
  assert_ok(it.context, system_print(it.context, it.problem, &text));
  assert_ok(it.context, system_parse(it.context, "again", NULL, text, strlen(text), &again));
  assert_true(system_equal(it.problem, again));
  assert_int_equal(again->fields[0].mirror[0], MIRROR_HIGH);
  system_free(again);
  ans_free(text);
  close_field(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_of_an_interval),
      cmocka_unit_test(second_order_in_time),
      cmocka_unit_test(without_time),
      cmocka_unit_test(rectangle),
      cmocka_unit_test(contradictions_are_soft),
      cmocka_unit_test(tails_at_a_wall_are_built_in),
      cmocka_unit_test(text_survives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
