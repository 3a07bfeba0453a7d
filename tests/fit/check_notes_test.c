/* SPDX-License-Identifier: Apache-2.0
 *
 * check_notes_test.c - what a fit says of the classical fit beside it, one sentence for each outcome. The source is
 * compiled here, since most outcomes take a fit that goes wrong.
 */
#include "check.h"

#include "fit/fit_check.c"

typedef struct outcome {
  ans_fit_reference reference;
  const char *sentence; /* NULL: none */
  bool flagged;
} outcome;

static void every_outcome_has_its_sentence(void **state) {
  (void)state;
  static const outcome outcomes[] = {
      {{.reason = "no reference knows it"}, "not checked by a classical fit: no reference knows it", false},
      {{.available = true}, "the classical fit did not converge", true},
      {{.available = true, .converged = true, .distance = 0.01},
       "the network's standard errors are smaller than those of the classical fit: believe the latter",
       true},
      {{.available = true, .converged = true, .distance = 7.2},
       "network and classical fit differ by 7.2 standard errors: believe neither until you know why",
       true},
      {{.available = true, .converged = true, .agrees = true, .distance = 0.01}, NULL, false},
  };
  for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
    ans_fit fit = {.reference = outcomes[i].reference};
    note(&fit);
    assert_int_equal(fit.note_count, outcomes[i].sentence != NULL);
    if (outcomes[i].sentence) {
      assert_string_equal(fit.notes[0].text, outcomes[i].sentence);
      assert_int_equal(fit.notes[0].flagged, outcomes[i].flagged);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_outcome_has_its_sentence)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
