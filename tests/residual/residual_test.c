/* SPDX-License-Identifier: Apache-2.0
 *
 * residual_test.c - what must hold of a loss in either precision: the same bits for any number of threads, the
 * same numbers from either kind of channels, no allocation, no denormals, the caller's floating-point state left alone.
 */
#include "fixture.h"

#include "numeric/denormal.h"
#include "residual/plan.h"

/* Sums of thousands of products: a few hundred units in the last place. */
#define CLOSE (300 * (double)REAL_EPSILON)

typedef struct setting {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
  small_network network;
} setting;

static setting open_setting(int problem, int width) {
  setting it = {.context = new_context()};
  it.problem = open_problem(it.context, problem);
  it.instance = middle_instance(it.context, it.problem, it.problem->structure_count - 1);
  it.network = open_network(it.context, it.problem, BACKBONE_FACTORIZED, width, ACTIVATION_TANH);
  return it;
}

static void close_setting(setting *it) {
  close_network(&it->network);
  system_instance_free(it->instance);
  system_free(it->problem);
  ans_context_free(it->context);
}

static double largest(const real *values, size_t count) {
  double result = 0;
  for (size_t i = 0; i < count; i++) result = fmax(result, fabs((double)values[i]));
  return result;
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  const int threads[] = {1, 2, 3, 4, 8};
  for (int problem = 0; problem < problem_count(); problem++) {
    setting it = open_setting(problem, 24);
    size_t size = network_size(&it.network.backbone.shape) * sizeof(real);
    real *first = memory_take(size);
    double loss = 0;
    for (int i = 0; i < 5; i++) {
      residual *residual = open_residual(it.context, it.instance, &it.network, 203, threads[i], false);
      memset(it.network.gradient, 0, size);
      double now = residual_loss(residual, it.network.formed, 1, it.network.gradient);
      if (i == 0) {
        loss = now;
        memcpy(first, it.network.gradient, size);
      }
      assert_memory_equal(&now, &loss, sizeof now);
      assert_memory_equal(first, it.network.gradient, size);
      assert_true(residual_loss(residual, it.network.formed, 1, NULL) == loss);
      residual_free(residual);
    }
    memory_give(first);
    close_setting(&it);
  }
}

/* Every structure: operator and Taylor channels give the same loss and gradient, and never more channels. */
static void operator_channel_changes_nothing(void **state) {
  (void)state;
  for (int problem = 0; problem < problem_count(); problem++) {
    setting it = open_setting(problem, 24);
    size_t count = network_size(&it.network.backbone.shape);
    real *plain_gradient = memory_take(count * sizeof(real));
    residual *quick = open_residual(it.context, it.instance, &it.network, 64, 1, false);
    residual *plain = open_residual(it.context, it.instance, &it.network, 64, 1, true);
    for (int s = 0; s < it.problem->structure_count; s++) {
      ans_instance *instance = middle_instance(it.context, it.problem, s);
      assert_ok(it.context, residual_set_instance(it.context, quick, instance));
      assert_ok(it.context, residual_set_instance(it.context, plain, instance));
      double a = residual_loss(quick, it.network.formed, 1, it.network.gradient);
      double b = residual_loss(plain, it.network.formed, 1, plain_gradient);
      assert_near(a, b, CLOSE * fabs(b));
      double scale = largest(plain_gradient, count);
      for (size_t i = 0; i < count; i++)
        assert_near((double)it.network.gradient[i], (double)plain_gradient[i], CLOSE * scale);
      assert_true(residual_channels(quick) <= residual_channels(plain));
      assert_ok(it.context, residual_set_instance(it.context, quick, it.instance));
      assert_ok(it.context, residual_set_instance(it.context, plain, it.instance));
      system_instance_free(instance);
    }
    residual_free(quick), residual_free(plain);
    memory_give(plain_gradient);
    close_setting(&it);
  }
}

/* Codes as a ReLU leaves them: of every `kept` one, and one more in each next field; 1 keeps all. */
static void thin_codes(small_network *network, const int kept[2]) {
  const backbone *b = &network->backbone;
  for (int f = 0; f < b->fields; f++)
    for (int l = 0; l < b->layers; l++)
      for (int j = 0; j < b->width; j++)
        if (j % kept[l] != 0 && j != 1 + f) network->codes[(f * b->layers + l) * b->width + j] = 0;
}

/* Thin layers give the same loss and gradient, and nothing for codes that are zero, on any number of threads. */
static void thin_layers_change_nothing(void **state) {
  (void)state;
  const int kept[3][2] = {{3, 4}, {7, 1}, {1, 5}};
  for (int problem = 0; problem < problem_count(); problem++)
    for (int k = 0; k < 3; k++) {
      setting it = open_setting(problem, 70);
      small_network *network = &it.network;
      backbone dense = network->backbone;
      thin_codes(network, kept[k]);
      residual *residual = open_residual(it.context, it.instance, network, 64, 1 + k, false);
      double loss = network_gradient(network, residual), flops = residual_flops(residual);
      real *gradient = memory_take(dense.size * sizeof(real)), *ds = memory_take(network->codes_count * sizeof(real));
      memcpy(gradient, network->parameter_gradient, dense.size * sizeof(real));
      memcpy(ds, network->code_gradient, network->codes_count * sizeof(real));
      backbone_thin(&dense, network->codes, &network->backbone);
      for (int l = 0; l < 2; l++) assert_int_equal(network->backbone.rank[l] > 0, kept[k][l] > 1);
      residual_set_shape(residual, &network->backbone.shape);
      assert_near(network_gradient(network, residual), loss, CLOSE * loss);
      assert_true(residual_flops(residual) < flops);
      double scale = largest(gradient, dense.size), code_scale = largest(ds, network->codes_count);
      for (size_t i = 0; i < dense.size; i++)
        assert_near((double)network->parameter_gradient[i], (double)gradient[i], CLOSE * scale);
      for (size_t i = 0; i < network->codes_count; i++)
        assert_near((double)network->code_gradient[i], network->codes[i] == 0 ? 0 : (double)ds[i], CLOSE * code_scale);
      memcpy(gradient, network->parameter_gradient, dense.size * sizeof(real));
      struct residual *other = open_residual(it.context, it.instance, network, 64, 4, false);
      network_gradient(network, other);
      assert_memory_equal(gradient, network->parameter_gradient, dense.size * sizeof(real));
      memory_give(gradient), memory_give(ds);
      residual_free(residual), residual_free(other);
      close_setting(&it);
    }
}

static int channels_of(int problem, const char *structure) {
  setting it = open_setting(problem, 8);
  ans_instance *instance = middle_instance(it.context, it.problem, system_find_structure(it.problem, structure));
  residual *residual = open_residual(it.context, instance, &it.network, 8, 1, false);
  int channels = residual_channels(residual);
  residual_free(residual);
  system_instance_free(instance);
  close_setting(&it);
  return channels;
}

static void only_active_derivatives_travel(void **state) {
  (void)state;
  assert_int_equal(channels_of(FISHER, "two_way"), 3);
  assert_int_equal(channels_of(CDR, "adr"), 3);
  assert_int_equal(channels_of(CDR, "heat"), 3);
  assert_int_equal(channels_of(CDR, "ar"), 2);
  assert_int_equal(channels_of(CDR, "convection"), 2);
  assert_int_equal(channels_of(CDR, "reaction"), 2);
  assert_int_equal(channels_of(CCP, "plasma"), 3);
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  for (int problem = 0; problem < problem_count(); problem++) {
    setting it = open_setting(problem, 16);
    ans_instance *other = middle_instance(it.context, it.problem, 0);
    residual *residual = open_residual(it.context, it.instance, &it.network, 100, 2, false);
    long before = memory_taken();
    for (int step = 0; step < 3; step++) {
      residual_sample(residual, 1, RANDOM_POINTS, (uint64_t)step, 0);
      assert_ok(it.context, residual_set_instance(it.context, residual, step % 2 ? other : it.instance));
      network_gradient(&it.network, residual);
    }
    assert_int_equal(memory_taken(), before);
    residual_free(residual);
    system_instance_free(other);
    close_setting(&it);
  }
}

/* The working set does not grow with the points; only the points themselves do. */
static void memory_is_flat_in_points(void **state) {
  (void)state;
  setting it = open_setting(FISHER, 16);
  residual *few = open_residual(it.context, it.instance, &it.network, 16, 1, false);
  residual *many = open_residual(it.context, it.instance, &it.network, 4096, 1, false);
  assert_true(few->tile.work_size == many->tile.work_size && few->output.work_size == many->output.work_size);
  assert_true(few->tile.gradient_size == many->tile.gradient_size && few->source_size == many->source_size);
  residual_free(few), residual_free(many);
  close_setting(&it);
}

/* A gradient of denormal size comes out as zeros, whatever the caller's rounding state, which is given back. */
static void denormals_are_flushed_inside_only(void **state) {
  (void)state;
  setting it = open_setting(FISHER, 16);
  residual *residual = open_residual(it.context, it.instance, &it.network, 64, 2, false);
  size_t count = network_size(&it.network.backbone.shape);
  const double tiny = sizeof(real) == 4 ? 1e-43 : 1e-321;
  volatile real smallest = (real)tiny;
  residual_loss(residual, it.network.formed, tiny, it.network.gradient);
#if defined(__SSE2__)
  unsigned now = denormals_off();
  denormals_restore(now);
  assert_int_equal(now & 0x8040u, 0);
#endif
  volatile real half = smallest * (real)0.5;
  assert_true(half > 0);
  for (size_t i = 0; i < count; i++) assert_int_not_equal(fpclassify(it.network.gradient[i]), FP_SUBNORMAL);
  residual_free(residual);
  close_setting(&it);
}

/* Whichever allocation fails, the call says so and leaves nothing; the next one works. */
static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  setting it = open_setting(CDR, 12);
  residual_options options = {
      .points = 16, .initial_points = 4, .period_points = 4, .boundary_points = 4, .threads = 2};
  residual *residual = NULL;
  ans_status status = ANS_MEMORY;
  for (long n = 1; status != ANS_OK; n++) {
    memory_fail_after(n, false);
    status = residual_new(it.context, it.instance, &it.network.backbone.shape, &options, &residual);
    assert_true(status == ANS_OK || (status == ANS_MEMORY && !residual && n < 1000));
  }
  memory_fail_after(0, false);
  residual_sample(residual, 1, RANDOM_TEST, 0, 0);
  double value[8];
  const double point[2] = {0.1, 0.2};
  const uint8_t order[2] = {2, 1};
  status = ANS_MEMORY;
  for (long n = 1; status != ANS_OK; n++) {
    memory_fail_after(n, false);
    status = field_evaluate(it.context, it.instance, residual_chart(residual), &it.network.backbone.shape,
                            it.network.formed, point, 1, order, 1, value);
    assert_true(status == ANS_OK || (status == ANS_MEMORY && n < 1000));
  }
  memory_fail_after(0, false);
  residual_free(residual);
  close_setting(&it);
}

/* set_points: any number up to the capacity, and the mean is over those given. */
static void given_points_replace_drawn_ones(void **state) {
  (void)state;
  setting it = open_setting(FISHER, 16);
  residual *residual = open_residual(it.context, it.instance, &it.network, 64, 1, false);
  const double one[2] = {0.3, 0.6}, twice[4] = {0.3, 0.6, 0.3, 0.6};
  residual_set_points(residual, one, 1);
  assert_int_equal(residual_row_count(residual), 2);
  double once = residual_loss(residual, it.network.formed, 1, NULL);
  residual_set_points(residual, twice, 2);
  assert_near(residual_loss(residual, it.network.formed, 1, NULL), once, CLOSE * once);
  residual_sample(residual, 3, RANDOM_TEST, 1, 0);
  assert_int_equal(residual_row_count(residual), 128);
  residual_free(residual);
  close_setting(&it);
}

/* Drawn points lie within the ranges of their coordinates and fill them. */
static void points_fill_the_domain(void **state) {
  (void)state;
  enum { POINTS = 1000 };
  for (int problem = 0; problem < problem_count(); problem++) {
    setting it = open_setting(problem, 8);
    residual *residual = open_residual(it.context, it.instance, &it.network, POINTS, 1, false);
    int count = it.problem->coordinate_count;
    for (int d = 0; d < count; d++) {
      const system_coordinate *coordinate = &it.problem->coordinates[d];
      const double low = coordinate->low, length = coordinate->high - low;
      double least = INFINITY, most = -INFINITY, mean = 0;
      for (int p = 0; p < POINTS; p++) {
        double at = (residual->sets[0].points[p * count + d] - low) / length;
        least = fmin(least, at), most = fmax(most, at), mean += at / POINTS;
      }
      assert_true(least >= 0 && most <= 1);
      assert_near(least, 0, 0.01);
      assert_near(most, 1, 0.01);
      assert_near(mean, 0.5, 0.04);
    }
    residual_free(residual);
    close_setting(&it);
  }
}

/* Nested points: those of a smaller share come first, they stay inside, and they are spread more evenly than chance. */
static void nested_points_grow(void **state) {
  (void)state;
  enum { POINTS = 256, CELLS = 8 };
  for (int problem = 0; problem < problem_count(); problem++) {
    setting it = open_setting(problem, 8);
    residual *residual = open_residual(it.context, it.instance, &it.network, POINTS, 1, false);
    int count = it.problem->coordinate_count;
    residual_lay_points(residual, 0.5, 1);
    const residual_segment *interior = &residual->segments[0];
    double *all = memory_take(sizeof *all * POINTS * (size_t)count);
    memcpy(all, residual->sets[0].points, sizeof *all * POINTS * (size_t)count);
    for (int d = 0; d < count;
         d++) { /* 32 of 256 in each eighth, give or take five, where chance is off by as much in one cell of three */
      int cells[CELLS] = {0};
      const system_coordinate *axis = &it.problem->coordinates[d];
      for (int i = 0; i < POINTS; i++) {
        double at = (all[i * count + d] - axis->low) / (axis->high - axis->low);
        assert_true(at >= 0 && at < 1);
        cells[(int)(at * CELLS)]++;
      }
      for (int c = 0; c < CELLS; c++) assert_in_range(cells[c], POINTS / CELLS - 5, POINTS / CELLS + 5);
    }
    residual_lay_points(residual, 0.5, 0.25);
    assert_int_equal(interior->units, POINTS / 4);
    assert_memory_equal(all, residual->sets[0].points, sizeof *all * POINTS / 4 * (size_t)count);
    residual_lay_points(residual, 0.1, 1);
    assert_memory_not_equal(all, residual->sets[0].points, sizeof *all * (size_t)count);
    residual_lay_points(residual, 0.5, 0);
    assert_int_equal(interior->units, 1);
    assert_true(isfinite(residual_loss(residual, it.network.formed, 1, NULL)));
    memory_give(all);
    residual_free(residual);
    close_setting(&it);
  }
}

/* The steps between nested points are powers of the golden ratio, or of what stands for it in more dimensions; on an
 * end of one coordinate there is one dimension less. */
static void nested_points_step_by_the_golden_ratio(void **state) {
  (void)state;
  static const double ratios[] = {0, 1.618033988749895, 1.324717957244746, 1.2207440846057596};
  enum { POINTS = 32 };
  for (int problem = 0; problem < problem_count(); problem++) {
    setting it = open_setting(problem, 8);
    residual *residual = open_residual(it.context, it.instance, &it.network, POINTS, 1, false);
    int count = it.problem->coordinate_count;
    residual_lay_points(residual, 0.25, 1);
    for (int i = 0; i < residual->segment_count; i++) {
      const residual_segment *segment = &residual->segments[i];
      int set = 0, chunk = 0, free = count - (segment->coordinate >= 0);
      while (i >= residual->sets[set].first_segment + residual->sets[set].segment_count) set++;
      while ((chunk + 1) * segment->units / RESIDUAL_CHUNKS == 0) chunk++; /* the first that is not empty */
      assert_in_range(free, 0, 3);
      const double *first = residual->sets[set].points + segment->start[chunk] * (size_t)count;
      double power = 1;
      for (int d = 0; d < count; d++) {
        const system_coordinate *axis = &it.problem->coordinates[d];
        if (d == segment->coordinate) continue;
        power /= ratios[free];
        double at = (first[d] - axis->low) / (axis->high - axis->low), expected = fmod(0.25 + power, 1);
        assert_near(at, expected, 1e-12);
      }
    }
    residual_free(residual);
    close_setting(&it);
  }
}

/* Segments have their rows one after the other, rows their terms, terms their factors, from the first to the last. */
static void nothing_is_left_out_of_a_plan(void **state) {
  (void)state;
  for (int problem = 0; problem < problem_count(); problem++) {
    setting it = open_setting(problem, 8);
    residual *residual = open_residual(it.context, it.instance, &it.network, 16, 1, false);
    int rows = 0, terms = 0, factors = 0;
    for (int i = 0; i < residual->segment_count; i++) {
      assert_int_equal(residual->segments[i].first_row, rows);
      rows += residual->segments[i].row_count;
    }
    assert_int_equal(rows, residual->row_count);
    for (int i = 0; i < rows; i++) {
      assert_int_equal(residual->rows[i].first_term, terms);
      terms += residual->rows[i].term_count;
    }
    assert_int_equal(terms, residual->term_count);
    for (int i = 0; i < terms; i++) {
      assert_int_equal(residual->terms[i].first_factor, factors);
      factors += residual->terms[i].factor_count;
    }
    assert_int_equal(factors, residual->factor_count);
    residual_free(residual);
    close_setting(&it);
  }
}

int main(void) {
  /* clang-format off */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(operator_channel_changes_nothing),
      cmocka_unit_test(thin_layers_change_nothing),
      cmocka_unit_test(only_active_derivatives_travel),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(memory_is_flat_in_points),
      cmocka_unit_test(denormals_are_flushed_inside_only),
      cmocka_unit_test(memory_may_run_out_anywhere),
      cmocka_unit_test(points_fill_the_domain),
      cmocka_unit_test(given_points_replace_drawn_ones),
      cmocka_unit_test(nothing_is_left_out_of_a_plan),
      cmocka_unit_test(nested_points_grow),
      cmocka_unit_test(nested_points_step_by_the_golden_ratio),
  };
  /* clang-format on */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
