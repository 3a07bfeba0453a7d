# SPDX-License-Identifier: Apache-2.0
"""Docstrings, the README and the notebooks do what they show; types are right where mypy is there."""
import doctest
import importlib
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import ansatz

HERE = pathlib.Path(__file__).resolve().parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NAMES = [module.name for module in pkgutil.iter_modules(ansatz.__path__) if module.name != "_binding"]


@pytest.mark.parametrize("name", ["", *NAMES])
def test_docstrings(name):
    if name == "_many" or name == "":
        pytest.importorskip("pandas")
        pytest.importorskip("xarray")
    module = importlib.import_module(f"ansatz.{name}") if name else ansatz
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


def test_everything_public_has_a_docstring():
    for name in ansatz.__all__:
        one = getattr(ansatz, name)
        assert one.__doc__, name
        if isinstance(one, type) and issubclass(one, ansatz.Error) is False:
            for attribute, value in vars(one).items():
                if not attribute.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert getattr(value, "__doc__", None) or attribute == "of", f"{name}.{attribute}"


def code_of(text):
    return re.findall(r"```python run\n(.*?)```", text, re.S)


def test_readme(tmp_path, monkeypatch):
    for name in ("pandas", "xarray", "networkx"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    blocks = code_of((HERE / "README.md").read_text())
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)


@pytest.mark.parametrize("path", sorted((HERE / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks(path, tmp_path, monkeypatch):
    for name in ("pandas", "xarray", "networkx", "matplotlib"):
        pytest.importorskip(name)
    import matplotlib

    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, cell in enumerate(json.loads(path.read_text())["cells"]):
        if cell["cell_type"] == "code":
            try:
                exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
            except ansatz.UnsupportedError as absent:
                if "built without" not in str(absent):
                    raise
                pytest.skip(f"cell {number}: {absent.message}")


def test_types():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", str(HERE.parent / "pyproject.toml"), str(HERE / "ansatz"),
               "--cache-dir", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent)
    assert done.returncode == 0, done.stdout
