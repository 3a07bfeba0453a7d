# SPDX-License-Identifier: Apache-2.0
"""Any order of calls: an exception of the package or a result, never a crash."""
import random

import pytest

import ansatz
from conftest import ONE, TWO

EXPECTED = (ansatz.Error, ValueError, TypeError, KeyError, RuntimeError)


class World:
    """Objects made so far, and what can be done with them."""

    def __init__(self, folder):
        self.folder, self.files = folder, 0
        self.all = {"problem": [ansatz.Problem(text=ONE), ansatz.Problem(text=TWO)], "instance": [], "solution": [],
                    "training": [], "model": [], "fields": [], "graph": [], "array": []}

    def pick(self, kind, place):
        return self.all[kind][place % len(self.all[kind])]

    def path(self):
        self.files += 1
        return self.folder / f"file{self.files}"

    def saved(self, one, load):
        path = self.path()
        one.save(path)
        return load(path)


ACTIONS = {
    "instance": lambda w, i: ("instance", w.pick("problem", i).instance("slow")),
    "bad instance": lambda w, i: ("instance", w.pick("problem", i).instance(k=9.0)),
    "family": lambda w, i: ("problem", w.pick("instance", i).problem),
    "begin": lambda w, i: ("solution", w.pick("instance", i).begin()),
    "begin from model": lambda w, i: ("solution", w.pick("instance", i).begin(w.pick("model", i))),
    "run": lambda w, i: ("solution", w.pick("solution", i).run(2)),
    "evaluate": lambda w, i: ("", w.pick("solution", i)(x=0.5, t=[0.0, 0.5])),
    "derivative": lambda w, i: ("", w.pick("solution", i).derivative("u_xx", x=0.5, t=0.5)),
    "grid": lambda w, i: ("fields", w.pick("solution", i).on_grid(x=4, t=2)),
    "corrected": lambda w, i: ("fields", w.pick("solution", i).on_grid(x=4, t=2, corrected=True)),
    "compare": lambda w, i: ("", w.pick("fields", i).compare(w.pick("fields", i // 2))),
    "estimate": lambda w, i: ("", w.pick("solution", i).estimate),
    "values": lambda w, i: ("array", w.pick("fields", i)["u"]),
    "solver file": lambda w, i: ("solution", w.saved(w.pick("solution", i), ansatz.load)),
    "train": lambda w, i: ("training", ansatz.Training(w.pick("problem", i), steps=3).run(1)),
    "train on": lambda w, i: ("training", w.pick("training", i).run()),
    "checkpoint": lambda w, i: ("training", w.saved(w.pick("training", i), ansatz.Training.resume)),
    "model": lambda w, i: ("model", w.pick("training", i).model()),
    "model file": lambda w, i: ("model", w.saved(w.pick("model", i), ansatz.Model)),
    "parameters": lambda w, i: ("array", next(iter(w.pick("model", i).arrays.values()))),
    "coverage": lambda w, i: ("", w.pick("model", i).coverage(w.pick("instance", i // 2))),
    "graph": lambda w, i: ("graph", w.pick("instance", i).graph()),
    "adjacency": lambda w, i: ("array", w.pick("graph", i).adjacency),
    "descriptor": lambda w, i: ("array", w.pick("instance", i).descriptor("set")),
    "dot": lambda w, i: ("", w.pick("graph", i).to_dot()),
    "close": lambda w, i: ("", w.pick(sorted(w.all)[1:][i % 7], i).close()),
    "forget": lambda w, i: ("", w.all[sorted(w.all)[i % 8]].clear()),
    "sum": lambda w, i: ("", float(w.pick("array", i).sum())),
}


def play(folder, moves):
    world = World(folder)
    for name, place in moves:
        try:
            kind, made = ACTIONS[name](world, place)
        except EXPECTED:
            continue
        except ZeroDivisionError:  # nothing of this kind yet
            continue
        if kind:
            world.all[kind].append(made)
    for one in world.all["array"]:
        assert one.sum() == one.sum()


def test_random_orders(tmp_path):
    generator = random.Random(22)
    for number in range(15):
        folder = tmp_path / str(number)
        folder.mkdir()
        play(folder, [(generator.choice(sorted(ACTIONS)), generator.randrange(64)) for _ in range(40)])


def test_orders_by_hypothesis(tmp_path_factory):
    hypothesis = pytest.importorskip("hypothesis")
    moves = hypothesis.strategies.lists(
        hypothesis.strategies.tuples(hypothesis.strategies.sampled_from(sorted(ACTIONS)), hypothesis.strategies.integers(0, 63)),
        max_size=40)

    @hypothesis.settings(max_examples=25, deadline=None, derandomize=True, database=None)
    @hypothesis.given(moves)
    def check(chosen):
        play(tmp_path_factory.mktemp("orders"), chosen)

    check()
