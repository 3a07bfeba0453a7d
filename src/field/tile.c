/* SPDX-License-Identifier: Apache-2.0
 *
 * tile.c - see tile.h. Within a tile the products run over groups of points whose rows stay in the
 * first-level cache until their activation is done.
 */
#include "field/tile.h"

#include <assert.h>
#include <string.h>

_Static_assert((int)KERNEL_TANH == (int)ACTIVATION_TANH && (int)KERNEL_RELU == (int)ACTIVATION_RELU &&
                   (int)KERNEL_IDENTITY == (int)ACTIVATION_IDENTITY,
               "activations have the same numbers in both lists");

/* Rows of a group: at least so many, if possible a multiple of what a register tile holds, and no more than MOST. */
enum { GROUP_ROWS = 24, GROUP_MULTIPLE = 6, GROUP_MOST = 42 };

static size_t take(size_t *total, size_t count) {
  size_t place = *total, align = (size_t)KERNEL_ALIGN;
  *total += (count + align - 1) / align * align;
  return place;
}

static void plan_layer(const network_layer *from, bool last, size_t rows, tile_plan *plan, tile_layer *layer) {
  assert(from->inputs > 0 && from->outputs > 0 && rows > 0);
  *layer = (tile_layer){.activation = (kernel_activation)from->activation,
                        .inputs = from->inputs,
                        .outputs = from->outputs,
                        .input_stride = kernel_stride(from->inputs),
                        .output_stride = kernel_stride(from->outputs),
                        .bias = from->bias,
                        .skip = from->skip,
                        .narrow = last,
                        .plain = !last && from->activation == ACTIVATION_IDENTITY && !from->bias && !from->skip,
                        .turned = !last && from->inputs < from->outputs};
  size_t in = (size_t)from->inputs, out = (size_t)from->outputs, in_row = (size_t)layer->input_stride;
  size_t gradient = layer->turned ? in * (size_t)layer->output_stride : out * in_row;
  layer->packed_forward = take(&plan->packed_stream, last ? out * in_row : in * (size_t)kernel_padded(from->outputs));
  layer->packed_backward = take(&plan->packed_stream, last ? 0 : out * (size_t)kernel_padded(from->inputs));
  layer->packed_bias = take(&plan->packed_stream, out);
  layer->gradient_weight = take(&plan->gradient_stream, gradient);
  layer->gradient_bias = take(&plan->gradient_stream, out);
  layer->z = take(&plan->work_stream, last ? rows * out : rows * (size_t)layer->output_stride);
  layer->y = layer->plain ? layer->z : take(&plan->work_stream, last ? 0 : rows * (size_t)layer->output_stride);
}

bool tile_plan_make(const network_shape *shape, int rows, tile_plan *plan) {
  int count = shape->layer_count, widest = 0;
  memset(plan, 0, sizeof *plan);
  if (count < 1 || count > NETWORK_MAX_LAYERS || shape->layers[0].inputs != shape->features) return false;
  const network_layer *end = &shape->layers[count - 1];
  if (end->activation != ACTIVATION_IDENTITY || end->skip || end->outputs != shape->stream_outputs) return false;
  plan->kernels = kernels_chosen();
  assert(rows > 0 && shape->streams > 0 && plan->kernels);
  plan->shape = *shape;
  plan->rows = rows;
  plan->layer_count = count;
  plan->features = take(&plan->work_stream, (size_t)rows * (size_t)kernel_stride(shape->features));
  for (int l = 0; l < count; l++) {
    const network_layer *layer = &shape->layers[l];
    if ((layer->skip && layer->inputs != layer->outputs) || (l > 0 && layer->inputs != shape->layers[l - 1].outputs))
      return false;
    plan_layer(layer, l == count - 1, (size_t)rows, plan, &plan->layers[l]);
    if (plan->layers[l].input_stride > widest) widest = plan->layers[l].input_stride;
  }
  plan->packed_size = plan->packed_stream * (size_t)shape->streams;
  plan->gradient_size = plan->gradient_stream * (size_t)shape->streams;
  plan->work_size = plan->work_stream * (size_t)shape->streams;
  for (int i = 0; i < 2; i++) plan->scratch[i] = take(&plan->work_size, (size_t)rows * (size_t)widest);
  return true;
}

int tile_pack_items(const tile_plan *plan) { return plan->shape.streams * plan->layer_count; }

void tile_pack_forward(const tile_plan *plan, const real *formed, int item, real *packed) {
  assert(item >= 0 && item < tile_pack_items(plan) && formed && packed);
  int stream = item / plan->layer_count, l = item % plan->layer_count;
  const tile_layer *layer = &plan->layers[l];
  const network_layer *source = &plan->shape.layers[l];
  const real *from = formed + (size_t)stream * plan->shape.stream_size, *weight = from + source->weight_offset;
  real *to = packed + (size_t)stream * plan->packed_stream;
  if (layer->narrow) {
    for (int o = 0; o < layer->outputs; o++)
      memcpy(to + layer->packed_forward + (size_t)o * (size_t)layer->input_stride,
             weight + (size_t)o * (size_t)layer->inputs, (size_t)layer->inputs * sizeof *to);
  } else {
    plan->kernels->pack(weight, layer->inputs, true, layer->inputs, layer->outputs, to + layer->packed_forward);
  }
  if (layer->bias) memcpy(to + layer->packed_bias, from + source->bias_offset, (size_t)layer->outputs * sizeof *to);
}

void tile_pack(const tile_plan *plan, const real *formed, int item, real *packed) {
  int stream = item / plan->layer_count, l = item % plan->layer_count;
  const tile_layer *layer = &plan->layers[l];
  tile_pack_forward(plan, formed, item, packed);
  if (layer->narrow || l == 0) return;
  plan->kernels->pack(formed + (size_t)stream * plan->shape.stream_size + plan->shape.layers[l].weight_offset,
                      layer->inputs, false, layer->outputs, layer->inputs,
                      packed + (size_t)stream * plan->packed_stream + layer->packed_backward);
}

real *tile_features(const tile_plan *plan, int stream, real *work) {
  assert(stream >= 0 && stream < plan->shape.streams);
  return work + (size_t)stream * plan->work_stream + plan->features;
}

real *tile_output(const tile_plan *plan, int stream, real *work) {
  assert(stream >= 0 && stream < plan->shape.streams);
  return work + (size_t)stream * plan->work_stream + plan->layers[plan->layer_count - 1].z;
}

/* The rows a layer reads. */
static real *layer_input(const tile_plan *plan, int l, real *stream_work) {
  assert(l >= 0 && l < plan->layer_count);
  return stream_work + (l == 0 ? plan->features : plan->layers[l - 1].y);
}

static int group_points(int channels) {
  assert(channels > 0);
  int least = GROUP_ROWS / channels;
  for (int points = least > 0 ? least : 1; points * channels <= GROUP_MOST; points++)
    if (points * channels % GROUP_MULTIPLE == 0) return points;
  return least > 0 ? least : 1;
}

static void dense_forward(const tile_plan *plan, const tile_layer *layer, const real *packed, const kernel_rule *rule,
                          int points, const real *input, real *work) {
  assert(!layer->narrow && points > 0);
  int group = group_points(rule->channels);
  const real *bias = layer->bias ? packed + layer->packed_bias : NULL;
  for (int p = 0; p < points; p += group) {
    int now = points - p < group ? points - p : group;
    ptrdiff_t row = (ptrdiff_t)p * rule->channels;
    const real *in = input + row * layer->input_stride;
    real *z = work + layer->z + row * layer->output_stride, *y = work + layer->y + row * layer->output_stride;
    plan->kernels->product(now * rule->channels, layer->inputs, layer->outputs, in, layer->input_stride,
                           packed + layer->packed_forward, false, z, layer->output_stride);
    if (layer->plain) continue;
    plan->kernels->activate(layer->activation, rule, now, kernel_padded(layer->outputs), z, bias,
                            layer->skip ? in : NULL, y, layer->output_stride);
  }
}

static void narrow_forward(const tile_plan *plan, const tile_layer *layer, const real *packed, int rows, int channels,
                           const real *input, real *z) {
  assert(layer->narrow && rows % channels == 0);
  plan->kernels->narrow(rows, layer->outputs, layer->inputs, input, layer->input_stride, packed + layer->packed_forward,
                        layer->input_stride, z);
  if (!layer->bias) return;
  for (int row = 0; row < rows; row += channels)
    for (int o = 0; o < layer->outputs; o++) z[row * layer->outputs + o] += packed[layer->packed_bias + (size_t)o];
}

void tile_forward(const tile_plan *plan, const real *packed, const kernel_rule *rule, int stream, int points,
                  real *work) {
  assert(stream >= 0 && stream < plan->shape.streams && points > 0 && points * rule->channels <= plan->rows);
  const real *weights = packed + (size_t)stream * plan->packed_stream;
  real *own = work + (size_t)stream * plan->work_stream;
  for (int l = 0; l < plan->layer_count; l++) {
    const tile_layer *layer = &plan->layers[l];
    const real *input = layer_input(plan, l, own);
    if (layer->narrow)
      narrow_forward(plan, layer, weights, points * rule->channels, rule->channels, input, own + layer->z);
    else
      dense_forward(plan, layer, weights, rule, points, input, own);
  }
}

/* Where gradients of weights go: summed in an accumulator, or shown to a sink. */
typedef struct destination {
  bool add;
  real *gradient; /* of one stream; NULL: the sink */
  tile_sink *sink;
  void *data;
} destination;

static void narrow_reverse(const tile_plan *plan, const tile_layer *layer, const real *packed, int rows, int channels,
                           const destination *to, const real *input, const real *gz, real *down) {
  assert(layer->narrow && rows % channels == 0 && (to->gradient || to->sink));
  plan->kernels->narrow_backward(rows, layer->outputs, layer->inputs, gz, input, layer->input_stride,
                                 packed + layer->packed_forward, layer->input_stride, to->add, down,
                                 layer->input_stride, to->gradient ? to->gradient + layer->gradient_weight : NULL);
  if (!to->gradient) {
    to->sink(to->data, plan->layer_count - 1, gz, input);
    return;
  }
  for (int o = 0; o < layer->outputs; o++) {
    real *bias = to->gradient + layer->gradient_bias + (size_t)o, sum = to->add ? *bias : REAL(0.0);
    for (int row = 0; row < rows; row += channels) sum += gz[row * layer->outputs + o];
    *bias = sum;
  }
}

/* g: gradient of y in, of z out. below <- gradient of the layer's input, unless it is the first. */
static void dense_reverse(const tile_plan *plan, int l, const real *packed, const kernel_rule *rule, int points,
                          const destination *to, const real *input, const real *work, real *g, real *below) {
  assert(l >= 0 && l < plan->layer_count - 1 && (to->gradient || to->sink) && g != below);
  const tile_layer *layer = &plan->layers[l];
  int group = group_points(rule->channels), rows = points * rule->channels;
  real *bias = to->gradient && layer->bias ? to->gradient + layer->gradient_bias : NULL;
  for (int p = 0; p < points; p += group) {
    int now = points - p < group ? points - p : group, now_rows = now * rule->channels;
    ptrdiff_t row = (ptrdiff_t)p * rule->channels, at = row * layer->output_stride;
    const real *in = layer->skip ? input + row * layer->input_stride : NULL;
    real *group_g = g + at, *down = l > 0 ? below + row * layer->input_stride : NULL;
    if (layer->skip && down) memcpy(down, group_g, (size_t)now_rows * (size_t)layer->output_stride * sizeof *g);
    if (!layer->plain)
      plan->kernels->activate_backward(layer->activation, rule, now, kernel_padded(layer->outputs),
                                       work + layer->z + at, work + layer->y + at, in, to->add || p > 0, group_g, bias,
                                       layer->output_stride);
    if (down)
      plan->kernels->product(now_rows, layer->outputs, layer->inputs, group_g, layer->output_stride,
                             packed + layer->packed_backward, layer->skip, down, layer->input_stride);
  }
  if (!to->gradient)
    to->sink(to->data, l, g, input);
  else if (layer->turned)
    plan->kernels->outer(rows, layer->inputs, layer->outputs, input, layer->input_stride, g, layer->output_stride,
                         to->add, to->gradient + layer->gradient_weight, layer->output_stride);
  else
    plan->kernels->outer(rows, layer->outputs, layer->inputs, g, layer->output_stride, input, layer->input_stride,
                         to->add, to->gradient + layer->gradient_weight, layer->input_stride);
}

static void reverse(const tile_plan *plan, const real *packed, const kernel_rule *rule, int stream, int points,
                    real *work, const destination *to) {
  assert(stream >= 0 && stream < plan->shape.streams && points > 0 && points * rule->channels <= plan->rows);
  const real *weights = packed + (size_t)stream * plan->packed_stream;
  real *own = work + (size_t)stream * plan->work_stream, *g = work + plan->scratch[0], *below = work + plan->scratch[1];
  int last = plan->layer_count - 1;
  narrow_reverse(plan, &plan->layers[last], weights, points * rule->channels, rule->channels, to,
                 layer_input(plan, last, own), own + plan->layers[last].z, g);
  for (int l = last - 1; l >= 0; l--) {
    dense_reverse(plan, l, weights, rule, points, to, layer_input(plan, l, own), own, g, below);
    real *swap = g;
    g = below;
    below = swap;
  }
}

void tile_backward(const tile_plan *plan, const real *packed, const kernel_rule *rule, int stream, int points, bool add,
                   real *work, real *accumulator) {
  destination to = {.add = add, .gradient = accumulator + (size_t)stream * plan->gradient_stream};
  reverse(plan, packed, rule, stream, points, work, &to);
}

void tile_backward_each(const tile_plan *plan, const real *packed, const kernel_rule *rule, int stream, int points,
                        real *work, tile_sink *sink, void *data) {
  destination to = {.sink = sink, .data = data};
  reverse(plan, packed, rule, stream, points, work, &to);
}

/* row [count] <- scale * sum over accumulators of what stands `at` */
static void sum_row(int count, int accumulator_count, const real *const *accumulators, size_t at, real scale,
                    real *row) {
  assert(count > 0 && accumulator_count > 0);
  for (int i = 0; i < count; i++) row[i] = accumulators[0][at + (size_t)i];
  for (int c = 1; c < accumulator_count; c++)
    for (int i = 0; i < count; i++) row[i] += accumulators[c][at + (size_t)i];
  for (int i = 0; i < count; i++) row[i] *= scale;
}

/* The same into a column: to[0], to[step], ... */
static void sum_column(int count, int accumulator_count, const real *const *accumulators, size_t at, real scale,
                       real *to, size_t step) {
  enum { PART = 64 };
  assert(count > 0 && step > 0);
  real part[PART];
  for (int first = 0; first < count; first += PART) {
    int length = count - first < PART ? count - first : PART;
    sum_row(length, accumulator_count, accumulators, at + (size_t)first, scale, part);
    for (int i = 0; i < length; i++) to[(size_t)(first + i) * step] = part[i];
  }
}

void tile_unpack(const tile_plan *plan, int count, const real *const *accumulators, real scale, int item,
                 real *gradient) {
  assert(item >= 0 && item < tile_pack_items(plan) && count > 0);
  int stream = item / plan->layer_count, l = item % plan->layer_count;
  const tile_layer *layer = &plan->layers[l];
  const network_layer *target = &plan->shape.layers[l];
  real *to = gradient + (size_t)stream * plan->shape.stream_size, *weight = to + target->weight_offset;
  size_t base = (size_t)stream * plan->gradient_stream, from = base + layer->gradient_weight;
  size_t inputs = (size_t)layer->inputs;
  if (layer->turned)
    for (int i = 0; i < layer->inputs; i++)
      sum_column(layer->outputs, count, accumulators, from + (size_t)i * (size_t)layer->output_stride, scale,
                 weight + i, inputs);
  else
    for (int o = 0; o < layer->outputs; o++)
      sum_row(layer->inputs, count, accumulators, from + (size_t)o * (size_t)layer->input_stride, scale,
              weight + (size_t)o * inputs);
  if (layer->bias)
    sum_row(layer->outputs, count, accumulators, base + layer->gradient_bias, scale, to + target->bias_offset);
}
