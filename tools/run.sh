#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM - the first thing to see: a coupled system that the shipped model never saw, solved and checked.
# The default method ends by itself after about twenty steps; --check then compares with a classical solution.
set -eu
program=$1
mkdir -p output

echo "Read from families/fisher.pde, case H1:"
"$program" show families/fisher.pde --case H1 | sed -n '/^Equations/,/^$/p; /^Structures/,/^$/p; /^  case H1/p; /nodes:/p'
echo
echo "The model was trained on the three structures that are not held, by physics alone. Its first guess for the held one is"
echo "adapted to the equation and compared with a classical solution, which the adaptation does not see:"
"$program" solve models/fisher-graph.safetensors --case H1 --evaluate 5 --check \
  -o output/fisher-H1.nc --figure output/fisher-H1.png
"$program" show families/fisher.pde --case H1 --as svg -o output/fisher-H1-graph.svg
echo "wrote      output/fisher-H1-graph.svg"
echo
echo "Next: README.md, or your own equation: $program new mine && $program check mine.pde"
