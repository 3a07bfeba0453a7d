# SPDX-License-Identifier: Apache-2.0
"""Units never matter: every family that ships, restated in other units of length, time and field, is solved alike.

A family's text is rewritten so that every coordinate and every field is a random number, 1e-6 to 1e6, times what it was.
By powers of two, which round nothing, several steps of Gauss-Newton from scratch have to take the same iterates: the same
residual and the same estimated error. By any other numbers the start has to be the same to the rounding of 32 bits; later
iterates are then those of another rounding, which steps may choose by. Left out are families that are adapted by Adam (the
plasma, which has no initial value): it keeps the paper's protocol, units and all.
"""
import pathlib
import random
import re
import tempfile

from program import ROOT, ProgramTest, main

STEPS = 5
NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*")


class Family:
    """The statements of a text that includes no other."""

    def __init__(self, text):
        self.lines = [re.sub(r"\s*#.*", "", line).strip() for line in text.splitlines()]
        self.coordinates = re.findall(r"^coordinate (\w+)", "\n".join(self.lines), flags=re.M)
        self.fields = [name.strip() for line in self.lines if line.startswith("field ")
                       for name in line[6:].split("=")[0].split(",")]

    def restated(self, draw):
        self.size = {name: draw() for name in self.coordinates + self.fields}
        return "\n".join(self.line(line) for line in self.lines) + "\n"

    def of(self, name):
        """What an identifier was, in terms of what it is now."""
        if name in self.coordinates:
            return f"({name}*{1 / self.size[name]!r})"
        field, _, order = name.partition("_")
        if field not in self.fields or re.sub("|".join(self.coordinates), "", order):
            return name  # a coefficient, a function
        factor = 1 / self.size[field]
        for along in re.findall("|".join(self.coordinates), order):
            factor *= self.size[along]
        return f"({factor!r}*{name})"

    def expression(self, text):
        """d(.., x) is with respect to a coordinate, which stays one."""
        place = re.search(r"(?<!\w)d\(", text)
        if not place:
            return NAME.sub(lambda found: self.of(found[0]), text)
        end, depth = place.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        inner, along = text[place.end():end - 1].rsplit(",", 1)
        scale = self.size[along.strip()]
        return (self.expression(text[:place.start()]) + f"({scale!r}*d({self.expression(inner)},{along}))" +
                self.expression(text[end:]))

    def value(self, quantity, text):
        """The same for what a field or a derivative of it equals, with what may follow."""
        text, soft, rest = text.partition(" soft")
        field, _, order = quantity.partition("_")
        factor = self.size[field]
        for along in re.findall("|".join(self.coordinates), order):
            factor /= self.size[along]
        return f"{factor!r}*({self.expression(text)}){soft}{rest}"

    def line(self, line):
        kind = line.split(" ")[0]
        if kind == "coordinate":
            name, low, high, rest = re.match(r"coordinate (\w+)\s+in \[(.*?),\s*(.*?)([\])].*)", line).groups()
            size = self.size[name]
            return f"coordinate {name} in [{size!r}*({low}), {size!r}*({high}){rest}"
        if kind == "field" and "=" in line:
            name, transform = re.match(r"field (\w+)\s*=(.*)", line).groups()
            return f"field {name} = " + self.value(name, transform)
        if kind == "equation":
            head, body = line.split(":", 1)
            return head + ": " + "=".join(map(self.expression, body.split("=")))
        if kind == "initial":
            quantity, text = re.match(r"initial\s+(\w+)\s*=(.*)", line).groups()
            return f"initial {quantity} = " + self.value(quantity, text)
        if kind == "boundary":
            field, along, at, quantity, text = re.match(
                r"boundary (\w+)\s+at (\w+) = (.*?):\s*(\w+)\s*=(.*)", line).groups()
            return f"boundary {field} at {along} = {self.size[along]!r}*({at}): {quantity} = " + self.value(quantity, text)
        return re.sub(r"\bwidth \d+", "width 16", line)  # small, to be quick


class Units(ProgramTest):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name) / "family.pde"

    def tearDown(self):
        self.temporary.cleanup()

    def solve(self, text, steps):
        self.path.write_text(text)
        told = self.json("solve", self.path, "--from-scratch", "--steps", steps, "--threads", 1, "--json", "--quiet")
        self.assertEqual(told["method"], "gauss_newton")
        return {"residual": told["residual"], **{f"error of {f}": error for f, error in told["estimate"].items()},
                **{f"part {i}": part["relative"] for i, part in enumerate(told["residual_parts"])}}

    def compare(self, family, draw, steps, within):
        """What the restated family gives, beside the family itself."""
        plain = self.solve(family.restated(lambda: 1.0), steps)
        told = self.solve(family.restated(draw), steps)
        self.assertEqual(told.keys(), plain.keys())
        for what, number in plain.items():
            self.assertAlmostEqual(told[what] / number, 1, delta=within, msg=f"{what} in units of {family.size}")

    def test_every_family(self):
        stream, tried = random.Random(20), 0
        for path in sorted((ROOT / "families").glob("*.pde")):
            text = path.read_text()
            if "include " in text or path.name == "ccp.pde":  # another protocol of a family that is here; Adam
                continue
            tried += 1
            with self.subTest(family=path.stem):
                self.compare(Family(text), lambda: 2.0 ** stream.randint(-20, 20), STEPS, 1e-6)
                self.compare(Family(text), lambda: 10 ** stream.uniform(-6, 6), 0, 1e-3)
        self.assertGreater(tried, 8)


if __name__ == "__main__":
    main()
