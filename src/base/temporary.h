/* SPDX-License-Identifier: Apache-2.0
 *
 * temporary.h - inside base/: the file that is written before it takes its target's place.
 *
 * Its owner holds a lock on it (flock) from the moment it can be seen until it is renamed or removed. A temporary file
 * without a lock belongs to a process that was ended in the middle: whoever next writes in that folder removes it.
 */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <limits.h>
#include <sys/types.h>

enum { TEMPORARY_RANDOM = 8, TEMPORARY_PATH = PATH_MAX + sizeof ".ansatz-" + TEMPORARY_RANDOM };

/* A new, locked file beside the target, under a name that nobody can expect and that is short however long the target's
 * is. The kernel applies the process's mask to its permissions, so that other threads never see the mask changed.
 * -1: errno says why. */
int temporary_create(const char *target, mode_t mode, char *path);

/* Removes what ended processes of this user left beside the target. */
void temporary_sweep(const char *target);

#endif
