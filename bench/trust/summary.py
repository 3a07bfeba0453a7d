#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The records of the trust study (results/trust/) as the tables of doc/numerics.md.

    python3 bench/trust/summary.py results/trust
"""
import csv
import math
import pathlib
import sys


def off(record):
    """How many times the worst field's estimate is off."""
    ratio = float(record[6])
    return math.exp(abs(math.log(ratio))) if ratio > 0 else math.inf


def share(records, limit):
    return f"{sum(off(r) <= limit for r in records)} of {len(records)}" if records else "-"


def read(folder):
    return [(path.stem, list(csv.reader(path.open()))) for path in sorted(folder.glob("*.csv"))]


def with_all(arms):
    return [*arms, ("all", [record for _, records in arms for record in records])]


def members(records):
    return len({(r[0], r[1]) for r in records})


FOLDER = pathlib.Path(sys.argv[1])
print("| arm | members | looks | error from, to | within 10 % where <= 1e-2 | within 1.5 where larger | worst | trusted | trusted and 1.5 off | corrected, median, worst | ms |")
print("|---|---|---|---|---|---|---|---|---|---|---|")
for name, records in with_all(read(FOLDER)):
    errors = [float(r[4]) for r in records]
    small, large = [r for r in records if float(r[4]) <= 1e-2], [r for r in records if float(r[4]) > 1e-2]
    trusted = [r for r in records if r[7] == "1"]
    corrected = sorted(float(r[9]) for r in records if r[9] != "nan")
    costs = sorted(float(r[10]) for r in records)
    print(f"| {name} | {members(records)} | {len(records)} | {min(errors):.0e}, {max(errors):.1f} | {share(small, 1.1)} | {share(large, 1.5)} | "
          f"{max(map(off, records)):.3f} | {len(trusted)} | {sum(off(r) > 1.5 for r in trusted)} | "
          f"{corrected[len(corrected) // 2]:.0e}, {corrected[-1]:.0e} | {costs[len(costs) // 2]:.0f}, {costs[-1]:.0f} |")

# Tolerances: of the runs that the program calls met, how many are so by the true error of every field?
print("\n| family | members | tolerance | met, of | kept, of those met | largest error over tolerance where met | s, median |")
print("|---|---|---|---|---|---|---|")
for name, records in with_all(read(FOLDER / "tolerance")):
    for tolerance in sorted({float(r[3]) for r in records}, reverse=True):
        mine = [r for r in records if float(r[3]) == tolerance]
        met = [r for r in mine if r[5] == "1"]
        kept = [r for r in met if float(r[6]) <= tolerance]
        worst = max((float(r[6]) / tolerance for r in met), default=math.nan)
        seconds = sorted(float(r[7]) / 1e3 for r in mine)
        print(f"| {name} | {members(mine)} | {tolerance:.0e} | {len(met)} of {len(mine)} | {len(kept)} of {len(met)} | {worst:.2f} | {seconds[len(seconds) // 2]:.1f} |")
