# SPDX-License-Identifier: Apache-2.0
"""Models: what training on a family leaves, one file."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ._library import Handle, array, context, ffi, lib, make, must, path_bytes, string
from ._problem import Instance, Path, Problem, borrow, find

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._solution import Solution

__all__ = ["Coverage", "Model", "ModelInfo"]


class ModelInfo(NamedTuple):
    """How a model was made."""

    descriptor: str
    rounds: int
    precision: int
    seed: int
    steps: int
    parameters: int


class Coverage(NamedTuple):
    """How an equation lies to what a model was trained on."""

    structure_trained: bool
    outside_count: int
    symbol: str
    value: float
    low: float
    high: float


class Model(Handle):
    """A model, read from a file or by the name of one that comes with the package.

    >>> import ansatz
    >>> m = ansatz.Model("fisher-graph")
    >>> m.info.descriptor, m.info.parameters
    ('graph', 132866)
    >>> s = m.solve("H1", steps=2)
    """

    def __init__(self, path: Path) -> None:
        self._handle = make("ans_model", lib.ans_model_read, path_bytes(find(path, "models", ".safetensors")))

    @classmethod
    def _of(cls, handle: Any) -> Model:
        made = cls.__new__(cls)
        made._handle = handle
        return made

    @property
    def problem(self) -> Problem:
        """The family that it was trained on."""
        return Problem._of(borrow(lib.ans_model_problem(self._c), self._c))

    @property
    def info(self) -> ModelInfo:
        """Descriptor, rounds, precision, seed, steps, parameters."""
        told = lib.ans_model_information(self._c)
        return ModelInfo(string(told.descriptor), told.rounds, told.precision, told.seed, told.steps, told.parameters)

    @property
    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """The parameters by their names, without copies."""
        made = {}
        for i in range(1 << 20):
            part = lib.ans_model_array(self._c, i)
            if not part.name:
                break
            shape = (part.rows, part.columns) if part.columns else (part.rows,)
            made[string(part.name)] = array(part.values, self._c, shape)
        return made

    def coverage(self, instance: Instance) -> Coverage:
        """Whether the equation's structure and values were trained on."""
        told = ffi.new("ans_coverage *")
        must(lib.ans_model_coverage(context(), self._c, instance._c, told))
        return Coverage(told.structure_trained, told.outside_count, string(told.symbol), told.value, told.low, told.high)

    def begin(self, case: Optional[str] = None, **settings: Any) -> Solution:
        """The model's first guess, before any step; arguments as in `solve`."""
        from ._solution import begin

        return begin(self.problem, self, case, settings)

    def solve(self, case: Optional[str] = None, **settings: Any) -> Solution:
        """Solves a member of the family from the model's first guess; arguments as in `Problem.solve`."""
        from ._solution import solve

        return solve(self.problem, self, case, settings)

    def solve_many(self, targets: Any, **settings: Any) -> Any:
        """Solves every row of a table; see `ansatz.solve_many`."""
        from ._many import solve_many

        return solve_many(self, targets, **settings)

    def save(self, path: Path) -> None:
        """Writes the model, a safetensors file."""
        must(lib.ans_model_write(context(), self._c, path_bytes(path)))

    def __repr__(self) -> str:
        if self.closed:
            return "<ansatz.Model, closed>"
        info = self.info
        return f"<ansatz.Model {info.descriptor}, {info.parameters} parameters, {info.steps} steps, seed {info.seed}>"
