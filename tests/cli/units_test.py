# SPDX-License-Identifier: Apache-2.0
"""Units never matter: every family that ships and every equation of the zoo, restated in other units, is solved alike.

A text is rewritten so that every coordinate, every field and every equation is a random number, 1e-6 to 1e6, times what it
was. Steps of Gauss-Newton from scratch then take the same iterates: in single precision the numbers of the saved solver
are the same bytes. A number can lie so close to a rounding boundary (src/field/settle.h) that two texts have it on two
sides; that is rare, so one of all may differ. In double precision the last digits differ, and the error in the end is the
same. Left out are families that are adapted by Adam (the plasma, which has no initial value): it keeps the paper's
protocol, units and all.
"""
import pathlib
import random
import re
import tempfile

from program import ROOT, ProgramTest, main
from restated import Family

STEPS = 20


def shipped():
    """Name and text of what is solved by Gauss-Newton, with a small network."""
    for path in sorted((ROOT / "families").glob("**/*.pde")):
        text = path.read_text()
        if "include " in text or path.name == "ccp.pde":  # another protocol of a family that is here; Adam
            continue
        small = re.sub(r"\bwidth \d+", "width 16", text)
        yield path.stem, small if "network" in text else small + "network width 16\n"


def tensors(path):
    data = path.read_bytes()
    return data[8 + int.from_bytes(data[:8], "little"):]


class Units(ProgramTest):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def solve(self, text, *options):
        path, solver = self.folder / "restated.pde", self.folder / "it.solver"
        path.write_text(text)
        told = self.json("solve", path, "--from-scratch", "--threads", 1, "--json", "--quiet", "--save", solver, *options)
        self.assertEqual(told["method"], "gauss_newton")
        return told, tensors(solver)

    def pairs(self, names, *options):
        """What every text gives, and what it gives restated."""
        stream = random.Random(20)
        for name, text in shipped():
            family, draw = Family(text), random.Random(stream.random())
            if name in names or not names:
                yield (name, self.solve(family.restated(lambda: 1.0), *options),
                       self.solve(family.restated(lambda: 10 ** draw.uniform(-6, 6)), *options))

    def test_the_same_iterates(self):
        apart, tried = [], 0
        for name, (plain, numbers), (told, others) in self.pairs([], "--steps", STEPS):
            tried += 1
            self.assertGreater(plain["steps"], 0)
            if numbers != others or plain["residual"] != told["residual"]:
                apart.append(name)
        self.assertGreater(tried, 40)
        self.assertLessEqual(len(apart), 1, f"{apart} depend on units")

    def test_the_same_end_in_double(self):
        names = ["bratu", "insulated-rod", "poisson", "rod", "telegraph"]
        for name, (plain, _), (told, _) in self.pairs(names, "--attempts", 1, "--precision", 64):
            self.assertEqual(plain["precision"], 64)
            self.assertAlmostEqual(told["estimate_mean"] / plain["estimate_mean"], 1, delta=0.1, msg=name)


if __name__ == "__main__":
    main()
