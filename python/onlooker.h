/* SPDX-License-Identifier: Apache-2.0
 *
 * onlooker.h - where a run is, for another thread to read while it lasts, and the flag that ends it.
 *
 * A run is watched without a word of Python: the watcher would have to wait for the interpreter's lock at every step.
 */
#include <pthread.h>

#include "ansatz_tools.h"

typedef struct onlooker {
  pthread_mutex_t lock;
  ans_progress now;
  volatile int interrupt;
} onlooker;

static void onlooker_begin(onlooker *onlooker, ans_progress now) {
  pthread_mutex_init(&onlooker->lock, NULL);
  onlooker->now = now;
  onlooker->interrupt = 0;
}

static bool onlooker_note(void *data, ans_progress now) {
  onlooker *looks = data;
  pthread_mutex_lock(&looks->lock);
  looks->now = now;
  pthread_mutex_unlock(&looks->lock);
  return true;
}

static ans_progress onlooker_see(onlooker *onlooker) {
  pthread_mutex_lock(&onlooker->lock);
  ans_progress now = onlooker->now;
  pthread_mutex_unlock(&onlooker->lock);
  return now;
}

static void onlooker_watch(onlooker *onlooker, ans_run_rules *rules) { rules->interrupt = &onlooker->interrupt; }
static void onlooker_interrupt(onlooker *onlooker) { onlooker->interrupt = 1; }
