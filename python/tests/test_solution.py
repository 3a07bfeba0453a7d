# SPDX-License-Identifier: Apache-2.0
"""Solving, evaluating, estimating, files and pictures."""
import warnings

import numpy as np
import pytest

import ansatz
from ansatz._library import ffi
from ansatz._options import MEMBERS, SOLVER, TRAINING


def test_every_member_of_the_options_has_a_row():
    for options in (SOLVER, TRAINING):
        members = {name for name, _ in ffi.typeof(options.struct).fields}
        assert {"size", *(MEMBERS.get(name, name) for name in options.rows)} == members


def test_evaluation_is_one_thing_in_every_form(two):
    s = two.solve(steps=3)
    one = s(x=0.25, t=0.5)
    assert one == s(0.25, 0.5) == s(0.25, t=0.5) and one._fields == ("u", "v")
    many = s(x=[0.25, 0.75], t=[[0.5], [1.0]])
    assert many.u.shape == (2, 2)
    np.testing.assert_allclose(many.u[0, 0], one.u, rtol=1e-6)
    assert s.derivative("v", x=0.25, t=0.5) == one.v
    assert s.derivative("u_x", x=np.zeros(0), t=0.5).shape == (0,)


def test_derivatives_are_those_of_the_fields(problem):
    s, h = problem.solve(steps=3, precision=64), 1e-4
    slope = (s(x=0.3 + h, t=0.5) - s(x=0.3 - h, t=0.5)) / (2 * h)
    assert s.derivative("u_x", x=0.3, t=0.5) == pytest.approx(slope, rel=1e-5)


def test_hard_initial_values_hold(problem):
    x = np.linspace(0, 1, 9)
    np.testing.assert_allclose(problem.solve(steps=3)(x=x, t=0.0), 1 + np.sin(2 * np.pi * x), atol=1e-6)


def test_grid_agrees_with_points(two):
    s = two.solve(steps=3)
    grid = s.on_grid(x=8, t=3)
    assert grid.names == ("u", "v") and list(grid.axes) == ["t", "x"]
    t, x = np.meshgrid(grid.axes["t"], grid.axes["x"], indexing="ij")
    np.testing.assert_array_equal(grid["v"], s(x=x, t=t).v)
    assert not grid["v"].flags.owndata


def test_runs_add_up_to_the_same_bits(problem):
    whole, parts = problem.solve(steps=9, seed=5), problem.begin(seed=5)
    parts.run(4)
    parts.run(5)
    assert whole(x=0.1, t=0.9) == parts(x=0.1, t=0.9) and whole.state.loss == parts.state.loss
    assert problem.solve(steps=9, seed=6)(x=0.1, t=0.9) != whole(x=0.1, t=0.9)
    assert problem.solve(steps=9, seed=5, threads=2)(x=0.1, t=0.9) == whole(x=0.1, t=0.9)


def test_estimate_against_the_reference(problem):
    s = problem.solve("slow", steps=20)
    estimate = s.estimate
    assert estimate is s.estimate and float(estimate) == estimate.mean
    if not estimate.available:
        pytest.fail(estimate.reason)
    assert s.trusted == estimate.trusted and (s.trust_reason == "") == s.trusted
    s.run(1)
    assert s.estimate is not estimate
    try:
        error = s.compare()["u"]
    except ansatz.UnsupportedError as absent:
        pytest.skip(str(absent))
    assert s.estimate.errors["u"] == pytest.approx(error, rel=0.05)
    left = s.on_grid(corrected=True).compare(s.on_grid())
    assert left["u"] == pytest.approx(error, rel=0.1)


def test_saved_and_loaded(problem, tmp_path):
    s = problem.solve(steps=3)
    s.save(tmp_path / "s.solver")
    again = ansatz.load(tmp_path / "s.solver")
    assert again(x=0.3, t=0.3) == s(x=0.3, t=0.3)
    assert again.instance.values == s.instance.values and again.problem.fields == ("u",)
    for wrong in ({"seed": 1}, {"method": "adam"}):
        with pytest.raises(ansatz.InvalidError):
            ansatz.load(tmp_path / "s.solver", **wrong)


def test_loaded_and_adapted_further(problem, tmp_path):
    problem.solve(steps=1, method="gauss_newton").save(tmp_path / "s.solver")
    again = ansatz.load(tmp_path / "s.solver", tolerance=0.03)
    before = again.estimate.errors["u"]
    again.run(steps=100)
    assert again.state.step > 1 and again.state.end == "tolerance"
    assert again.estimate.errors["u"] <= 0.03 < before


def test_field_files(problem, tmp_path):
    grid = problem.begin().on_grid(x=8, t=3)
    grid.save(tmp_path / "g.npz")
    with np.load(tmp_path / "g.npz") as stored:
        np.testing.assert_array_equal(stored["u"], grid["u"])
    with pytest.raises(ansatz.Error):
        grid.save(tmp_path / "g.what")


def test_xarray(two):
    xarray = pytest.importorskip("xarray")
    s = two.solve("slow", steps=2, seed=4)
    data = s.to_xarray(x=8, t=3)
    assert isinstance(data, xarray.Dataset) and data["u"].dims == ("t", "x") and data.attrs["seed"] == 4
    assert data.attrs["k"] == 0.02 and "equation" in data.attrs["problem"]
    own = s.to_xarray(x=[0.1, 0.2, 0.7], t=3)
    assert own["v"].shape == (3, 3)
    np.testing.assert_allclose(own["v"][0, 1], s(x=0.2, t=0.0).v, rtol=1e-6)
    with pytest.raises(KeyError):
        s.to_xarray(y=[1.0, 2.0])
    with pytest.raises(ValueError):
        s.to_xarray(x=[[1.0, 2.0]])


def test_matplotlib(two):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = two.begin().plot()
    assert len(axes) == 2 and axes[0].get_xlabel() == "t" and axes[0].get_ylabel() == "x"
    with pytest.raises(ValueError):
        two.begin().plot(axes[:1])


def test_figures(problem, tmp_path):
    s = problem.begin("slow")
    try:
        s.figure(tmp_path / "s.svg", title="a < b")
    except ansatz.UnsupportedError as absent:
        assert "cairo" in str(absent)
        assert "<img" not in s._repr_html_()
        return
    assert "<svg" in (tmp_path / "s.svg").read_text()
    for one in (s, s.on_grid(), problem.graph()):
        assert "data:image/svg+xml;base64," in one._repr_html_()


def test_pages_escape_text():
    assert "<script" not in ansatz.Problem(text="# <script>\n" + ansatz.Problem("heat").text)._repr_html_()


def test_references(problem):
    try:
        made = problem.reference("slow", points=32, times=5)
    except ansatz.UnsupportedError as absent:
        assert "libsundials-dev" in str(absent)
        return
    x, t = made.axes["x"], made.axes["t"][:, None]
    exact = 1 + np.exp(-0.02 * (2 * np.pi) ** 2 * t) * np.sin(2 * np.pi * (x - 0.5 * t))
    np.testing.assert_allclose(made["u"], exact, atol=1e-6)
    assert made.report.nodes >= 32 and made.report.self_difference < 1e-6


def test_tolerance(problem):
    with pytest.warns(ansatz.ToleranceWarning):
        problem.solve(tolerance=1e-6, steps=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s = problem.solve(tolerance=0.9)
    assert s.state.end == "tolerance" and max(s.estimate.errors.values()) <= 0.9


def test_methods(problem):
    adam, newton = problem.solve(steps=3, method="adam"), problem.solve(steps=3, method="gauss_newton")
    assert adam(x=0.3, t=0.9) != newton(x=0.3, t=0.9)
