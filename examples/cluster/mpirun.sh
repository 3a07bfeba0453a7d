#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpirun: the processes take rows as they are free, and the first writes the file. No MPI is needed in the program.
#   MODEL=fisher-graph TARGETS=targets.csv OUTPUT=all.nc PROCESSES=16 ./mpirun.sh
set -eu
mpirun ${MPIRUN_OPTIONS:-} -n "$PROCESSES" \
  ansatz solve "$MODEL" --targets "$TARGETS" -o "$OUTPUT" --threads 1 --quiet ${OPTIONS:-}
