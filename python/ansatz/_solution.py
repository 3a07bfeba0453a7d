# SPDX-License-Identifier: Apache-2.0
"""Solutions: one equation's own network, adapted to its physics, which can be evaluated anywhere."""
from __future__ import annotations

import os
import threading
import warnings
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ._errors import Interrupted, InvalidError, ToleranceWarning, unknown
from ._fields import Fields
from ._library import NULL, Handle, context, ffi, lib, make, must, path_bytes, string
from ._options import SOLVER
from ._problem import Instance, Path, Problem, borrow
from ._progress import MANY_STEPS, Show
from ._run import Progress, interruptible, run

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Estimate", "Solution", "load"]

CHUNK = 65536  # points between two chances for Ctrl-C


class Estimate(NamedTuple):
    """How wrong a solution is, without a reference: relative L2 norms, field by field."""

    available: bool
    trusted: bool
    reason: str
    errors: dict[str, float]
    differences: dict[str, float]
    absolute: tuple[str, ...]
    varying: dict[str, float]  # what is left of a field without its mean, over the field
    mean: float
    mean_difference: float
    seconds: float

    @classmethod
    def of(cls, told: Any, names: tuple[str, ...]) -> Estimate:
        count = told.field_count if told.available else 0
        return cls(told.available, told.trusted, string(told.reason),
                   {names[i]: told.errors[i] for i in range(count)}, {names[i]: told.differences[i] for i in range(count)},
                   tuple(names[i] for i in range(count) if told.absolute[i]),
                   {names[i]: told.varying[i] for i in range(count)}, told.mean if count else float("nan"),
                   told.mean_difference if count else float("nan"), told.seconds)

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        if not self.available:
            return f"<no estimate: {self.reason}>"
        return f"<estimated error {self.mean:.2e}, {'trusted' if self.trusted else 'not trusted: ' + self.reason}>"


_living: weakref.WeakSet[Any] = weakref.WeakSet()


def _after_fork() -> None:
    # Whoever held these locks is not in the child.
    for one in list(_living):
        one._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Solution(Handle):
    """The solution of one equation: a function of the coordinates.

    >>> import ansatz
    >>> s = ansatz.Problem("heat").solve(steps=20)
    >>> u = s(x=0.25, t=0.5)
    >>> isinstance(u, float)
    True
    >>> s(x=[0.0, 0.5, 1.0], t=0.5).shape
    (3,)
    >>> s.derivative("u_xx", x=[0.25, 0.75], t=0.5).shape
    (2,)
    """

    def __init__(self, handle: Any, options: Optional[dict[str, Any]] = None) -> None:
        self._handle, self._lock = handle, threading.Lock()
        self._options = options or {}
        inner = lib.ans_solver_instance(handle)
        self._problem = borrow(lib.ans_instance_problem(inner), handle)
        problem = Problem._of(self._problem)
        self._coordinates = tuple(c.name for c in problem.coordinates)
        self._fields = problem.fields
        self._point, self._value = ffi.new("double[]", len(self._coordinates)), ffi.new("double[]", len(self._fields))
        self._orders: dict[str, tuple[int, Any]] = {}
        self._estimated: Optional[tuple[int, Estimate]] = None
        self._tuple = NULL
        if len(self._fields) > 1:
            import collections

            self._tuple = collections.namedtuple("Values", self._fields, rename=True)  # type: ignore[misc]
        _living.add(self)

    # ---- What it is

    @property
    def instance(self) -> Instance:
        """The equation."""
        return Instance(borrow(lib.ans_solver_instance(self._c), self._c), self._problem)

    @property
    def problem(self) -> Problem:
        """The family."""
        self._c
        return Problem._of(self._problem)

    @property
    def state(self) -> Progress:
        """Steps done, loss, and why the last run ended."""
        with self._lock:
            return Progress.of(lib.ans_solver_state(self._c))

    # ---- Adapting

    def run(self, steps: Optional[int] = None, *, seconds: Optional[float] = None, progress: Show = None) -> Solution:
        """Adapts further: `steps` more, or those of the text, for at most so many seconds.

        Ctrl-C ends it between two steps; the solution stays as good as it is by then. The interpreter's lock is free
        meanwhile; from another thread the solution can be used again when the run has ended.
        """
        handle, lock = self._c, self._lock
        count = None if steps is None else _steps(steps)
        start = lib.ans_solver_state(handle)

        def call(rules: Any, watcher: Any, data: Any) -> None:
            with lock:
                must(lib.ans_solver_run(context(), handle, rules, watcher, data))

        self._estimated = None
        run(call, start, count, seconds, self._planned(), progress, "adapt")
        return self

    def _planned(self) -> int:
        return int(lib.ans_solver_information(self._c).steps)

    # ---- Evaluating

    def __call__(self, *place: Any, **where: Any) -> Any:
        """The fields at points: numbers or arrays, by name or in the order of the coordinates.

        A number for one field, a named tuple for several; arrays are broadcast. Outside the domain a periodic
        coordinate wraps and others extrapolate.
        """
        values = place if not where and len(place) == len(self._coordinates) else self._place(place, where)
        for value in values:
            if type(value) is not float and type(value) is not int:
                return self._many(values, NULL, None)
        return self._one(values, NULL, None)

    def derivative(self, name: str, *place: Any, **where: Any) -> Any:
        """A derivative like "u_x", "u_xt" or "v_xx", or the field "u" itself, at points as in a call."""
        field, order = self._order(name)
        values = self._place(place, where)
        if all(type(value) in (float, int) for value in values):
            return self._one(values, order, field)
        return self._many(values, order, field)

    def _order(self, name: str) -> tuple[int, Any]:
        found = self._orders.get(name)
        if found is None:
            field, order = ffi.new("size_t *"), ffi.new("unsigned[]", lib.ANS_MAX_COORDINATES)
            must(lib.ans_problem_derivative(context(), self._problem, name.encode(), field, order))
            found = self._orders[name] = int(field[0]), order
        return found

    def _place(self, place: tuple[Any, ...], where: dict[str, Any]) -> list[Any]:
        names = self._coordinates
        given = dict(zip(names, place), **where) if place else where
        if len(given) != len(names) or len(place) + len(where) != len(names):
            for name in where:
                if name not in names:
                    raise unknown("coordinate", name, names)
            raise TypeError(f"the coordinates are {', '.join(names)}, each of them once; given: "
                            f"{', '.join([*names[: len(place)], *where]) or 'none'}")
        try:
            return [given[name] for name in names]
        except KeyError:
            raise unknown("coordinate", next(name for name in given if name not in names), names) from None

    def _one(self, values: Any, order: Any, field: Optional[int]) -> Any:
        handle = self._handle or self._c
        with self._lock:
            point, value = self._point, self._value
            for i, number in enumerate(values):
                point[i] = number
            if lib.ans_solver_evaluate(context(), handle, point, 1, order, value):
                must(1)
            if field is not None:
                return value[field]
            return value[0] if self._tuple is NULL else self._tuple(*value)

    def _many(self, values: Any, order: Any, field: Optional[int]) -> Any:
        import numpy as np

        arrays = np.broadcast_arrays(*(_numbers(name, value) for name, value in zip(self._coordinates, values)))
        points = np.ascontiguousarray(np.stack([a.ravel() for a in arrays], axis=-1))
        result = np.empty((len(points), len(self._fields)))
        handle = self._c
        for first in range(0, len(points), CHUNK):
            part, out = points[first: first + CHUNK], result[first: first + CHUNK]
            with self._lock:
                must(lib.ans_solver_evaluate(context(), handle, ffi.from_buffer("double[]", part), len(part), order,
                                             ffi.from_buffer("double[]", out)))
        shape = arrays[0].shape
        fields = [np.ascontiguousarray(result[:, i]).reshape(shape) for i in range(len(self._fields))]
        if field is not None:
            return fields[field]
        return fields[0] if self._tuple is NULL else self._tuple(*fields)

    # ---- On a grid

    def on_grid(self, *, corrected: bool = False, **sizes: int) -> Fields:
        """The fields on an even grid, like x=256, t=101; coordinates that are not named have the text's own size.

        corrected: without the estimated error.
        """
        numbers = ffi.new("size_t[]", len(self._coordinates))
        for name, size in sizes.items():
            if name not in self._coordinates:
                raise unknown("coordinate", name, self._coordinates)
            if not hasattr(size, "__index__") or not 2 <= size.__index__() <= 1 << 20:
                raise ValueError(f"{name}: a grid has 2 to 1048576 nodes, not {size!r}")
            numbers[self._coordinates.index(name)] = size.__index__()
        handle, lock = self._c, self._lock
        known = self.estimate if corrected else self._known_estimate()

        def work() -> Any:
            with lock:
                made = make("ans_solution", lib.ans_solver_solution, handle, numbers)
                if corrected:
                    must(lib.ans_solver_correct(context(), handle, made, ffi.new("ans_estimate *")))
                return made

        return Fields(interruptible(work), "corrected" if corrected else "", self._attributes(known, corrected))

    def _known_estimate(self) -> Optional[Estimate]:
        return self._estimated[1] if self._estimated and self._estimated[0] == self.state.step else None

    def _attributes(self, estimate: Optional[Estimate], corrected: bool) -> dict[str, Any]:
        made = {**self.instance.attributes(), "steps": self.state.step}
        made.update({name: value for name, value in self._options.items() if value is not None})
        if estimate is not None and estimate.available:
            made.update({f"estimated_error_{name}": value for name, value in estimate.errors.items()})
            made["trusted"] = int(estimate.trusted)
        return {**made, "corrected": int(corrected)}

    def to_xarray(self, *, corrected: bool = False, **grid: Any) -> xr.Dataset:
        """A Dataset on an even grid (x=256) or on nodes of your own (x=[0.1, 0.2])."""
        if all(hasattr(size, "__index__") for size in grid.values()):
            return self.on_grid(corrected=corrected, **grid).to_xarray()
        return self._on_nodes(grid, corrected)

    def _on_nodes(self, grid: dict[str, Any], corrected: bool) -> xr.Dataset:
        import numpy as np
        import xarray as xr

        if corrected:
            raise ValueError("a corrected solution has an even grid: give numbers of nodes")
        plain = {name: size for name, size in grid.items() if hasattr(size, "__index__")}
        even = self.on_grid(**plain)
        axes = {name: np.asarray(grid.get(name, nodes), dtype=float) if name not in plain else nodes
                for name, nodes in even.axes.items()}
        for name in grid:
            if name not in axes:
                raise unknown("coordinate", name, axes)
            if axes[name].ndim != 1:
                raise ValueError(f"{name}: nodes are a number or a one-dimensional array")
        mesh = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij")))
        values = self(**mesh)
        fields = [values] if len(self._fields) == 1 else values
        return xr.Dataset({name: (tuple(axes), value) for name, value in zip(self._fields, fields)}, coords=axes,
                          attrs=even.attributes)

    # ---- How good it is

    @property
    def estimate(self) -> Estimate:
        """How wrong the fields are: their error obeys an equation of its own, which is solved on a small mesh."""
        handle, lock, step = self._c, self._lock, self.state.step
        if self._estimated is None or self._estimated[0] != step:

            def work() -> Any:
                told = ffi.new("ans_estimate *")
                with lock:
                    must(lib.ans_solver_estimate(context(), handle, told))
                return told

            self._estimated = step, Estimate.of(interruptible(work)[0], self._fields)
        return self._estimated[1]

    @property
    def trusted(self) -> bool:
        """Whether the estimate can be trusted; `trust_reason` says why not."""
        return self.estimate.trusted

    @property
    def trust_reason(self) -> str:
        """Why the estimate cannot be trusted; "" when it can."""
        return self.estimate.reason

    @property
    def residual(self) -> float:
        """The loss at points that were never trained on."""
        handle, lock = self._c, self._lock
        held_out = ffi.new("double *")

        def work() -> None:
            with lock:
                must(lib.ans_solver_residual(context(), handle, held_out, NULL))

        interruptible(work)
        return float(held_out[0])

    def compare(self, reference: Optional[Fields] = None) -> dict[str, float]:
        """The relative L2 error of every field against a reference, which is computed unless it is given."""
        reference = self.instance.reference() if reference is None else reference
        return self._like(reference).compare(reference)

    def _like(self, reference: Fields) -> Fields:
        with self._lock:
            return Fields(make("ans_solution", lib.ans_solver_solution_like, self._c, reference._c))

    # ---- Pictures and files

    def plot(self, axes: Any = None, **sizes: Any) -> Any:
        """Draws every field with matplotlib; gives the axes, one per field."""
        return self.on_grid(**sizes).plot(axes)

    def figure(self, path: Path, *, reference: Optional[Fields] = None, title: Optional[str] = None) -> None:
        """The program's own figure, SVG, PDF or PNG by the extension; with a reference: both and the error."""
        fields = self.on_grid() if reference is None else self._like(reference)
        fields.figure(path, reference=reference, title=title)

    def save(self, path: Path) -> None:
        """A file from which `ansatz.load` has the solution back; it needs no model."""
        with self._lock:
            must(lib.ans_solver_save(context(), self._c, path_bytes(path)))

    def _repr_html_(self) -> str:
        from ._plot import page

        return page(repr(self), None if self.closed else self.on_grid().svg())

    def __repr__(self) -> str:
        if self.closed:
            return "<ansatz.Solution, closed>"
        known = self._known_estimate()
        words = "" if known is None else f", {known!r:.120}"
        return f"<ansatz.Solution of {', '.join(self._fields)} after {self.state.step} steps{words}>"


def _numbers(name: str, value: Any) -> Any:
    import numpy as np

    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number or an array of numbers, not {value!r:.60}") from None


def _steps(steps: Any) -> int:
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        raise TypeError(f"steps must be an integer, not {steps!r}")
    if not 0 <= steps.__index__() <= MANY_STEPS:
        raise ValueError(f"steps must be from 0 to {MANY_STEPS}, not {steps}")
    return int(steps)


# ---- From a problem or a model

_RUN = ("steps", "seconds", "progress")

# Where only the tolerance and the clock count; as in the program.
TOLERANCE_SECONDS = 120.0
TOLERANCE_RULES = {"steps": MANY_STEPS, "seconds": TOLERANCE_SECONDS}


def begin_instance(instance: Instance, model: Any, options: dict[str, Any]) -> Solution:
    made, kept = SOLVER.build(options)
    handle = make("ans_solver", lib.ans_solver_begin, NULL if model is None else model._c, instance._c, made)
    del kept
    return Solution(handle, {"seed": int(made.seed), **{k: v for k, v in options.items() if k not in ("seed", "threads")}})


def begin(problem: Problem, model: Any, case: Optional[str], settings: dict[str, Any]) -> Solution:
    options, choice = SOLVER.split(settings)
    return begin_instance(problem.instance(case, **choice), model, options)


def solve(problem: Problem, model: Any, case: Optional[str], settings: dict[str, Any]) -> Solution:
    runs = {name: settings.pop(name) for name in _RUN if name in settings}
    tolerance = settings.get("tolerance")
    if tolerance:
        runs = {**TOLERANCE_RULES, **runs}
    made = begin(problem, model, case, settings)
    try:
        made.run(**runs)
    except KeyboardInterrupt:
        raise Interrupted(made) from None
    if tolerance and made.state.end != "tolerance":
        worst = max(made.estimate.errors.values(), default=float("nan"))
        warnings.warn(f"the tolerance {tolerance:g} was not met: the estimated error is {worst:.2g} after "
                      f"{made.state.step} steps", ToleranceWarning, stacklevel=3)
    return made


def load(path: Path, **options: Any) -> Solution:
    """A solution that was saved, to ask or to adapt further with `run`, which ends no worse than it began.

    Options are threads, precision, rate, patience and tolerance; all else, the seed too, is the file's.
    """
    if "seed" in options:
        raise InvalidError("a saved solution keeps its seed")
    made, kept = SOLVER.build(options)
    handle = make("ans_solver", lib.ans_solver_resume, path_bytes(path), made)
    del kept
    return Solution(handle)
