#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzzer on the committed corpus without changing it.  fuzz.sh PROGRAM DICTIONARY CORPUS RUNS SECONDS [OPTION ...]
# A fault is kept in the working directory as crash-...; exit 77 (skipped) without clang's program.
set -eu
program=$1 dictionary=$2 corpus=$3 runs=$4 seconds=$5
shift 5
if [ ! -x "$program" ]; then
  echo "The fuzzer was not built: it needs clang and its runtime (tools/dependencies.sh long installs them)." >&2
  exit 77
fi
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
"$program" -runs="$runs" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2000 -max_len=4096 -print_final_stats=1 \
  -dict="$dictionary" "$@" "$found" "$corpus"
