#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One Slurm job of many processes, one per task of srun; the file is written when all have ended.
#   sbatch --export=ALL,MODEL=fisher-graph,TARGETS=targets.csv,OUTPUT=all.nc slurm-srun.sh
#SBATCH --job-name=ansatz
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
set -eu
srun ansatz solve "$MODEL" --targets "$TARGETS" -o "$OUTPUT" --shard auto --quiet ${OPTIONS:-}
ansatz merge "$OUTPUT" --quiet
