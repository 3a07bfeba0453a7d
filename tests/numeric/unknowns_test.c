/* SPDX-License-Identifier: Apache-2.0
 *
 * One block of unknowns from the tables of two networks.
 */
#include "check.h"

#include "numeric/unknowns.h"

enum { MOST = 8 };

/* Weight 3 x 2 and bias 3, then a basis 2 x 2. */
static unknown_table network(unknown_part *parts) {
  unknown_table table = {.parts = parts, .limit = MOST};
  unknown_add(&table, UNKNOWN_INPUT, 3, 2, "input.%s.weight", "u");
  unknown_add(&table, UNKNOWN_INPUT, 3, 0, "input.%s.bias", "u");
  unknown_add(&table, UNKNOWN_LEFT_BASIS, 2, 2, "basis.%d.C", 1);
  return table;
}

static void parts_follow_each_other(void **state) {
  (void)state;
  unknown_part parts[MOST];
  unknown_table table = network(parts), counted = {0};
  assert_int_equal(unknown_add(&counted, UNKNOWN_INPUT, 3, 2, "a"), 0);
  assert_int_equal(unknown_add(&counted, UNKNOWN_INPUT, 3, 0, "b"), 6); /* without parts sizes are counted */
  assert_int_equal(counted.size, 9);
  assert_int_equal(table.count, 3);
  assert_int_equal(table.size, 13);
  assert_int_equal(parts[2].offset, 9);
  assert_int_equal(unknown_count(&parts[1]), 3);
  assert_int_equal(parts[0].state, UNKNOWN_FREE);
}

static void tables_are_joined(void **state) {
  (void)state;
  unknown_part own[MOST], parts[MOST];
  unknown_table inner = network(own), table = {.parts = parts, .limit = MOST};
  unknown_add(&table, UNKNOWN_CODE, 1, 5, "codes");
  unknown_append(&table, "backbone.", inner.parts, inner.count);
  assert_int_equal(table.size, 5 + 13);
  const unknown_part *basis = unknown_find(&table, "backbone.basis.1.C");
  assert_non_null(basis);
  assert_int_equal(basis->offset, 5 + 9);
  assert_int_equal(basis->role, UNKNOWN_LEFT_BASIS);
  assert_string_equal(basis->name + basis->own, "basis.1.C");
  assert_null(unknown_find(&table, "basis.1.C"));
  parts[3].state = UNKNOWN_FROZEN;
  parts[0].state = UNKNOWN_RELU;
  assert_int_equal(unknown_free_count(&table), 5 + 9);
}

/* The same part begins alike in every block that it is put into. */
static void a_part_begins_by_its_own_name(void **state) {
  (void)state;
  unknown_part own[MOST], parts[MOST];
  unknown_table inner = network(own), table = {.parts = parts, .limit = MOST};
  unknown_add(&table, UNKNOWN_CODE, 1, 5, "codes");
  unknown_append(&table, "backbone.", inner.parts, inner.count);
  random_stream first = unknown_stream(&own[2], 3, RANDOM_TEST), second = unknown_stream(&parts[3], 3, RANDOM_TEST),
                other = unknown_stream(&parts[2], 3, RANDOM_TEST);
  double value = random_uniform(&first);
  assert_true(value == random_uniform(&second));
  assert_true(value != random_uniform(&other));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_follow_each_other),
      cmocka_unit_test(tables_are_joined),
      cmocka_unit_test(a_part_begins_by_its_own_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
