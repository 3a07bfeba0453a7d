/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.h - the door of fit/: unknown numbers of an equation from measurements, with their errors.
 *
 * The network finds them (fit.c); where there is a classical reference, a fit with that checks it (fit_check.c).
 */
#ifndef FIT_FIT_H
#define FIT_FIT_H

#include "ansatz_fit.h"
#include "fit/forward_network.h"
#include "fit/uncertainty.h"
#include "fit/unknown_initial.h"

enum { FIT_MAX_NOTES = 48 };

typedef struct fit_note {
  char text[400];
  bool flagged; /* the result is not to be believed as it stands */
} fit_note;

struct ans_fit {
  ans_problem *problem; /* shared */
  sought sought;
  unknown_initials initials; /* those that the problem's series stand for */
  measurements *data;
  noise noise;
  search search; /* ends at the result */
  network_forward *network;
  uncertainty uncertainty;
  forward forward; /* whose predictions the result rests on: the network's or, once it is adopted, the reference's */
  void *classical; /* the object of the latter; NULL: the network's */
  double shift[FIT_MAX_UNKNOWNS]; /* of z, by the error that may be left in the network */
  bool corrected;
  bool misfits; /* chi2 or residuals say that this is not the equation of the data */
  double network_error;
  double begun, deadline;
  const volatile int *interrupt;
  uint64_t seed;
  int threads;
  int tried; /* starts */
  int note_count;
  fit_note notes[FIT_MAX_NOTES];
  ans_fit_summary summary;
  ans_fit_reference reference;
};

/* What the public header says. */
ans_status fit_new(ans_context *context, const ans_problem *problem, const measurements *data,
                   const ans_fit_options *options, ans_fit **result);
void fit_free(ans_fit *fit);

/* Where a fit begins if something better is known than the start that was asked for. */
typedef struct fit_hint {
  const double *z;          /* [unknowns] */
  network_forward *network; /* of a wider structure, whose network is sent there first */
  const double *network_z;  /* the same place among that one's unknowns */
  double hopeless;          /* criterion above which no further start is worth its time */
} fit_hint;

/* The same with unknowns and structure that were read already; hint NULL: none. */
ans_status fit_new_of(ans_context *context, const ans_problem *problem, const measurements *data,
                      const ans_fit_options *options, const sought *sought, const fit_hint *hint, ans_fit **result);
ans_status fit_structures(ans_context *context, const ans_problem *problem, const measurements *data,
                          const ans_fit_options *options, ans_fit_candidate *table, ans_fit **best);
/* The same with the unknowns of all structures. */
ans_status fit_structures_of(ans_context *context, const ans_problem *problem, const measurements *data,
                             const ans_fit_options *options, const sought *all, ans_fit_candidate *table,
                             ans_fit **best);

/* Either of them (table NULL: the first), for a problem with unknown initial values. */
ans_status fit_with_initials(ans_context *context, const ans_problem *problem, const measurements *data,
                             const ans_fit_options *options, ans_fit_candidate *table, ans_fit **result);

/* Initial value number `index` of those that were unknown, at places along the space coordinate: [count]. */
ans_status fit_initial(ans_context *context, const ans_fit *fit, int index, const double *places, size_t count,
                       double *values, double *errors);
ans_status fit_next(ans_context *context, ans_fit *fit, ans_fit_place *places, size_t wanted);
ans_status fit_profile(ans_context *context, ans_fit *fit, int index, ans_fit_profile *profile);

/* From the search: errors, notes, summary. */
ans_status fit_conclude(ans_context *context, ans_fit *fit);

/* The result is another search's, with another forward, whose object (memory) becomes the fit's; `s` is empty then. The
 * network follows to its numbers. */
ans_status fit_adopt(ans_context *context, ans_fit *fit, search *s, const noise *noise, forward forward);

/* Seeks once more from z; a better result takes the place of the present one. */
ans_status fit_again(ans_context *context, ans_fit *fit, const double *z, bool *better);

/* Noise that is known would not leave so large a sum; residuals of a field are unlike noise: *wrong. */
bool fit_is_unlikely(const noise *noise, const search *search);
ans_status fit_looks_wrong(ans_context *context, const ans_fit *fit, const noise *noise, const double *predicted,
                           int field, double *correlation, bool *wrong);

/* What the sum and the residuals, and what the numbers say. */
ans_status fit_note_misfit(ans_context *context, ans_fit *fit);
ans_status fit_note_numbers(ans_context *context, ans_fit *fit);

/* Keeps a sentence; beyond the last place only the flag. */
void fit_note_add(ans_fit *fit, bool flagged, const char *format, ...) PRINTF_LIKE(3, 4);

ans_status fit_report(ans_context *context, const ans_fit *fit, char **result);

/* Fits with the reference, and compares. */
ans_status fit_check(ans_context *context, ans_fit *fit);

#endif
