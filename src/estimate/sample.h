/* SPDX-License-Identifier: Apache-2.0
 *
 * sample.h - the network at the nodes of a mesh and at a few times, and between those times by interpolation.
 *
 * Times are Chebyshev nodes: the network is smooth in time, so a few tens of them give its residual at every stage of
 * the integration, and the network, which is the cost of an estimate, is asked no more often.
 */
#ifndef ESTIMATE_SAMPLE_H
#define ESTIMATE_SAMPLE_H

#include "estimate/defect.h"
#include "estimate/estimate.h"

typedef struct sample {
  const defect *defect;
  const mesh *times;
  bool derivatives; /* all slots and the forcing; else the values of the fields alone */
  double *slots;    /* [times][slots][nodes] */
  double *forcing;  /* [times][fields][nodes] */
  double *weights;  /* [times] */
  size_t points;    /* at which the network was evaluated, counting every derivative */
} sample;

ans_status sample_new(ans_context *context, arena *arena, const defect *defect, const mesh *times,
                      const estimate_network *network, int span, bool derivatives, sample **result);

/* False: a value of the network is not finite. */
bool sample_finite(const sample *sample);

/* The network at one time. sample NULL: nothing, which the base already holds. */
void sample_at(const sample *sample, double t, defect_base *base);

/* The value of a component, which is a field or one of its time derivatives, at one of the times: [nodes]. Only the
 * fields themselves without `derivatives`. */
const double *sample_component(const sample *sample, int component, int time);

/* The values of a field at one of the times: [nodes]. */
const double *sample_values(const sample *sample, int field, int time);

#endif
