/* SPDX-License-Identifier: Apache-2.0
 *
 * available.h - inside base/: is there memory for a large request?
 *
 * A system that promises more memory than it has grants any request and ends the process when the pages are touched.
 * A small text can ask for a network of any width, so a large request is compared with what the system says it has.
 */
#ifndef BASE_AVAILABLE_H
#define BASE_AVAILABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { LARGE_REQUEST = 16 << 20 }; /* smaller ones are not asked about: reading the system's answer would take longer */

/* False when `bytes` are more than 15 of 16 parts of what is available; true where the system does not say. */
bool memory_is_available(size_t bytes);

extern const char *memory_report; /* for tests: the system's file, /proc/meminfo */

#endif
