/* SPDX-License-Identifier: Apache-2.0
 *
 * team.c - see team.h.
 *
 * A call publishes its assignment under the lock and raises the generation. Items are claimed by compare-and-swap on
 * one word that holds the generation and the next item: a worker that comes late finds another generation or no item
 * left, and never touches a job that has ended.
 */
#include "base/team.h"

#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct assignment {
  team_job *job;
  void *data;
  int items, threads;
  fenv_t environment;
} assignment;

static double clock_seconds(clockid_t clock) {
  struct timespec now;
  return clock_gettime(clock, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

static void run_alone(const assignment *task) {
  for (int i = 0; i < task->items; i++) task->job(task->data, i, 0);
}

#ifdef ANSATZ_OPENMP
#include <omp.h>

void team_run(int threads, int items, team_job *job, void *data) {
  assignment task = {.job = job, .data = data, .items = items};
  if (threads < 2 || items < 2) {
    run_alone(&task);
    return;
  }
  fegetenv(&task.environment);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int i = 0; i < items; i++) {
    fesetenv(&task.environment);
    job(data, i, omp_get_thread_num());
  }
}

void team_seconds(int threads, double *seconds) {
  for (int t = 0; t < threads; t++) seconds[t] = 0;
#pragma omp parallel num_threads(threads)
  seconds[omp_get_thread_num()] = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

#else

enum {
  TEAMS = 8,    /* callers at a time that have workers; a ninth works alone */
  SPINS = 1000, /* looks before sleeping: some tens of microseconds */
  STACK = 2 << 20
};

typedef struct team {
  atomic_bool taken;
  pthread_mutex_t lock;
  pthread_cond_t begun, ended;
  assignment task; /* under the lock */
  bool closing;
  atomic_uint generation;
  _Atomic uint64_t next; /* generation << 32 | item */
  atomic_int done;
  bool refused; /* the system makes no more threads */
  int workers;
  pthread_t threads[TEAM_MOST_THREADS];
} team;

typedef struct seat {
  team *team;
  int worker;
} seat;

/* clang-format off */
#define TEAM_CLOSED                                                                                                    \
  { .lock = PTHREAD_MUTEX_INITIALIZER, .begun = PTHREAD_COND_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER }
/* clang-format on */

static team teams[TEAMS] = {TEAM_CLOSED, TEAM_CLOSED, TEAM_CLOSED, TEAM_CLOSED,
                            TEAM_CLOSED, TEAM_CLOSED, TEAM_CLOSED, TEAM_CLOSED};
static seat seats[TEAMS][TEAM_MOST_THREADS];
static _Thread_local bool at_work;

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/* ---- Items --------------------------------------------------------------------------------------------- */

/* The next item of this generation, or -1. */
static int claim(team *team, unsigned generation, int items) {
  uint64_t now = atomic_load_explicit(&team->next, memory_order_relaxed);
  while (now >> 32 == generation && (uint32_t)now < (uint32_t)items)
    if (atomic_compare_exchange_weak_explicit(&team->next, &now, now + 1, memory_order_acq_rel, memory_order_relaxed))
      return (int)(uint32_t)now;
  return -1;
}

/* Returns true when this thread did the last item. */
static bool take_items(team *team, const assignment *task, unsigned generation, int worker) {
  bool last = false;
  for (int item; (item = claim(team, generation, task->items)) >= 0;) {
    task->job(task->data, item, worker);
    last = atomic_fetch_add_explicit(&team->done, 1, memory_order_acq_rel) + 1 == task->items;
  }
  return last;
}

/* ---- Workers ------------------------------------------------------------------------------------------- */

/* Waits for a generation other than `seen`; false when the team closes. */
static bool next_assignment(team *team, unsigned *seen, assignment *task) {
  for (int i = 0; i < SPINS && atomic_load_explicit(&team->generation, memory_order_acquire) == *seen; i++) relax();
  pthread_mutex_lock(&team->lock);
  while (atomic_load_explicit(&team->generation, memory_order_relaxed) == *seen)
    pthread_cond_wait(&team->begun, &team->lock);
  *seen = atomic_load_explicit(&team->generation, memory_order_relaxed);
  *task = team->task;
  bool open = !team->closing;
  pthread_mutex_unlock(&team->lock);
  return open;
}

static void *work(void *argument) {
  const seat *mine = argument;
  team *team = mine->team;
  unsigned seen = 0;
  assignment task;
  at_work = true;
  while (next_assignment(team, &seen, &task)) {
    if (mine->worker >= task.threads) continue;
    fesetenv(&task.environment);
    if (!take_items(team, &task, seen, mine->worker)) continue;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->ended);
    pthread_mutex_unlock(&team->lock);
  }
  return NULL;
}

/* Signals are the program's: its own threads get them. */
static bool start_worker(team *team) {
  assert(team->workers < TEAM_MOST_THREADS);
  sigset_t all, before;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  seat *mine = &seats[team - teams][team->workers];
  *mine = (seat){.team = team, .worker = team->workers + 1};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
                 pthread_create(&team->threads[team->workers], &attributes, work, mine) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}

/* A child of fork has the teams of its parent, but none of their threads. */
static void begin_anew(void) {
  for (int i = 0; i < TEAMS; i++) teams[i] = (team)TEAM_CLOSED;
  at_work = false;
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, begin_anew); }

/* As many as are asked for, or as many as the system makes. */
static void staff(team *team, int workers) {
  assert(workers < TEAM_MOST_THREADS);
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  while (team->workers < workers && !team->refused) {
    if (start_worker(team))
      team->workers++;
    else
      team->refused = true;
  }
}

static team *take_team(void) {
  for (int i = 0; i < TEAMS; i++)
    if (!atomic_exchange_explicit(&teams[i].taken, true, memory_order_acquire)) return &teams[i];
  return NULL;
}

static void leave_team(team *team) { atomic_store_explicit(&team->taken, false, memory_order_release); }

/* A library that is unloaded, or a program that ends, leaves no thread behind. */
__attribute__((destructor)) static void close_teams(void) {
  for (int i = 0; i < TEAMS; i++) {
    team *team = &teams[i];
    if (atomic_exchange_explicit(&team->taken, true, memory_order_acquire)) continue; /* at work: it ends with us */
    pthread_mutex_lock(&team->lock);
    team->closing = true;
    atomic_fetch_add_explicit(&team->generation, 1, memory_order_release);
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
    for (int w = 0; w < team->workers; w++) pthread_join(team->threads[w], NULL);
    *team = (struct team)TEAM_CLOSED;
  }
}

/* ---- The caller ---------------------------------------------------------------------------------------- */

static unsigned publish(team *team, const assignment *task) {
  pthread_mutex_lock(&team->lock);
  unsigned generation = atomic_load_explicit(&team->generation, memory_order_relaxed) + 1;
  team->task = *task;
  atomic_store_explicit(&team->done, 0, memory_order_relaxed);
  atomic_store_explicit(&team->next, (uint64_t)generation << 32, memory_order_relaxed);
  atomic_store_explicit(&team->generation, generation, memory_order_release);
  pthread_cond_broadcast(&team->begun);
  pthread_mutex_unlock(&team->lock);
  return generation;
}

static bool all_done(team *team, int items) { return atomic_load_explicit(&team->done, memory_order_acquire) == items; }

static void run_together(team *team, const assignment *task) {
  assert(!at_work && task->threads > 1);
  unsigned generation = publish(team, task);
  at_work = true;
  take_items(team, task, generation, 0);
  at_work = false;
  for (int i = 0; i < SPINS && !all_done(team, task->items); i++) relax();
  if (all_done(team, task->items)) return;
  pthread_mutex_lock(&team->lock);
  while (!all_done(team, task->items)) pthread_cond_wait(&team->ended, &team->lock);
  pthread_mutex_unlock(&team->lock);
}

void team_run(int threads, int items, team_job *job, void *data) {
  assignment task = {.job = job, .data = data, .items = items, .threads = threads < items ? threads : items};
  if (task.threads > TEAM_MOST_THREADS) task.threads = TEAM_MOST_THREADS;
  team *team = task.threads < 2 || at_work ? NULL : take_team();
  if (!team) {
    run_alone(&task);
    return;
  }
  staff(team, task.threads - 1);
  fegetenv(&task.environment);
  run_together(team, &task);
  leave_team(team);
}

void team_seconds(int threads, double *seconds) {
  for (int t = 0; t < threads; t++) seconds[t] = 0;
  if (threads > 0) seconds[0] = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  team *team = take_team();
  if (!team) return;
  staff(team, threads <= TEAM_MOST_THREADS ? threads - 1 : TEAM_MOST_THREADS - 1);
  for (int w = 0; w < team->workers && w + 1 < threads; w++) {
    clockid_t clock;
    if (pthread_getcpuclockid(team->threads[w], &clock) == 0) seconds[w + 1] = clock_seconds(clock);
  }
  leave_team(team);
}
#endif
