/* SPDX-License-Identifier: Apache-2.0
 *
 * team_locks_test.c - the team's locks, seen from inside: its source is compiled here with calls that count. What is
 * unlocked was locked by the same thread, who waits or wakes another holds the lock, and no item is done under it.
 */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static _Thread_local int held;
static atomic_int faults, workers_asleep, callers_asleep;
static pthread_t caller;

static int count_lock(pthread_mutex_t *mutex) {
  int status = pthread_mutex_lock(mutex);
  if (held++ != 0) faults++;
  return status;
}

static int count_unlock(pthread_mutex_t *mutex) {
  if (held-- != 1) faults++;
  return pthread_mutex_unlock(mutex);
}

static int count_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  if (held != 1) faults++;
  atomic_int *asleep = pthread_equal(pthread_self(), caller) ? &callers_asleep : &workers_asleep;
  (*asleep)++; /* under the lock: whoever wakes this thread comes later */
  int status = pthread_cond_wait(condition, mutex);
  (*asleep)--;
  return status;
}

static int count_signal(pthread_cond_t *condition) {
  if (held != 1) faults++;
  return pthread_cond_signal(condition);
}

static int count_broadcast(pthread_cond_t *condition) {
  if (held != 1) faults++;
  return pthread_cond_broadcast(condition);
}

#define pthread_mutex_lock     count_lock
#define pthread_mutex_unlock   count_unlock
#define pthread_cond_wait      count_wait
#define pthread_cond_signal    count_signal
#define pthread_cond_broadcast count_broadcast
#include "base/team.c"

#ifdef ANSATZ_OPENMP
int main(void) { return 77; } /* OpenMP has locks of its own */
#else

enum { THREADS = 3 };

/* Every thread has one item. The last of them to end is a worker, while the caller sleeps. */
static void meet(void *data, int item, int worker) {
  atomic_int *here = data;
  (void)item;
  if (held != 0) faults++;
  (*here)++;
  while (*here < THREADS) sched_yield();
  while (worker != 0 && callers_asleep == 0) sched_yield();
}

static void test_locks_are_held(void **state) {
  (void)state;
  caller = pthread_self();
  double seconds[THREADS];
  team_seconds(THREADS, seconds);
  if (teams[0].refused) skip(); /* the system makes no threads */
  for (int round = 0; round < 20; round++) {
    atomic_int here = 0;
    team_run(THREADS, THREADS, meet, &here);
    assert_int_equal(held, 0);
    while (workers_asleep < THREADS - 1) sched_yield(); /* the next round wakes them */
  }
  assert_int_equal(faults, 0);
}

static void test_the_most_clocks_are_those_of_the_most_threads(void **state) {
  (void)state;
  double seconds[TEAM_MOST_THREADS + 2];
  seconds[TEAM_MOST_THREADS] = seconds[TEAM_MOST_THREADS + 1] = -1;
  team_seconds(TEAM_MOST_THREADS + 2, seconds);
  if (teams[0].refused) skip();
  assert_int_equal(teams[0].workers, TEAM_MOST_THREADS - 1);
  assert_true(seconds[TEAM_MOST_THREADS] == 0 && seconds[TEAM_MOST_THREADS + 1] == 0);
  assert_int_equal(faults, 0);
}

/* As at the end of a program; what is called later begins anew. */
static void test_the_end_takes_the_workers_along(void **state) {
  (void)state;
  close_teams();
  assert_int_equal(workers_asleep, 0);
  for (int i = 0; i < TEAMS; i++) assert_int_equal(teams[i].workers, 0);
  assert_int_equal(faults, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_locks_are_held),
      cmocka_unit_test(test_the_most_clocks_are_those_of_the_most_threads),
      cmocka_unit_test(test_the_end_takes_the_workers_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
