/* SPDX-License-Identifier: Apache-2.0
 *
 * ansatz_fit.h - unknown coefficients of an equation from measurements, with their errors.
 *
 * The rules of ansatz.h hold. Measurements are values of fields at points, with or without standard deviations. A fit
 * finds coefficients and parameters of the family within their ranges: a network solves the equation, the unknown
 * numbers are fitted to the data, and the effect of the network's own error on them is estimated and subtracted.
 */
#ifndef ANSATZ_FIT_H
#define ANSATZ_FIT_H

#include "ansatz.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Measurements ------------------------------------------------------------------------------------- */

typedef struct ans_measurements ans_measurements;

/* A CSV file ("-": standard input): a line of names, then one line per point. Columns: every coordinate, some of the
 * fields, and sigma_NAME for the standard deviations of a field. An empty cell means not measured. */
ANS_API ANS_MUST_USE ans_status ans_measurements_read(ans_context *context, const ans_problem *problem,
                                                      const char *path, ans_measurements **measurements);

/* The same from memory: values [rows][columns], NaN means not measured; names as in a file. */
ANS_API ANS_MUST_USE ans_status ans_measurements_new(ans_context *context, const ans_problem *problem,
                                                     const char *const *names, size_t columns, const double *values,
                                                     size_t rows, ans_measurements **measurements);
ANS_API void ans_measurements_free(ans_measurements *measurements);
ANS_API size_t ans_measurements_count(const ans_measurements *measurements); /* measured values */

/* ---- Fits --------------------------------------------------------------------------------------------- */

typedef struct ans_fit ans_fit;

typedef struct ans_fit_options {
  size_t size;            /* of this struct; see ans_training_options */
  const char *unknown;    /* "nu,k=0.5": the unknowns; a number is the starting value (default: the middle of its
                             range); NULL: only unknown initial values */
  const char *fixed;      /* "a=1,b=2": the others; NULL: none */
  const char *case_name;  /* the case that gives all other values; NULL: none */
  const char *structure;  /* NULL: the case's, else the one with exactly the coefficients sought and fixed */
  const char *noise;      /* "u=0.005": standard deviation of values without one; NULL: estimated */
  const ans_model *model; /* where to start from; NULL: from scratch */
  uint64_t seed;
  int threads;                   /* default 1; no result depends on it */
  double seconds;                /* start no further work after this many; 0: no limit */
  const volatile int *interrupt; /* a nonzero value stops the fit; NULL: never */
} ans_fit_options;

/* One unknown number. */
typedef struct ans_fit_unknown {
  const char *name;
  double estimate, error; /* and its standard error */
  double low, high;       /* 95 % interval */
  double start;
  bool identified; /* if false, the data say less about it than its range does */
  bool at_end;     /* at an end of its range */
} ans_fit_unknown;

typedef struct ans_fit_summary {
  const char *structure;
  size_t points, values;           /* measured */
  double chi2, freedom;            /* sum of squares of (measured - fitted) / sigma; values less unknowns */
  double bic;                      /* chi2, or its equivalent for estimated noise, + unknowns * log(values) */
  double noise[ANS_MAX_FIELDS];    /* of values without a sigma; 0: there are none */
  double misfit[ANS_MAX_FIELDS];   /* root mean square of measured - fitted */
  size_t measured[ANS_MAX_FIELDS]; /* values of each field */
  bool noise_estimated[ANS_MAX_FIELDS];
  bool converged;
  bool corrected;       /* the network's estimated error is subtracted from the fitted values */
  double network_error; /* estimated, relative: of the network before that; NaN: not known */
  bool flagged;         /* a note says why the result should not be believed as it stands */
  bool stopped;         /* by the time or the flag */
  int starts, iterations;
  long steps; /* of Gauss-Newton, in the network */
  double seconds;
  bool classical; /* ans_fit_check replaced the network's numbers by those of the classical fit */
  double reach;   /* of 95 % intervals, in standard errors */
} ans_fit_summary;

/* The fit of the same data with the classical reference. */
typedef struct ans_fit_reference {
  bool available; /* if false, `reason` says why */
  char reason[200];
  bool converged, agrees; /* agrees: within a tenth of a standard error, and the network's errors are no smaller */
  double estimates[32], errors[32]; /* of the unknowns, in their order */
  double network[32];               /* what the network had found */
  double network_errors[32];        /* with the network's own error in them */
  double larger;                    /* the largest of network_errors / errors, at least 1 */
  double distance;                  /* the largest of |difference| / error */
  double chi2;                      /* of the classical fit */
  double chi2_network;              /* of the reference with the network's numbers */
  int iterations;
  double seconds;
} ans_fit_reference;

/* Fails on wrong arguments; a poor fit is a result with flagged notes. The fit keeps no reference to its arguments. */
ANS_API ANS_MUST_USE ans_status ans_fit_new(ans_context *context, const ans_problem *problem,
                                            const ans_measurements *measurements, const ans_fit_options *options,
                                            ans_fit **fit);
ANS_API void ans_fit_free(ans_fit *fit);

/* A flag that interrupts the long-running calls below when it is not zero. It must stay valid until the next call of
 * this function, or as long as the fit; NULL (the default): none. */
ANS_API void ans_fit_set_interrupt(ans_fit *fit, const volatile int *interrupt);
ANS_API size_t ans_fit_count(const ans_fit *fit);                           /* unknowns */
ANS_API ans_fit_unknown ans_fit_number(const ans_fit *fit, size_t unknown); /* name NULL beyond the last */
ANS_API const double *ans_fit_covariance(const ans_fit *fit);               /* [unknowns][unknowns] */
ANS_API ans_fit_summary ans_fit_summarise(const ans_fit *fit);
ANS_API const char *ans_fit_note(const ans_fit *fit, size_t index, bool *flagged); /* NULL beyond the last */

/* All of this as text, as the program prints it. Free it with ans_free. */
ANS_API ANS_MUST_USE ans_status ans_fit_print(ans_context *context, const ans_fit *fit, char **text);
ANS_API const ans_problem *ans_fit_problem(const ans_fit *fit);

/* The solver of the equation with the fitted numbers: evaluate it, save it, put it on a grid. */
ANS_API ans_solver *ans_fit_solver(ans_fit *fit);

/* A measured value and the fitted one; false beyond the last value. */
typedef struct ans_fit_value {
  const double *point; /* [coordinates] */
  size_t field;
  double measured, sigma, fitted;
} ans_fit_value;
ANS_API bool ans_fit_value_at(const ans_fit *fit, size_t index, ans_fit_value *value);

/* ---- Unknown initial values ---------------------------------------------------------------------------- */

/* The fields with an unknown initial value (`initial u unknown`). It is fitted as a series with this many terms, of
 * which the data determine the smoother ones; field NULL beyond the last. */
typedef struct ans_fit_initial {
  const char *field;
  size_t terms;
} ans_fit_initial;
ANS_API ans_fit_initial ans_fit_initial_of(const ans_fit *fit, size_t index);

/* The fitted initial value with standard errors: values, errors [count], at places along the space coordinate (NULL and
 * count 1 if there is none). */
ANS_API ANS_MUST_USE ans_status ans_fit_initial_at(ans_context *context, const ans_fit *fit, size_t index,
                                                   const double *places, size_t count, double *values, double *errors);

/* ---- Comparison of structures -------------------------------------------------------------------------- */

/* One structure in the comparison. */
typedef struct ans_fit_candidate {
  const char *structure; /* valid as long as the problem */
  bool fitted;           /* if false, `reason` says why */
  char reason[200];
  size_t unknowns;
  double chi2, bic; /* lower is better; the odds of two are about exp(-difference / 2); not fitted: a forecast or NaN */
} ans_fit_candidate;

/* Compares the structures of the problem, each with those unknowns that it has, and returns the fit with the lowest
 * bic. Structures that the fit of all terms shows to be out of reach are not fitted; at least two are. table:
 * [structures]. options->structure is ignored. */
ANS_API ANS_MUST_USE ans_status ans_fit_structures(ans_context *context, const ans_problem *problem,
                                                   const ans_measurements *measurements, const ans_fit_options *options,
                                                   ans_fit_candidate *table, ans_fit **best);

/* ---- More about a fit ---------------------------------------------------------------------------------- */

enum { ANS_FIT_PROFILE = 7 };

/* How fast the fit gets worse along one unknown, with all others refitted: at 3, 2, 1 standard errors to both sides.
 * NaN if that is outside its range or could not be fitted. */
typedef struct ans_fit_profile {
  double values[ANS_FIT_PROFILE], chi2[ANS_FIT_PROFILE];
  double least;     /* chi2 of the fit */
  double low, high; /* 95 % interval of the profile; NaN: beyond the last place */
} ans_fit_profile;

ANS_API ANS_MUST_USE ans_status ans_fit_profile_of(ans_context *context, ans_fit *fit, size_t unknown,
                                                   ans_fit_profile *profile);

/* Where to measure next. */
typedef struct ans_fit_place {
  double point[ANS_MAX_COORDINATES];
  size_t field;
  double errors[32]; /* of the unknowns, once this value and those before it are measured */
} ans_fit_place;

/* The places on a lattice, each with one of the fields measured so far, that reduce the errors most; best first:
 * [count]. */
ANS_API ANS_MUST_USE ans_status ans_fit_next(ans_context *context, ans_fit *fit, ans_fit_place *places, size_t count);

#ifdef __cplusplus
}
#endif
#endif
