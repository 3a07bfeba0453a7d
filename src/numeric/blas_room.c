/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "numeric/blas_room.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

/* A buffer, and as much again as a thread or two may take before OpenBLAS maps it. */
static const size_t buffer_bytes = ((size_t)128 + 16) << 20;

static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER;
static bool together;      /* calls may run at the same time; written before `buffers` */
static atomic_int inside;  /* calls at the moment */
static atomic_int buffers; /* that OpenBLAS has or can have */

static bool has_room(void) {
  void *memory = mmap(NULL, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, buffer_bytes);
  return true;
}

bool blas_room_begin(bool (*first_call)(void)) {
  if (atomic_load_explicit(&buffers, memory_order_acquire) > 0) return true;
  pthread_mutex_lock(&growing);
  bool ready = atomic_load_explicit(&buffers, memory_order_relaxed) > 0;
  if (!ready && has_room()) {
    together = first_call();
    atomic_store_explicit(&buffers, 1, memory_order_release);
    ready = true;
  }
  pthread_mutex_unlock(&growing);
  return ready;
}

/* Room for a buffer more; true when there are `count` now. */
static bool grow(int count) {
  pthread_mutex_lock(&growing);
  bool enough = atomic_load_explicit(&buffers, memory_order_relaxed) >= count;
  if (!enough && has_room()) {
    atomic_store_explicit(&buffers, count, memory_order_release);
    enough = true;
  }
  pthread_mutex_unlock(&growing);
  return enough;
}

void blas_room_enter(bool (*first_call)(void)) {
  static const struct timespec moment = {.tv_nsec = 50000};
  while (!blas_room_begin(first_call)) nanosleep(&moment, NULL);
  if (!together) {
    pthread_mutex_lock(&calling);
    return;
  }
  for (;;) {
    int count = atomic_fetch_add_explicit(&inside, 1, memory_order_acq_rel) + 1;
    if (count <= atomic_load_explicit(&buffers, memory_order_acquire) || grow(count)) return;
    atomic_fetch_sub_explicit(&inside, 1, memory_order_acq_rel);
    nanosleep(&moment, NULL);
  }
}

void blas_room_leave(void) {
  if (together)
    atomic_fetch_sub_explicit(&inside, 1, memory_order_acq_rel);
  else
    pthread_mutex_unlock(&calling);
}
