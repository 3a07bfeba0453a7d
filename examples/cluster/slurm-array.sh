#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An array of Slurm jobs: each does its part of the table. When all have ended:  ansatz merge "$OUTPUT"
#   sbatch --export=ALL,MODEL=fisher-graph,TARGETS=targets.csv,OUTPUT=all.nc slurm-array.sh
#SBATCH --job-name=ansatz
#SBATCH --array=1-64
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --signal=USR1@60
#SBATCH --requeue
set -u
# exec is not used, so that the shell can answer what the program ends with; Slurm signals the steps of a job.
ansatz solve "$MODEL" --targets "$TARGETS" -o "$OUTPUT" --shard auto --quiet ${OPTIONS:-}
code=$?
case $code in
# The time was nearly up: what is done is kept. Once more, from there.
138 | 143) scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}" ;;
esac
exit $code
