#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The looks of rod-newton at which estimate and reference differ by more than 10 %, against the exact solution.

    python3 bench/trust/exact_rod.py [build/ansatz]          (needs numpy)

The rod without a source has u = sin(pi x/2) exp(-D pi^2 t/4). Members are drawn as in ans_instance_draw, seed 777.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "ansatz"
WORD = (1 << 64) - 1


def diffusivity(member):
    z = (member * 0x2545F4914F6CDD1D + 777 + 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return 0.01 * 20 ** (((z ^ (z >> 31)) >> 11) * 2**-53)


def error(path, diffusivity):
    fields = numpy.load(path)
    exact = numpy.outer(numpy.exp(-diffusivity * numpy.pi**2 / 4 * fields["t"]), numpy.sin(numpy.pi * fields["x"] / 2))
    return numpy.linalg.norm(fields["u"] - exact) / numpy.linalg.norm(exact)


print("member steps  estimate   error       over error  the reference's error")
with tempfile.TemporaryDirectory() as folder:
    for look in csv.reader((ROOT / "results/trust/rod-newton.csv").open()):
        if float(look[4]) > 1e-2 or 1 / 1.1 <= float(look[6]) <= 1.1:
            continue
        assert look[2] == "cooling", look
        member, steps = int(look[1]), look[3]
        chosen = [ROOT / "families/rod.pde", "--structure", "cooling", "--set", f"D={diffusivity(member)!r}", "--quiet"]
        solve = [PROGRAM, "solve", *chosen, "--from-scratch", "--seed", str(member), "--steps", steps, "--threads", "1", "--json"]
        printed = subprocess.run([*solve, "-o", f"{folder}/s.npz"], check=True, capture_output=True, text=True).stdout
        subprocess.run([PROGRAM, "reference", *chosen, "-o", f"{folder}/r.npz"], check=True, capture_output=True)
        estimate, own, reference = (json.loads(printed)["estimate_mean"], error(f"{folder}/s.npz", diffusivity(member)),
                                    error(f"{folder}/r.npz", diffusivity(member)))
        print(f"{member:6d} {steps:>5s}  {estimate:.3e}  {own:.3e}  {estimate / own:10.4f}  {reference:.2e}")
