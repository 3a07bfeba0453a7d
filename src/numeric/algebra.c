/* SPDX-License-Identifier: Apache-2.0
 *
 * algebra.c - see algebra.h. Channels are sorted by degree, then by multi-index, so that channel 0 is the
 * value and, where L or a single second derivative exists, it is the last.
 */
#include "numeric/algebra.h"

#include <assert.h>
#include <string.h>

static int index_degree(const uint8_t *index) {
  int degree = 0;
  for (int i = 0; i < ALGEBRA_MAX_COORDINATES; i++) degree += index[i];
  return degree;
}

/* By degree; within a degree d_x before d_t, that is, larger leading orders first. */
static int index_compare(const uint8_t *a, const uint8_t *b) {
  int difference = index_degree(a) - index_degree(b);
  return difference ? difference : -memcmp(a, b, ALGEBRA_MAX_COORDINATES);
}

int algebra_channel(const algebra *algebra, const uint8_t *multi_index) {
  assert(algebra->channels >= 0 && algebra->channels <= ALGEBRA_MAX_CHANNELS);
  for (int c = 0; c < algebra->channels; c++)
    if (c != algebra->operator_channel && memcmp(algebra->index[c], multi_index, ALGEBRA_MAX_COORDINATES) == 0)
      return c;
  return -1;
}

double algebra_factorial(const algebra *algebra, int channel) {
  assert(channel >= 0 && channel < algebra->channels);
  double factorial = 1;
  if (channel == algebra->operator_channel) return 1;
  for (int i = 0; i < ALGEBRA_MAX_COORDINATES; i++)
    for (int k = 2; k <= algebra->index[channel][i]; k++) factorial *= k;
  return factorial;
}

/* Adds the index at its place. False when there is no room. */
static bool insert_index(algebra *algebra, const uint8_t *index) {
  if (algebra_channel(algebra, index) >= 0) return true;
  if (algebra->channels == ALGEBRA_MAX_CHANNELS) return false;
  int place = algebra->channels++;
  for (; place > 0 && index_compare(index, algebra->index[place - 1]) < 0; place--)
    memcpy(algebra->index[place], algebra->index[place - 1], ALGEBRA_MAX_COORDINATES);
  memcpy(algebra->index[place], index, ALGEBRA_MAX_COORDINATES);
  return true;
}

/* All indices below the given one, by counting in the mixed base of its orders. */
static bool insert_closure(algebra *algebra, const uint8_t *top) {
  uint8_t index[ALGEBRA_MAX_COORDINATES] = {0};
  for (;;) {
    if (!insert_index(algebra, index)) return false;
    int i = 0;
    while (i < ALGEBRA_MAX_COORDINATES && index[i] == top[i]) index[i++] = 0;
    if (i == ALGEBRA_MAX_COORDINATES) return true;
    index[i]++;
  }
}

static bool add_product(algebra *algebra, int left, int right, int result, double factor) {
  assert(left >= 0 && left < algebra->channels && right >= 0 && right < algebra->channels);
  assert(result >= 0 && result < algebra->channels && factor != 0);
  if (algebra->product_count == ALGEBRA_MAX_PRODUCTS) return false;
  algebra->products[algebra->product_count++] =
      (algebra_product){(uint8_t)left, (uint8_t)right, (uint8_t)result, factor};
  return true;
}

/* f_0 g_k + f_k g_0, which every channel has. */
static bool add_value_products(algebra *algebra, int channel) {
  return add_product(algebra, 0, channel, channel, 1) && (channel == 0 || add_product(algebra, channel, 0, channel, 1));
}

static bool taylor_products(algebra *algebra) {
  for (int k = 0; k < algebra->channels; k++) {
    if (!add_value_products(algebra, k)) return false;
    for (int i = 1; i < k; i++) {
      uint8_t rest[ALGEBRA_MAX_COORDINATES];
      bool below = true;
      for (int d = 0; d < ALGEBRA_MAX_COORDINATES; d++) {
        below = below && algebra->index[i][d] <= algebra->index[k][d];
        rest[d] = (uint8_t)(algebra->index[k][d] - algebra->index[i][d]);
      }
      int j = below ? algebra_channel(algebra, rest) : -1;
      if (j > 0 && !add_product(algebra, i, j, k, 1)) return false;
    }
  }
  return true;
}

bool algebra_taylor(int coordinates, int count, const uint8_t (*indices)[ALGEBRA_MAX_COORDINATES], algebra *result) {
  assert(coordinates > 0 && coordinates <= ALGEBRA_MAX_COORDINATES && count >= 0);
  static const uint8_t zero[ALGEBRA_MAX_COORDINATES];
  memset(result, 0, sizeof *result);
  result->coordinates = coordinates;
  result->operator_channel = -1;
  if (!insert_index(result, zero)) return false;
  for (int i = 0; i < count; i++)
    if (!insert_closure(result, indices[i])) return false;
  result->degree = index_degree(result->index[result->channels - 1]);
  if (result->degree > ALGEBRA_MAX_DEGREE) return false;
  return taylor_products(result);
}

bool algebra_operator(int coordinates, const double *first, const double (*second)[ALGEBRA_MAX_COORDINATES],
                      const bool *wanted_first, algebra *result) {
  assert(coordinates > 0 && coordinates <= ALGEBRA_MAX_COORDINATES);
  memset(result, 0, sizeof *result);
  result->coordinates = coordinates;
  result->degree = 1;
  int channel_of[ALGEBRA_MAX_COORDINATES] = {0};
  result->channels = 1;
  for (int i = 0; i < coordinates; i++) {
    bool wanted = wanted_first[i];
    result->first[i] = first[i];
    for (int j = 0; j < coordinates; j++) {
      result->second[i][j] = second[i][j];
      if (second[i][j] != 0) wanted = true, result->degree = 2;
    }
    if (!wanted) continue;
    channel_of[i] = result->channels++;
    result->index[channel_of[i]][i] = 1;
  }
  int last = result->operator_channel = result->channels++;
  assert(result->channels <= ALGEBRA_MAX_CHANNELS && last > 0);
  for (int k = 0; k < result->channels; k++) add_value_products(result, k);
  for (int i = 0; i < coordinates; i++)
    for (int j = 0; j < coordinates; j++)
      if (second[i][j] != 0) add_product(result, channel_of[i], channel_of[j], last, 2 * second[i][j]);
  return true;
}
