# SPDX-License-Identifier: Apache-2.0
"""The package and the program are one thing: the same options, the same bits."""
import subprocess

import numpy as np

import ansatz
from conftest import TWO


def run(program, *words):
    subprocess.run([program, *map(str, words), "--quiet"], check=True, capture_output=True)


def test_a_solution_has_the_bits_of_the_program(program, tmp_path):
    path = tmp_path / "two.pde"
    path.write_text(TWO)
    run(program, "solve", path, "--from-scratch", "--case", "slow", "--steps", 7, "--seed", 12, "--threads", 2,
        "--save", tmp_path / "a.solver", "-o", tmp_path / "a.npz", "--grid", "x=16,t=5")
    s = ansatz.Problem(path).solve("slow", steps=7, seed=12)
    s.save(tmp_path / "b.solver")
    assert (tmp_path / "a.solver").read_bytes() == (tmp_path / "b.solver").read_bytes()
    grid = s.on_grid(x=16, t=5)
    with np.load(tmp_path / "a.npz") as stored:
        for name in grid.names:
            np.testing.assert_array_equal(stored[name], grid[name])


def test_a_solution_from_a_model_has_them_too(program, tmp_path):
    run(program, "solve", "fisher-graph", "--case", "H2", "--steps", 3, "--save", tmp_path / "a.solver")
    ansatz.Model("fisher-graph").solve("H2", steps=3).save(tmp_path / "b.solver")
    assert (tmp_path / "a.solver").read_bytes() == (tmp_path / "b.solver").read_bytes()


def test_a_model_has_the_bits_of_the_program(program, tmp_path):
    path = tmp_path / "two.pde"
    path.write_text(TWO)
    run(program, "train", path, "-o", tmp_path / "a.safetensors", "--steps", 6, "--seed", 3)
    ansatz.train(path, steps=6, seed=3).save(tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()
