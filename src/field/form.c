/* SPDX-License-Identifier: Apache-2.0
 *
 * form.c - parameters and codes -> formed weights, the way back, and the penalty on the bases.
 *
 *   W_f = C diag(s_f) R            U_f = C^T dW_f             V_f = dW_f R^T
 *   dR += sum_f diag(s_f) U_f      dC += sum_f V_f diag(s_f)  ds_f = row sums of U_f * R
 *
 * Every product is a task with a result of its own, and sums over fields are taken in the order of the
 * fields, so the number of threads does not matter.
 */
#include "field/backbone.h"

#include <string.h>

#include "base/team.h"
#include "field/thin.h"
#include "numeric/blas.h"
#include "numeric/denormal.h"

/* What the tasks of one call share. */
typedef struct forming {
  const backbone *backbone;
  const real *parameters, *codes, *formed_gradient;
  real *workspace, *formed, *parameter_gradient, *code_gradient;
  double scale, *sums; /* of the penalty */
} forming;

static size_t square(const backbone *b) { return (size_t)b->width * (size_t)b->width; }

size_t backbone_workspace(const backbone *b) {
  if (b->kind == BACKBONE_DECODER) return 0;
  return 2 * (size_t)b->layers * (size_t)b->fields * square(b);
}

/* Parameters in the order of the table: inputs, bases, outputs. */
static size_t input_size(const backbone *b) { return (size_t)b->width * (size_t)(b->shape.features + 1); }
static size_t bases_offset(const backbone *b) { return input_size(b) * (size_t)(b->shared_input ? 1 : b->fields); }
static size_t basis_offset(const backbone *b, int layer, bool right) {
  return bases_offset(b) + (2 * (size_t)layer + right) * square(b);
}
static size_t output_offset(const backbone *b, int field) {
  return basis_offset(b, b->layers, false) + (size_t)field * ((size_t)b->width + 1);
}

/* ---- Plain layers: weight and bias are copied, or their gradients added back. -------------------------- */

static void copy_layer(const network_layer *layer, const real *parameters, real *formed) {
  size_t weights = (size_t)layer->inputs * (size_t)layer->outputs;
  memcpy(formed + layer->weight_offset, parameters, weights * sizeof *formed);
  memcpy(formed + layer->bias_offset, parameters + weights, (size_t)layer->outputs * sizeof *formed);
}

static void add_layer(const network_layer *layer, const real *formed_gradient, real *parameter_gradient) {
  size_t weights = (size_t)layer->inputs * (size_t)layer->outputs;
  for (size_t i = 0; i < weights; i++) parameter_gradient[i] += formed_gradient[layer->weight_offset + i];
  for (int i = 0; i < layer->outputs; i++)
    parameter_gradient[weights + (size_t)i] += formed_gradient[layer->bias_offset + (size_t)i];
}

/* ---- Factorized --------------------------------------------------------------------------------------- */

/* The network's layer that a coded layer begins with; a thin one goes on in the next. */
static const network_layer *coded_layer(const backbone *b, int layer) {
  int at = 1 + layer;
  for (int l = 0; l < layer; l++) at += b->rank[l] > 0;
  return &b->shape.layers[at];
}

static const network_layer *output_layer(const backbone *b) { return &b->shape.layers[b->shape.layer_count - 1]; }

/* scaled [width][width] <- C diag(s) */
static void scale_columns(int width, const real *s, const real *c, real *scaled) {
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++) {
      size_t at = (size_t)i * (size_t)width + (size_t)j;
      scaled[at] = c[at] * s[j];
    }
}

/* weight <- C diag(s) R without the codes that are zero: a ReLU leaves about a third of them, and every other product
 * would add a zero. left, right: of a square each. */
static void form_used(int width, int used, const real *s, const real *c, const real *r, real *left, real *right,
                      real *weight) {
  real *own = right + used * width; /* the codes that are not zero: right has a row for each, and one more at least */
  for (int j = 0, row = 0; j < width; j++) {
    if (s[j] == 0) continue;
    memcpy(right + row * width, r + j * width, (size_t)width * sizeof *right);
    own[row++] = s[j];
  }
  thin_gather(width, used, s, c, left);
  for (int i = 0; i < width; i++)
    for (int n = 0; n < used; n++) left[i * used + n] *= own[n];
  blas_gemm(false, false, width, width, used, 1, left, used, right, width, 0, weight, width);
}

static void form_product(const backbone *b, int field, int layer, const real *parameters, const real *codes,
                         real *workspace, real *formed) {
  int width = b->width, task = field * b->layers + layer;
  const real *c = parameters + basis_offset(b, layer, false), *r = parameters + basis_offset(b, layer, true);
  const real *s = codes + (size_t)task * (size_t)width;
  const network_layer *coded = coded_layer(b, layer);
  real *stream = formed + (size_t)field * b->shape.stream_size, *weight = stream + coded->weight_offset;
  if (b->rank[layer]) {
    thin_form(width, b->rank[layer], s, c, r, weight, stream + coded[1].weight_offset);
    return;
  }
  real *left = workspace + 2 * (size_t)task * square(b), *right = left + square(b);
  int used = 0;
  for (int j = 0; j < width; j++) used += s[j] != 0;
  if (used > 0 && used < width) {
    form_used(width, used, s, c, r, left, right, weight);
    return;
  }
  scale_columns(width, s, c, left);
  blas_gemm(false, false, width, width, width, 1, left, width, r, width, 0, weight, width);
}

static void form_task(void *data, int task, int worker) {
  const forming *job = data;
  const backbone *b = job->backbone;
  (void)worker;
  form_product(b, task / b->layers, task % b->layers, job->parameters, job->codes, job->workspace, job->formed);
}

static void form_factorized(const backbone *b, const real *parameters, const real *codes, real *workspace,
                            real *formed) {
  for (int f = 0; f < b->fields; f++) {
    real *stream = formed + (size_t)f * b->shape.stream_size;
    copy_layer(&b->shape.layers[0], parameters + (b->shared_input ? 0 : (size_t)f * input_size(b)), stream);
    copy_layer(output_layer(b), parameters + output_offset(b, f), stream);
  }
  forming job = {.backbone = b, .parameters = parameters, .codes = codes, .workspace = workspace, .formed = formed};
  team_run(b->threads, b->fields * b->layers, form_task, &job);
}

/* Task 2 i: U of the i-th field and layer; task 2 i + 1: V. */
static void back_product(void *data, int task, int worker) {
  const forming *job = data;
  const backbone *b = job->backbone;
  (void)worker;
  int width = b->width, field = task / 2 / b->layers, layer = task / 2 % b->layers;
  if (b->rank[layer]) return;
  const real *gradient =
      job->formed_gradient + (size_t)field * b->shape.stream_size + coded_layer(b, layer)->weight_offset;
  real *out = job->workspace + (size_t)task * square(b);
  const real *basis = job->parameters + basis_offset(b, layer, task % 2);
  if (task % 2)
    blas_gemm(false, true, width, width, width, 1, gradient, width, basis, width, 0, out, width);
  else
    blas_gemm(true, false, width, width, width, 1, basis, width, gradient, width, 0, out, width);
}

/* dR += diag(s) U and ds = row sums of U * R, for every field in turn. */
static void back_right(const forming *job, int layer) {
  const backbone *b = job->backbone;
  size_t width = (size_t)b->width;
  const real *r = job->parameters + basis_offset(b, layer, true);
  real *dr = job->parameter_gradient + basis_offset(b, layer, true);
  for (int f = 0; f < b->fields; f++) {
    size_t pair = (size_t)(f * b->layers + layer);
    const real *u = job->workspace + 2 * pair * square(b), *s = job->codes + pair * width;
    const real *stream = job->formed_gradient + (size_t)f * b->shape.stream_size;
    if (b->rank[layer]) {
      thin_back_right(b->width, s, r, stream + coded_layer(b, layer)->weight_offset, dr,
                      job->code_gradient + pair * width);
      continue;
    }
    for (size_t i = 0; i < width; i++) {
      for (size_t j = 0; j < width; j++) dr[i * width + j] += s[i] * u[i * width + j];
      job->code_gradient[pair * width + i] = real_dot(u + i * width, r + i * width, width);
    }
  }
}

/* dC += V diag(s), for every field in turn. */
static void back_left(const forming *job, int layer) {
  const backbone *b = job->backbone;
  size_t width = (size_t)b->width;
  real *dc = job->parameter_gradient + basis_offset(b, layer, false);
  for (int f = 0; f < b->fields; f++) {
    size_t pair = (size_t)(f * b->layers + layer);
    const real *v = job->workspace + (2 * pair + 1) * square(b), *s = job->codes + pair * width;
    const real *stream = job->formed_gradient + (size_t)f * b->shape.stream_size;
    if (b->rank[layer]) {
      thin_back_left(b->width, b->rank[layer], s, stream + coded_layer(b, layer)[1].weight_offset, dc);
      continue;
    }
    for (size_t i = 0; i < width; i++)
      for (size_t j = 0; j < width; j++) dc[i * width + j] += v[i * width + j] * s[j];
  }
}

/* Task 2 l: the right basis of layer l and its codes; task 2 l + 1: the left one. */
static void back_sums(void *data, int task, int worker) {
  (void)worker;
  if (task % 2)
    back_left(data, task / 2);
  else
    back_right(data, task / 2);
}

static void back_factorized(const backbone *b, const real *parameters, const real *codes, const real *formed_gradient,
                            real *workspace, real *parameter_gradient, real *code_gradient) {
  for (int f = 0; f < b->fields; f++) {
    const real *stream = formed_gradient + (size_t)f * b->shape.stream_size;
    add_layer(&b->shape.layers[0], stream, parameter_gradient + (b->shared_input ? 0 : (size_t)f * input_size(b)));
    add_layer(output_layer(b), stream, parameter_gradient + output_offset(b, f));
  }
  forming job = {.backbone = b,
                 .parameters = parameters,
                 .codes = codes,
                 .formed_gradient = formed_gradient,
                 .workspace = workspace,
                 .parameter_gradient = parameter_gradient,
                 .code_gradient = code_gradient};
  unsigned before = denormals_off();
  team_run(b->threads, 2 * b->fields * b->layers, back_product, &job);
  team_run(b->threads, 2 * b->layers, back_sums, &job);
  denormals_restore(before);
}

/* ---- Decoder: the latent's half of "mix" becomes a bias ------------------------------------------------ */

static size_t mix_offset(const backbone *b) { return input_size(b); }
static size_t hidden_offset(const backbone *b) { return mix_offset(b) + (size_t)b->width * (2 * (size_t)b->width + 1); }

static void form_decoder(const backbone *b, const real *parameters, const real *latent, real *formed) {
  size_t width = (size_t)b->width;
  const real *mix = parameters + mix_offset(b), *bias = mix + 2 * width * width;
  const network_layer *layer = &b->shape.layers[1];
  copy_layer(&b->shape.layers[0], parameters, formed);
  for (size_t i = 0; i < width; i++)
    memcpy(formed + layer->weight_offset + i * width, mix + 2 * i * width, width * sizeof *formed);
  memcpy(formed + layer->bias_offset, bias, width * sizeof *formed);
  blas_gemv(false, b->width, b->width, 1, mix + width, 2 * b->width, latent, 1, formed + layer->bias_offset);
  const real *next = parameters + hidden_offset(b);
  for (int l = 2; l < b->shape.layer_count; l++) {
    layer = &b->shape.layers[l];
    copy_layer(layer, next, formed);
    next += (size_t)layer->outputs * ((size_t)layer->inputs + 1);
  }
}

static void back_decoder(const backbone *b, const real *parameters, const real *latent, const real *formed_gradient,
                         real *parameter_gradient, real *code_gradient) {
  size_t width = (size_t)b->width;
  const real *mix = parameters + mix_offset(b);
  real *mix_gradient = parameter_gradient + mix_offset(b), *bias_gradient = mix_gradient + 2 * width * width;
  const network_layer *layer = &b->shape.layers[1];
  const real *weight = formed_gradient + layer->weight_offset, *bias = formed_gradient + layer->bias_offset;
  add_layer(&b->shape.layers[0], formed_gradient, parameter_gradient);
  for (size_t i = 0; i < width; i++) {
    for (size_t j = 0; j < width; j++) {
      mix_gradient[2 * i * width + j] += weight[i * width + j];
      mix_gradient[(2 * i + 1) * width + j] += bias[i] * latent[j];
    }
    bias_gradient[i] += bias[i];
  }
  memset(code_gradient, 0, width * sizeof *code_gradient); /* whatever stood there, even NaN */
  blas_gemv(true, b->width, b->width, 1, mix + width, 2 * b->width, bias, 1, code_gradient);
  real *next = parameter_gradient + hidden_offset(b);
  for (int l = 2; l < b->shape.layer_count; l++) {
    layer = &b->shape.layers[l];
    add_layer(layer, formed_gradient, next);
    next += (size_t)layer->outputs * ((size_t)layer->inputs + 1);
  }
}

/* ---- The door ----------------------------------------------------------------------------------------- */

void backbone_form(const backbone *b, const real *parameters, const real *codes, real *workspace, real *formed) {
  if (b->kind == BACKBONE_FACTORIZED)
    form_factorized(b, parameters, codes, workspace, formed);
  else
    form_decoder(b, parameters, codes, formed);
}

void backbone_form_backward(const backbone *b, const real *parameters, const real *codes, const real *formed_gradient,
                            real *workspace, real *parameter_gradient, real *code_gradient) {
  if (b->kind == BACKBONE_FACTORIZED)
    back_factorized(b, parameters, codes, formed_gradient, workspace, parameter_gradient, code_gradient);
  else
    back_decoder(b, parameters, codes, formed_gradient, parameter_gradient, code_gradient);
}

/* E = B B^T - I for one basis; returns ||E||_F^2 and adds 4 scale E B to the gradient. */
static double basis_penalty(int width, const real *basis, double scale, real *workspace, real *gradient) {
  blas_gemm(false, true, width, width, width, 1, basis, width, basis, width, 0, workspace, width);
  double sum = 0;
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++) {
      real *e = &workspace[(size_t)i * (size_t)width + (size_t)j];
      if (i == j) *e -= 1;
      sum += (double)*e * (double)*e;
    }
  if (gradient)
    blas_gemm(false, false, width, width, width, (real)(4 * scale), workspace, width, basis, width, 1, gradient, width);
  return sum;
}

static void penalty_task(void *data, int i, int worker) {
  const forming *job = data;
  const backbone *b = job->backbone;
  size_t offset = basis_offset(b, i / 2, i % 2);
  (void)worker;
  job->sums[i] = basis_penalty(b->width, job->parameters + offset, job->scale, job->workspace + (size_t)i * square(b),
                               job->parameter_gradient ? job->parameter_gradient + offset : NULL);
}

double backbone_penalty(const backbone *b, const real *parameters, double weight, real *workspace,
                        real *parameter_gradient) {
  if (b->kind == BACKBONE_DECODER || weight == 0) return 0;
  double scale = weight / ((double)b->width * b->width), sums[2 * NETWORK_MAX_LAYERS];
  forming job = {.backbone = b,
                 .parameters = parameters,
                 .workspace = workspace,
                 .parameter_gradient = parameter_gradient,
                 .scale = scale,
                 .sums = sums};
  team_run(b->threads, 2 * b->layers, penalty_task, &job);
  double total = 0;
  for (int i = 0; i < 2 * b->layers; i++) total += sums[i];
  return scale * total;
}
