# SPDX-License-Identifier: Apache-2.0
"""Fits: the same answers as the program, from any kind of table, and what is wrong with one."""
import json
import math
import random
import subprocess

import pytest

import ansatz

WAVE = """
coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient D in [0.002, 0.05] log
coefficient c in [0, 1] optional
equation u: u_t + c*u_x = D*u_xx
initial u = sin(2*pi*x)
structure still without c
structure moving
network width 16, layers 1
"""


def table(count=50, sigma=0.02):
    draw, columns = random.Random(1), {"x": [], "t": [], "u": []}
    for _ in range(count):
        x, t = draw.random(), draw.random()
        u = math.exp(-4 * math.pi ** 2 * 0.01 * t) * math.sin(2 * math.pi * (x - 0.4 * t)) + draw.gauss(0, sigma)
        for name, value in zip(("x", "t", "u"), (x, t, u)):
            columns[name].append(value)
    return columns


@pytest.fixture(scope="module")
def wave():
    return ansatz.Problem(text=WAVE)


@pytest.fixture(scope="module")
def found(wave):
    return wave.fit(table(), unknown=["D", "c"], check=False)


def test_estimates(found):
    for name, truth in (("D", 0.01), ("c", 0.4)):
        assert abs(found[name].estimate - truth) < 3.5 * found[name].error
        assert found[name].low < found[name].estimate < found[name].high
    assert not found.flagged
    assert found.covariance.shape == (2, 2)
    assert found.covariance[0, 0] == pytest.approx(found["D"].error ** 2)
    assert found.noise["u"] == pytest.approx(0.02, abs=0.007)
    assert found.summary["structure"] == "moving"
    assert "95 % interval" in str(found)
    assert len(found.measured["u"]["fitted"]) == 50
    assert found.solution(x=0.3, t=0.0) == pytest.approx(math.sin(0.6 * math.pi), abs=1e-3)


def test_more_questions(found):
    profile = found.profile("c")
    assert profile["low"] == pytest.approx(found["c"].low, abs=0.2 * found["c"].error)
    place = found.next(1)[0]
    assert place["field"] == "u" and place["errors"]["D"] < found["D"].error


def test_the_program_says_the_same(wave, found, program, tmp_path):
    (tmp_path / "wave.pde").write_text(WAVE)
    data = table()
    lines = ["x,t,u"] + [",".join(repr(data[name][i]) for name in ("x", "t", "u")) for i in range(50)]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    words = [program, "fit", "wave.pde", "--data", "data.csv", "--unknown", "D,c", "--no-check", "--json"]
    told = json.loads(subprocess.run(words, cwd=tmp_path, capture_output=True, check=True).stdout)
    assert [u["estimate"] for u in told["unknowns"]] == [u.estimate for u in found.unknowns.values()]
    read = wave.fit(tmp_path / "data.csv", unknown={"D": 0.01, "c": 0.5}, noise={"u": 0.02}, check=False)
    assert abs(read["c"].estimate - 0.4) < 4 * read["c"].error


def test_structures(wave):
    best = wave.fit(table(), unknown="D,c", structure="auto", noise={"u": 0.02}, check=False)
    assert best.summary["structure"] == "moving"
    assert best.structures["moving"] < best.structures["still"]


def test_an_unknown_initial_value():
    problem = ansatz.Problem(text=WAVE.replace("initial u = sin(2*pi*x)", "initial u unknown"))
    f = problem.fit(table(), unknown="D,c", structure="moving", noise={"u": 0.02}, check=False)
    assert list(f.unknowns) == ["D", "c"] and f.covariance.shape == (2, 2) and f.initials == {"u": 9}
    assert abs(f["c"].estimate - 0.4) < 4 * f["c"].error
    values, errors = f.initial("u", [0.0, 0.25, 0.5, 0.75])
    assert all(abs(values - [0, 1, 0, -1]) < 4 * errors) and max(errors) < 0.2
    with pytest.raises(ansatz.UnknownNameError, match="unknown initial value"):
        f.initial("v")


def test_mistakes(wave):
    with pytest.raises(ansatz.InvalidError, match="column 'w' is neither"):
        wave.fit({"x": [0.1], "t": [0.1], "w": [1]}, unknown=["D", "c"])
    with pytest.raises(ansatz.InvalidError, match="row 1: t = 7 is outside"):
        wave.fit({"x": [0.1], "t": [7], "u": [1]}, unknown=["D", "c"])
    with pytest.raises(ansatz.InvalidError, match="cannot determine 2"):
        wave.fit({"x": [0.1], "t": [0.1], "u": [1]}, unknown=["D", "c"])
    with pytest.raises(ValueError, match="differ in length"):
        wave.fit({"x": [0.1], "t": [0.1, 0.2], "u": [1]}, unknown=["D", "c"])
    with pytest.raises(ValueError, match="not all numbers"):
        wave.fit({"x": ["a"], "t": [0.1], "u": [1]}, unknown=["D", "c"])
    with pytest.raises(OSError):
        wave.fit("none.csv", unknown=["D", "c"])
