#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long would W workers take? Deals the recorded times of a run out again: replay.py OUTPUT.times.csv [WORKERS ...]

  --rows N      as many rows, drawn from the recorded ones with --seed S (default: the recorded ones, each once)
  --start S     seconds that a worker takes before its first row (default 0.1)
  --shards      fixed parts (--shard K/N) instead of whoever is free (--shard any, mpirun)
  --longest     the longest rows first, as a second run to the same output takes them
  --clock       by the clock, not by the processor's seconds (on a busy machine the clock counts what others did, too)

Efficiency is the sum of the times over workers times the time until the last one ends."""
import argparse
import csv
import heapq
import random
import sys


def until_the_last_ends(times, workers, start, fixed):
    if fixed:
        return start + max(sum(times[k::workers]) for k in range(min(workers, len(times))))
    free = [start] * workers
    for seconds in times:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("table")
    words.add_argument("workers", nargs="*", type=int, default=[1, 2, 10, 100, 1000])
    words.add_argument("--rows", type=int)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--start", type=float, default=0.1)
    words.add_argument("--shards", action="store_true")
    words.add_argument("--longest", action="store_true")
    words.add_argument("--clock", action="store_true")
    given = words.parse_args()
    with open(given.table, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] != "missing"]
    if not rows:
        sys.exit(f"{given.table}: no row has a time")
    column = "whole_seconds" if given.clock or "processor_seconds" not in rows[0] else "processor_seconds"
    times = [float(row[column]) for row in rows]
    if given.rows:
        draw = random.Random(given.seed)
        times = [draw.choice(times) for _ in range(given.rows)]
    if given.longest:
        times.sort(reverse=True)
    print(f"{len(times)} rows, {sum(times):.1f} s in all, {sum(times) / len(times):.4f} s each, longest {max(times):.4f} s")
    print(f"{'workers':>8} {'seconds':>12} {'efficiency':>11}")
    for workers in given.workers:
        seconds = until_the_last_ends(times, workers, given.start, given.shards)
        print(f"{workers:8d} {seconds:12.2f} {sum(times) / workers / seconds:11.3f}")


main()
