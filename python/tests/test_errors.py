# SPDX-License-Identifier: Apache-2.0
"""Bad input as in Python: placed errors, near misses, and the built-in exceptions they are."""
import pickle

import numpy as np
import pytest

import ansatz
from conftest import ONE

WRONG = ONE.replace("k*u_xx", "kk*u_xx")


def test_place_caret_and_hint():
    with pytest.raises(ansatz.Error) as caught:
        ansatz.Problem(text=WRONG)
    error = caught.value
    assert isinstance(error, ValueError) and error.exit_code == 3
    line = WRONG.splitlines()[error.line - 1]
    assert line == error.source and line[error.column - 1:].startswith("kk")
    shown = str(error).splitlines()
    assert shown[1].index("kk") == shown[2].index("^")
    assert shown[0].startswith(f"text:{error.line}:{error.column}: ")


def test_caret_below_a_character_after_others_of_two_bytes():
    with pytest.raises(ansatz.Error) as caught:
        ansatz.Problem(text="family é é\nfield u")
    shown = str(caught.value).splitlines()
    assert len(shown) >= 3 and shown[2].strip("^ ") == ""
    assert shown[2].index("^") <= len(shown[1])


def test_errors_survive_pickling():
    with pytest.raises(ansatz.Error) as caught:
        ansatz.Problem(text="field u, u")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is type(caught.value) and str(copy) == str(caught.value) and copy.line == caught.value.line


@pytest.mark.parametrize("wrong, near", [
    (lambda p: p.solve(kk=0.1), "'k'"), (lambda p: p.solve("slw"), "'slow'"), (lambda p: p.instance(structure="stil"), "'still'"),
    (lambda p: p.solve(sed=1), "'seed'"), (lambda p: p.begin(unknowns="code"), "'codes'"), (lambda p: p.descriptor("grph"), "'graph'"),
    (lambda p: p.describe("term"), "'terms'"), (lambda p: p.begin().on_grid(tt=3), "'t'"), (lambda p: p.begin()(x=1, tt=1), "'t'"),
    (lambda p: p.begin().on_grid()["uu"], "'u'"), (lambda p: ansatz.train(p, descriptr="graph"), "'descriptor'"),
])
def test_near_misses(problem, wrong, near):
    with pytest.raises(KeyError) as caught:
        wrong(problem)
    assert isinstance(caught.value, ansatz.Error)
    assert "did you mean" in str(caught.value) and near in str(caught.value)


@pytest.mark.parametrize("wrong", [
    lambda p: p.begin()(x=[1, 2], t=[1, 2, 3]), lambda p: p.begin()(x="left", t=0), lambda p: p.solve(k=np.zeros(2)),
    lambda p: p.begin().on_grid(x=1), lambda p: p.begin().on_grid(x=2.5), lambda p: p.begin(rate=-1), lambda p: p.begin(precision=48),
    lambda p: p.begin(threads=0), lambda p: p.solve(steps=-1), lambda p: p.begin()(x=float("nan"), t=0),
    lambda p: p.begin()(x=[[0.1]], t=float("inf")), lambda p: p.instance(k=float("nan")),
])
def test_wrong_values(problem, wrong):
    with pytest.raises(ValueError):
        wrong(problem)


@pytest.mark.parametrize("wrong", [
    lambda p: p.solve(k="much"), lambda p: p.solve(steps=1.5), lambda p: p.begin(seed="x"), lambda p: p.begin()(x=1),
    lambda p: p.begin()(1, 2, 3), lambda p: p.begin()(1, x=1), lambda p: p.begin(rate=[]),
])
def test_wrong_types(problem, wrong):
    with pytest.raises(TypeError):
        wrong(problem)


def test_files(tmp_path, problem):
    with pytest.raises(OSError) as caught:
        ansatz.Problem("hat")
    assert "'heat'" in str(caught.value)
    with pytest.raises(OSError):
        ansatz.Problem(tmp_path / "missing.pde")
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"\0" * 100)
    with pytest.raises(ansatz.ModelError):
        ansatz.Model(bad)
    with pytest.raises(OSError):
        problem.begin().save(tmp_path / "none" / "file.solver")


def test_closed_objects(problem):
    solution = problem.begin()
    grid, graph = solution.on_grid(), problem.graph()
    for one, use in [(solution, lambda: solution(x=0, t=0)), (solution, lambda: solution.run(1)), (grid, lambda: grid["u"]),
                     (graph, lambda: graph.nodes), (problem, lambda: problem.instance())]:
        one.close()
        one.close()
        assert one.closed and "closed" in repr(one)
        with pytest.raises(RuntimeError, match="closed"):
            use()


def test_with_closes(problem):
    with problem.begin() as solution:
        assert solution.state.step == 0
    assert solution.closed


def test_divergence_is_told(problem):
    with pytest.raises(ansatz.Error):
        ansatz.Problem(text=ONE.replace("sin(2*pi*x)", "1e300*sin(2*pi*x)")).solve(steps=5)


def test_parts_that_were_left_out_say_what_to_install():
    error = ansatz.UnsupportedError("this program was built without figures: they need cairo when it is built")
    assert "libcairo2-dev" in str(error) and "pip install" in str(error)
