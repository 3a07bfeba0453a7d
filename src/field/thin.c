/* SPDX-License-Identifier: Apache-2.0 */
#include "field/thin.h"

#include <string.h>

/* Columns are gathered and scattered in batches, row by row of the basis. */
enum { BATCH = 64 };

/* The next codes that are not zero, from *from on: how many, and where. */
static int next_batch(int width, const real *s, int *from, int places[BATCH]) {
  int count = 0;
  while (*from < width && count < BATCH) {
    places[count] = *from;
    count += s[(*from)++] != 0;
  }
  return count;
}

void thin_gather(int width, int rank, const real *s, const real *c, real *b) {
  int places[BATCH], from = 0, first = 0, count;
  while ((count = next_batch(width, s, &from, places)) > 0) {
    for (int i = 0; i < width; i++)
      for (int n = 0; n < count; n++) b[i * rank + first + n] = c[i * width + places[n]];
    first += count;
  }
  for (int i = 0; i < width; i++)
    for (int n = first; n < rank; n++) b[i * rank + n] = 0;
}

void thin_form(int width, int rank, const real *s, const real *c, const real *r, real *a, real *b) {
  int row = 0;
  for (int j = 0; j < width; j++) {
    if (s[j] == 0) continue;
    for (int i = 0; i < width; i++) a[row * width + i] = s[j] * r[j * width + i];
    row++;
  }
  memset(a + row * width, 0, (size_t)(rank - row) * (size_t)width * sizeof *a);
  thin_gather(width, rank, s, c, b);
}

void thin_back_right(int width, const real *s, const real *r, const real *da, real *dr, real *ds) {
  for (int j = 0; j < width; j++) {
    ds[j] = 0;
    if (s[j] == 0) continue;
    for (int i = 0; i < width; i++) dr[j * width + i] += s[j] * da[i];
    ds[j] = real_dot(da, r + j * width, (size_t)width);
    da += width;
  }
}

void thin_back_left(int width, int rank, const real *s, const real *db, real *dc) {
  int places[BATCH] = {0}, from = 0, first = 0, count;
  while ((count = next_batch(width, s, &from, places)) > 0) {
    for (int i = 0; i < width; i++)
      for (int n = 0; n < count; n++) dc[i * width + places[n]] += db[i * rank + first + n];
    first += count;
  }
}
