/* SPDX-License-Identifier: Apache-2.0
 *
 * protocol.h - how a family is trained, adapted and judged: network, sampler, budgets, reference and descriptor.
 *
 * The text states it beside the equations, but no equation depends on it: two problems with the same system and other
 * protocols have the same solutions. What each folder needs of it is one struct, which later folders get alone.
 */
#ifndef PROTOCOL_PROTOCOL_H
#define PROTOCOL_PROTOCOL_H

#include <stdbool.h>

typedef enum protocol_activation {
  ACTIVATION_IDENTITY,
  ACTIVATION_TANH,
  ACTIVATION_SINE,
  ACTIVATION_GELU,
  ACTIVATION_RELU
} protocol_activation;

/* In which coordinates adaptation represents the fields. */
typedef enum protocol_frame {
  FRAME_AUTOMATIC, /* moving with Gauss-Newton, fixed with Adam */
  FRAME_MOVING,    /* with constant advection */
  FRAME_FIXED
} protocol_frame;

typedef struct protocol_network {
  int width, layers; /* coded layers */
  protocol_activation activation;
  bool stated;       /* the text itself says a width or a number of layers; does not make problems differ */
  bool shared_input; /* one input layer for all fields instead of one per field */
  bool relu_codes;   /* adaptation keeps codes non-negative through a ReLU; else they are free */
  protocol_frame frame;
} protocol_network;

/* How the equations of a meta-step are drawn. `begin` and `end` are the steps between which the radius
 * grows linearly from 0 to 1; begin = end = 0: full from the start; begin = -1: the radius stays 0. */
typedef enum protocol_sampler_kind {
  SAMPLER_UNIFORM,   /* the whole range */
  SAMPLER_JITTER,    /* a grid node, moved by up to radius * half the spacing, clipped to the range */
  SAMPLER_CENTRE_OUT /* the range shrunk about its centre by the radius */
} protocol_sampler_kind;

typedef struct protocol_sampler {
  protocol_sampler_kind kind;
  long begin, end;
  bool shared; /* all structures of a step share one draw and one batch of points */
} protocol_sampler;

/* How one equation is adapted, unless the caller says so. */
typedef enum protocol_method {
  METHOD_AUTOMATIC, /* Gauss-Newton where the equations and their conditions determine the solution; else Adam */
  METHOD_GAUSS_NEWTON,
  METHOD_ADAM
} protocol_method;

/* What a soft period ties at the two ends of a coordinate. */
typedef enum protocol_seam {
  SEAM_AUTOMATIC, /* smooth with Gauss-Newton, values with Adam */
  SEAM_VALUES,
  SEAM_SMOOTH /* values and all derivatives below the order of the equations */
} protocol_seam;

typedef struct protocol_budget {
  long steps;
  double rate;
  /* Per loss evaluation; boundary_points: per condition. */
  int points, initial_points, period_points, boundary_points;
  double clip;            /* of the gradient norm; 0: none */
  double orthogonality;   /* weight of the basis penalty */
  long evaluate_every;    /* steps between evaluations; 0: only first and last */
  double time_weight;     /* R: the equations' rows are multiplied by exp(-R (t - t0)/(t1 - t0)) */
  protocol_method method; /* of adaptation */
  protocol_seam seam;     /* of adaptation */
} protocol_budget;

typedef enum protocol_reference_method {
  REFERENCE_AUTOMATIC,      /* from the boundaries: Fourier when periodic, else Chebyshev */
  REFERENCE_DRIFT_DIFFUSION /* Scharfetter-Gummel, backward Euler, Gummel sweeps: density and potential */
} protocol_reference_method;

typedef struct protocol_reference {
  protocol_reference_method method;
  int points, times; /* space nodes (or cells) and stored levels */
  double relative, absolute, max_step;
  int steps_per_period, periods, sweeps; /* drift-diffusion only */
} protocol_reference;

typedef enum protocol_graph_layout {
  GRAPH_COMPACT, /* 4 kinds, one slot per field, one order per coordinate, sign, log10|c|, arity, constant source */
  GRAPH_UNION    /* 5 kinds, 8 field slots, 3 orders, sign, log10|c|, arity, source flag and its interval: 22 */
} protocol_graph_layout;

typedef enum protocol_graph_style {
  GRAPH_SHARED,  /* one pair of maps for all rounds, residual update, readout of field node and mean */
  GRAPH_STACKED, /* maps of each round, residual update, states of all rounds concatenated, mean readout */
  GRAPH_PLAIN,   /* maps of each round, no residual, final states read per field */
  GRAPH_LINEAR   /* as shared, but the nodes' embedding has no activation */
} protocol_graph_style;

typedef enum protocol_vector_encoder {
  VECTOR_GELU, /* two layers */
  VECTOR_TANH  /* three layers, as in the published code of Hyper-LR-PINN */
} protocol_vector_encoder;

typedef struct protocol_descriptor {
  protocol_graph_layout layout;
  protocol_graph_style style;
  int rounds;
  int vector_count;  /* entries of the coefficient vector */
  const int *vector; /* [vector_count] symbols, in slot order */
  int vector_slots;  /* at least vector_count; the rest are zero */
  bool standardise;  /* by mean and deviation of the active range; else log10(|c| + 1e-8) of every entry */
  protocol_vector_encoder encoder; /* what reads the coefficient vector, with presence indicators or without */
  bool grouped_set;                /* term tokens of five attributes pooled per residual; else six pooled together */
} protocol_descriptor;

typedef struct protocol_settings {
  protocol_network network;
  protocol_sampler sampler;
  protocol_budget train, adapt;
  protocol_reference reference;
  protocol_descriptor descriptor;
} protocol_settings;

#endif
