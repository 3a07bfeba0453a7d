/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.h - "did you mean": the name that differs least from what was typed.
 */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* NULL when none is near: more than two edits away, or more than a third of the name's letters. */
const char *nearest_name(const char *typed, const char *const *names, size_t count);

#endif
