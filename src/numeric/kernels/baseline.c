/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline.c - the vectors every processor of the architecture has.
 */
#define TABLE_NAME   REAL_NAME(kernels_baseline)
#define ISA_NAME     "baseline"
#define VECTOR_BYTES 16
#define TILE_ROWS    4
#define TILE_VECTORS 3
#include "kernels.inc"
