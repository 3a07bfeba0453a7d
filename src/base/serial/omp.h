/* SPDX-License-Identifier: Apache-2.0
 *
 * omp.h - stands in for OpenMP's header in builds without it (-Dopenmp=disabled): one thread, number 0.
 */
#ifndef BASE_SERIAL_OMP_H
#define BASE_SERIAL_OMP_H

static inline int omp_get_thread_num(void) { return 0; }

#endif
