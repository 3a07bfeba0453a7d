/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms against their definition, for every kind of length: powers of two, small factors, large primes, odd.
 */
#include "check.h"

#include "base/random.h"
#include "numeric/fft.h"

enum { LONGEST = 1024 };

static void fill(double *values, int count, uint32_t part) {
  random_stream stream = random_open(1, RANDOM_TEST, 0, part);
  for (int i = 0; i < count; i++) values[i] = random_between(&stream, -1, 1);
}

/* The largest deviation of the modes from the sum that defines them, over the largest sum that could be. */
static double forward_error(fft *fft, int n) {
  double values[LONGEST], error = 0;
  double complex modes[LONGEST / 2 + 1];
  fill(values, n, (uint32_t)n);
  fft_forward(fft, values, modes);
  for (int k = 0; k <= n / 2; k++) {
    long double re = 0, im = 0;
    for (int j = 0; j < n; j++) {
      long double angle = 2 * 3.14159265358979323846264338327950288L * (long double)((long)j * k % n) / n;
      re += values[j] * cosl(angle), im -= values[j] * sinl(angle);
    }
    error = fmax(error, fmax(fabs(creal(modes[k]) - (double)re), fabs(cimag(modes[k]) - (double)im)));
  }
  return error / n;
}

static double round_trip_error(fft *fft, int n) {
  double values[LONGEST], kept[LONGEST], back[LONGEST], error = 0;
  double complex modes[LONGEST / 2 + 1];
  fill(values, n, (uint32_t)n + 1);
  memcpy(kept, values, sizeof values);
  fft_forward(fft, values, modes);
  fft_inverse(fft, modes, back);
  for (int j = 0; j < n; j++) {
    assert_true(values[j] == kept[j]);
    error = fmax(error, fabs(back[j] - values[j]));
  }
  return error;
}

static void transforms_meet_their_definition(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const int more[] = {64,  96,  101, 128, 169, 202, 243,  255,  256,  289,
                             384, 500, 509, 512, 625, 720, 1000, 1009, 1022, 1024};
  for (int i = 0; i < 48 + (int)(sizeof more / sizeof *more); i++) {
    int n = i < 48 ? i + 1 : more[i - 48];
    fft *fft;
    assert_ok(context, fft_new(context, n, &fft));
    assert_near(forward_error(fft, n), 0, 2e-16);
    assert_near(round_trip_error(fft, n), 0, 2e-15);
    fft_free(fft);
  }
  ans_context_free(context);
}

/* A real sequence has no imaginary part at mode zero nor at half the sampling rate: what stands there is ignored. */
static void imaginary_parts_at_the_ends_do_not_count(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int n = 15; n <= 16; n++) {
    fft *fft;
    double values[16], back[16];
    double complex modes[9];
    fill(values, n, 3);
    assert_ok(context, fft_new(context, n, &fft));
    fft_forward(fft, values, modes);
    modes[0] += CMPLX(0, 5);
    if (n == 16) modes[8] += CMPLX(0, 7);
    fft_inverse(fft, modes, back);
    for (int j = 0; j < n; j++) assert_near(back[j], values[j], 1e-15);
    fft_free(fft);
  }
  ans_context_free(context);
}

static void memory_failures_leave_nothing(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const int lengths[] = {96, 509};
  for (size_t i = 0; i < 2; i++) {
    ans_status status = ANS_MEMORY;
    for (long n = 1; status != ANS_OK; n++) {
      fft *fft = NULL;
      memory_fail_after(n, false);
      status = fft_new(context, lengths[i], &fft);
      memory_fail_after(0, false);
      assert_true(status == ANS_OK ? fft != NULL && n > 1 : status == ANS_MEMORY && !fft);
      fft_free(fft);
    }
  }
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transforms_meet_their_definition),
      cmocka_unit_test(imaginary_parts_at_the_ends_do_not_count),
      cmocka_unit_test(memory_failures_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
