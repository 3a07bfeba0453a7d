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
# A file of the corpus that is longer than -max_len would be cut off, and so refused.
longest=$(find "$corpus" -type f -exec wc -c {} + | awk '$2 != "total" && $1 > most { most = $1 } END { print most < 3072 ? 4096 : most + 1024 }')
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
# Freed memory is kept from use for some hundred inputs, not for the 256 MB of the default, whose pages cost a third of the time.
export ASAN_OPTIONS="quarantine_size_mb=16:malloc_context_size=6${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
"$program" -runs="$runs" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2000 -max_len="$longest" -print_final_stats=1 \
  -dict="$dictionary" "$@" "$found" "$corpus"
