# SPDX-License-Identifier: Apache-2.0
"""Solve families of differential equations that are written as text.

>>> import ansatz
>>> p = ansatz.Problem("heat")              # or a path, or Problem(text="...")
>>> s = p.solve(D=0.02, steps=20)           # from scratch; ansatz.Model("fisher-graph").solve("H1") from a model
>>> u = s(x=0.25, t=1.0)
>>> s.to_xarray(x=16, t=5)["u"].shape
(5, 16)

The classes are the path of the data: `Problem` -> `Instance` -> `Graph`; `Training` -> `Model`; `Solution` -> `Fields`.
"""
from __future__ import annotations

from ._errors import (ClosedError, DivergedError, Error, FileError, Interrupted, InvalidError, ModelError, OutOfMemoryError,
                      ProblemError, ToleranceError, ToleranceWarning, UnknownNameError, UnsupportedError)
from ._fields import Fields, ReferenceReport
from ._fit import Fit, Found
from ._graph import Graph, Node
from ._library import lib, string
from ._many import Many, solve_many
from ._model import Coverage, Model, ModelInfo
from ._options import SOLVER, TRAINING
from ._problem import Coordinate, Instance, Problem, Symbol, Term, shipped
from ._run import Progress
from ._solution import Estimate, Solution, load
from ._training import Training, train

__version__ = string(lib.ans_version())

__all__ = ["ClosedError", "Coordinate", "Coverage", "DivergedError", "Error", "Estimate", "Fields", "FileError", "Fit", "Found", "Graph",
           "Instance", "Interrupted", "InvalidError", "Many", "Model", "ModelError", "ModelInfo", "Node", "OutOfMemoryError",
           "Problem", "ProblemError", "Progress", "ReferenceReport", "Solution", "Symbol", "Term", "ToleranceError",
           "ToleranceWarning", "Training", "UnknownNameError", "UnsupportedError", "families", "load", "models", "options",
           "solve_many", "train"]


def families() -> list[str]:
    """The families that come with the package, and those of an installed program."""
    return list(shipped("families", ".pde"))


def models() -> list[str]:
    """The models that come with the package, and those of an installed program."""
    return list(shipped("models", ".safetensors"))


def options() -> dict[str, list[str]]:
    """The options of `solve` and of `train`.

    >>> import ansatz
    >>> "seed" in ansatz.options()["solve"]
    True
    """
    return {"solve": [*SOLVER.rows, "steps", "seconds", "progress"], "train": list(TRAINING.rows)}
