/* SPDX-License-Identifier: Apache-2.0
 *
 * gauss_newton_test.c - the second-order method: its linear algebra, its solutions, its bits, its files, its failures.
 */
#include "small.h"

#include "training/method.h"
#include "training/normal.h"
#include "training/piece.h"

/* ---- The step --------------------------------------------------------------------------------------------- */

/* x <- A^-1 b by elimination, A [n][n]. */
static void eliminate(int n, double *a, double *x) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      x[i] -= factor * x[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i];
  }
}

/* -(J^T J + damping D^2)^-1 J^T r, straight from its definition. */
static void plain_step(int rows, int columns, const double *j, const double *r, double damping, double *step) {
  double *a = memory_take((size_t)(columns * columns) * sizeof *a), *d = memory_take((size_t)columns * sizeof *d);
  double largest = 0;
  for (int c = 0; c < columns; c++) {
    for (int i = 0; i < rows; i++) d[c] += j[i * columns + c] * j[i * columns + c];
    largest = fmax(largest, sqrt(d[c]));
  }
  for (int c = 0; c < columns; c++) {
    step[c] = 0;
    for (int i = 0; i < rows; i++) step[c] -= j[i * columns + c] * r[i];
    for (int k = 0; k < columns; k++)
      for (int i = 0; i < rows; i++) a[c * columns + k] += j[i * columns + c] * j[i * columns + k];
    a[c * columns + c] += damping * pow(sqrt(d[c]) + 1e-3 * largest, 2);
  }
  eliminate(columns, a, step);
  memory_give(a), memory_give(d);
}

/* Fewer rows than unknowns (dual), as many, and more (primal): always the step of the definition. */
static void both_forms_give_the_step(void **state) {
  (void)state;
  enum { COLUMNS = 70 };
  const int counts[] = {1, 30, COLUMNS, 150};
  ans_context *context = new_context();
  for (int k = 0; k < 4; k++) {
    normal normal = {0};
    int rows = counts[k];
    assert_ok(context, normal_reserve(context, &normal, rows, COLUMNS, 2));
    assert_int_equal(normal.dual, rows < COLUMNS);
    double *j = memory_take((size_t)(rows * COLUMNS) * sizeof *j), *r = memory_take((size_t)rows * sizeof *r);
    double *pushed = memory_take((size_t)rows * sizeof *pushed), expected[COLUMNS], step[COLUMNS];
    random_stream stream = random_open(3, RANDOM_TEST, (uint64_t)rows, 0);
    for (int i = 0; i < rows * COLUMNS; i++) j[i] = random_normal(&stream) * (1 + i % COLUMNS);
    for (int i = 0; i < rows; i++) r[i] = random_normal(&stream);
    memcpy(normal.jacobian, j, (size_t)(rows * COLUMNS) * sizeof *j);
    plain_step(rows, COLUMNS, j, r, 1e-2, expected);
    assert_true(normal_form(&normal));
    assert_true(normal_factor(&normal, 1e-2));
    normal_solve(&normal, r, step);
    normal_push(&normal, step, pushed);
    for (int c = 0; c < COLUMNS; c++) assert_near(step[c], expected[c], 1e-10);
    for (int i = 0; i < rows; i++) {
      double along = 0;
      for (int c = 0; c < COLUMNS; c++) along += j[i * COLUMNS + c] * step[c];
      assert_near(pushed[i], along, 1e-9);
    }
    memory_give(j), memory_give(r), memory_give(pushed);
    normal_free(&normal);
  }
  ans_context_free(context);
}

/* A Jacobian of zeros moves nothing; one that is not finite is refused; a singular one is damped. */
static void singular_systems_have_an_outcome(void **state) {
  (void)state;
  enum { ROWS = 5, COLUMNS = 8 };
  ans_context *context = new_context();
  normal normal = {0};
  double r[ROWS] = {1, 2, 3, 4, 5}, step[COLUMNS];
  assert_ok(context, normal_reserve(context, &normal, ROWS, COLUMNS, 1));
  assert_true(normal_form(&normal) && normal_factor(&normal, 1e-3));
  normal_solve(&normal, r, step);
  for (int c = 0; c < COLUMNS; c++) assert_true(step[c] == 0);
  for (int i = 0; i < ROWS * COLUMNS; i++) normal.jacobian[i] = 1; /* rank one */
  assert_true(normal_form(&normal) && normal_factor(&normal, 1e-6));
  normal_solve(&normal, r, step);
  for (int c = 0; c < COLUMNS; c++) assert_near(step[c], -3.0 / COLUMNS, 1e-4);
  assert_true(normal_form(&normal) && !normal_factor(&normal, -1));
  const double bad[] = {(double)NAN, (double)INFINITY};
  for (int b = 0; b < 2; b++) {
    normal.jacobian[3] = bad[b];
    assert_false(normal_form(&normal));
  }
  normal_free(&normal);
  ans_context_free(context);
}

/* ---- Solvers ---------------------------------------------------------------------------------------------- */

typedef struct setting {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
} setting;

static setting set_up(void) {
  setting s = {.context = new_context()};
  s.problem = small_problem(s.context);
  s.instance = small_instance(s.context, s.problem);
  return s;
}

static void tear_down(setting *s) {
  system_instance_free(s->instance);
  system_free(s->problem);
  ans_context_free(s->context);
}

static ans_solver *begin(setting *s, ans_solver_options options) {
  ans_solver *solver;
  options.seed = 7;
  assert_ok(s->context, solver_begin(s->context, NULL, s->instance, &options, &solver));
  return solver;
}

enum { POINTS = 24 };

static double evaluate(setting *s, ans_solver *solver, double *values) {
  double points[POINTS][2], worst = 0;
  for (int i = 0; i < POINTS; i++) points[i][0] = (double)i / POINTS, points[i][1] = (double)(i * 7 % POINTS) / POINTS;
  assert_ok(s->context, solver_evaluate(s->context, solver, points[0], POINTS, NULL, values));
  double pi = acos(-1.0), a = 0.7, diffusion = 0.05;
  for (int i = 0; i < POINTS; i++) {
    double x = points[i][0], t = points[i][1];
    double exact = exp(-diffusion * 4 * pi * pi * t) * sin(2 * pi * (x - a * t));
    worst = fmax(worst, fabs(values[i] - exact));
  }
  return worst;
}

/* From scratch, by default, to the exact solution; in double further than in float, beginning in float. */
static void it_is_the_default_and_solves(void **state) {
  (void)state;
  setting s = set_up();
  double errors[2], values[POINTS];
  for (int wide = 0; wide < 2; wide++) {
    ans_solver *solver = begin(&s, (ans_solver_options){.precision = wide ? 64 : 32});
    ans_solver_info info = solver_info(solver);
    assert_int_equal(info.method, ANS_GAUSS_NEWTON);
    assert_int_equal(info.mode, ANS_FROZEN_BASES);
    assert_int_equal(info.precision, 32);
    assert_true(info.moving_frame && info.time_weight == 0 && info.steps >= 20);
    ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
    rules.steps = 60;
    assert_ok(s.context, solver_run(s.context, solver, &rules, NULL, NULL));
    assert_int_equal(solver_info(solver).precision, wide ? 64 : 32);
    errors[wide] = evaluate(&s, solver, values);
    solver_free(solver);
  }
  assert_true(errors[0] < 1e-3);
  assert_true(errors[1] < 1e-4 && errors[1] < errors[0]);
  tear_down(&s);
}

/* Only a tolerance, and only where no precision is stated, lets Gauss-Newton end in double; Adam stays what it is. */
static void a_tolerance_may_end_in_double(void **state) {
  (void)state;
  static const struct {
    ans_solver_options options;
    int begins, ends;
  } cases[] = {
      {{.seed = 7}, 32, 32},
      {{.seed = 7, .tolerance = 1e-3}, 32, 64},
      {{.seed = 7, .tolerance = 1e-3, .precision = 32}, 32, 32},
      {{.seed = 7, .tolerance = 1e-3, .method = ANS_ADAM}, 32, 32},
      {{.seed = 7, .tolerance = 1e-7, .method = ANS_ADAM}, 64, 64}, /* float cannot meet it */
  };
  setting s = set_up();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    piece *piece;
    assert_ok(s.context, piece_begin(s.context, NULL, NULL, s.instance, &cases[i].options, false, &piece));
    assert_int_equal(piece->engine->bits, cases[i].begins);
    assert_int_equal(piece->bits, cases[i].ends);
    piece_free(piece);
  }
  tear_down(&s);
}

/* A thousandth of the root of the loss; the step itself divides it by three or multiplies it by few tens. */
static void the_first_damping_follows_the_loss(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver = begin(&s, (ans_solver_options){0});
  double before;
  assert_ok(s.context, solver_residual(s.context, solver, &before, NULL));
  assert_ok(s.context, solver_step(s.context, solver, 1));
  double start = 1e-3 * sqrt(before), rate = solver_progress(solver).rate;
  assert_true(start > 1e-4 && rate > 0.33 * start && rate < 1e4 * start);
  solver_free(solver);
  tear_down(&s);
}

/* The judged residual never rises, and the end is said. */
static void steps_never_make_it_worse(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver = begin(&s, (ans_solver_options){0});
  double last = (double)INFINITY, now;
  for (int i = 0; i < 200 && !solver_progress(solver).stopped; i++) {
    assert_ok(s.context, solver_residual(s.context, solver, &now, NULL));
    assert_true(now <= last);
    last = now;
    assert_ok(s.context, solver_step(s.context, solver, 1));
  }
  assert_int_equal(solver_progress(solver).end, ANS_END_EXHAUSTED);
  long step = solver_progress(solver).step;
  assert_ok(s.context, solver_step(s.context, solver, 5));
  assert_int_equal(solver_progress(solver).step, step);
  solver_free(solver);
  tear_down(&s);
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  setting s = set_up();
  double first[POINTS], values[POINTS];
  for (int threads = 1; threads <= 4; threads++) {
    ans_solver *solver = begin(&s, (ans_solver_options){.threads = threads});
    assert_ok(s.context, solver_step(s.context, solver, 8));
    evaluate(&s, solver, threads == 1 ? first : values);
    if (threads > 1) assert_memory_equal(first, values, sizeof first);
    solver_free(solver);
  }
  tear_down(&s);
}

/* A state at the end of float goes on in double when that is asked for, and by a tolerance until it is met. */
static void a_file_goes_on_in_double(void **state) {
  (void)state;
  setting s = set_up();
  char path[64];
  ans_solver *solver = begin(&s, (ans_solver_options){0}), *resumed;
  double before, after;
  temporary_path(path, sizeof path, "solver");
  assert_ok(s.context, solver_step(s.context, solver, 200));
  assert_int_equal(solver_progress(solver).end, ANS_END_EXHAUSTED);
  assert_ok(s.context, solver_residual(s.context, solver, &before, NULL));
  assert_ok(s.context, solver_save(s.context, solver, path));
  const ans_run_rules rules = {.size = sizeof rules, .steps = 3};
  for (int precision = 0; precision <= 64; precision += 64) {
    ans_solver_options options = {.precision = precision, .threads = 1};
    assert_ok(s.context, solver_resume(s.context, path, &options, &resumed));
    assert_ok(s.context, solver_run(s.context, resumed, &rules, NULL, NULL));
    assert_int_equal(solver_progress(resumed).step - solver_progress(solver).step, precision ? 3 : 0);
    assert_int_equal(solver_info(resumed).precision, precision ? 64 : 32);
    assert_ok(s.context, solver_residual(s.context, resumed, &after, NULL));
    assert_true(precision ? after < before : after == before);
    solver_free(resumed);
  }
  solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

/* Layers narrower than a vector of the processor: their bases are small pieces of memory. */
static void narrow_networks_are_adapted(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int width = 1; width <= 4; width++) {
    char text[300];
    ans_problem *problem = NULL;
    ans_instance *instance = NULL;
    double none[1] = {(double)NAN}, before, after;
    snprintf(text, sizeof text,
             "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = 0.1*u_xx\n"
             "initial u = sin(pi*x)\nboundary u at x = 0: u = 0\nboundary u at x = 1: u = 0\n"
             "network width %d, layers 1\n",
             width);
    assert_ok(context, system_parse(context, "text", NULL, text, strlen(text), &problem));
    assert_ok(context, system_instance(context, problem, 0, none, true, &instance));
    for (int bits = 32; bits <= 64; bits += 32) {
      ans_solver *solver;
      ans_solver_options options = {.seed = 1, .precision = bits, .method = ANS_GAUSS_NEWTON};
      assert_ok(context, solver_begin(context, NULL, instance, &options, &solver));
      assert_ok(context, solver_residual(context, solver, &before, NULL));
      assert_ok(context, solver_step(context, solver, 5));
      assert_ok(context, solver_residual(context, solver, &after, NULL));
      assert_true(after < before);
      solver_free(solver);
    }
    system_instance_free(instance);
    system_free(problem);
  }
  ans_context_free(context);
}

/* Saved and loaded at any step, across the growth of the points and the change to double: the same bits. */
static void a_file_goes_on_with_the_same_bits(void **state) {
  (void)state;
  setting s = set_up();
  char path[64];
  temporary_path(path, sizeof path, "solver");
  for (int at = 0; at <= 40; at += 8) {
    ans_solver *whole = begin(&s, (ans_solver_options){.precision = 64}), *loaded;
    ans_solver *part = begin(&s, (ans_solver_options){.precision = 64});
    double expected[POINTS], actual[POINTS];
    assert_ok(s.context, solver_step(s.context, whole, at + 4));
    assert_ok(s.context, solver_step(s.context, part, at));
    assert_ok(s.context, solver_save(s.context, part, path));
    assert_ok(s.context, solver_load(s.context, path, 2, &loaded));
    assert_int_equal(solver_info(loaded).precision, solver_info(part).precision);
    assert_ok(s.context, solver_step(s.context, loaded, at + 4 - solver_progress(loaded).step));
    assert_int_equal(solver_progress(loaded).step, solver_progress(whole).step);
    evaluate(&s, whole, expected);
    evaluate(&s, loaded, actual);
    assert_memory_equal(expected, actual, sizeof expected);
    solver_free(whole), solver_free(part), solver_free(loaded);
  }
  remove_path(path);
  tear_down(&s);
}

/* Fast growth: a time weight makes the start easier and is let go, also in a file and in double; one that was asked for
 * stays. */
static void a_chosen_time_weight_is_let_go(void **state) {
  (void)state;
  ans_context *context = new_context();
  const char *text = "coordinate t in [0, 1] time\nfield u\nequation u: u_t = 8*u*(1 - u)\ninitial u = 0.02\n"
                     "network width 16, layers 2\n";
  ans_problem *problem = NULL;
  ans_instance *instance = NULL;
  ans_solver *chosen, *asked, *loaded;
  double none[1] = {(double)NAN}, times[3] = {0.3, 0.6, 1}, values[3], again[3], eased, weighted, plain;
  char path[64];
  temporary_path(path, sizeof path, "eased");
  assert_ok(context, system_parse(context, "text", NULL, text, strlen(text), &problem));
  assert_ok(context, system_instance(context, problem, 0, none, true, &instance));
  ans_solver_options options = {.seed = 1, .precision = 64}, stated = {.seed = 1, .time_weight = 5};
  assert_ok(context, solver_begin(context, NULL, instance, &options, &chosen));
  assert_ok(context, solver_begin(context, NULL, instance, &stated, &asked));
  assert_true(solver_info(chosen).time_weight == 8);
  assert_ok(context, solver_step(context, chosen, 100));
  assert_ok(context, solver_step(context, asked, 100));
  assert_int_equal(solver_info(chosen).precision, 64);
  assert_ok(context, solver_evaluate(context, chosen, times, 3, NULL, values));
  for (int i = 0; i < 3; i++) assert_near(values[i], 1 / (1 + 49 * exp(-8 * times[i])), 1e-4);
  /* Without a weight the loss that judges is of the size of that on a grid; with one it is smaller. */
  assert_ok(context, solver_residual(context, chosen, &eased, &plain));
  assert_true(eased > plain / 4 && eased < 4 * plain);
  assert_ok(context, solver_residual(context, asked, &weighted, &plain));
  assert_true(weighted < plain / 4);
  assert_ok(context, solver_save(context, chosen, path));
  assert_ok(context, solver_load(context, path, 1, &loaded));
  assert_ok(context, solver_residual(context, loaded, &weighted, NULL));
  assert_true(weighted == eased);
  assert_ok(context, solver_evaluate(context, loaded, times, 3, NULL, again));
  assert_memory_equal(values, again, sizeof values);
  solver_free(chosen), solver_free(asked), solver_free(loaded);
  system_instance_free(instance);
  system_free(problem);
  remove_path(path);
  ans_context_free(context);
}

/* A model's guess is at rest until the first step, also when a file lies between. */
static void a_guess_is_moved_by_the_first_step(void **state) {
  (void)state;
  setting s = set_up();
  ans_model *model = small_model(s.context, s.problem);
  ans_solver *solver, *adam, *loaded;
  double guess[POINTS], other[POINTS], moved[POINTS];
  char path[64];
  temporary_path(path, sizeof path, "guess");
  assert_ok(s.context, solver_begin(s.context, model, s.instance, &(ans_solver_options){.seed = 7}, &solver));
  assert_ok(s.context,
            solver_begin(s.context, model, s.instance, &(ans_solver_options){.seed = 7, .method = ANS_ADAM}, &adam));
  evaluate(&s, solver, guess);
  evaluate(&s, adam, other);
  assert_memory_equal(guess, other, sizeof guess);
  assert_false(solver_info(solver).moving_frame);
  assert_ok(s.context, solver_save(s.context, solver, path));
  assert_ok(s.context, solver_load(s.context, path, 1, &loaded));
  evaluate(&s, loaded, other);
  assert_memory_equal(guess, other, sizeof guess);
  assert_ok(s.context, solver_step(s.context, solver, 0));
  assert_false(solver_info(solver).moving_frame);
  assert_ok(s.context, solver_step(s.context, solver, 3));
  assert_ok(s.context, solver_step(s.context, loaded, 3));
  assert_true(solver_info(solver).moving_frame && solver_info(loaded).moving_frame);
  evaluate(&s, solver, moved);
  evaluate(&s, loaded, other);
  assert_memory_equal(moved, other, sizeof moved);
  solver_free(solver), solver_free(adam), solver_free(loaded);
  model_free(model);
  remove_path(path);
  tear_down(&s);
}

static ans_problem *parse(ans_context *context, const char *text) {
  ans_problem *problem = NULL;
  assert_ok(context, system_parse(context, "text", NULL, text, strlen(text), &problem));
  return problem;
}

static method_choice choice_of(ans_context *context, const char *text, ans_solver_options options, bool known) {
  ans_problem *problem = parse(context, text);
  ans_instance *instance = NULL;
  double none[1] = {(double)NAN};
  assert_ok(context, system_instance(context, problem, 0, none, true, &instance));
  method_choice choice = method_choose(instance, &options, false, known);
  system_instance_free(instance);
  system_free(problem);
  return choice;
}

#define HEAD "coordinate x in [0, 1) periodic\ncoordinate t in [0, 2] time\nfield u\ninitial u = cos(2*pi*x)\n"

/* What the text and the caller say, and what follows from the equation when they say nothing. */
static void the_method_follows_from_the_equation(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_solver_options none = {0}, adam = {.method = ANS_ADAM}, weighted = {.time_weight = 3}, off = {.time_weight = -1};
  const char *slow = HEAD "equation u: u_t + u_x = 0.1*u_xx\n", *fast = HEAD "equation u: u_t = 3*u*(1 - u)\n";
  const char *stated = HEAD "equation u: u_t + u_x = 0\nadapt method adam, time_weight 2, seam smooth\n";
  const char *undetermined = "coordinate x in [0, 1]\ncoordinate t in [0, 1) periodic time\nfield u\n"
                             "equation u: u_t - u_xx = sin(2*pi*t)\nboundary u at x = 0: u = 0\n"
                             "boundary u at x = 1: u = 0\n";
  assert_int_equal(choice_of(context, slow, none, false).optimiser, OPTIMISER_GAUSS_NEWTON);
  assert_int_equal(choice_of(context, slow, none, false).mode, SOLVER_FROZEN_BASES);
  assert_int_equal(choice_of(context, slow, adam, false).optimiser, OPTIMISER_ADAM);
  assert_int_equal(choice_of(context, slow, adam, false).mode, SOLVER_FULL);
  assert_int_equal(choice_of(context, undetermined, none, false).optimiser, OPTIMISER_ADAM);
  assert_int_equal(choice_of(context, stated, none, false).optimiser, OPTIMISER_ADAM);
  assert_true(choice_of(context, stated, none, false).time_weight == 2);
  assert_true(choice_of(context, stated, none, false).smooth && choice_of(context, slow, none, false).smooth);
  assert_false(choice_of(context, slow, adam, false).smooth);
  assert_true(choice_of(context, slow, none, false).time_weight == 0);
  assert_true(choice_of(context, fast, none, false).time_weight == 6); /* grows by e^6 */
  assert_true(choice_of(context, fast, none, true).time_weight == 0);  /* from a model */
  assert_true(choice_of(context, slow, weighted, false).time_weight == 3);
  assert_true(choice_of(context, fast, off, false).time_weight == 0);
  assert_true(choice_of(context, fast, adam, false).time_weight == 0);
  const char *held = HEAD "equation u: u_t + u_x = 0\nnetwork frame fixed\n";
  const char *carried = HEAD "equation u: u_t + u_x = 0\nnetwork frame moving\n";
  assert_true(choice_of(context, slow, none, false).moving && choice_of(context, slow, none, true).moving);
  assert_false(choice_of(context, slow, adam, false).moving || choice_of(context, held, none, false).moving);
  assert_true(choice_of(context, carried, adam, true).moving);
  ans_context_free(context);
}

/* A square overflows: no step, one sentence, nothing changed. */
static void what_is_not_finite_is_said(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context, "coordinate t in [0, 1] time\nfield u = exp(300*_)\n"
                                        "equation u: u_t = u^8\ninitial u = 1 soft\n");
  ans_instance *instance = NULL;
  ans_solver *solver = NULL;
  double none[1] = {(double)NAN};
  assert_ok(context, system_instance(context, problem, 0, none, true, &instance));
  assert_ok(context, solver_begin(context, NULL, instance, &(ans_solver_options){.seed = 1}, &solver));
  assert_int_equal(solver_step(context, solver, 3), ANS_DIVERGED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "cannot begin"));
  assert_int_equal(solver_progress(solver).step, 0);
  solver_free(solver);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

/* The memory of a Jacobian over all unknowns stays within its bound: fewer points. */
static void all_unknowns_stay_within_memory(void **state) {
  (void)state;
  setting s = set_up();
  assert_int_equal(method_points(s.instance, 2048, 100, 32), 2048);
  int points = method_points(s.instance, 2048, 1000000, 32);
  assert_true(points >= 1 && points < 2048 && (double)points * 4e6 <= METHOD_JACOBIAN_BYTES);
  assert_int_equal(method_points(s.instance, 2048, (size_t)1 << 40, 64), 1);
  double values[POINTS];
  ans_solver *solver = begin(&s, (ans_solver_options){.mode = ANS_FULL});
  assert_ok(s.context, solver_step(s.context, solver, 25));
  assert_true(evaluate(&s, solver, values) < 1e-2);
  solver_free(solver);
  tear_down(&s);
}

static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver_options options = {.seed = 7};
  ans_status status = ANS_MEMORY;
  for (long n = 1; status != ANS_OK; n++) {
    ans_solver *solver = NULL;
    memory_fail_after(n, false);
    status = solver_begin(s.context, NULL, s.instance, &options, &solver);
    if (status == ANS_OK) status = solver_step(s.context, solver, 2);
    memory_fail_after(0, false);
    assert_true(status == ANS_OK || (status == ANS_MEMORY && n < 1000));
    solver_free(solver);
  }
  tear_down(&s);
}

int main(void) {
  /* clang-format off */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_forms_give_the_step),
      cmocka_unit_test(singular_systems_have_an_outcome),
      cmocka_unit_test(it_is_the_default_and_solves),
      cmocka_unit_test(a_tolerance_may_end_in_double),
      cmocka_unit_test(the_first_damping_follows_the_loss),
      cmocka_unit_test(steps_never_make_it_worse),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(a_file_goes_on_with_the_same_bits),
      cmocka_unit_test(a_file_goes_on_in_double),
      cmocka_unit_test(narrow_networks_are_adapted),
      cmocka_unit_test(a_chosen_time_weight_is_let_go),
      cmocka_unit_test(a_guess_is_moved_by_the_first_step),
      cmocka_unit_test(the_method_follows_from_the_equation),
      cmocka_unit_test(what_is_not_finite_is_said),
      cmocka_unit_test(all_unknowns_stay_within_memory),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  /* clang-format on */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
