# SPDX-License-Identifier: Apache-2.0
"""Training, models and many equations."""
import numpy as np
import pytest

import ansatz
from conftest import ONE


def numbers(model):
    return np.concatenate([part.ravel() for part in model.arrays.values()])


def test_pause_and_resume_change_no_bit(problem, tmp_path):
    whole = ansatz.train(problem, steps=12, seed=9)
    half = ansatz.Training(problem, steps=12, seed=9)
    half.run(5)
    half.save(tmp_path / "half.checkpoint")
    half.close()
    again = ansatz.Training.resume(tmp_path / "half.checkpoint")
    assert again.state.step == 5
    again.run()
    assert again.state.end == "steps" and len(again.losses) == 12
    assert (numbers(again.model()) == numbers(whole)).all()


def test_train_with_a_checkpoint(problem, tmp_path):
    path, seen = tmp_path / "c.checkpoint", []
    ansatz.train(problem, steps=6, seed=9, checkpoint=path, every=4)
    longer = ansatz.train(problem, steps=12, seed=9, checkpoint=path, resume=True, progress=seen.append)
    assert (numbers(longer) == numbers(ansatz.train(problem, steps=12, seed=9))).all()
    assert seen and seen[-1].step <= 12
    with pytest.raises(ansatz.ModelError):
        ansatz.train(ansatz.Problem(text=ONE.replace("0.5", "0.25")), checkpoint=path, resume=True)
    with pytest.raises(ansatz.ModelError):
        ansatz.train(problem, seed=10, checkpoint=path, resume=True)
    with pytest.raises(TypeError):
        ansatz.train(problem, resume=True)


def test_model_file_and_solution(problem, tmp_path):
    model = ansatz.train(problem, steps=4, seed=2, descriptor="vector")
    assert model.info.descriptor == "vector" and model.info.seed == 2
    assert model.info.parameters == numbers(model).size
    model.save(tmp_path / "m.safetensors")
    again = ansatz.Model(tmp_path / "m.safetensors")
    assert again.solve("slow", steps=2)(x=0.3, t=0.3) == model.solve("slow", steps=2)(x=0.3, t=0.3)
    covered = again.coverage(problem.instance(k=7, outside=True))
    assert covered.structure_trained and covered.outside_count == 1 and covered.symbol == "k"


def test_problem_outlives_its_model(problem):
    inner = ansatz.train(problem, steps=1).problem
    assert inner.instance("slow").values["k"] == 0.02


def test_many(problem):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    table = pandas.DataFrame({"name": ["first", "second", "third"], "k": [0.02, 0.03, 5.0], "a": [0.5, None, None]})
    done = problem.solve_many(table, steps=3, grid={"x": 8, "t": 3}, seed=4, threads=2)
    assert isinstance(done.dataset, xarray.Dataset) and done.dataset["u"].dims == ("target", "t", "x")
    assert list(done.table["failure"].iloc[:2]) == ["", ""] and "k" in done.table["failure"].iloc[2]
    assert list(done.dataset["target"].values) == ["first", "second", "third"]
    alone = problem.solve(k=0.03, steps=3, seed=4)
    np.testing.assert_array_equal(done.dataset["u"].sel(target="second"), alone.on_grid(x=8, t=3)["u"])
    assert done.table["residual"].iloc[1] == alone.residual
    assert np.isnan(done.dataset["u"].sel(target="third")).all()
    with pytest.raises(KeyError):
        problem.solve_many(table, sed=4)


def test_many_without_fields(problem):
    pytest.importorskip("pandas")
    done = ansatz.train(problem, steps=1).solve_many([{"case": "slow"}, {"case": "no"}], steps=1, grid=None)
    assert done.dataset is None and list(done.table["steps"].fillna(-1)) == [1, -1]
