/* SPDX-License-Identifier: Apache-2.0
 *
 * denormal.h - numbers too small to matter are zero inside the engine.
 *
 * Arithmetic on denormals is up to a hundred times slower. Each thread sets its own control word on entry
 * and gives the caller's back on leaving.
 */
#ifndef NUMERIC_DENORMAL_H
#define NUMERIC_DENORMAL_H

#if defined(__SSE2__)
#include <xmmintrin.h>

static inline unsigned denormals_off(void) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040u); /* flush to zero, denormals are zero */
  return before;
}
static inline void denormals_restore(unsigned before) { _mm_setcsr(before); }
#else
static inline unsigned denormals_off(void) { return 0; }
static inline void denormals_restore(unsigned before) { (void)before; }
#endif

#endif
