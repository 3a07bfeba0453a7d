/* SPDX-License-Identifier: Apache-2.0
 *
 * claim.h - whether the records bear out that some arms lie below others.
 *
 * Only seeds that all named arms have are looked at: a seed is one draw of equations and points for every arm, and
 * means over different seeds compare draws as well as arms. A pair of arms is decided by the interval of its
 * differences, and a claim is as good as its weakest pair.
 */
#ifndef LAB_CLAIM_H
#define LAB_CLAIM_H

#include "cell.h"

/* From the best to the worst, so that the worst pair decides. */
typedef enum claim_outcome {
  CLAIM_HOLDS,  /* every difference has the claimed sign, and its interval excludes zero */
  CLAIM_LEANS,  /* the means are in this order, and an interval reaches zero (or there is one seed) */
  CLAIM_DOUBTS, /* they are not, and an interval reaches zero */
  CLAIM_FAILS,  /* an interval lies on the other side */
  CLAIM_OPEN,   /* no seed has all arms */
  CLAIM_OUTCOMES
} claim_outcome;

/* Two arms that follow each other in a claim. */
typedef struct claim_pair {
  size_t lower, upper;      /* arms */
  size_t below;             /* seeds in which the lower one is below */
  size_t cases, case_below; /* pairs of case and seed with numbers of both, and those in which it is below */
  interval difference;      /* upper minus lower */
  double share;             /* the difference as a share of the upper mean: "40 % below" */
} claim_pair;

typedef struct claim_judgement {
  claim_outcome outcome;
  size_t shared, planned; /* seeds that all arms have, and should have */
  size_t pair_count;
  claim_pair pairs[EXPERIMENT_MAX_ARMS];
} claim_judgement;

claim_judgement claim_judge(const experiment *experiment, const experiment_records *records,
                            const experiment_claim *claim);

const char *claim_text(claim_outcome outcome);

#endif
