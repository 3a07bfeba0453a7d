/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_trial.h - one adaptation against its classical reference: the error over processor time.
 *
 * Processor time, of all threads together, is what a busy machine leaves comparable. It is counted in steps alone:
 * looking at the error costs nothing.
 */
#ifndef CLI_BENCH_TRIAL_H
#define CLI_BENCH_TRIAL_H

#include "ansatz.h"

typedef struct trial_plan {
  const ans_model *model; /* NULL: from scratch */
  const ans_instance *instance;
  ans_method method;
  int precision, threads; /* as in ans_solver_options */
  uint64_t seed;
  double tolerance; /* as in ans_solver_options */
  long every;       /* steps between two looks; 0: none but the first and the last */
  double seconds;   /* of processor time; the step that is under way is finished. 0: until the method ends */
  double clock;     /* the same by the clock, which the attempts share */
} trial_plan;

enum { TRIAL_LOOKS = 512 };

typedef struct trial {
  int count; /* looks; the first one is before the first step, the last one after the last */
  double seconds[TRIAL_LOOKS], errors[TRIAL_LOOKS]; /* errors: relative L2, mean over the fields */
  long steps;
  double wall; /* seconds by the clock, spent in steps */
} trial;

/* reference: of the instance, from ans_reference_solve. An interrupt ends it early. */
ANS_MUST_USE ans_status trial_run(ans_context *context, const trial_plan *plan, const ans_solution *reference,
                                  trial *result);

double trial_error(const trial *trial);                  /* at the end */
double trial_error_at(const trial *trial, double limit); /* of the last look within so many seconds */
double trial_spent(const trial *trial);
/* Seconds until the error was first this small; NaN: never. */
double trial_time_to(const trial *trial, double error);

#endif
