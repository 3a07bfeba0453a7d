#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The records of the trust study (results/trust/*.csv) as the table of doc/numerics.md.

    python3 bench/trust/summary.py results/trust/*.csv
"""
import csv
import math
import sys


def off(record):
    """How many times the worst field's estimate is off."""
    ratio = float(record[6])
    return math.exp(abs(math.log(ratio))) if ratio > 0 else math.inf


def share(records, limit):
    return f"{sum(off(r) <= limit for r in records)} of {len(records)}" if records else "-"


print("| family | looks | error from, to | within 10 % where <= 1e-2 | within 1.5 where larger | worst | trusted | trusted and 1.5 off | corrected, median, worst | ms |")
print("|---|---|---|---|---|---|---|---|---|---|")
every = []
for path in sys.argv[1:]:
    every.append((path.split("/")[-1].removesuffix(".csv"), list(csv.reader(open(path)))))
every.append(("all", [r for _, records in every for r in records]))
for name, records in every:
    errors = [float(r[4]) for r in records]
    small, large = [r for r in records if float(r[4]) <= 1e-2], [r for r in records if float(r[4]) > 1e-2]
    trusted = [r for r in records if r[7] == "1"]
    corrected = sorted(float(r[9]) for r in records if r[9] != "nan")
    costs = sorted(float(r[10]) for r in records)
    print(f"| {name} | {len(records)} | {min(errors):.0e}, {max(errors):.1f} | {share(small, 1.1)} | {share(large, 1.5)} | "
          f"{max(map(off, records)):.3f} | {len(trusted)} | {sum(off(r) > 1.5 for r in trusted)} | "
          f"{corrected[len(corrected) // 2]:.0e}, {corrected[-1]:.0e} | {costs[len(costs) // 2]:.0f}, {costs[-1]:.0f} |")
