/* SPDX-License-Identifier: Apache-2.0
 *
 * backbone.c - the tables of a backbone: its parameters, its formed layers, and how it begins.
 */
#include "field/backbone.h"

#include <stdio.h>
#include <string.h>

#include "codes/plan.h"
#include "numeric/initial.h"

/* ---- Parameters --------------------------------------------------------------------------------------- */

/* "input.u", "output.v": the field's name, or its number when the name is long. */
static void name_layer(const ans_problem *problem, const char *layer, int field, char *name, size_t room) {
  if (strlen(problem->fields[field].name) <= 20)
    snprintf(name, room, "%s.%s", layer, problem->fields[field].name);
  else
    snprintf(name, room, "%s.%d", layer, field + 1);
}

static void add_linear(unknown_table *table, unknown_role role, int inputs, int outputs, const char *name) {
  unknown_add(table, role, outputs, inputs, "%s.weight", name);
  unknown_add(table, role, outputs, 0, "%s.bias", name);
}

static void add_factorized(const backbone *b, const ans_problem *problem, unknown_table *table) {
  char name[32];
  for (int f = 0; f < (b->shared_input ? 1 : b->fields); f++) {
    name_layer(problem, "input", f, name, sizeof name);
    add_linear(table, UNKNOWN_INPUT, b->shape.features, b->width, b->shared_input ? "input" : name);
  }
  for (int l = 0; l < b->layers; l++) {
    unknown_add(table, UNKNOWN_LEFT_BASIS, b->width, b->width, "basis.%d.C", l + 1);
    unknown_add(table, UNKNOWN_RIGHT_BASIS, b->width, b->width, "basis.%d.R", l + 1);
  }
  for (int f = 0; f < b->fields; f++) {
    name_layer(problem, "output", f, name, sizeof name);
    add_linear(table, UNKNOWN_OUTPUT, b->width, 1, name);
  }
}

/* "mix" reads the projected coordinates (first half of its columns) and the latent (second half). */
static void add_decoder(const backbone *b, int width, unknown_table *table) {
  add_linear(table, UNKNOWN_INPUT, b->shape.features, width, "projection");
  add_linear(table, UNKNOWN_HIDDEN, 2 * width, width, "mix");
  for (int l = 0; l < b->layers; l++) {
    char name[24];
    snprintf(name, sizeof name, "hidden.%d", l + 1);
    add_linear(table, UNKNOWN_HIDDEN, width, width, name);
  }
  add_linear(table, UNKNOWN_OUTPUT, width, b->fields, "output");
}

/* The width at which decoder and encoder together are nearest to the graph model. */
static int decoder_width(const backbone *b, const ans_problem *problem) {
  unknown_table factorized = {0};
  add_factorized(b, problem, &factorized);
  size_t target = factorized.size + hypernetwork_graph_size(problem, (code_shape){b->fields, b->layers, b->width});
  size_t nearest = SIZE_MAX;
  int best = 1;
  for (int width = 1; width <= 4 * b->width; width++) {
    unknown_table table = {0};
    add_decoder(b, width, &table);
    size_t size = table.size + hypernetwork_encoder_size(problem, width);
    size_t gap = size > target ? size - target : target - size;
    if (gap >= nearest) break; /* sizes only grow from here */
    nearest = gap;
    best = width;
  }
  return best;
}

/* ---- Formed layers ------------------------------------------------------------------------------------ */

/* Every matrix and bias of the formed block begins at a multiple of 16 reals, that is on a cache line. */
static size_t place(network_shape *shape, size_t count) {
  enum { ALIGNMENT = 16 };
  size_t offset = shape->stream_size;
  shape->stream_size += (count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return offset;
}

static void add_layer(network_shape *shape, int inputs, int outputs, protocol_activation activation, bool bias,
                      bool skip) {
  network_layer *layer = &shape->layers[shape->layer_count++];
  *layer = (network_layer){.inputs = inputs, .outputs = outputs, .activation = activation, .bias = bias, .skip = skip};
  layer->weight_offset = place(shape, (size_t)inputs * (size_t)outputs);
  if (bias) layer->bias_offset = place(shape, (size_t)outputs);
}

static void shape_factorized(backbone *b, protocol_activation activation) {
  b->shape.streams = b->fields;
  b->shape.stream_outputs = 1;
  b->shape.layer_count = 0;
  b->shape.stream_size = 0;
  add_layer(&b->shape, b->shape.features, b->width, activation, true, false);
  for (int l = 0; l < b->layers; l++) {
    if (b->rank[l]) add_layer(&b->shape, b->width, b->rank[l], ACTIVATION_IDENTITY, false, false);
    add_layer(&b->shape, b->rank[l] ? b->rank[l] : b->width, b->width, activation, false, false);
  }
  add_layer(&b->shape, b->width, 1, ACTIVATION_IDENTITY, true, false);
}

static void shape_decoder(backbone *b) {
  b->shape.streams = 1;
  b->shape.stream_outputs = b->fields;
  add_layer(&b->shape, b->shape.features, b->width, ACTIVATION_IDENTITY, true, false);
  add_layer(&b->shape, b->width, b->width, ACTIVATION_SINE, true, false);
  for (int l = 0; l < b->layers; l++) add_layer(&b->shape, b->width, b->width, ACTIVATION_SINE, true, true);
  add_layer(&b->shape, b->width, b->fields, ACTIVATION_IDENTITY, true, false);
}

/* ---- Plan and beginning ------------------------------------------------------------------------------- */

static bool mirrors_agree(const ans_problem *problem) {
  for (int f = 1; f < problem->field_count; f++)
    if (memcmp(problem->fields[f].mirror, problem->fields[0].mirror, sizeof problem->fields[0].mirror) != 0)
      return false;
  return true;
}

ans_status backbone_plan(ans_context *context, const ans_problem *problem, backbone_kind kind, backbone *result) {
  const protocol_network *network = &problem->protocol.network;
  *result = (backbone){.kind = kind,
                       .fields = problem->field_count,
                       .width = network->width,
                       .layers = network->layers,
                       .shared_input = network->shared_input && kind == BACKBONE_FACTORIZED,
                       .threads = 1};
  result->shape.features = plan_features(problem);
  FAIL_IF(network->layers < 1 || network->layers > NETWORK_MAX_LAYERS - 3 || network->width < 1, context,
          ANS_UNSUPPORTED, "a network has 1 to %d hidden layers of at least one unit, not %d of %d",
          NETWORK_MAX_LAYERS - 3, network->layers, network->width);
  FAIL_IF(kind == BACKBONE_DECODER && !mirrors_agree(problem), context, ANS_UNSUPPORTED,
          "the conditional decoder reads the coordinates once for all fields, so the fields must have their hard "
          "slopes at the same ends; write 'soft' after them");
  unknown_table table = {.parts = result->parts, .limit = BACKBONE_MAX_PARTS};
  if (kind == BACKBONE_FACTORIZED) {
    result->codes = (code_shape){result->fields, result->layers, result->width};
    add_factorized(result, problem, &table);
    shape_factorized(result, network->activation);
  } else {
    result->width = decoder_width(result, problem);
    result->codes = (code_shape){1, 1, result->width};
    add_decoder(result, result->width, &table);
    shape_decoder(result);
  }
  result->part_count = table.count;
  result->size = table.size;
  return ANS_OK;
}

/* Two thin layers pay below this many codes; narrow networks gain nothing. */
static int thin_limit(const backbone *b) {
  enum { NARROW = 64 };
  bool room = 2 + 2 * b->layers <= NETWORK_MAX_LAYERS;
  return b->kind == BACKBONE_FACTORIZED && b->width >= NARROW && room ? 9 * b->width / 20 : 0;
}

/* Codes of a layer that are not zero, in the field that has the most. */
static int layer_rank(const backbone *b, const real *codes, int layer) {
  int most = 1;
  for (int f = 0; f < b->fields; f++) {
    const real *s = codes + (size_t)(f * b->layers + layer) * (size_t)b->width;
    int count = 0;
    for (int j = 0; j < b->width; j++) count += s[j] != 0;
    if (count > most) most = count;
  }
  return most;
}

void backbone_thin(const backbone *b, const real *codes, backbone *thin) {
  *thin = *b;
  int limit = thin_limit(b);
  if (limit == 0) return;
  for (int l = 0; l < b->layers; l++) {
    int rank = layer_rank(b, codes, l);
    thin->rank[l] = rank <= limit ? rank : 0;
  }
  shape_factorized(thin, b->shape.layers[0].activation);
}

network_shape backbone_thickest(const backbone *b) {
  backbone thin = *b;
  int limit = thin_limit(b);
  for (int l = 0; l < b->layers; l++) thin.rank[l] = limit;
  if (limit > 0) shape_factorized(&thin, b->shape.layers[0].activation);
  return thin.shape;
}

void backbone_initialise(const backbone *b, uint64_t seed, real *parameters) {
  int inputs = 0;
  for (int p = 0; p < b->part_count; p++) {
    const unknown_part *part = &b->parts[p];
    if (unknown_is_basis(part)) {
      initial_orthogonal(part, seed, RANDOM_BACKBONE, parameters);
      continue;
    }
    if (part->columns) inputs = part->columns; /* a bias follows its weight and shares its bound */
    initial_linear(part, inputs, seed, RANDOM_BACKBONE, parameters);
  }
}
