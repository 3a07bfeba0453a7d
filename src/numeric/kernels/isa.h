/* SPDX-License-Identifier: Apache-2.0
 *
 * isa.h - the instruction sets that kernels are compiled for, and which of them this processor has.
 */
#ifndef NUMERIC_KERNELS_ISA_H
#define NUMERIC_KERNELS_ISA_H

#include <stddef.h>

/* The name of the i-th that can be used here, the widest first; NULL beyond the last, which is "baseline". */
const char *isa_name(size_t index);

#endif
