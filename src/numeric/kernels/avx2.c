/* SPDX-License-Identifier: Apache-2.0
 *
 * avx2.c - sixteen 32-byte registers with fma: a tile of 6 x 2 leaves four for operands.
 */
#define TABLE_NAME   REAL_NAME(kernels_avx2)
#define ISA_NAME     "avx2"
#define VECTOR_BYTES 32
#define TILE_ROWS    6
#define TILE_VECTORS 2
#include "kernels.inc"
