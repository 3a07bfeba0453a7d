/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/integrator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/largest.h"
#include "reference/sundials.h"

/* A state this many times its first size is called a blow-up: the integrator would follow it to overflow. */
static const double GROWTH_LIMIT = 1e12;

enum { KRYLOV_SIZE = 20 };

typedef struct run {
  const integrator_system *system;
  integrator_settings settings;
  double size_limit;
  double blown_at; /* time at which the state passed the limit, or NaN */
  bool exhausted;  /* the work ran out */
  int stretch;     /* the present one */
  long before;     /* steps before the last restart */
  char message[MESSAGE_BYTES];
  SUNContext sundials;
  void *cvode;
  N_Vector state;
  SUNLinearSolver solver;
} run;

/* ---- What CVODE calls -------------------------------------------------------------------------------- */

static int right_side(realtype t, N_Vector y, N_Vector result, void *data) {
  run *run = data;
  const integrator_system *system = run->system;
  const double *values = N_VGetArrayPointer(y);
  for (int i = 0; i < system->size; i++)
    if (fabs(values[i]) > run->size_limit) {
      run->blown_at = t;
      return -1;
    }
  if (run->settings.max_work > 0 && *run->settings.work > run->settings.max_work) {
    run->exhausted = true;
    return -1;
  }
  /* A positive answer asks for a smaller step. */
  return system->right_side(system->data, t, values, N_VGetArrayPointer(result)) ? 0 : 1;
}

/* One over the error that each unknown may have. */
static int weigh(N_Vector y, N_Vector weights, void *data) {
  const integrator_settings *settings = &((run *)data)->settings;
  const double *values = N_VGetArrayPointer(y);
  double *result = N_VGetArrayPointer(weights);
  for (int g = 0, i = 0; g < settings->group_count; g++) {
    int end = settings->groups[g].end;
    double scale = settings->groups[g].scale, grown = fmax(scale, largest(values + i, end - i));
    if (scale != 1) scale = scale < 1 ? fmin(grown, 1) : grown;
    for (; i < end; i++) result[i] = 1 / (settings->relative * fabs(values[i]) + settings->absolute * scale);
  }
  return 0;
}

static int prepare_products(realtype t, N_Vector y, N_Vector f, void *data) {
  (void)f;
  const integrator_system *system = ((run *)data)->system;
  system->linearise(system->data, t, N_VGetArrayPointer(y));
  return 0;
}

static int product(N_Vector v, N_Vector result, realtype t, N_Vector y, N_Vector f, void *data, N_Vector work) {
  (void)t, (void)y, (void)f, (void)work;
  const integrator_system *system = ((run *)data)->system;
  system->product(system->data, N_VGetArrayPointer(v), N_VGetArrayPointer(result));
  return 0;
}

static int prepare_preconditioner(realtype t, N_Vector y, N_Vector f, booleantype fresh_enough, booleantype *renewed,
                                  realtype gamma, void *data) {
  (void)f;
  const integrator_system *system = ((run *)data)->system;
  if (!fresh_enough) system->linearise(system->data, t, N_VGetArrayPointer(y));
  *renewed = !fresh_enough;
  return system->factorise(system->data, gamma) ? 0 : 1;
}

static int precondition(realtype t, N_Vector y, N_Vector f, N_Vector r, N_Vector result, realtype gamma, realtype delta,
                        int side, void *data) {
  (void)t, (void)y, (void)f, (void)gamma, (void)delta, (void)side;
  const integrator_system *system = ((run *)data)->system;
  system->precondition(system->data, N_VGetArrayPointer(r), N_VGetArrayPointer(result));
  return 0;
}

/* ---- One integration --------------------------------------------------------------------------------- */

static void close_run(run *run) {
  if (run->cvode) CVodeFree(&run->cvode);
  if (run->solver) SUNLinSolFree(run->solver);
  if (run->state) N_VDestroy(run->state);
  if (run->sundials) SUNContext_Free(&run->sundials);
}

static bool create(run *run, const double *start) {
  if (sundials_begin(&run->sundials) != 0) return false;
  run->state = N_VNew_Serial(run->system->size, run->sundials);
  if (!run->state) return false;
  memcpy(N_VGetArrayPointer(run->state), start, (size_t)run->system->size * sizeof *start);
  run->solver = SUNLinSol_SPGMR(run->state, SUN_PREC_LEFT, KRYLOV_SIZE, run->sundials);
  run->cvode = CVodeCreate(CV_BDF, run->sundials);
  return run->solver && run->cvode;
}

static bool set_tolerances(run *run) {
  const integrator_settings *settings = &run->settings;
  return (settings->group_count ? CVodeWFtolerances(run->cvode, weigh)
                                : CVodeSStolerances(run->cvode, settings->relative, settings->absolute)) == 0;
}

static bool configure(run *run, double begin) {
  void *cvode = run->cvode;
  return sundials_listen(cvode, run->sundials, run->message) == 0 &&
         CVodeInit(cvode, right_side, begin, run->state) == 0 && set_tolerances(run) &&
         CVodeSetUserData(cvode, run) == 0 && CVodeSetMaxHnilWarns(cvode, 1) == 0 &&
         CVodeSetLinearSolver(cvode, run->solver, NULL) == 0 &&
         CVodeSetPreconditioner(cvode, prepare_preconditioner, precondition) == 0 &&
         CVodeSetJacTimes(cvode, prepare_products, product) == 0;
}

static long steps_so_far(const run *run) {
  long steps = 0;
  CVodeGetNumSteps(run->cvode, &steps);
  return run->before + steps;
}

static ans_status explain(ans_context *context, const run *run, int code) {
  const integrator_settings settings = run->settings;
  double reached = NAN;
  long steps = steps_so_far(run);
  CVodeGetCurrentTime(run->cvode, &reached);
  if (code == CV_MEM_FAIL) return context_no_memory(context);
  FAIL_IF(isfinite(run->blown_at), context, ANS_DIVERGED,
          "the solution grew beyond %.1e at t = %.6g, after %ld steps: it blows up or is not resolved", run->size_limit,
          run->blown_at, steps);
  FAIL_IF(
      code == CV_TOO_MUCH_WORK || run->exhausted, context, ANS_TOLERANCE,
      "the time integration reached only t = %.6g in %ld steps at relative tolerance %.1e and absolute %.1e: give "
      "the file's `reference` line larger `relative`, `absolute` or `max_step`, or other `points` (also --points N)",
      reached, steps, settings.relative, settings.absolute);
  FAIL_IF(code == CV_TOO_MUCH_ACC, context, ANS_TOLERANCE,
          "tolerances %.1e and %.1e are beyond double precision at t = %.6g", settings.relative, settings.absolute,
          reached);
  char *name = CVodeGetReturnFlagName(code);
  context_fail(context, ANS_DIVERGED, "the time integration stopped at t = %.6g after %ld steps: %s (%s)", reached,
               steps, run->message, name ? name : "unknown reason");
  free(name);
  return ANS_DIVERGED;
}

/* Prepares the stretch that begins at t. */
static void enter(run *run, double t) {
  const schedule_stretch *stretch = &run->settings.stretches[run->stretch];
  if (run->system->enter) run->system->enter(run->system->data, t + (stretch->end - t) / 2);
  CVodeSetMaxStep(run->cvode, stretch->max_step);
  CVodeSetStopTime(run->cvode, stretch->end);
}

/* At the end of a stretch: what switches there would look to BDF's history like a very steep function. */
static bool leave(run *run, double t) {
  bool jump = run->settings.stretches[run->stretch].jump;
  if (++run->stretch == run->settings.stretch_count) return true;
  if (jump) {
    run->before = steps_so_far(run);
    if (CVodeReInit(run->cvode, t, run->state) != 0) return false;
  }
  enter(run, t);
  return true;
}

/* Up to the time, over the ends of stretches. */
static int proceed(run *run, double time) {
  for (;;) {
    double reached;
    long used = steps_so_far(run);
    if (used >= run->settings.max_steps) return CV_TOO_MUCH_WORK;
    CVodeSetMaxNumSteps(run->cvode, run->settings.max_steps - used);
    int code = CVode(run->cvode, time, run->state, &reached, CV_NORMAL);
    if (code != CV_TSTOP_RETURN) return code;
    if (!leave(run, reached)) return CV_MEM_FAIL;
    if (reached >= time) return CV_SUCCESS;
  }
}

static ans_status advance(ans_context *context, run *run, int count, const double *times, double *levels) {
  size_t bytes = (size_t)run->system->size * sizeof *levels;
  enter(run, times[0]);
  for (int k = 1; k < count; k++) {
    int code = proceed(run, times[k]);
    if (code < 0) return explain(context, run, code);
    memcpy(levels + (size_t)k * (size_t)run->system->size, N_VGetArrayPointer(run->state), bytes);
  }
  return ANS_OK;
}

ans_status integrate(ans_context *context, const integrator_system *system, integrator_settings settings,
                     const double *start, int count, const double *times, double *levels, long *steps) {
  *steps = 0;
  memcpy(levels, start, (size_t)system->size * sizeof *start);
  run run = {.system = system,
             .settings = settings,
             .blown_at = NAN,
             .size_limit = GROWTH_LIMIT * (1 + largest(start, system->size))};
  ans_status status = ANS_OK;
  if (!create(&run, start) || !configure(&run, times[0]))
    status = context_no_memory(context);
  else
    status = advance(context, &run, count, times, levels);
  if (run.cvode) *steps = steps_so_far(&run);
  close_run(&run);
  return status;
}
