/* SPDX-License-Identifier: Apache-2.0
 *
 * property_test.c - over ten thousand random systems: printing and reading give the same problem back, and
 * neither names nor order change what a system means.
 */
#include "family.h"
#include "random_system.h"

enum { SYSTEMS = 10000 };

static char *written(ans_context *context, const random_system *system, random_style style) {
  buffer out = {0};
  char *text;
  random_system_write(&out, system, style);
  assert_ok(context, buffer_finish(context, &out, &text));
  return text;
}

/* NULL when the drawn text has no meaning (a coefficient that is never used, 0/0 in an initial value). */
static ans_problem *read_drawn(ans_context *context, const random_system *system, random_style style) {
  char *text = written(context, system, style);
  ans_problem *problem;
  ans_status status = system_parse(context, "drawn.pde", NULL, text, strlen(text), &problem);
  if (status != ANS_OK && status != ANS_MEANING && status != ANS_UNSUPPORTED)
    fail_msg("%s\n%s", ans_context_diagnostic(context)->message, text);
  ans_free(text);
  return problem;
}

static void check_round_trip(ans_context *context, const ans_problem *problem) {
  char *text, *again_text;
  ans_problem *again;
  assert_ok(context, system_print(context, problem, &text));
  if (system_parse(context, "again.pde", NULL, text, strlen(text), &again) != ANS_OK)
    fail_msg("%s\n%s", ans_context_diagnostic(context)->message, text);
  assert_ok(context, system_print(context, again, &again_text));
  assert_string_equal(text, again_text);
  if (!system_equal(problem, again)) fail_msg("not equal after printing:\n%s", text);
  ans_free(again_text);
  ans_free(text);
  system_free(again);
}

static bool same_monomial(const system_term *a, const system_term *b) {
  if (a->equation != b->equation || a->factor_count != b->factor_count || !expression_equal(a->source, b->source))
    return false;
  for (int i = 0; i < a->factor_count; i++)
    if (a->factors[i].field != b->factors[i].field || a->factors[i].power != b->factors[i].power ||
        memcmp(a->factors[i].order, b->factors[i].order, sizeof a->factors[i].order) != 0)
      return false;
  return true;
}

/* Every term of a stands in b with the same number, for the same values. */
static void check_same_terms(const ans_instance *a, const ans_instance *b) {
  assert_int_equal(a->term_count, b->term_count);
  for (int i = 0; i < a->term_count; i++) {
    int found = 0;
    for (int k = 0; k < b->term_count; k++) {
      if (!same_monomial(a->terms[i].term, b->terms[k].term)) continue;
      found++;
      assert_near(a->terms[i].coefficient, b->terms[k].coefficient, 1e-12 * fabs(a->terms[i].coefficient));
    }
    assert_int_equal(found, 1);
  }
}

static ans_instance *random_instance(ans_context *context, const ans_problem *problem, uint64_t seed) {
  random_stream r = random_open(seed, RANDOM_TEST, 4, 0);
  double values[SYSTEM_MAX_SYMBOLS];
  ans_instance *instance;
  for (int i = 0; i < problem->symbol_count; i++)
    values[i] = random_between(&r, problem->symbols[i].low, problem->symbols[i].high);
  assert_ok(context, system_instance(context, problem, 0, values, false, &instance));
  return instance;
}

static void check_invariance(ans_context *context, const random_system *system, const ans_problem *problem,
                             uint64_t seed) {
  random_style style = {.names = 1 + (int)(seed % 2), .shuffle = true, .seed = (uint32_t)seed};
  ans_problem *other = read_drawn(context, system, style);
  if (!other) fail_msg("the renamed and reordered system is refused: %s", ans_context_diagnostic(context)->message);
  ans_instance *a = random_instance(context, problem, seed), *b = random_instance(context, other, seed);
  check_same_terms(a, b);
  for (int f = 0; f < problem->field_count; f++)
    assert_true(expression_equal(problem->fields[f].transform, other->fields[f].transform));
  system_instance_free(a);
  system_instance_free(b);
  system_free(other);
}

static void random_systems_keep_their_meaning(void **state) {
  (void)state;
  ans_context *context = new_context();
  int accepted = 0;
  uint64_t seed = 1;
  for (; accepted < SYSTEMS && seed < 3 * SYSTEMS; seed++) {
    random_system system = random_system_draw(seed);
    ans_problem *problem = read_drawn(context, &system, (random_style){0});
    if (!problem) continue;
    accepted++;
    check_round_trip(context, problem);
    check_invariance(context, &system, problem, seed);
    system_free(problem);
  }
  print_message("%d systems of %d drawn\n", accepted, (int)seed - 1);
  assert_int_equal(accepted, SYSTEMS);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_systems_keep_their_meaning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
