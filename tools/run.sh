#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM - the first thing to see: what the program understands of a shipped family, and a picture of it.
set -eu
program=$1
mkdir -p output
"$program" show families/fisher.pde --case H1
"$program" show families/fisher.pde --case H1 --as svg -o output/fisher-H1-graph.svg
"$program" show families/fisher.pde --case H1 --as png -o output/fisher-H1-graph.png
echo
echo "Pictures of its operator graph:"
echo "  output/fisher-H1-graph.svg"
echo "  output/fisher-H1-graph.png"
