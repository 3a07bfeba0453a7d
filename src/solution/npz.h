/* SPDX-License-Identifier: Apache-2.0
 *
 * npz.h - inside solution/: the pieces of an .npz archive, for one solution and for many.
 */
#ifndef SOLUTION_NPZ_H
#define SOLUTION_NPZ_H

#include "solution/files.h"

typedef struct npz_member {
  char name[128]; /* with its ".npy" */
  uint32_t crc, size, offset;
} npz_member;

void npz_little(buffer *out, uint64_t value, int bytes);
void npz_numbers(buffer *out, const double *numbers, size_t count);

/* The checksum of what `crc` is the checksum of, and these bytes behind it; of nothing it is 0. */
uint32_t npz_crc(uint32_t crc, const void *bytes, size_t count);

void npz_begin_member(buffer *out, const npz_member *m);
/* What stands before a member's numbers: type "<f8" and shape "3,4,". */
void npz_header(buffer *npy, const char *type, const char *shape);

/* The end of the archive, from its byte `start` on. */
void npz_directory(buffer *out, const npz_member *members, int count, uint64_t start);

#endif
