/* SPDX-License-Identifier: Apache-2.0
 *
 * measurements_test.c - tables of measurements: what is read, and where a mistake stands.
 */
#include "check.h"

#include "ansatz_fit.h"
#include "fit/measurements.h"
#include "temporary.h"

static const char plane[] = "coordinate x in [0, 1) periodic\n"
                            "coordinate t in [0, 2] time\n"
                            "field u, v\n"
                            "coefficient D in [0.1, 1]\n"
                            "equation u: u_t = D*u_xx\n"
                            "equation v: v_t = D*v_xx\n"
                            "initial u = 1\n"
                            "initial v = 1\n";

static ans_status read_text(ans_context *context, const char *text, size_t length, measurements **m) {
  ans_problem *problem;
  char path[] = "/tmp/ansatz-measurements-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, text, length), (ssize_t)length);
  close(descriptor);
  assert_ok(context, ans_problem_parse(context, "plane", plane, strlen(plane), &problem));
  ans_status status = measurements_read(context, problem, path, m);
  ans_problem_free(problem);
  unlink(path);
  return status;
}

static void cells_may_be_missing_and_columns_in_any_order(void **state) {
  (void)state;
  static const char text[] =
      "\xef\xbb\xbf# from the bench\r\n v , t,sigma_v,\"x\",u\r\n1.5,0,0.1,0.25,\r\n,2,,1.75,-3e-2\n"
      "\n7,0.5,.2,0,8\n,1,,0.5,\n";
  ans_context *context = new_context();
  measurements *m;
  assert_ok(context, read_text(context, text, strlen(text), &m));
  assert_int_equal(m->point_count, 3);
  assert_int_equal(m->value_count, 4);
  assert_int_equal(m->values[0].field, 1);
  assert_near(m->values[0].sigma, 0.1, 0);
  assert_near(m->values[1].value, -0.03, 0);
  assert_true(isnan(m->values[1].sigma));
  assert_near(m->points[2], 1.75, 0); /* x of the second point: it wraps around */
  assert_int_equal(measurements_of(m, 0), 2);
  measurements_free(m);
  ans_context_free(context);
}

static void mistakes_are_placed(void **state) {
  (void)state;
  static const struct {
    const char *text, *sentence;
    size_t line, column;
  } wrong[] = {
      {"", "has no line of names", 0, 0},
      {"# only a comment\n", "has no line of names", 0, 0},
      {"x,t,u\n", "no measured value", 0, 0},
      {"x,t,u\n0,0,\n", "no measured value", 0, 0},
      {"x,t,w\n0,0,1\n", "column 'w' is neither", 1, 5},
      {"x,u\n0,1\n", "there is no column 't'", 1, 1},
      {"x,t\n0,1\n", "no column is a field", 1, 1},
      {"x,t,sigma_u\n0,0,1\n", "sigma_u and no column u", 1, 1},
      {"x,t,u,u\n0,0,1,1\n", "appears twice", 1, 7},
      {"x,t,u\n0,0,1\n0,0\n", "2 cells where the line of names has 3", 3, 1},
      {"x,t,u\n0,0,1\n0,0,abc\n", "'abc' is not a number", 3, 5},
      {"x,t,u\n0,0,nan\n", "nan is not a finite number", 2, 5},
      {"x,t,u\n0,0,inf\n", "inf is not a finite number", 2, 5},
      {"x,t,u\n0,2.5,1\n", "t = 2.5 is outside the domain [0, 2]", 2, 3},
      {"x,t,u\n0,,1\n", "t has no value", 2, 3},
      {"x,t,u,sigma_u\n0,0,1,0\n", "a standard deviation is a positive number, not 0", 2, 7},
      {"x,t,u,sigma_u\n0,0,1,-0.5\n", "a standard deviation is a positive number, not -0.5", 2, 7},
  };
  ans_context *context = new_context();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    measurements *m;
    assert_int_equal(read_text(context, wrong[i].text, strlen(wrong[i].text), &m), ANS_ARGUMENT);
    const ans_diagnostic *d = ans_context_diagnostic(context);
    if (!strstr(d->message, wrong[i].sentence) || d->line != wrong[i].line || d->column != wrong[i].column)
      fail_msg("%zu: \"%s\" at %zu:%zu", i, d->message, d->line, d->column);
    assert_null(m);
  }
  measurements *m;
  assert_int_equal(read_text(context, "x,t,u\n0,\0,1\n", 12, &m), ANS_ARGUMENT);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "zero byte"));
  ans_context_free(context);
}

static void memory_that_ends_leaves_nothing(void **state) {
  (void)state;
  static const char text[] = "x,t,u\n0,0,1\n0,1,2\n";
  ans_context *context = new_context();
  ans_problem *problem;
  char path[] = "/tmp/ansatz-measurements-XXXXXX";
  int descriptor = mkstemp(path), failures = 0;
  assert_int_equal(write(descriptor, text, sizeof text - 1), (ssize_t)sizeof text - 1);
  close(descriptor);
  assert_ok(context, ans_problem_parse(context, "plane", plane, strlen(plane), &problem));
  for (long n = 1;; n++, failures++) {
    measurements *m;
    memory_fail_after(n, false);
    ans_status status = measurements_read(context, problem, path, &m);
    memory_fail_after(0, false);
    measurements_free(m);
    if (status == ANS_OK) break;
    assert_int_equal(status, ANS_MEMORY);
  }
  assert_true(failures >= 3);
  ans_problem_free(problem);
  unlink(path);
  ans_context_free(context);
}

static void mistakes_in_an_array_are_told(void **state) {
  (void)state;
  static const double row[] = {0.25, 1, 0.5, 0.1, 0.75, 3, 0.5, 0.1};
  static const struct {
    const char *names[4];
    size_t columns, rows;
    const char *sentence;
  } wrong[] = {
      {{"x", "t", "w"}, 3, 1, "column 'w' is neither a coordinate nor a field of plane, nor sigma_ and a field"},
      {{"x", "t", "sigma_D"}, 3, 1, "column 'sigma_D' is neither a coordinate"},
      {{"x", "t", "u", "u"}, 4, 1, "column 'u' appears twice"},
      {{"x", "u", "v"}, 3, 1, "there is no column 't': every point needs all coordinates"},
      {{"x", "t", "u", "sigma_u"}, 4, 2, "row 2: "},
      {{"x", "t", "u"}, 3, 0, "there is no measured value"},
      {{"x", "t", "u"}, 1000, 1, "there are 1000 columns"},
  };
  ans_context *context = new_context();
  ans_problem *problem;
  assert_ok(context, ans_problem_parse(context, "plane", plane, strlen(plane), &problem));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ans_measurements *m;
    assert_int_equal(ans_measurements_new(context, problem, wrong[i].names, wrong[i].columns, row, wrong[i].rows, &m),
                     ANS_ARGUMENT);
    assert_null(m);
    assert_ptr_equal(strstr(ans_context_diagnostic(context)->message, wrong[i].sentence),
                     ans_context_diagnostic(context)->message);
  }
  ans_problem_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_may_be_missing_and_columns_in_any_order),
      cmocka_unit_test(mistakes_are_placed),
      cmocka_unit_test(mistakes_in_an_array_are_told),
      cmocka_unit_test(memory_that_ends_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
