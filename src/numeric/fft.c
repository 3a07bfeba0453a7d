/* SPDX-License-Identifier: Apache-2.0
 *
 * fft.c - see fft.h. Real sequences of even length are complex ones of half the length.
 *
 * Complex sequences are kept as two arrays, so that the inner loops are plain vectors. A pass of radix r takes
 * n = r m to r sequences of length m and leaves them in order (Stockham): with stride s = length / n,
 *   y[q + s (r p + k)] = exp(-2 pi i p k / n) sum over j of exp(-2 pi i j k / r) x[q + s (p + m j)].
 * A length with a large prime factor becomes a convolution with a chirp (Bluestein): jk = (j^2 + k^2 - (k - j)^2) / 2.
 */
#include "numeric/fft.h"

#include <assert.h>
#include <math.h>

enum { MAX_PASSES = 32, LARGEST_RADIX = 13 };

typedef struct complex_array {
  double *re, *im;
} complex_array;

typedef struct pass {
  int radix, count, stride; /* count: m above */
  complex_array twiddle;    /* [count][radix], the factor of output k of p at p * radix + k */
  complex_array root;       /* [radix], exp(-2 pi i k / radix) */
} pass;

/* A complex transform of one length: passes, or a chirp and a transform of a length that has only small factors. */
typedef struct dft {
  int length, pass_count;
  pass passes[MAX_PASSES];
  struct dft *inner;
  complex_array chirp, filter; /* [length], [inner->length] */
  complex_array work[2];       /* of the inner transform */
} dft;

struct fft {
  arena *arena;
  int length, half; /* half: 0 when the length is odd */
  dft *dft;
  complex_array work[2], turn; /* turn [half / 2 + 1]: exp(-2 pi i k / length) */
};

/* ---- Plans ------------------------------------------------------------------------------------------- */

/* exp(-2 pi i k / n), by a sine and cosine of at most an eighth of a turn. */
static void set_root(complex_array a, int at, long k, long n) {
  assert(at >= 0 && k >= 0 && n > 0);
  k %= n;
  double turns = (double)k / (double)n;
  int eighth = (int)(8 * turns);
  double angle = 2 * M_PI * (double)(8 * k - (eighth + 1) / 2 * 2 * n) / (8 * (double)n);
  double c = cos(angle), s = -sin(angle);
  switch ((eighth + 1) / 2 % 4) {
  case 0: a.re[at] = c, a.im[at] = s; break;
  case 1: a.re[at] = s, a.im[at] = -c; break;
  case 2: a.re[at] = -c, a.im[at] = -s; break;
  default: a.re[at] = -s, a.im[at] = c; break;
  }
}

static bool take(arena *arena, int length, complex_array *result) {
  assert(length > 0);
  result->re = arena_array(arena, double, (size_t)length);
  result->im = arena_array(arena, double, (size_t)length);
  return result->re && result->im;
}

/* Fours first: they cost least. 0 when a factor is left that no pass takes. */
static int next_radix(int n) {
  assert(n > 1);
  if (n % 4 == 0) return 4;
  for (int radix = 2; radix <= LARGEST_RADIX; radix++)
    if (n % radix == 0) return radix;
  return 0;
}

static bool has_small_factors(int n) {
  while (n > 1) {
    int radix = next_radix(n);
    if (!radix) return false;
    n /= radix;
  }
  return true;
}

static bool plan_passes(arena *arena, dft *dft) {
  for (int n = dft->length; n > 1;) {
    assert(dft->pass_count < MAX_PASSES && next_radix(n) > 0);
    pass *pass = &dft->passes[dft->pass_count++];
    pass->radix = next_radix(n);
    pass->count = n / pass->radix;
    pass->stride = dft->length / n;
    if (!take(arena, n, &pass->twiddle) || !take(arena, pass->radix, &pass->root)) return false;
    for (int p = 0; p < pass->count; p++)
      for (int k = 0; k < pass->radix; k++) set_root(pass->twiddle, p * pass->radix + k, (long)p * k, n);
    for (int k = 0; k < pass->radix; k++) set_root(pass->root, k, k, pass->radix);
    n = pass->count;
  }
  return true;
}

static complex_array run(dft *dft, complex_array from, complex_array to);

static dft *plan_dft(arena *arena, int length);

static bool plan_chirp(arena *arena, dft *dft) {
  assert(dft->length > LARGEST_RADIX); /* what has a factor that no pass takes */
  int n = dft->length, size = 1;
  while (size < 2 * n - 1) size *= 2;
  dft->inner = plan_dft(arena, size);
  if (!dft->inner || !take(arena, n, &dft->chirp) || !take(arena, size, &dft->filter)) return false;
  if (!take(arena, size, &dft->work[0]) || !take(arena, size, &dft->work[1])) return false;
  complex_array filter = dft->work[0];
  for (int j = 0; j < n; j++) {
    set_root(dft->chirp, j, (long)j * j % (2L * n), 2L * n);
    int mirror = j ? size - j : 0;
    filter.re[j] = filter.re[mirror] = dft->chirp.re[j] / size;
    filter.im[j] = filter.im[mirror] = -dft->chirp.im[j] / size;
  }
  complex_array done = run(dft->inner, filter, dft->work[1]);
  for (int k = 0; k < size; k++) dft->filter.re[k] = done.re[k], dft->filter.im[k] = done.im[k];
  return true;
}

static dft *plan_dft(arena *arena, int length) {
  dft *dft = arena_take(arena, sizeof *dft);
  if (!dft) return NULL;
  dft->length = length;
  return (has_small_factors(length) ? plan_passes : plan_chirp)(arena, dft) ? dft : NULL;
}

/* ---- Passes ------------------------------------------------------------------------------------------ */

/* Output k of a butterfly, times its twiddle factor. */
/* clang-format off */
#define PUT(to, k, fr, fi) (yr[(to) + (k)*s] = (fr)*wr[k] - (fi)*wi[k], yi[(to) + (k)*s] = (fr)*wi[k] + (fi)*wr[k])
/* clang-format on */

static void pass_by_two(const pass *pass, const double *restrict xr, const double *restrict xi, double *restrict yr,
                        double *restrict yi) {
  int s = pass->stride, m = pass->count;
  for (int p = 0; p < m; p++) {
    double wr = pass->twiddle.re[2 * p + 1], wi = pass->twiddle.im[2 * p + 1];
    for (int q = 0; q < s; q++) {
      int a = q + s * p, b = a + s * m, to = q + s * 2 * p;
      double dr = xr[a] - xr[b], di = xi[a] - xi[b];
      yr[to] = xr[a] + xr[b], yi[to] = xi[a] + xi[b];
      yr[to + s] = dr * wr - di * wi, yi[to + s] = dr * wi + di * wr;
    }
  }
}

static void pass_by_four(const pass *pass, const double *restrict xr, const double *restrict xi, double *restrict yr,
                         double *restrict yi) {
  int s = pass->stride, m = pass->count;
  for (int p = 0; p < m; p++) {
    double wr[4], wi[4];
    for (int k = 0; k < 4; k++) wr[k] = pass->twiddle.re[4 * p + k], wi[k] = pass->twiddle.im[4 * p + k];
    for (int q = 0; q < s; q++) {
      int a = q + s * p, b = a + s * m, c = b + s * m, d = c + s * m, to = q + s * 4 * p;
      double evenr = xr[a] + xr[c], eveni = xi[a] + xi[c], outr = xr[a] - xr[c], outi = xi[a] - xi[c];
      double oddr = xr[b] + xr[d], oddi = xi[b] + xi[d], inr = xi[b] - xi[d], ini = xr[d] - xr[b];
      yr[to] = evenr + oddr, yi[to] = eveni + oddi;
      PUT(to, 1, outr + inr, outi + ini);
      PUT(to, 2, evenr - oddr, eveni - oddi);
      PUT(to, 3, outr - inr, outi - ini);
    }
  }
}

static void pass_by_three(const pass *pass, const double *restrict xr, const double *restrict xi, double *restrict yr,
                          double *restrict yi) {
  int s = pass->stride, m = pass->count;
  const double sine = -pass->root.im[1];
  for (int p = 0; p < m; p++) {
    double wr[3], wi[3];
    for (int k = 0; k < 3; k++) wr[k] = pass->twiddle.re[3 * p + k], wi[k] = pass->twiddle.im[3 * p + k];
    for (int q = 0; q < s; q++) {
      int a = q + s * p, b = a + s * m, c = b + s * m, to = q + s * 3 * p;
      double tr = xr[b] + xr[c], ti = xi[b] + xi[c], dr = sine * (xr[b] - xr[c]), di = sine * (xi[b] - xi[c]);
      double mr = xr[a] - 0.5 * tr, mi = xi[a] - 0.5 * ti;
      yr[to] = xr[a] + tr, yi[to] = xi[a] + ti;
      PUT(to, 1, mr + di, mi - dr);
      PUT(to, 2, mr - di, mi + dr);
    }
  }
}

static void pass_by_five(const pass *pass, const double *restrict xr, const double *restrict xi, double *restrict yr,
                         double *restrict yi) {
  int s = pass->stride, m = pass->count;
  const double c1 = pass->root.re[1], c2 = pass->root.re[2], s1 = -pass->root.im[1], s2 = -pass->root.im[2];
  for (int p = 0; p < m; p++) {
    double wr[5], wi[5];
    for (int k = 0; k < 5; k++) wr[k] = pass->twiddle.re[5 * p + k], wi[k] = pass->twiddle.im[5 * p + k];
    for (int q = 0; q < s; q++) {
      int a = q + s * p, b = a + s * m, c = b + s * m, d = c + s * m, e = d + s * m, to = q + s * 5 * p;
      double ar = xr[b] + xr[e], ai = xi[b] + xi[e], br = xr[c] + xr[d], bi = xi[c] + xi[d];
      double cr = xr[b] - xr[e], ci = xi[b] - xi[e], dr = xr[c] - xr[d], di = xi[c] - xi[d];
      double mr = xr[a] + c1 * ar + c2 * br, mi = xi[a] + c1 * ai + c2 * bi, nr = s1 * cr + s2 * dr;
      double ni = s1 * ci + s2 * di, or = xr[a] + c2 * ar + c1 * br, oi = xi[a] + c2 * ai + c1 * bi;
      double qr = s2 * cr - s1 * dr, qi = s2 * ci - s1 * di;
      yr[to] = xr[a] + ar + br, yi[to] = xi[a] + ai + bi;
      PUT(to, 1, mr + ni, mi - nr);
      PUT(to, 2, or +qi, oi - qr);
      PUT(to, 3, or -qi, oi + qr);
      PUT(to, 4, mr - ni, mi + nr);
    }
  }
}

static void pass_by_any(const pass *pass, const double *restrict xr, const double *restrict xi, double *restrict yr,
                        double *restrict yi) {
  int s = pass->stride, m = pass->count, r = pass->radix;
  for (int p = 0; p < m; p++)
    for (int k = 0; k < r; k++) {
      double *restrict tor = yr + s * (r * p + k), *restrict toi = yi + s * (r * p + k);
      for (int q = 0; q < s; q++) tor[q] = toi[q] = 0;
      for (int j = 0; j < r; j++) {
        double rr = pass->root.re[j * k % r], ri = pass->root.im[j * k % r];
        double tr = pass->twiddle.re[r * p + k], ti = pass->twiddle.im[r * p + k];
        double wr = rr * tr - ri * ti, wi = rr * ti + ri * tr;
        const double *restrict fromr = xr + s * (p + m * j), *restrict fromi = xi + s * (p + m * j);
        for (int q = 0; q < s; q++) {
          tor[q] += fromr[q] * wr - fromi[q] * wi;
          toi[q] += fromr[q] * wi + fromi[q] * wr;
        }
      }
    }
}

static void by_chirp(dft *dft, complex_array x) {
  assert(dft->inner->length >= 2 * dft->length - 1);
  int n = dft->length, size = dft->inner->length;
  complex_array c = dft->chirp, f = dft->filter, a = dft->work[0];
  for (int j = 0; j < size; j++) {
    a.re[j] = j < n ? x.re[j] * c.re[j] - x.im[j] * c.im[j] : 0;
    a.im[j] = j < n ? x.re[j] * c.im[j] + x.im[j] * c.re[j] : 0;
  }
  a = run(dft->inner, a, dft->work[1]);
  for (int k = 0; k < size; k++) {
    double re = a.re[k] * f.re[k] - a.im[k] * f.im[k];
    a.im[k] = a.re[k] * f.im[k] + a.im[k] * f.re[k];
    a.re[k] = re;
  }
  /* Swapped parts: the inverse of the same transform. */
  complex_array other = a.re == dft->work[0].re ? dft->work[1] : dft->work[0];
  a = run(dft->inner, (complex_array){a.im, a.re}, (complex_array){other.im, other.re});
  for (int k = 0; k < n; k++) {
    x.re[k] = a.im[k] * c.re[k] - a.re[k] * c.im[k];
    x.im[k] = a.im[k] * c.im[k] + a.re[k] * c.re[k];
  }
}

typedef void pass_function(const pass *pass, const double *restrict xr, const double *restrict xi, double *restrict yr,
                           double *restrict yi);
static pass_function *const butterflies[] = {NULL, NULL, pass_by_two, pass_by_three, pass_by_four, pass_by_five};

/* Transforms x; the result is where the answer points, in x or in y. */
static complex_array run(dft *dft, complex_array x, complex_array y) {
  assert(x.re != y.re && (dft->inner == NULL || dft->pass_count == 0));
  if (dft->inner) by_chirp(dft, x);
  for (int i = 0; i < dft->pass_count; i++) {
    const pass *pass = &dft->passes[i];
    assert(pass->radix >= 2 && pass->radix <= LARGEST_RADIX && pass->radix * pass->count * pass->stride == dft->length);
    pass_function *step = pass->radix <= 5 ? butterflies[pass->radix] : pass_by_any;
    step(pass, x.re, x.im, y.re, y.im);
    complex_array done = y;
    y = x, x = done;
  }
  return x;
}

/* ---- Real sequences ---------------------------------------------------------------------------------- */

ans_status fft_new(ans_context *context, int length, fft **result) {
  assert(length > 0);
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  fft *fft = arena_take(arena, sizeof *fft);
  if (fft) {
    *fft = (struct fft){.arena = arena, .length = length, .half = length % 2 ? 0 : length / 2};
    int size = fft->half ? fft->half : length;
    fft->dft = plan_dft(arena, size);
    if (fft->dft && take(arena, size, &fft->work[0]) && take(arena, size, &fft->work[1]) &&
        take(arena, fft->half + 1, &fft->turn)) {
      for (int k = 0; k <= fft->half; k++) set_root(fft->turn, k, k, length);
      *result = fft;
      return ANS_OK;
    }
  }
  arena_free(arena);
  return context_no_memory(context);
}

void fft_free(fft *fft) {
  if (fft) arena_free(fft->arena);
}

/* Z is the transform of x[2j] + i x[2j+1], so (Z[k] + conj Z[h-k]) / 2 is that of the even numbers and
 * (Z[k] - conj Z[h-k]) / 2i that of the odd ones. */
static void forward_even(fft *fft, const double *values, double complex *modes) {
  int h = fft->half;
  complex_array z = fft->work[0], w = fft->turn;
  for (int j = 0; j < h; j++) z.re[j] = values[2 * j], z.im[j] = values[2 * j + 1];
  z = run(fft->dft, z, fft->work[1]);
  modes[0] = z.re[0] + z.im[0];
  modes[h] = z.re[0] - z.im[0];
  for (int k = 1; k < h; k++) {
    double evenr = z.re[k] + z.re[h - k], eveni = z.im[k] - z.im[h - k];
    double oddr = z.im[k] + z.im[h - k], oddi = z.re[h - k] - z.re[k];
    modes[k] = complex_number(0.5 * (evenr + oddr * w.re[k] - oddi * w.im[k]),
                              0.5 * (eveni + oddr * w.im[k] + oddi * w.re[k]));
  }
}

static void inverse_even(fft *fft, const double complex *modes, double *values) {
  int h = fft->half;
  complex_array z = fft->work[0], w = fft->turn;
  double scale = 1.0 / fft->length, first = creal(modes[0]), last = creal(modes[h]);
  z.re[0] = scale * (first + last), z.im[0] = scale * (first - last);
  for (int k = 1; k < h; k++) {
    double ar = creal(modes[k]), ai = cimag(modes[k]), br = creal(modes[h - k]), bi = -cimag(modes[h - k]);
    double dr = ar - br, di = ai - bi, oddr = dr * w.re[k] + di * w.im[k], oddi = di * w.re[k] - dr * w.im[k];
    z.re[k] = scale * (ar + br - oddi), z.im[k] = scale * (ai + bi + oddr);
  }
  z = run(fft->dft, (complex_array){z.im, z.re}, (complex_array){fft->work[1].im, fft->work[1].re});
  for (int j = 0; j < h; j++) values[2 * j] = z.im[j], values[2 * j + 1] = z.re[j];
}

void fft_forward(fft *fft, const double *values, double complex *modes) {
  assert(values && modes);
  if (fft->half) {
    forward_even(fft, values, modes);
    return;
  }
  complex_array z = fft->work[0];
  for (int j = 0; j < fft->length; j++) z.re[j] = values[j], z.im[j] = 0;
  z = run(fft->dft, z, fft->work[1]);
  for (int k = 0; k <= fft->length / 2; k++) modes[k] = complex_number(z.re[k], z.im[k]);
}

void fft_inverse(fft *fft, const double complex *modes, double *values) {
  assert(values && modes);
  if (fft->half) {
    inverse_even(fft, modes, values);
    return;
  }
  int n = fft->length;
  complex_array z = fft->work[0];
  double scale = 1.0 / n;
  z.re[0] = scale * creal(modes[0]), z.im[0] = 0;
  for (int k = 1; k <= n / 2; k++) {
    z.re[k] = z.re[n - k] = scale * creal(modes[k]);
    z.im[k] = scale * cimag(modes[k]), z.im[n - k] = -z.im[k];
  }
  z = run(fft->dft, (complex_array){z.im, z.re}, (complex_array){fft->work[1].im, fft->work[1].re});
  for (int j = 0; j < n; j++) values[j] = z.im[j];
}
