#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report.sh PROGRAM - writes doc/reproduction.md and its figures from the records under results/. No number is typed by hand.
set -eu
program=$1
{
  cat <<'TEXT'
# The paper's experiments, and ours

Made by `make report` from the records under `results/`: the paper's number (mean ± sample SD over seed means) beside ours, and
a verdict for each cell. Seeds name our own random streams, so a seed here is another draw than the same seed in the
paper; only means and spreads can be compared. `results/README.md` says how records are made and what is still missing.

TEXT
  for name in fisher fisher-ownership fisher-depth fisher-iwata ccp cdr-five-two cdr-all-seven cdr-lower cdr-samplers \
    cdr-amortization; do
    "$program" reproduce "$name" --report --figures doc/figures
  done
} > doc/reproduction.md.new
mv doc/reproduction.md.new doc/reproduction.md
