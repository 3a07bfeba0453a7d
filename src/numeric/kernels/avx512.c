/* SPDX-License-Identifier: Apache-2.0
 *
 * avx512.c - thirty-two 64-byte registers with fma: a tile of 6 x 4 leaves eight for operands.
 */
#define TABLE_NAME   REAL_NAME(kernels_avx512)
#define ISA_NAME     "avx512"
#define VECTOR_BYTES 64
#define TILE_ROWS    6
#define TILE_VECTORS 4
#include "kernels.inc"
