/* SPDX-License-Identifier: Apache-2.0
 *
 * mpi.c - a training that several processes share, by messages of MPI. The only file that sees it.
 *
 * Messages carry chunks of a sum from the process that computed them to all others, never sums of them: MPI may add
 * in any order, and the bits would depend on the number of processes.
 */
#include <mpi.h>
#include <sched.h>
#include <string.h>

#include "cli/shared.h"

static bool joined;

enum { AT_ONCE = 16 }; /* messages */

/* MPI_Waitall may wait without giving the processor away (MPICH does), and where processes share one, the others then
 * wait for the end of a slice of time. */
static void wait_for(int count, MPI_Request *requests) {
  MPI_Status statuses[AT_ONCE];
  for (int done = 0; !done;) {
    MPI_Testall(count, requests, &done, statuses);
    if (!done) sched_yield();
  }
}

/* Broadcasts of all pieces at once: they overlap. */
static void spread(void *user_data, void *const *pieces, size_t bytes, const int *owners, size_t piece_count) {
  MPI_Request requests[AT_ONCE];
  (void)user_data;
  for (size_t first = 0; first < piece_count; first += AT_ONCE) {
    int count = (int)(piece_count - first < AT_ONCE ? piece_count - first : AT_ONCE);
    for (int i = 0; i < count; i++)
      MPI_Ibcast(pieces[first + (size_t)i], (int)bytes, MPI_BYTE, owners[first + (size_t)i], MPI_COMM_WORLD,
                 &requests[i]);
    wait_for(count, requests);
  }
}

int fellows_largest(int number) {
  int largest = number;
  if (joined) MPI_Allreduce(&number, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

/* Builds that differ would give bits that differ. */
static bool same_build(void) {
  char mine[128] = "", first[128];
  snprintf(mine, sizeof mine, "%s %s %s", ans_version(), build_commit, ans_isa_name(0));
  memcpy(first, mine, sizeof first);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  return fellows_largest(memcmp(first, mine, sizeof first) != 0) == 0;
}

int fellows_join(ans_fellows *fellows) {
  int rank, count, provided;
  if (!joined && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return exit_code(ANS_UNSUPPORTED);
  joined = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  *fellows = (ans_fellows){.rank = rank, .count = count, .spread = spread};
  if (count != fellows_here().count) {
    if (rank == 0)
      complain("mpirun started %d processes, but this program's MPI sees %d: it was built with another MPI",
               fellows_here().count, count);
    return exit_code(ANS_UNSUPPORTED);
  }
  if (same_build()) return EXIT_OK;
  if (rank == 0)
    complain("the %d processes are not of one version, or their processors have different instruction sets (ANSATZ_ISA "
             "pins one)",
             count);
  return exit_code(ANS_UNSUPPORTED);
}

void fellows_leave(void) {
  if (joined) MPI_Finalize();
  joined = false;
}
