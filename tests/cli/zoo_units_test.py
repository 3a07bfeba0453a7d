# SPDX-License-Identifier: Apache-2.0
"""Every equation of the zoo, restated by random factors from 1e-6 to 1e6, ends with the same error within 10 %.

`ANSATZ_PROGRAM=build/ansatz python3 tests/cli/zoo_units_test.py table SEED [NAME...]` prints both errors of each. One attempt
each: further ones are bounded by the clock.
"""
import json
import pathlib
import random
import sys
import tempfile
import unittest

from program import ROOT, run
from restated import Family

WITHIN = 0.1
UNLUCKY = 2  # see src/field/settle.h
ZOO = ROOT / "families" / "zoo"


def solve(text, folder):
    path = pathlib.Path(folder) / "restated.pde"
    path.write_text(text)
    done = run("solve", path, "--from-scratch", "--check", "--attempts", 1, "--threads", 1, "--seed", 101, "--json",
               "--quiet", timeout=3600)
    return json.loads(done.stdout)


def compare(name, seed):
    """What the equation and its restated text end with."""
    family, stream = Family((ZOO / f"{name}.pde").read_text()), random.Random(f"{seed} {name}")
    with tempfile.TemporaryDirectory() as folder:
        return (solve(family.restated(lambda: 1.0), folder),
                solve(family.restated(lambda: 10 ** stream.uniform(-6, 6)), folder))


def ratio(plain, other, what):
    """Of the errors; None where there is none, as a reference can fail."""
    return other[what] / plain[what] if plain.get(what) and other.get(what) else None


def equations():
    return sorted(path.stem for path in ZOO.glob("*.pde"))


def table(seed, names):
    print("| equation | steps | error | restated | ratio | of the estimates | residual |\n|---|---|---|---|---|---|---|")
    for name in names or equations():
        plain, other = compare(name, seed)
        shown = [f"{told['error_mean']:.3e}" if told.get("error_mean") else "-" for told in (plain, other)]
        ratios = [f"{it:.4f}" if it else "-" for it in (ratio(plain, other, what) for what in ("error_mean", "estimate_mean"))]
        same = "same bits" if plain["residual"] == other["residual"] else f"{other['residual'] / plain['residual']:.6f}"
        print(f"| {name} | {plain['steps']}, {other['steps']} | {' | '.join(shown + ratios)} | {same} |", flush=True)


class Zoo(unittest.TestCase):
    def test_the_same_error(self):
        apart = []
        for name in equations():
            plain, other = compare(name, 20)
            found = ratio(plain, other, "error_mean") or ratio(plain, other, "estimate_mean")
            if found and abs(found - 1) > WITHIN:
                apart.append(f"{name}: {found:.3g}")
        self.assertLessEqual(len(apart), UNLUCKY, f"depend on units: {apart}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["table"]:
        table(sys.argv[2], sys.argv[3:])
    else:
        unittest.main()
