#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# GNU parallel: as many processes as the machine (or PARALLEL_OPTIONS="--sshloginfile hosts") has processors.
#   MODEL=fisher-graph TARGETS=targets.csv OUTPUT=all.nc SHARDS=16 ./parallel.sh
set -eu
seq "$SHARDS" | parallel ${PARALLEL_OPTIONS:-} --halt soon,fail=1 \
  ansatz solve "$MODEL" --targets "$TARGETS" -o "$OUTPUT" --shard "{}/$SHARDS" --threads 1 --quiet ${OPTIONS:-}
ansatz merge "$OUTPUT" --quiet
