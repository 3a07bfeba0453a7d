/* SPDX-License-Identifier: Apache-2.0 */
#include "claim.h"

#include <assert.h>
#include <math.h>

#include "measure.h"

/* What is judged: an experiment's claim on its records. */
typedef struct trial {
  const experiment *experiment;
  const experiment_records *records;
  const experiment_claim *claim;
  size_t shared;
  uint64_t seeds[EXPERIMENT_MAX_SEEDS]; /* [shared] */
} trial;

static const record *record_of(const trial *trial, size_t arm, uint64_t seed) {
  for (size_t r = 0; r < trial->records->found[arm]; r++)
    if (trial->records->records[arm][r].seed == seed) return &trial->records->records[arm][r];
  return NULL;
}

static double value_of(const trial *trial, size_t arm, uint64_t seed, const char *const *cases, size_t case_count) {
  const record *record = record_of(trial, arm, seed);
  return record ? measure_value(record, trial->claim->measure, NULL, cases, case_count) : nan("");
}

static double seed_value(const trial *trial, size_t arm, uint64_t seed) {
  return value_of(trial, arm, seed, trial->experiment->cases, trial->experiment->case_count);
}

static bool plans_seed(const experiment_arm *arm, uint64_t seed) {
  for (size_t s = 0; s < arm->seed_count; s++)
    if (arm->seeds[s] == seed) return true;
  return false;
}

/* Seeds that every arm of the claim has a number for; how many every arm should have. */
static size_t share_seeds(trial *trial) {
  const experiment_claim *claim = trial->claim;
  const experiment_arm *first = &trial->experiment->arms[claim->arms[0]];
  size_t planned = 0;
  for (size_t s = 0; s < first->seed_count; s++) {
    bool all_plan = true, all_have = true;
    for (size_t i = 0; i < claim->arm_count; i++) {
      size_t arm = (size_t)claim->arms[i];
      all_plan = all_plan && plans_seed(&trial->experiment->arms[arm], first->seeds[s]);
      all_have = all_have && !isnan(seed_value(trial, arm, first->seeds[s]));
    }
    planned += all_plan;
    if (all_have) trial->seeds[trial->shared++] = first->seeds[s];
  }
  return planned;
}

static void count_cases(const trial *trial, uint64_t seed, claim_pair *pair) {
  for (size_t c = 0; c < trial->experiment->case_count; c++) {
    const char *const *one = &trial->experiment->cases[c];
    double lower = value_of(trial, pair->lower, seed, one, 1), upper = value_of(trial, pair->upper, seed, one, 1);
    if (isnan(lower) || isnan(upper)) continue;
    pair->cases++;
    pair->case_below += lower < upper;
  }
}

static claim_pair judge_pair(const trial *trial, size_t lower, size_t upper) {
  assert(trial->shared <= EXPERIMENT_MAX_SEEDS);
  claim_pair pair = {.lower = lower, .upper = upper};
  double differences[EXPERIMENT_MAX_SEEDS], sum = 0;
  for (size_t s = 0; s < trial->shared; s++) {
    double above = seed_value(trial, upper, trial->seeds[s]);
    differences[s] = above - seed_value(trial, lower, trial->seeds[s]);
    sum += above;
    pair.below += differences[s] > 0;
    count_cases(trial, trial->seeds[s], &pair);
  }
  pair.difference = interval_of(differences, trial->shared);
  pair.share = sum > 0 ? pair.difference.mean * (double)trial->shared / sum : nan("");
  return pair;
}

static claim_outcome outcome_of(const interval *difference) {
  if (difference->mean > 0) return difference->low > 0 ? CLAIM_HOLDS : CLAIM_LEANS;
  return difference->high <= 0 ? CLAIM_FAILS : CLAIM_DOUBTS;
}

claim_judgement claim_judge(const experiment *experiment, const experiment_records *records,
                            const experiment_claim *claim) {
  trial trial = {.experiment = experiment, .records = records, .claim = claim};
  claim_judgement result = {.outcome = CLAIM_HOLDS};
  result.planned = share_seeds(&trial);
  result.shared = trial.shared;
  for (size_t i = 0; i + 1 < claim->arm_count; i++) {
    claim_pair *pair = &result.pairs[result.pair_count++];
    *pair = judge_pair(&trial, (size_t)claim->arms[i], (size_t)claim->arms[i + 1]);
    claim_outcome outcome = trial.shared ? outcome_of(&pair->difference) : CLAIM_OPEN;
    if (outcome > result.outcome) result.outcome = outcome;
  }
  return result;
}

const char *claim_text(claim_outcome outcome) {
  static const char *const texts[CLAIM_OUTCOMES] = {
      [CLAIM_HOLDS] = "holds",
      [CLAIM_LEANS] = "undecided, in this order",
      [CLAIM_DOUBTS] = "undecided, not in this order",
      [CLAIM_FAILS] = "does not hold",
      [CLAIM_OPEN] = "no verdict: no seed has a record of all arms",
  };
  return texts[outcome];
}
