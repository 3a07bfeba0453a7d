# SPDX-License-Identifier: Apache-2.0
"""Problem files restated in other units, for tests that units never matter."""
import re

NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*")


class Family:
    """The statements of a text that includes no other. Restated, every coordinate and every field is a number of its own
    times what it was, and so is every equation."""

    def __init__(self, text):
        self.lines = [re.sub(r"\s*#.*", "", line).strip() for line in text.splitlines()]
        self.coordinates = re.findall(r"^coordinate (\w+)", "\n".join(self.lines), flags=re.M)
        self.fields = [name.strip() for line in self.lines if line.startswith("field ")
                       for name in line[6:].split("=")[0].split(",")]

    def restated(self, draw):
        self.size = {name: draw() for name in self.coordinates + self.fields}
        self.times = {name: draw() for name in self.fields}
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
        inner, along, scale = text[place.end():end - 1], "", 1.0
        while inner.rpartition(",")[2].strip() in self.coordinates:
            inner, _, name = inner.rpartition(",")
            along, scale = f",{name}{along}", scale * self.size[name.strip()]
        return (self.expression(text[:place.start()]) + f"({scale!r}*d({self.expression(inner)}{along}))" +
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
            times = self.times[head.split()[1]]
            return head + ": " + " = ".join(f"{times!r}*({self.expression(side)})" for side in body.split("="))
        if kind == "initial":
            quantity, text = re.match(r"initial\s+(\w+)\s*=(.*)", line).groups()
            return f"initial {quantity} = " + self.value(quantity, text)
        if kind == "boundary":
            field, along, at, quantity, text = re.match(
                r"boundary (\w+)\s+at (\w+) = (.*?):\s*(\w+)\s*=(.*)", line).groups()
            return f"boundary {field} at {along} = {self.size[along]!r}*({at}): {quantity} = " + self.value(quantity, text)
        return line
