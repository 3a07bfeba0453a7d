/* SPDX-License-Identifier: Apache-2.0
 *
 * no_mpi.c - in the place of mpi/mpi.c where the program is built without MPI.
 */
#include "fellows.h"
#include "output.h"

int fellows_join(ans_fellows *fellows) {
  (void)fellows;
  if (fellows_here().rank == 0)
    complain(
        "this program was built without MPI, so each of the %d processes would train the same model: start one, give "
        "--seeds with --shard auto, or build with -Dmpi=enabled",
        fellows_here().count);
  return exit_code(ANS_UNSUPPORTED);
}

int fellows_largest(int number) { return number; }

void fellows_leave(void) {}
