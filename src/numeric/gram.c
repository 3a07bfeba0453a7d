/* SPDX-License-Identifier: Apache-2.0
 *
 * gram.c - see symmetric.h: C = A^T A, block by block.
 *
 * A is first copied into blocks of BLOCK columns, [block][row][BLOCK]. A block of C is then made from two blocks of A
 * that are read in sequence, DEPTH rows at a time, which stay in the caches; where A lies and how long its rows are
 * does not matter any more. Each sum runs over the rows of A in their order, as one chain.
 */
#include <assert.h>
#include <string.h>

#include "base/team.h"
#include "numeric/denormal.h"
#include "numeric/kernels/kernels.h"
#include "numeric/symmetric.h"

enum { BLOCK = 192, DEPTH = 96, STRIP = 48, PIECE = 64 /* rows of A that are copied by one task */ };

typedef struct gram_call {
  int n, k;
  const real *a;
  size_t lda;
  real *blocks, *c;
} gram_call;

static int block_count(int n) { return (n + BLOCK - 1) / BLOCK; }

size_t symmetric_gram_room(int n, int k) { return (size_t)block_count(n) * (size_t)k * BLOCK; }

static void copy_item(void *data, int piece, int worker) {
  const gram_call *call = data;
  (void)worker;
  int end = call->k < (piece + 1) * PIECE ? call->k : (piece + 1) * PIECE;
  for (int b = 0; b < block_count(call->n); b++) {
    int width = call->n - b * BLOCK < BLOCK ? call->n - b * BLOCK : BLOCK;
    for (int i = piece * PIECE; i < end; i++) {
      real *to = call->blocks + ((size_t)b * (size_t)call->k + (size_t)i) * BLOCK;
      memcpy(to, call->a + (size_t)i * call->lda + (size_t)b * BLOCK, (size_t)width * sizeof *to);
      memset(to + width, 0, (size_t)(BLOCK - width) * sizeof *to);
    }
  }
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* C [height][width] <- (add ? C : 0) + left^T right over `depth` rows; of a block on the diagonal only strips of rows
 * as long as the triangle needs them. */
static void multiply(int depth, int height, int width, bool diagonal, const real *left, const real *right, bool add,
                     real *c, int stride) {
  const kernel_table *kernels = kernels_chosen();
  for (int first = 0, strip; first < height; first += strip) {
    strip = diagonal ? smaller(STRIP, height - first) : height;
    kernels->outer(depth, strip, diagonal ? first + strip : width, left + first, BLOCK, right, BLOCK, add,
                   c + (size_t)first * (size_t)stride, stride);
  }
}

/* The lower triangle's blocks, counted row by row. */
static void product_item(void *data, int item, int worker) {
  const gram_call *call = data;
  int row = 0, stride = (int)symmetric_stride(call->n);
  (void)worker;
  while (item > row) item -= ++row;
  int height = smaller(BLOCK, call->n - row * BLOCK), width = smaller(BLOCK, call->n - item * BLOCK);
  const real *left = call->blocks + (size_t)row * (size_t)call->k * BLOCK;
  const real *right = call->blocks + (size_t)item * (size_t)call->k * BLOCK;
  real *to = call->c + (size_t)row * BLOCK * (size_t)stride + (size_t)item * BLOCK;
  for (int at = 0; at < call->k; at += DEPTH, left += DEPTH * BLOCK, right += DEPTH * BLOCK)
    multiply(smaller(DEPTH, call->k - at), height, width, item == row, left, right, at > 0, to, stride);
}

void symmetric_gram(int n, int k, const real *a, size_t lda, real *c, real *blocks, int threads) {
  assert(n > 0 && k > 0 && lda >= (size_t)n && threads > 0 && a != c);
  gram_call call = {n, k, a, lda, blocks, c};
  int count = block_count(n);
  unsigned before = denormals_off();
  team_run(threads, (k + PIECE - 1) / PIECE, copy_item, &call);
  team_run(threads, count * (count + 1) / 2, product_item, &call);
  denormals_restore(before);
}
