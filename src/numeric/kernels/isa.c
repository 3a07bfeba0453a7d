/* SPDX-License-Identifier: Apache-2.0 */
#include "numeric/kernels/isa.h"

const char *isa_name(size_t index) {
  const char *names[4] = {0};
  size_t count = 0;
#if defined(__x86_64__)
  int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (avx512) names[count++] = "avx512";
  if (avx2) names[count++] = "avx2";
#endif
  names[count++] = "baseline";
  return index < count ? names[index] : NULL;
}
