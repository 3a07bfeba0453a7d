/* SPDX-License-Identifier: Apache-2.0
 *
 * team.h - the items of a job, done by several threads.
 *
 * Whoever is free takes the next item, the caller among them, and the call ends when every item is done. A worker that
 * the system has not yet woken is not waited for, so on busy cores a job costs at most what one thread would take.
 * Threads that wait look around for some microseconds and then sleep.
 *
 * A job must give the same result whichever thread takes which item; then no result depends on the number of threads.
 * Calls from several threads of the program each have workers of their own while there are any. A call from inside a
 * job, or with no workers left, runs on the calling thread alone; nothing here fails. Nothing is allocated per call.
 * A child of fork has new workers.
 */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

enum { TEAM_MOST_THREADS = 256 };

/* `worker` is below the number of threads asked for, and no two items at work have the same. */
typedef void team_job(void *data, int item, int worker);

/* job(data, 0 .. items - 1, ...), in the caller's floating-point environment (rounding, denormals). */
void team_run(int threads, int items, team_job *job, void *data);

/* CPU seconds so far of the calling thread and of the workers that its next call may have; 0 where there is none. */
void team_seconds(int threads, double *seconds);

#endif
