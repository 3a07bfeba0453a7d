/* SPDX-License-Identifier: Apache-2.0
 *
 * march_exponential.c - see march.h. In Fourier space  y' = L y + N(t, y)  with a small matrix L for every mode. A step
 * h of Krogstad's method, with phi_k of h L (and of h L/2 where marked '):
 *
 *   a = phi_0' y + h/2 phi_1' N(y)
 *   b = phi_0' y + h/2 phi_1' N(y) + h phi_2' (N(a) - N(y))
 *   c = phi_0 y + h phi_1 N(y) + 2 h phi_2 (N(b) - N(y))
 *   y + = phi_0 y + h (phi_1 - 3 phi_2 + 4 phi_3) N(y) + h (2 phi_2 - 4 phi_3)(N(a) + N(b)) + h (4 phi_3 - phi_2) N(c)
 */
#include <math.h>
#include <string.h>

#include "estimate/march.h"
#include "estimate/phi.h"
#include "numeric/fft.h"

/* The nine matrices of a step, per mode. */
enum { HALF_EXP, HALF_ONE, HALF_TWO, EXP, ONE, TWO, FIRST, MIDDLE, LAST, MATRICES };

typedef struct stepper {
  march *march;
  defect *defect;
  fft *fft;
  int modes, count; /* components */
  double step;
  double complex *linear;             /* [modes][count][count] */
  double complex *matrices[MATRICES]; /* each [modes][count][count] */
  double complex *y, *stage, *n[4];   /* [count][modes]: state, argument, N(y), N(a), N(b), N(c) */
  double complex *slot_modes;         /* [modes] */
  double *whole, *rows;               /* [slots][nodes], [fields][nodes] */
  bool *used;                         /* [slots]: by a term that is not linear */
  defect_base base[3];                /* at the beginning, the middle and the end of a step */
} stepper;

/* ---- The linear part --------------------------------------------------------------------------------- */

/* (i k)^order of a mode; odd derivatives of the highest mode vanish. */
static double complex symbol(const mesh *mesh, int mode, int order) {
  static const double complex turns[4] = {1, I, -1, -I};
  if (order == 0) return 1;
  if (2 * mode == mesh->nodes && order % 2 == 1) return 0;
  return turns[order % 4] * pow(2 * 3.14159265358979323846 * mode / (mesh->high - mesh->low), order);
}

static void fill_linear(stepper *s) {
  const defect *d = s->defect;
  for (int k = 0; k < s->modes; k++) {
    double complex *matrix = s->linear + (size_t)k * (size_t)(s->count * s->count);
    for (int c = 0; c < s->count; c++) {
      int field = d->components[c].field;
      if (d->components[c].time_order < d->order[field] - 1) matrix[c * s->count + c + 1] = 1;
    }
    for (int i = 0; i < d->term_count; i++) {
      const defect_term *term = &d->terms[i];
      if (!term->linear) continue;
      const defect_slot *slot = &d->slots[term->factors[0].slot];
      double lead = 0;
      for (int l = 0; l < d->leading_count; l++)
        if (d->leading[l].field == term->field) lead += d->leading[l].coefficient;
      int row = d->first[term->field] + d->order[term->field] - 1;
      matrix[row * s->count + slot->component] -= term->coefficient / lead * symbol(d->mesh, k, slot->order);
    }
  }
}

static void set_step(stepper *s, double h) {
  int n = s->count, square = n * n;
  double complex z[PHI_MAX * PHI_MAX], space[PHI_COUNT][PHI_MAX * PHI_MAX];
  double complex *phi[PHI_COUNT] = {space[0], space[1], space[2], space[3]};
  if (fabs(s->step - h) <= 1e-12 * h) return;
  s->step = h;
  for (int k = 0; k < s->modes; k++) {
    size_t at = (size_t)k * (size_t)square;
    for (int i = 0; i < square; i++) z[i] = h / 2 * s->linear[at + (size_t)i];
    phi_functions(n, z, phi);
    for (int i = 0; i < square; i++) {
      s->matrices[HALF_EXP][at + (size_t)i] = phi[0][i];
      s->matrices[HALF_ONE][at + (size_t)i] = h / 2 * phi[1][i];
      s->matrices[HALF_TWO][at + (size_t)i] = h * phi[2][i];
    }
    phi_double(n, phi);
    for (int i = 0; i < square; i++) {
      s->matrices[EXP][at + (size_t)i] = phi[0][i];
      s->matrices[ONE][at + (size_t)i] = h * phi[1][i];
      s->matrices[TWO][at + (size_t)i] = 2 * h * phi[2][i];
      s->matrices[FIRST][at + (size_t)i] = h * (phi[1][i] - 3 * phi[2][i] + 4 * phi[3][i]);
      s->matrices[MIDDLE][at + (size_t)i] = h * (2 * phi[2][i] - 4 * phi[3][i]);
      s->matrices[LAST][at + (size_t)i] = h * (4 * phi[3][i] - phi[2][i]);
    }
  }
}

/* ---- The rest ---------------------------------------------------------------------------------------- */

/* N of the modes `from`. */
static void nonlinear(stepper *s, double t, const defect_base *base, const double complex *from, double complex *to) {
  const defect *d = s->defect;
  int n = d->mesh->nodes;
  for (int i = 0; i < d->slot_count; i++) {
    const double complex *modes = from + (size_t)d->slots[i].component * (size_t)s->modes;
    double *values = s->whole + (size_t)i * (size_t)n;
    const double *known = base->slots + (size_t)i * (size_t)n;
    if (!s->used[i]) continue;
    for (int k = 0; k < s->modes; k++) s->slot_modes[k] = modes[k] * symbol(d->mesh, k, d->slots[i].order);
    fft_inverse(s->fft, s->slot_modes, values);
    for (int j = 0; j < n; j++) values[j] += known[j];
  }
  defect_right_side(s->defect, t, base, s->whole, true, s->rows);
  memset(to, 0, (size_t)(s->count * s->modes) * sizeof *to);
  for (int f = 0; f < d->field_count; f++) {
    double complex *modes = to + (size_t)(d->first[f] + d->order[f] - 1) * (size_t)s->modes;
    fft_forward(s->fft, s->rows + (size_t)f * (size_t)n, modes);
    modes[s->modes - 1] = 0;
  }
}

/* to += matrix times from, mode by mode. */
static void apply(const stepper *s, int matrix, const double complex *from, double complex *to) {
  int n = s->count;
  for (int k = 0; k < s->modes; k++) {
    const double complex *m = s->matrices[matrix] + (size_t)k * (size_t)(n * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double complex a = m[i * n + j], b = from[j * s->modes + k];
        to[i * s->modes + k] +=
            complex_number(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
      }
  }
}

static void subtract(const stepper *s, const double complex *b, double complex *a) {
  for (int i = 0; i < s->count * s->modes; i++) a[i] -= b[i];
}

static void add(const stepper *s, const double complex *b, double complex *a) {
  for (int i = 0; i < s->count * s->modes; i++) a[i] += b[i];
}

/* base[0] holds at t; leaves base[0] at t + h. */
static void take_step(stepper *s, double t) {
  double h = s->step;
  size_t bytes = (size_t)(s->count * s->modes) * sizeof *s->y;
  sample_at(s->march->sample, t + h / 2, &s->base[1]);
  sample_at(s->march->sample, t + h, &s->base[2]);
  nonlinear(s, t, &s->base[0], s->y, s->n[0]);
  memset(s->stage, 0, bytes);
  apply(s, HALF_EXP, s->y, s->stage);
  apply(s, HALF_ONE, s->n[0], s->stage);
  nonlinear(s, t + h / 2, &s->base[1], s->stage, s->n[1]);
  subtract(s, s->n[0], s->n[1]);
  apply(s, HALF_TWO, s->n[1], s->stage);
  add(s, s->n[0], s->n[1]);
  nonlinear(s, t + h / 2, &s->base[1], s->stage, s->n[2]);
  memset(s->stage, 0, bytes);
  apply(s, EXP, s->y, s->stage);
  apply(s, ONE, s->n[0], s->stage);
  subtract(s, s->n[0], s->n[2]);
  apply(s, TWO, s->n[2], s->stage);
  add(s, s->n[0], s->n[2]);
  nonlinear(s, t + h, &s->base[2], s->stage, s->n[3]);
  memset(s->stage, 0, bytes);
  apply(s, EXP, s->y, s->stage);
  apply(s, FIRST, s->n[0], s->stage);
  add(s, s->n[2], s->n[1]);
  apply(s, MIDDLE, s->n[1], s->stage);
  apply(s, LAST, s->n[3], s->stage);
  memcpy(s->y, s->stage, bytes);
  defect_base kept = s->base[0];
  s->base[0] = s->base[2];
  s->base[2] = kept;
}

/* ---- Through time ------------------------------------------------------------------------------------ */

static ans_status prepare(ans_context *context, arena *arena, stepper *s) {
  const defect *d = s->defect;
  size_t modes = (size_t)s->modes, square = (size_t)(s->count * s->count), all = (size_t)s->count * modes;
  bool enough = true;
  TRY(fft_new(context, d->mesh->nodes, &s->fft));
  for (int i = 0; i < 3; i++) TRY(defect_base_new(context, arena, d, &s->base[i]));
  for (int i = 0; i < MATRICES; i++) {
    s->matrices[i] = arena_array(arena, double complex, modes *square);
    enough = enough && s->matrices[i];
  }
  for (int i = 0; i < 4; i++) {
    s->n[i] = arena_array(arena, double complex, all);
    enough = enough && s->n[i];
  }
  s->linear = arena_array(arena, double complex, modes *square);
  s->y = arena_array(arena, double complex, all);
  s->stage = arena_array(arena, double complex, all);
  s->slot_modes = arena_array(arena, double complex, modes);
  s->whole = arena_array(arena, double, (size_t)(d->slot_count * d->mesh->nodes));
  s->rows = arena_array(arena, double, (size_t)(d->field_count * d->mesh->nodes));
  s->used = arena_array(arena, bool, (size_t)d->slot_count);
  if (!enough || !s->linear || !s->y || !s->stage || !s->slot_modes || !s->whole || !s->rows || !s->used)
    return context_no_memory(context);
  for (int i = 0; i < d->term_count; i++)
    for (int k = 0; k < d->terms[i].factor_count; k++)
      if (!d->terms[i].linear) s->used[d->terms[i].factors[k].slot] = true;
  fill_linear(s);
  return ANS_OK;
}

/* Node values of the state at time number k; false when they are not finite. */
static bool store(stepper *s, int k) {
  double *level = march_level(s->march, k);
  int n = s->defect->mesh->nodes;
  for (int c = 0; c < s->count; c++)
    fft_inverse(s->fft, s->y + (size_t)c * (size_t)s->modes, level + (size_t)c * (size_t)n);
  for (int i = 0; i < s->defect->size; i++)
    if (!(fabs(level[i]) < 1e100)) return false;
  return true;
}

static march_outcome run(stepper *s) {
  march *m = s->march;
  int n = s->defect->mesh->nodes;
  double span = s->defect->end - s->defect->begin;
  sample_at(m->sample, s->defect->begin, &s->base[0]);
  if (m->start)
    memcpy(march_level(m, 0), m->start, (size_t)s->defect->size * sizeof *m->start);
  else
    defect_start(s->defect, &s->base[0], march_level(m, 0));
  for (int c = 0; c < s->count; c++) {
    fft_forward(s->fft, march_level(m, 0) + (size_t)c * (size_t)n, s->y + (size_t)c * (size_t)s->modes);
    s->y[(size_t)(c + 1) * (size_t)s->modes - 1] = 0;
  }
  for (int k = 1; k < m->times->nodes; k++) {
    double begin = m->times->places[k - 1], length = m->times->places[k] - begin;
    int pieces = (int)ceil(length / span * m->steps * (1 - 1e-9));
    set_step(s, length / pieces);
    for (int i = 0; i < pieces; i++) take_step(s, begin + length * i / pieces);
    m->taken += pieces;
    m->reached = m->times->places[k];
    if (!store(s, k)) return MARCH_BLOWN;
  }
  return MARCH_DONE;
}

ans_status march_exponential(ans_context *context, march *m, march_outcome *outcome) {
  arena *arena;
  TRY(arena_new(context, &arena));
  stepper s = {.march = m, .defect = m->defect, .count = m->defect->component_count};
  s.modes = m->defect->mesh->nodes / 2 + 1;
  m->taken = 0;
  ans_status status = prepare(context, arena, &s);
  if (status == ANS_OK) *outcome = run(&s);
  fft_free(s.fft);
  arena_free(arena);
  return status;
}
