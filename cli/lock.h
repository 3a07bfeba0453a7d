/* SPDX-License-Identifier: Apache-2.0
 *
 * lock.h - one run at a time for one output.
 *
 * The lock is held on PATH.lock beside the output, by the system, so that it ends with the process however that ends.
 */
#ifndef CLI_LOCK_H
#define CLI_LOCK_H

typedef struct output_lock {
  int descriptor; /* -1: none */
  char path[4096];
} output_lock;

/* EXIT_OK, or EXIT_FILE after a sentence: another run is writing this output, or the lock cannot be made. No path, or
 * one that is no file (a device, a pipe): no lock. */
int output_lock_take(const char *output, output_lock *lock);
void output_lock_drop(output_lock *lock);

#endif
