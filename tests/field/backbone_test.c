/* SPDX-License-Identifier: Apache-2.0
 *
 * Forming weights and the way back. Formed weights are polynomials of degree three in (C, s, R), and the
 * penalty is one of degree four, so that a five-point difference with large steps is exact.
 */
#include "check.h"

#include "codes/families.h"
#include "field/backbone.h"

typedef struct bench {
  ans_context *context;
  made made;
  backbone b;
  size_t formed_size, codes_size;
  real *parameters, *codes, *formed, *workspace;
} bench;

static real *random_reals(uint32_t part, size_t count) {
  random_stream stream = random_open(11, RANDOM_TEST, 0, part);
  real *values = malloc((count + 1) * sizeof *values);
  for (size_t i = 0; i < count; i++) values[i] = (real)random_between(&stream, -1, 1);
  return values;
}

static void open_bench(bench *k, families_maker family, backbone_kind kind, int width, bool shared_input) {
  k->context = new_context();
  family(&k->made);
  if (width) k->made.problem.protocol.network.width = width;
  k->made.problem.protocol.network.shared_input = shared_input;
  assert_ok(k->context, backbone_plan(k->context, &k->made.problem, kind, &k->b));
  k->formed_size = network_size(&k->b.shape);
  k->codes_size = code_count(k->b.codes);
  k->parameters = malloc(k->b.size * sizeof(real));
  k->workspace = malloc((backbone_workspace(&k->b) + 1) * sizeof(real));
  k->formed = calloc(k->formed_size, sizeof(real));
  k->codes = random_reals(1, k->codes_size);
  backbone_initialise(&k->b, 101, k->parameters);
}

static void close_bench(bench *k) {
  free(k->parameters);
  free(k->workspace);
  free(k->formed);
  free(k->codes);
  ans_context_free(k->context);
}

static const struct {
  families_maker family;
  backbone_kind kind;
  int width;
  bool shared_input;
} settings[] = {{families_fisher, BACKBONE_FACTORIZED, 0, false}, {families_fisher, BACKBONE_DECODER, 0, false},
                {families_cdr, BACKBONE_FACTORIZED, 40, false},   {families_cdr, BACKBONE_DECODER, 40, false},
                {families_ccp, BACKBONE_FACTORIZED, 17, true},    {families_ccp, BACKBONE_FACTORIZED, 17, false}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void open_setting(bench *k, int i) {
  open_bench(k, settings[i].family, settings[i].kind, settings[i].width, settings[i].shared_input);
}

static const real *part_values(const bench *k, const char *name) {
  for (int i = 0; i < k->b.part_count; i++)
    if (strcmp(k->b.parts[i].name, name) == 0) return k->parameters + k->b.parts[i].offset;
  fail_msg("no part is called %s", name);
  return NULL;
}

/* ---- Values ------------------------------------------------------------------------------------------- */

static void check_plain(const bench *k, int stream, int layer, const char *name) {
  const network_layer *l = &k->b.shape.layers[layer];
  const real *formed = k->formed + (size_t)stream * k->b.shape.stream_size;
  char text[40];
  snprintf(text, sizeof text, "%s.weight", name);
  assert_memory_equal(formed + l->weight_offset, part_values(k, text),
                      (size_t)l->inputs * (size_t)l->outputs * sizeof(real));
  snprintf(text, sizeof text, "%s.bias", name);
  assert_memory_equal(formed + l->bias_offset, part_values(k, text), (size_t)l->outputs * sizeof(real));
}

static void factorized_weights_are_the_products(void **state) {
  (void)state;
  bench k;
  open_bench(&k, families_fisher, BACKBONE_FACTORIZED, 0, false);
  assert_int_equal(k.b.size, 57410);
  assert_int_equal(k.b.shape.features, 9);
  assert_int_equal(k.b.shape.layer_count, 5);
  backbone_form(&k.b, k.parameters, k.codes, k.workspace, k.formed);
  for (int f = 0; f < 2; f++) {
    check_plain(&k, f, 0, f ? "input.v" : "input.u");
    check_plain(&k, f, 4, f ? "output.v" : "output.u");
    for (int layer = 0; layer < 3; layer++) {
      char left[16], right[16];
      snprintf(left, sizeof left, "basis.%d.C", layer + 1);
      snprintf(right, sizeof right, "basis.%d.R", layer + 1);
      const real *c = part_values(&k, left), *r = part_values(&k, right), *s = k.codes + (f * 3 + layer) * 96;
      const real *w = k.formed + (size_t)f * k.b.shape.stream_size + k.b.shape.layers[layer + 1].weight_offset;
      assert_false(k.b.shape.layers[layer + 1].bias);
      for (int i = 0; i < 96; i += 5)
        for (int j = 0; j < 96; j++) {
          double sum = 0;
          for (int m = 0; m < 96; m++) sum += (double)c[i * 96 + m] * (double)s[m] * (double)r[m * 96 + j];
          assert_near(w[i * 96 + j], sum, 8 * REAL_EPSILON);
        }
    }
  }
  close_bench(&k);
}

/* The first sine layer is the latent layer: W [h; z] + b = W_h h + (b + W_z z). */
static void decoder_folds_the_latent_into_a_bias(void **state) {
  (void)state;
  bench k;
  open_bench(&k, families_fisher, BACKBONE_DECODER, 0, false);
  assert_int_equal(k.b.size, 34934);
  assert_int_equal(k.b.shape.streams, 1);
  assert_int_equal(k.b.shape.stream_outputs, 2);
  backbone_form(&k.b, k.parameters, k.codes, k.workspace, k.formed);
  check_plain(&k, 0, 0, "projection");
  check_plain(&k, 0, 2, "hidden.1");
  check_plain(&k, 0, 4, "hidden.3");
  check_plain(&k, 0, 5, "output");
  const network_layer *l = &k.b.shape.layers[1];
  const real *mix = part_values(&k, "mix.weight"), *bias = part_values(&k, "mix.bias");
  for (int i = 0; i < 82; i++) {
    double sum = (double)bias[i];
    for (int j = 0; j < 82; j++) sum += (double)mix[i * 164 + 82 + j] * (double)k.codes[j];
    assert_near(k.formed[l->bias_offset + (size_t)i], sum, 16 * REAL_EPSILON);
    assert_memory_equal(k.formed + l->weight_offset + i * 82, mix + i * 164, 82 * sizeof(real));
  }
  static const bool skips[] = {false, false, true, true, true, false};
  for (int i = 0; i < 6; i++) {
    assert_int_equal(k.b.shape.layers[i].skip, skips[i]);
    assert_int_equal(k.b.shape.layers[i].activation, i == 0 || i == 5 ? ACTIVATION_IDENTITY : ACTIVATION_SINE);
  }
  close_bench(&k);
}

static void formed_parts_do_not_overlap(void **state) {
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    bench k;
    open_setting(&k, i);
    size_t end = 0, counted = 0;
    for (int l = 0; l < k.b.shape.layer_count; l++) {
      const network_layer *layer = &k.b.shape.layers[l];
      assert_int_equal(layer->inputs, l ? k.b.shape.layers[l - 1].outputs : k.b.shape.features);
      assert_true(layer->weight_offset >= end && layer->weight_offset % 16 == 0);
      end = layer->weight_offset + (size_t)layer->inputs * (size_t)layer->outputs;
      if (!layer->bias) continue;
      assert_true(layer->bias_offset >= end && layer->bias_offset % 16 == 0);
      end = layer->bias_offset + (size_t)layer->outputs;
    }
    assert_true(k.b.shape.stream_size >= end && k.b.shape.stream_size % 16 == 0);
    for (int p = 0; p < k.b.part_count; p++) {
      assert_int_equal(k.b.parts[p].offset, counted);
      counted += unknown_count(&k.b.parts[p]);
    }
    assert_int_equal(counted, k.b.size);
    close_bench(&k);
  }
}

/* ---- Gradients ---------------------------------------------------------------------------------------- */

typedef double (*function)(bench *bench, const real *parameters, const real *codes, const real *weights);

static double formed_sum(bench *k, const real *parameters, const real *codes, const real *weights) {
  double sum = 0;
  backbone_form(&k->b, parameters, codes, k->workspace, k->formed);
  for (size_t i = 0; i < k->formed_size; i++) sum += (double)weights[i] * (double)k->formed[i];
  return sum;
}

static double penalty_sum(bench *k, const real *parameters, const real *codes, const real *weights) {
  (void)codes, (void)weights;
  return backbone_penalty(&k->b, parameters, 3.0, k->workspace, NULL);
}

/* d/dh at 0 along (p, c), exact for polynomials of degree four. */
static double derivative(bench *k, function f, const real *p, const real *c, const real *weights) {
  static const double places[4] = {-2, -1, 1, 2}, factors[4] = {1, -8, 8, -1};
  const double h = 0.25;
  real *parameters = malloc(k->b.size * sizeof(real)), *codes = malloc(k->codes_size * sizeof(real));
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    for (size_t j = 0; j < k->b.size; j++)
      parameters[j] = (real)((double)k->parameters[j] + places[i] * h * (double)p[j]);
    for (size_t j = 0; j < k->codes_size; j++) codes[j] = (real)((double)k->codes[j] + places[i] * h * (double)c[j]);
    sum += factors[i] * f(k, parameters, codes, weights);
  }
  free(parameters);
  free(codes);
  return sum / (12 * h);
}

static double dot(const real *a, const real *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
  return sum;
}

static double gradient_tolerance(void) { return ANS_PRECISION == 64 ? 1e-12 : 1e-4; }

/* Only the numbers of one part move (and the codes, for part -1): every gradient is compared on its own. */
static void check_direction(bench *k, int part, const real *weights, const real *gradient, const real *code_gradient) {
  real *p = random_reals(20, k->b.size), *c = random_reals(21, k->codes_size);
  for (int i = 0; i < k->b.part_count; i++)
    if (i != part) memset(p + k->b.parts[i].offset, 0, unknown_count(&k->b.parts[i]) * sizeof *p);
  if (part >= 0) memset(c, 0, k->codes_size * sizeof *c);
  double difference = derivative(k, formed_sum, p, c, weights);
  double slope = dot(p, gradient, k->b.size) + dot(c, code_gradient, k->codes_size);
  double scale = sqrt(dot(p, p, k->b.size) + dot(c, c, k->codes_size)) * sqrt(dot(weights, weights, k->formed_size));
  assert_true(slope != 0);
  assert_near(slope / scale, difference / scale, gradient_tolerance());
  free(p);
  free(c);
}

static void form_gradients_match_differences(void **state) {
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    bench k;
    open_setting(&k, i);
    real *weights = random_reals(2, k.formed_size), *gradient = calloc(k.b.size, sizeof(real));
    real *code_gradient = malloc(k.codes_size * sizeof(real));
    for (size_t j = 0; j < k.codes_size; j++) code_gradient[j] = (real)NAN; /* assigned, not added to */
    for (size_t j = 0; j < backbone_workspace(&k.b); j++) k.workspace[j] = (real)NAN;
    backbone_form_backward(&k.b, k.parameters, k.codes, weights, k.workspace, gradient, code_gradient);
    for (int part = -1; part < k.b.part_count; part++) check_direction(&k, part, weights, gradient, code_gradient);
    real first = gradient[0];
    backbone_form_backward(&k.b, k.parameters, k.codes, weights, k.workspace, gradient, code_gradient);
    assert_near(gradient[0], 2 * first, 1e-6);
    free(weights);
    free(gradient);
    free(code_gradient);
    close_bench(&k);
  }
}

static void penalty_measures_orthogonality(void **state) {
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    bench k;
    open_setting(&k, i);
    real *gradient = calloc(k.b.size, sizeof(real)), *direction = random_reals(4, k.b.size),
         *none = calloc(k.codes_size, sizeof(real));
    double start = backbone_penalty(&k.b, k.parameters, 3.0, k.workspace, gradient);
    assert_near(start, 0, 100 * REAL_EPSILON * REAL_EPSILON);
    for (size_t j = 0; j < k.b.size; j++) k.parameters[j] += direction[j] / 8;
    memset(gradient, 0, k.b.size * sizeof *gradient);
    double penalty = backbone_penalty(&k.b, k.parameters, 3.0, k.workspace, gradient);
    double slope = dot(direction, gradient, k.b.size), difference = derivative(&k, penalty_sum, direction, none, NULL);
    if (k.b.kind == BACKBONE_DECODER)
      assert_true(penalty == 0 && slope == 0);
    else
      assert_true(penalty > 1e-4 && fabs(slope - difference) <= 10 * gradient_tolerance() * fabs(slope));
    free(gradient);
    free(direction);
    free(none);
    close_bench(&k);
  }
}

/* ||B B^T - I||_F^2 / width^2 of B = 2 I is 9 / width. */
static void penalty_has_its_value(void **state) {
  (void)state;
  bench k;
  open_bench(&k, families_cdr, BACKBONE_FACTORIZED, 10, false);
  for (int p = 0; p < k.b.part_count; p++)
    for (int i = 0; i < 100 && unknown_is_basis(&k.b.parts[p]); i++)
      k.parameters[k.b.parts[p].offset + (size_t)i] = i % 11 == 0 ? 2 : 0;
  assert_near(backbone_penalty(&k.b, k.parameters, 1e-4, k.workspace, NULL), 6 * 1e-4 * 9 / 10, 1e-15);
  close_bench(&k);
}

/* ---- Threads, beginnings, refusals --------------------------------------------------------------------- */

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    bench k;
    open_setting(&k, i);
    real *weights = random_reals(2, k.formed_size), *first = NULL;
    double first_penalty = 0;
    size_t total = k.formed_size + k.b.size + k.codes_size;
    for (int threads = 1; threads <= 8; threads++) {
      k.b.threads = threads;
      real *all = calloc(total, sizeof(real));
      backbone_form(&k.b, k.parameters, k.codes, k.workspace, all);
      backbone_form_backward(&k.b, k.parameters, k.codes, weights, k.workspace, all + k.formed_size,
                             all + k.formed_size + k.b.size);
      double penalty = backbone_penalty(&k.b, k.parameters, 3.0, k.workspace, all + k.formed_size);
      if (first) {
        assert_memory_equal(first, all, total * sizeof(real));
        assert_true(penalty == first_penalty);
        free(all);
      } else {
        first = all;
        first_penalty = penalty;
      }
    }
    free(first);
    free(weights);
    close_bench(&k);
  }
}

static void check_beginning(const bench *k, const unknown_part *part, int inputs) {
  const real *values = k->parameters + part->offset;
  if (unknown_is_basis(part)) {
    for (int i = 0; i < part->rows; i++)
      for (int j = 0; j <= i; j++)
        assert_near(dot(values + i * part->columns, values + j * part->columns, (size_t)part->columns), i == j,
                    8 * REAL_EPSILON);
    return;
  }
  double bound = 1 / sqrt((double)inputs), largest = 0;
  for (size_t i = 0; i < unknown_count(part); i++) largest = fmax(largest, fabs((double)values[i]));
  assert_true(largest <= bound * (1 + (double)REAL_EPSILON));
  if (unknown_count(part) > 50) assert_true(largest > 0.9 * bound);
}

static void backbones_begin_as_they_should(void **state) {
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    bench k;
    open_setting(&k, i);
    int inputs = 0;
    for (int p = 0; p < k.b.part_count; p++) {
      if (k.b.parts[p].columns) inputs = k.b.parts[p].columns;
      check_beginning(&k, &k.b.parts[p], inputs);
    }
    real *again = malloc(k.b.size * sizeof *again);
    backbone_initialise(&k.b, 101, again);
    assert_memory_equal(again, k.parameters, k.b.size * sizeof *again);
    backbone_initialise(&k.b, 102, again);
    for (int p = 0; p < k.b.part_count; p++)
      assert_true(again[k.b.parts[p].offset] != k.parameters[k.b.parts[p].offset]);
    free(again);
    close_bench(&k);
  }
}

static void impossible_backbones_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  backbone b;
  families_fisher(&m);
  m.problem.protocol.network.layers = NETWORK_MAX_LAYERS - 2;
  assert_int_equal(backbone_plan(context, &m.problem, BACKBONE_FACTORIZED, &b), ANS_UNSUPPORTED);
  m.problem.protocol.network.layers = 0;
  assert_int_equal(backbone_plan(context, &m.problem, BACKBONE_DECODER, &b), ANS_UNSUPPORTED);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factorized_weights_are_the_products), cmocka_unit_test(decoder_folds_the_latent_into_a_bias),
      cmocka_unit_test(formed_parts_do_not_overlap),         cmocka_unit_test(form_gradients_match_differences),
      cmocka_unit_test(penalty_measures_orthogonality),      cmocka_unit_test(penalty_has_its_value),
      cmocka_unit_test(threads_do_not_change_a_bit),         cmocka_unit_test(backbones_begin_as_they_should),
      cmocka_unit_test(impossible_backbones_are_refused),
  };
  return cmocka_run_group_tests_name("backbone", tests, NULL, NULL);
}
