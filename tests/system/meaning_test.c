/* SPDX-License-Identifier: Apache-2.0
 *
 * meaning_test.c - what equations, conditions, overrides and values mean, on small texts.
 */
#include "family.h"

#define DOMAIN  "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\n"
#define BOUNDED "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\n"

/* The canonical equation line of field u in DOMAIN with coefficients a, b (optional b). */
static void check_equation(const char *equation, const char *expected) {
  ans_context *context = new_context();
  char text[1024], wanted[512], *printed;
  snprintf(text, sizeof text,
           DOMAIN "field u, v\ncoefficient a in [1, 2]\ncoefficient b in [1, 2] optional\nlet zero = 0*(a + b)\n"
                  "equation u: %s\nequation v: v_t = 0\ninitial u = 0\ninitial v = 0\n",
           equation);
  ans_problem *problem = parse(context, text);
  assert_ok(context, system_print(context, problem, &printed));
  snprintf(wanted, sizeof wanted, "equation u: %s = 0\n", expected);
  if (!strstr(printed, wanted)) fail_msg("\n%s\nis not in\n%s", wanted, printed);
  ans_problem *again = parse(context, printed); /* the canonical text means itself */
  if (!system_equal(problem, again)) fail_msg("read again, this is another problem:\n%s", printed);
  system_free(again);
  ans_free(printed);
  system_free(problem);
  ans_context_free(context);
}

static void equations_are_multiplied_out(void **state) {
  (void)state;
  check_equation("u_t = a*u*(1-u)", "u_t - a*u + a*u^2");
  check_equation("u_t + (u + v)^2 = 0", "u_t + u^2 + 2*u*v + v^2");
  check_equation("u_t + (a + b)*u = 0", "u_t + (a + b)*u");
  check_equation("u_t + a*u - 2*a*u + b*u = 0", "u_t + (-a + b)*u");
  check_equation("u_t + u - u = 0", "u_t");
  check_equation("u_t = u_xx/a", "u_t - 1/a*u_xx");
  check_equation("u_t = b*u_xx/(a + 1)", "u_t - b/(a + 1)*u_xx");
  check_equation("u_t = a^2*b*u/a", "u_t - a*b*u");
  check_equation("u_t + u/4 = 0.5*u_x*2", "u_t + 0.25*u - u_x");
  check_equation("u_t + sqrt(a)*sin(2*pi*x)*u = x*(1-x)", "u_t + sqrt(a)*sin(2*pi*x)*u - x + x^2");
  check_equation("u_t + u_tx + v*u_x = 0", "u_t + u_xt + u_x*v");
  check_equation("u_t - a*inside(x, 0.2, 0.4) + 3 = 0", "u_t - a*inside(x, 0.2, 0.4) + 3");
  check_equation("u_t + (x - 0.5)^2*u = 0", "u_t + (x - 0.5)^2*u");
  check_equation("u_t + 2*u/(x + 1)^2 = 0", "u_t + 2*1/(x + 1)^2*u");
  check_equation("u_t + 0.1*u + 0.2*u - 0.3*u + 1e-15*v = 0", "u_t + 1e-15*v");
}

static void sums_whose_power_becomes_one_are_multiplied_out(void **state) {
  (void)state;
  check_equation("u_t + a*u = d((1+x)^3*u_x, x)/(1+x)^2", "u_t + a*u - 3*u_x - u_xx - x*u_xx");
  check_equation("u_t = (1+x)^2*u_xx/(1+x)", "u_t - u_xx - x*u_xx");
  check_equation("u_t + a*u/(1/(1+x)) = 0", "u_t + a*u + a*x*u");
  check_equation("u_t + (a+b)^2*u/(a+b) + v = a*u", "u_t + b*u + v");
  check_equation("u_t + ((1+x)^2/(1+x) + 1)^2*u/((1+x)^2/(1+x) + 1) = 0", "u_t + 2*u + x*u");
  check_equation("u_t + (x*(1+x))^3*u/(x*(1+x))^2/x = 0", "u_t + u + x*u");
  check_equation("u_t + d((1+x)^2/(1+x)*u, x) = 0", "u_t + u + u_x + x*u_x");
}

static void derivatives_obey_product_and_chain_rule(void **state) {
  (void)state;
  check_equation("u_t + d(u*v_x, x) = 0", "u_t + u_x*v_x + u*v_xx");
  check_equation("u_t + d(u^3, x) = 0", "u_t + 3*u^2*u_x");
  check_equation("u_t + d(u^2, x, x) = 0", "u_t + 2*u_x^2 + 2*u*u_xx");
  check_equation("d(u, t) = d(a*d(u, x), x)", "u_t - a*u_xx");
  check_equation("u_t + d(sin(a*x)*u, x) = 0", "u_t + a*cos(a*x)*u + sin(a*x)*u_x");
  check_equation("u_t + d((x - 0.5)^2*u, x) = 0", "u_t + 2*x*u - u + (x - 0.5)^2*u_x");
  check_equation("u_t + d(1/(x + 1), x) = 0", "u_t - 1/(x + 1)^2");
  check_equation("u_t + d(exp(-x^2), x) = 0", "u_t - 2*x*exp(-x^2)");
  check_equation("u_t + d(sqrt(x + 1), x) = 0", "u_t + 0.5*1/sqrt(x + 1)");
  check_equation("u_t + d(log(x + 1), x) = 0", "u_t + 1/(x + 1)");
  check_equation("u_t + d(tanh(x), x) = 0", "u_t - tanh(x)^2 + 1");
  check_equation("u_t + d((x + 1)^a, x) = 0", "u_t + a*(x + 1)^(a - 1)");
  check_equation("u_t + d(cos(x)*sinh(x)*cosh(x)*tan(x), t) = 0", "u_t");
  check_equation("u_t + d(inside(x, 0.2, 0.4)*u, t) = 0", "u_t + inside(x, 0.2, 0.4)*u_t");
  check_equation("u_t + d(abs(x)*2^x*u, t) = 0", "u_t + 2^x*abs(x)*u_t");
  check_equation("u_t + d((x + 1)^t*u, x) = 0", "u_t + t*(x + 1)^(t - 1)*u + (x + 1)^t*u_x");
}

static void check_read_again(ans_context *context, const char *text) {
  char *printed;
  ans_problem *problem = parse(context, text);
  assert_ok(context, system_print(context, problem, &printed));
  ans_problem *again = parse(context, printed);
  assert_true(system_equal(problem, again));
  ans_free(printed);
  system_free(again);
  system_free(problem);
}

/* Terms near the limit, of many parts each: what is read can be read again from its canonical text. */
static void long_equations_can_be_read_again(void **state) {
  (void)state;
  enum { TERMS = 250 };
  ans_context *context = new_context();
  buffer text = {0};
  char *written;
  buffer_add(&text, DOMAIN "field u, v\ncoefficient a, b in [1, 2]\ninitial u = 0\ninitial v = 0\n");
  for (int f = 0; f < 2; f++) {
    buffer_add(&text, "equation %s: %s_t", f ? "v" : "u", f ? "v" : "u");
    for (int i = 2; i < TERMS; i++)
      buffer_add(&text, "\n  + (a + b^2)*sin(%d*x)*cos(x)*exp(x)*tanh(x)/(x + 2)/(t + 1)^2*u*v*u_x*v_x*u_t*v_t", i);
    buffer_add(&text, " = 0\n");
  }
  assert_ok(context, buffer_finish(context, &text, &written));
  check_read_again(context, written);
  ans_free(written);
  ans_context_free(context);
}

/* Joined to the field by _, two of these would be longer than a name may be. */
static void derivatives_of_long_names_can_be_read_again(void **state) {
  (void)state;
  char x[65], text[1024];
  memset(x, 'x', 64);
  x[64] = '\0';
  snprintf(text, sizeof text,
           "coordinate %s in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
           "equation u: u_t = d(u, %s, %s)*u^2\ninitial u = 1\n",
           x, x, x);
  ans_context *context = new_context();
  check_read_again(context, text);
  ans_context_free(context);
}

/* d f/dx of every function against a difference quotient. */
static void derivatives_of_functions_are_right(void **state) {
  (void)state;
  static const char *const functions[] = {"sin(2*x)",    "cos(x^2)",    "tan(x)",     "sinh(x)",        "cosh(3*x)",
                                          "tanh(2*x)",   "exp(-x)",     "log(x + 1)", "log10(2*x + 1)", "sqrt(x + 2)",
                                          "(x + 1)^2.5", "x^3/(x + 2)", "(1 + x)^-2", "x*exp(x)*sin(x)"};
  ans_context *context = new_context();
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    char text[512];
    snprintf(text, sizeof text,
             BOUNDED "field u, v\nequation u: u_t = d(%s, x)\nequation v: v_t = %s\ninitial u = 0\ninitial v = 0\n",
             functions[i], functions[i]);
    ans_problem *problem = parse(context, text);
    double x = 0.37, step = 1e-5, sums[3] = {0};
    for (int k = 0; k < problem->term_count; k++) {
      const system_term *term = &problem->terms[k];
      if (term->factor_count) continue;
      const double points[3][2] = {{x, 0}, {x - step, 0}, {x + step, 0}};
      double coefficient = expression_value(term->coefficient, NULL, NULL, 0);
      for (int p = 0; p < 3; p++)
        if (p == 0 ? term->equation == 0 : term->equation == 1)
          sums[p] -= coefficient * (term->source ? expression_value(term->source, NULL, points[p], 0) : 1);
    }
    double quotient = (sums[2] - sums[1]) / (2 * step);
    if (fabs(sums[0] - quotient) > 1e-8 * (1 + fabs(quotient)))
      fail_msg("d(%s): %.12g, not %.12g", functions[i], sums[0], quotient);
    system_free(problem);
  }
  ans_context_free(context);
}

static void names_of_many_letters_are_cut_rightly(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(
      context, "coordinate xi in [0, 1) periodic\ncoordinate eta in [0, 1) periodic\ncoordinate tau in [0, 1] time\n"
               "field n_e\nequation n_e: n_e_tau = n_e_xixi + n_e_xieta + n_e_etaeta\ninitial n_e = 1\n");
  assert_int_equal(problem->term_count, 4);
  assert_int_equal(problem->terms[1].factors[0].order[0], 2);
  assert_int_equal(problem->terms[2].factors[0].order[0], 1);
  assert_int_equal(problem->terms[2].factors[0].order[1], 1);
  assert_int_equal(problem->terms[3].factors[0].order[1], 2);
  system_free(problem);
  ans_context_free(context);
}

static void hard_values_become_transforms(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context, "coordinate x in [0, 1) periodic\ncoordinate t in [2, 3] time\nfield u\n"
                                        "equation u: u_tt = u_xx\ninitial u = x\ninitial u_t = 3\n");
  const double start[2] = {0.25, 2}, later[2] = {0.25, 2.5};
  assert_near(expression_value(problem->fields[0].transform, NULL, start, 7), 0.25, 0);
  assert_near(expression_value(problem->fields[0].transform, NULL, later, 7), 0.25 + 0.5 * 3 + 0.25 * 7, 1e-15);
  assert_false(problem->fields[0].declared);
  system_free(problem);
  problem = parse(context, BOUNDED "field u = x + t*x*(1-x)*_\nequation u: u_t = u_xx\ninitial u = x\n"
                                   "boundary u at x = 0: u = 0\nboundary u at x = 1: u = 1 hard\n");
  assert_true(problem->fields[0].declared);
  assert_int_equal(problem->condition_count, 3);
  for (int i = 0; i < 3; i++) assert_true(problem->conditions[i].hard);
  system_free(problem);
  ans_context_free(context);
}

/* A condition is met or not by the measure of the field, be it large or small. */
static void hard_values_are_measured_by_the_field(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const char *const sizes[] = {"1e8", "1", "1e-10"};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char text[512];
    snprintf(text, sizeof text,
             BOUNDED "field u = %s*sin(pi*x)*t*_\nequation u: u_t = u_xx\ninitial u = 0\n"
                     "boundary u at x = 0: u = 0\nboundary u at x = 1: u = 0\n",
             sizes[i]);
    system_free(parse(context, text));
  }
  ans_context_free(context);
}

static void labels_may_begin_with_a_digit(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = parse(context, "family 3d\n" DOMAIN "field u\ncoefficient D in [0.1, 1] optional\n"
                                        "equation u: u_t = D*u_xx\ninitial u = 0\nstructure 2d\n"
                                        "held 1e without D\ncase 4x4 2d: D=0.5\ncase 1 2d: D=1\ncase 2-b 1e:\n"
                                        "drop case 1, 2-b\n");
  assert_string_equal(problem->name, "3d");
  assert_int_equal(system_find_structure(problem, "2d"), 0);
  assert_int_equal(system_find_structure(problem, "1e"), 1);
  assert_string_equal(problem->cases[0].name, "4x4");
  assert_int_equal(problem->case_count, 1);
  system_free(problem);
  ans_context_free(context);
}

/* The name a file gives is one that a text could give: the canonical text, which has it, reads back. */
static void files_name_their_family(void **state) {
  (void)state;
  static const char *const files[][2] = {
      {"folder/2d.pde", "2d"}, {"1e5.pde", "1e5"}, {"7", "7"}, {"-a b.c.pde", "_a_b.c"}, {".pde", "_pde"}};
  const char *text = DOMAIN "field u\nequation u: u_t = u_xx\ninitial u = 0\n";
  ans_context *context = new_context();
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    ans_problem *problem, *again;
    char *canonical;
    assert_ok(context, system_parse(context, files[i][0], NULL, text, strlen(text), &problem));
    assert_string_equal(problem->name, files[i][1]);
    assert_ok(context, system_print(context, problem, &canonical));
    again = parse(context, canonical);
    assert_string_equal(again->name, files[i][1]);
    ans_free(canonical);
    system_free(problem), system_free(again);
  }
  ans_context_free(context);
}

static void ten_lines_make_a_family(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem =
      parse(context, DOMAIN "field u\ncoefficient D in [0.1, 1]\nequation u: u_t = D*u_xx\ninitial u = sin(2*pi*x)\n");
  assert_int_equal(problem->structure_count, 1);
  assert_false(problem->structures[0].held);
  assert_int_equal(problem->coordinates[0].fourier_low, 1);
  assert_int_equal(problem->coordinates[0].fourier_high, 4);
  assert_int_equal(problem->coordinates[1].fourier_high, 0);
  assert_true(problem->protocol.network.width > 0 && problem->protocol.train.steps > 0 &&
              problem->protocol.train.points > 0 && problem->protocol.adapt.rate > 0);
  assert_int_equal(problem->protocol.train.initial_points, 0);
  assert_int_equal(problem->protocol.descriptor.vector_count, 1);
  assert_true(problem->equations[0].weight == 1);
  assert_string_equal(problem->name, "test");
  system_free(problem);
  ans_context_free(context);
}

static void overrides_change_what_they_name(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_family(context, "cdr-lower");
  int a = system_find_symbol(problem, "a");
  assert_true(problem->symbols[a].high == 4 && problem->symbols[a].grid == 0);
  assert_int_equal(problem->protocol.sampler.kind, SAMPLER_UNIFORM);
  assert_int_equal(problem->protocol.train.steps, 20000);
  assert_int_equal(problem->protocol.train.points, 512);
  assert_int_equal(problem->protocol.adapt.steps, 5000);
  assert_int_equal(problem->case_count, 6);
  assert_true(problem->structures[system_find_structure(problem, "adr")].held);
  system_free(problem);
  problem = read_family(context, "cdr-grid-only");
  assert_int_equal(problem->protocol.sampler.begin, -1);
  assert_int_equal(problem->case_count, 12);
  assert_int_equal(problem->protocol.train.points, 20000);
  system_free(problem);
  problem = read_family(context, "cdr-full-jitter");
  assert_int_equal(problem->protocol.sampler.kind, SAMPLER_JITTER);
  assert_true(problem->protocol.sampler.begin == 0 && problem->protocol.sampler.end == 0);
  system_free(problem);
  ans_context_free(context);
}

/* A boundary is known by its field, coordinate, place and derivative; places are compared as they are written. */
static void an_override_finds_its_boundary(void **state) {
  (void)state;
  static const char text[] = "coordinate x in [0, 3]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = u_xx\n"
                             "initial u = x\nboundary u at x = 0: u = 0\nboundary u at x = 1+2: u = 3\n";
  ans_context *context = new_context();
  char whole[512];
  snprintf(whole, sizeof whole, "%soverride boundary u at x = 1+2: u = 4\n", text);
  ans_problem *problem = parse(context, whole);
  int ends[2] = {0};
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *condition = &problem->conditions[i];
    if (condition->kind != CONDITION_BOUNDARY) continue;
    ends[condition->at == 3]++;
    assert_near(expression_value(condition->value, NULL, (double[]){3, 0.5}, 0), condition->at == 3 ? 4 : 0, 0);
  }
  assert_true(ends[0] == 1 && ends[1] == 1);
  system_free(problem);
  static const char *const others[] = {"u at x = 1-2: u", "u at x = 2+1: u", "u at x = 3: u", "u at x = 1+2: u_x"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    snprintf(whole, sizeof whole, "%soverride boundary %s = 4\n", text, others[i]);
    assert_int_equal(system_parse(context, "test", NULL, whole, strlen(whole), &problem), ANS_MEANING);
    assert_non_null(strstr(ans_context_diagnostic(context)->message, "no earlier"));
  }
  ans_context_free(context);
}

/* ---- Instances ------------------------------------------------------------------------------------------------ */

static void refused(ans_context *context, const ans_problem *problem, const char *assignments, const char *message) {
  double values[SYSTEM_MAX_SYMBOLS], before[SYSTEM_MAX_SYMBOLS];
  for (int i = 0; i < problem->symbol_count; i++) values[i] = before[i] = i;
  assert_int_equal(system_assign(context, problem, assignments, values), ANS_ARGUMENT);
  assert_string_equal(ans_context_diagnostic(context)->message, message);
  assert_memory_equal(values, before, (size_t)problem->symbol_count * sizeof *values);
}

static void assignments_are_read_or_refused_whole(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_family(context, "fisher"), *plasma = read_family(context, "ccp");
  double values[SYSTEM_MAX_SYMBOLS] = {0};
  assert_ok(context, system_assign(context, problem, "eps_u=0.01, a_u = 0.5", values));
  assert_true(values[0] == 0.01 && values[1] == 0.5);
  assert_ok(context, system_assign(context, problem, "", values));
  refused(context, problem, "a_u=0.3,esp_u=1", "'esp_u' is not a coefficient of fisher; did you mean 'eps_u'?");
  refused(context, problem, "a_u=0.3,a_v", "expected name=value, found 'a_v'");
  refused(context, problem, "a_u=fast", "the value of 'a_u' must be a number; its range is [0.2, 0.8]");
  refused(context, problem, "a_u=1e999", "the value of 'a_u' must be a number; its range is [0.2, 0.8]");
  refused(context, problem, "a_u=.e5", "the value of 'a_u' must be a number; its range is [0.2, 0.8]");
  refused(context, problem, "a_u=1e-400", "the value of 'a_u' must be a number; its range is [0.2, 0.8]");
  refused(context, problem, "a_u=0.3,a_v=0.5,a_u=0.4", "'a_u' is given twice");
  refused(context, plasma, "beta=2", "'beta' is derived from other values and cannot be given");
  system_free(problem);
  system_free(plasma);
  ans_context_free(context);
}

static void instances_ask_for_what_is_missing(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_family(context, "fisher");
  double values[SYSTEM_MAX_SYMBOLS];
  ans_instance *instance;
  memcpy(values, problem->cases[0].values, (size_t)problem->symbol_count * sizeof *values);
  int two_way = system_find_structure(problem, "two_way"), uncoupled = system_find_structure(problem, "uncoupled");
  assert_int_equal(system_instance(context, problem, uncoupled, values, false, &instance), ANS_ARGUMENT);
  assert_string_equal(ans_context_diagnostic(context)->message, "the structure 'uncoupled' is without 'k_uv'");
  assert_null(instance);
  values[1] = NAN;
  assert_int_equal(system_instance(context, problem, two_way, values, false, &instance), ANS_ARGUMENT);
  assert_string_equal(ans_context_diagnostic(context)->message, "'a_u' has no value; its range is [0.2, 0.8]");
  values[1] = 5;
  assert_int_equal(system_instance(context, problem, two_way, values, false, &instance), ANS_ARGUMENT);
  assert_string_equal(ans_context_diagnostic(context)->message, "'a_u' is 5, outside its trained range [0.2, 0.8]");
  assert_ok(context, system_instance(context, problem, two_way, values, true, &instance));
  system_instance_free(instance);
  values[1] = INFINITY;
  assert_int_equal(system_instance(context, problem, two_way, values, true, &instance), ANS_ARGUMENT);
  assert_int_equal(system_instance(context, problem, 99, values, true, &instance), ANS_ARGUMENT);
  system_free(problem);
  ans_context_free(context);
}

static uint64_t hash_of(ans_context *context, const char *text) {
  ans_problem *problem = parse(context, text);
  ans_instance *instance = case_instance(context, problem, 0);
  uint64_t hash = system_instance_hash(instance);
  system_instance_free(instance);
  system_free(problem);
  return hash;
}

static void hashes_follow_the_numbers(void **state) {
  (void)state;
  ans_context *context = new_context();
  const char *plain = DOMAIN "field u\ncoefficient D, r in [0.1, 1]\nequation u: u_t - D*u_xx - r*u = 0\ninitial u = "
                             "r*x\ncase A: D=0.5 r=0.2\n";
  const char *renamed = DOMAIN "field w\ncoefficient k, s in [0.1, 2]\nequation w: -s*w + w_t - k*w_xx = 0\ninitial w "
                               "= s*x\ncase B: k=0.5 s=0.2\n";
  const char *other_value = DOMAIN "field u\ncoefficient D, r in [0.1, 1]\nequation u: u_t - D*u_xx - r*u = 0\ninitial "
                                   "u = r*x\ncase A: D=0.5 r=0.3\n";
  const char *other_initial = DOMAIN "field u\ncoefficient D, r in [0.1, 1]\nequation u: u_t - D*u_xx - r*u = "
                                     "0\ninitial u = 2*r*x\ncase A: D=0.5 r=0.2\n";
  uint64_t hash = hash_of(context, plain);
  assert_true(hash == hash_of(context, renamed));
  assert_true(hash != hash_of(context, other_value));
  assert_true(hash != hash_of(context, other_initial));
  ans_context_free(context);
}

/* `text` with the first `from` replaced. */
static const char *changed(const char *text, const char *from, const char *to, char *room, size_t size) {
  const char *found = strstr(text, from);
  assert_non_null(found);
  snprintf(room, size, "%.*s%s%s", (int)(found - text), text, to, found + strlen(from));
  return room;
}

/* All of them: of the base, and of the base with one change each. */
static void assert_hashes_differ(const char *base, const char *const (*changes)[2], size_t count) {
  ans_context *context = new_context();
  char room[2048];
  uint64_t *hashes = calloc(count + 1, sizeof *hashes);
  hashes[0] = hash_of(context, base);
  for (size_t i = 0; i < count; i++) {
    hashes[i + 1] = hash_of(context, changed(base, changes[i][0], changes[i][1], room, sizeof room));
    for (size_t j = 0; j <= i; j++)
      if (hashes[j] == hashes[i + 1]) fail_msg("%s -> %s has the hash of %zu", changes[i][0], changes[i][1], j);
  }
  free(hashes);
  ans_context_free(context);
}

/* The hash is the key of kept references: two equations that share one would share an answer. */
static void hashes_differ_with_any_single_item(void **state) {
  (void)state;
  const char *ring =
      "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u, v\ncoefficient a in [1, 9]\n"
      "equation u: u_t + a*u_x - 2*u*v - sin(x) = 0\nequation v: v_t + 3*v - 4*v^2 = 0\n"
      "initial u = 5*x\ninitial v = 6*x\ncase A: a=2\n";
  const char *const terms[][2] = {
      {"x in [0, 1)", "x in [0, 2)"},
      {"x in [0, 1)", "x in [-1, 1)"},
      {"t in [0, 1]", "t in [0, 2]"},
      {"t in [0, 1]", "t in [-1, 1]"},
      {"coordinate t", "coordinate y in [0, 1) periodic\ncoordinate t"},
      {"u, v\n", "u, v, w\nequation w: w_t = 0\ninitial w = 0\n"},
      {"a=2", "a=3"},
      {"a*u_x", "a*v_x"},
      {"a*u_x", "a*u_xx"},
      {"a*u_x", "a*u"},
      {"2*u*v", "8*u*v"},
      {"2*u*v", "2*u^2*v"},
      {"2*u*v", "2*u"},
      {"- sin(x)", ""},
      {"sin(x)", "cos(x)"},
      {"sin(x)", "sin(t)"},
      {"sin(x)", "sin(2*x)"},
      {"- 4*v^2", "- 4*v^3"},
      {" - sin(x) = 0\nequation v: v_t", " = 0\nequation v: v_t - sin(x)"},
      {"u = 5*x", "u = 6*x"},
      {"v = 6*x", "v = 5*x"},
  };
  const char *walls = "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u, v\ncoefficient a in [1, 9]\n"
                      "equation u: u_t = a*v_x\nequation v: v_t = u_x\ninitial u = x\ninitial v = x\n"
                      "boundary u at x = 0: u = 7 soft\nboundary v at x = 1: v = 8 soft\ncase A: a=2\n";
  const char *const conditions[][2] = {
      {"at x = 0: u = 7", "at x = 1: u = 7"},
      {"at x = 1: v = 8", "at x = 0: v = 8"},
      {"u = 7", "u = 9"},
      {"u = 7", "u = 7*t"},
      {"u = 7", "u_x = 7"},
      {"u at x = 0: u = 7 soft\nboundary v at x = 1: v = 8", "u at x = 1: u = 8 soft\nboundary v at x = 0: v = 7"},
      {"boundary u at x = 0: u = 7 soft\n", "boundary u at x = 0: u = 7 soft\nboundary u at x = 1: u = 7 soft\n"},
  };
  const char *still = "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\ncoefficient a in [1, 9]\n"
                      "equation u: u_t = a*x*u\ninitial u = 1\ncase A: a=2\n";
  const char *const domains[][2] = {{"x in [0, 1]", "x in [0, 1) periodic"},
                                    {"x in [0, 1]", "x in [0, 2]"},
                                    {"x in [0, 1]", "x in [-1, 1]"},
                                    {"x in [0, 1]", "x in [0, 2) periodic"}};
  assert_hashes_differ(ring, terms, sizeof terms / sizeof *terms);
  assert_hashes_differ(walls, conditions, sizeof conditions / sizeof *conditions);
  assert_hashes_differ(still, domains, sizeof domains / sizeof *domains);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equations_are_multiplied_out),
      cmocka_unit_test(sums_whose_power_becomes_one_are_multiplied_out),
      cmocka_unit_test(long_equations_can_be_read_again),
      cmocka_unit_test(derivatives_of_long_names_can_be_read_again),
      cmocka_unit_test(derivatives_obey_product_and_chain_rule),
      cmocka_unit_test(derivatives_of_functions_are_right),
      cmocka_unit_test(names_of_many_letters_are_cut_rightly),
      cmocka_unit_test(hard_values_become_transforms),
      cmocka_unit_test(hard_values_are_measured_by_the_field),
      cmocka_unit_test(labels_may_begin_with_a_digit),
      cmocka_unit_test(files_name_their_family),
      cmocka_unit_test(ten_lines_make_a_family),
      cmocka_unit_test(overrides_change_what_they_name),
      cmocka_unit_test(an_override_finds_its_boundary),
      cmocka_unit_test(assignments_are_read_or_refused_whole),
      cmocka_unit_test(instances_ask_for_what_is_missing),
      cmocka_unit_test(hashes_follow_the_numbers),
      cmocka_unit_test(hashes_differ_with_any_single_item),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
