/* SPDX-License-Identifier: Apache-2.0
 *
 * content_hash.h - FNV-1a over what a kept reference holds, so that a flipped bit does not pass for a result.
 */
#ifndef REFERENCE_CONTENT_HASH_H
#define REFERENCE_CONTENT_HASH_H

#include <stdint.h>

#include "solution/solution.h"

/* Before the hash, at the end of the settings line. */
#define CONTENT_MARK ", content "

static const uint64_t HASH_START = UINT64_C(14695981039346656037);

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  return hash;
}

/* Of axes and values, and of the settings line up to `settings_length`. */
static inline uint64_t content_hash(const ans_solution *solution, size_t settings_length) {
  uint64_t hash = hash_bytes(HASH_START, solution->settings, settings_length);
  for (int i = 0; i < solution->coordinate_count; i++)
    hash = hash_bytes(hash, solution->axes[i], (size_t)solution->axis_sizes[i] * sizeof(double));
  for (int f = 0; f < solution->field_count; f++)
    hash = hash_bytes(hash, solution->values[f], solution->point_count * sizeof(double));
  return hash;
}

#endif
