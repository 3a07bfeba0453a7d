/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/team.h"
#include "numeric/denormal.h"

enum { ITEMS = 1000, THREADS = 4 };

/* ThreadSanitizer ends a child of fork that makes threads; OpenMP's threads do not outlive a fork and take signals. */
#if defined(ANSATZ_OPENMP) || defined(__SANITIZE_THREAD__)
#define OWN_THREADS_ONLY() skip()
#else
#define OWN_THREADS_ONLY() (void)0
#endif

typedef struct tally {
  atomic_int items[ITEMS], workers[THREADS];
  atomic_int out_of_range, at_once;
  int inner; /* items of a job inside the job */
} tally;

static void count_inner(void *data, int item, int worker) {
  tally *tally = data;
  (void)item;
  if (worker != 0) tally->out_of_range++; /* the number of a thread that works alone */
}

static void count(void *data, int item, int worker) {
  tally *tally = data;
  if (worker < 0 || worker >= THREADS || item < 0 || item >= ITEMS) {
    tally->out_of_range++;
    return;
  }
  if (tally->workers[worker]++ != 0) tally->at_once++;
  tally->items[item]++;
  if (tally->inner) team_run(THREADS, tally->inner, count_inner, tally);
  tally->workers[worker]--;
}

static void assert_each_once(const tally *tally, int items) {
  for (int i = 0; i < ITEMS; i++) assert_int_equal(tally->items[i], i < items);
  assert_int_equal(tally->out_of_range, 0);
  assert_int_equal(tally->at_once, 0);
}

static void test_every_item_is_done_once(void **state) {
  (void)state;
  static const int items[] = {0, 1, 2, 3, 7, 8, ITEMS};
  for (int threads = -1; threads <= THREADS; threads++)
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
      static tally tally;
      tally = (struct tally){0};
      team_run(threads, items[i], count, &tally);
      assert_each_once(&tally, items[i]);
    }
}

static void test_a_job_inside_a_job_runs_alone(void **state) {
  (void)state;
  static tally tally;
  tally = (struct tally){.inner = 5};
  team_run(THREADS, ITEMS, count, &tally);
  assert_each_once(&tally, ITEMS);
}

/* More callers than there are teams. */
static void *call_often(void *argument) {
  tally *tally = argument;
  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < ITEMS; k++) tally->items[k] = 0;
    team_run(THREADS, ITEMS, count, tally);
    for (int k = 0; k < ITEMS; k++)
      if (tally->items[k] != 1) tally->out_of_range++;
  }
  return NULL;
}

static void test_many_callers(void **state) {
  (void)state;
  enum { CALLERS = 12 };
  static tally tallies[CALLERS];
  pthread_t callers[CALLERS];
  for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&callers[i], NULL, call_often, &tallies[i]), 0);
  for (int i = 0; i < CALLERS; i++) pthread_join(callers[i], NULL);
  for (int i = 0; i < CALLERS; i++) assert_each_once(&tallies[i], ITEMS);
}

/* ---- The floating-point environment --------------------------------------------------------------------- */

typedef struct environments {
  atomic_int waiting, rounding[2];
  volatile float tiny;
  atomic_int denormal; /* threads in which half of the least normal number is not zero */
} environments;

/* Waits for the other thread, so that both take an item. */
static void look(void *data, int item, int worker) {
  environments *seen = data;
  (void)item;
  seen->waiting++;
  while (seen->waiting < 2) (void)sched_yield();
  seen->rounding[worker] = fegetround();
  if (seen->tiny * 0.5F != 0) seen->denormal++;
}

static void test_workers_have_the_callers_environment(void **state) {
  (void)state;
  static const int modes[] = {FE_UPWARD, FE_TONEAREST};
  for (int i = 0; i < 2; i++) {
    environments seen = {.tiny = 1.17549435e-38F};
    fesetround(modes[i]);
    team_run(2, 2, look, &seen);
    fesetround(FE_TONEAREST);
    assert_int_equal(seen.rounding[0], modes[i]);
    assert_int_equal(seen.rounding[1], modes[i]);
    assert_int_equal(seen.denormal, 2);
  }
#if defined(__SSE2__)
  environments seen = {.tiny = 1.17549435e-38F};
  unsigned before = denormals_off();
  team_run(2, 2, look, &seen);
  denormals_restore(before);
  assert_int_equal(seen.denormal, 0);
#endif
}

/* ---- fork, signals, limits ------------------------------------------------------------------------------- */

/* 0 when a team works in this process; a hang is ended by the alarm. */
static int work_here(void) {
  static tally tally;
  tally = (struct tally){0};
  environments seen = {.tiny = 1};
  alarm(20);
  team_run(2, 2, look, &seen); /* needs two threads */
  for (int i = 0; i < 100; i++) {
    for (int k = 0; k < ITEMS; k++) tally.items[k] = 0;
    team_run(THREADS, ITEMS, count, &tally);
    for (int k = 0; k < ITEMS; k++)
      if (tally.items[k] != 1) return 1;
  }
  alarm(0);
  return tally.out_of_range + tally.at_once;
}

static int end_of(pid_t child) {
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
}

static void test_a_child_of_fork_has_workers(void **state) {
  (void)state;
  OWN_THREADS_ONLY();
  assert_int_equal(work_here(), 0);
  for (int i = 0; i < 20; i++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      if (work_here() != 0) _exit(1);
      pid_t grandchild = fork();
      if (grandchild == 0) exit(work_here()); /* with the destructors */
      _exit(end_of(grandchild));
    }
    assert_int_equal(end_of(child), 0);
  }
  assert_int_equal(work_here(), 0);
}

/* A thread that forks while others are inside the library. */
static void test_fork_while_others_work(void **state) {
  (void)state;
  OWN_THREADS_ONLY();
  enum { CALLERS = 3 };
  static tally tallies[CALLERS];
  pthread_t callers[CALLERS];
  for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&callers[i], NULL, call_often, &tallies[i]), 0);
  for (int i = 0; i < 10; i++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(work_here());
    assert_int_equal(end_of(child), 0);
  }
  for (int i = 0; i < CALLERS; i++) pthread_join(callers[i], NULL);
  for (int i = 0; i < CALLERS; i++) assert_each_once(&tallies[i], ITEMS);
}

static pthread_t signalled;
static void note_thread(int number) {
  (void)number;
  signalled = pthread_self();
}

static void test_signals_go_to_the_callers_threads(void **state) {
  (void)state;
  OWN_THREADS_ONLY();
  assert_int_equal(work_here(), 0);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  signal(SIGUSR1, note_thread);
  pthread_sigmask(SIG_BLOCK, &one, NULL); /* a worker that took signals would take it now */
  kill(getpid(), SIGUSR1);
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  assert_true(pthread_equal(signalled, pthread_self()));
  signal(SIGUSR1, SIG_DFL);
}

/* The system makes no thread: the caller works alone. */
static void test_no_thread_can_be_made(void **state) {
  (void)state;
  OWN_THREADS_ONLY();
#if defined(__SANITIZE_ADDRESS__)
  skip(); /* it needs the address space */
#endif
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    static tally tally;
    setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20});
    team_run(THREADS, ITEMS, count, &tally);
    for (int i = 0; i < ITEMS; i++)
      if (tally.items[i] != 1) _exit(1);
    _exit(0);
  }
  assert_int_equal(end_of(child), 0);
}

/* Workers sleep once there is nothing to do: the process uses no CPU time to speak of. */
static void test_waiting_costs_nothing(void **state) {
  (void)state;
  assert_int_equal(work_here(), 0);
  double before[THREADS], after[THREADS];
  team_seconds(THREADS, before);
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  team_seconds(THREADS, after);
  for (int t = 0; t < THREADS; t++) assert_true(after[t] - before[t] < 0.1);
  assert_true(before[0] > 0 && before[1] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_item_is_done_once),
      cmocka_unit_test(test_a_job_inside_a_job_runs_alone),
      cmocka_unit_test(test_many_callers),
      cmocka_unit_test(test_workers_have_the_callers_environment),
      cmocka_unit_test(test_a_child_of_fork_has_workers),
      cmocka_unit_test(test_fork_while_others_work),
      cmocka_unit_test(test_signals_go_to_the_callers_threads),
      cmocka_unit_test(test_no_thread_can_be_made),
      cmocka_unit_test(test_waiting_costs_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
