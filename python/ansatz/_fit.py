# SPDX-License-Identifier: Apache-2.0
"""Fits: unknown coefficients of an equation from measurements."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Union

from ._errors import unknown as unknown_name
from ._library import Handle, array, bytes_or_null, context, encoded, ffi, lib, make, must, path_bytes, string, text_of
from ._model import Model
from ._options import default_threads
from ._run import interruptible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._problem import Problem
    from ._solution import Solution

__all__ = ["Fit", "Found", "fit"]

MOST_UNKNOWNS = 32


class Found(NamedTuple):
    """One unknown number: estimate, standard error, 95 % interval, and where the search began."""

    estimate: float
    error: float
    low: float
    high: float
    start: float
    identified: bool
    at_end: bool


class Fit(Handle):
    """What a fit found; `print` shows it as the program does.

    >>> import ansatz
    >>> p = ansatz.Problem(text=chr(10).join(["coordinate t in [0, 1] time", "field u", "coefficient k in [0.1, 3]",
    ...     "equation u: u_t = -k*u", "initial u = 1", "network width 8, layers 1"]))
    >>> f = p.fit({"t": [0.2, 0.5, 1.0], "u": [0.82, 0.61, 0.36]}, unknown="k", noise={"u": 0.01}, check=False)
    >>> 0.9 < f["k"].estimate < 1.1, f.flagged
    (True, False)
    """

    def __init__(self, handle: Any, structures: Optional[dict[str, float]] = None) -> None:
        self._handle = handle
        self.structures = structures
        self._solution: Optional[Solution] = None

    @property
    def unknowns(self) -> dict[str, Found]:
        """Every unknown by its name."""
        numbers = (lib.ans_fit_number(self._c, i) for i in range(lib.ans_fit_count(self._c)))
        return {string(n.name): Found(n.estimate, n.error, n.low, n.high, n.start, n.identified, n.at_end) for n in numbers}

    def __getitem__(self, name: str) -> Found:
        found = self.unknowns
        if name not in found:
            raise unknown_name("unknown", name, found)
        return found[name]

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Of the estimates, in the order of `unknowns`."""
        count = lib.ans_fit_count(self._c)
        return array(lib.ans_fit_covariance(self._c), self._c, (count, count))

    @property
    def summary(self) -> dict[str, Any]:
        """chi2, degrees of freedom, criterion, and how the search went."""
        s = lib.ans_fit_summarise(self._c)
        names = ("points", "values", "chi2", "freedom", "bic", "converged", "corrected", "classical", "network_error", "flagged",
                 "starts", "iterations", "steps", "seconds", "reach")
        return {"structure": string(s.structure), **{name: getattr(s, name) for name in names}}

    @property
    def initials(self) -> dict[str, int]:
        """The fields whose initial value was unknown, and the number of terms of the series that was sought."""
        found: dict[str, int] = {}
        while True:
            initial = lib.ans_fit_initial_of(self._c, len(found))
            if not initial.field:
                return found
            found[string(initial.field)] = initial.terms

    def initial(self, field: str, places: Any = 0.0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """An initial value that was unknown: values and standard errors at places along the space coordinate."""
        import numpy as np

        names = list(self.initials)
        if field not in names:
            raise unknown_name("unknown initial value", field, names)
        where = np.ascontiguousarray(np.atleast_1d(np.asarray(places, dtype=float)).ravel())
        values, errors = np.empty_like(where), np.empty_like(where)
        must(lib.ans_fit_initial_at(context(), self._c, names.index(field), ffi.cast("double *", ffi.from_buffer(where)), where.size,
                                    ffi.cast("double *", ffi.from_buffer(values)), ffi.cast("double *", ffi.from_buffer(errors))))
        return values, errors

    @property
    def noise(self) -> dict[str, float]:
        """The standard deviation of every field's values that had none: given, or estimated."""
        s = lib.ans_fit_summarise(self._c)
        fields = self.solution.problem.fields
        return {name: s.noise[i] for i, name in enumerate(fields) if s.noise[i] > 0}

    @property
    def notes(self) -> list[str]:
        """What there is to say about the result."""
        found: list[str] = []
        while True:
            note = lib.ans_fit_note(self._c, len(found), ffi.NULL)
            if not note:
                return found
            found.append(string(note))

    @property
    def flagged(self) -> bool:
        """Whether a note says why the result is not to be believed as it stands."""
        return bool(lib.ans_fit_summarise(self._c).flagged)

    @property
    def solution(self) -> Solution:
        """The equation with the numbers found, solved."""
        from ._solution import Solution

        if self._solution is None:
            handle = self._c
            self._solution = Solution(ffi.gc(lib.ans_fit_solver(handle), lambda _, owner=handle: None))
        return self._solution

    def profile(self, name: str) -> dict[str, Any]:
        """How fast the fit gets worse along one unknown, all others fitted anew: values, chi2, low and high."""
        names = list(self.unknowns)
        if name not in names:
            raise unknown_name("unknown", name, names)
        handle, profile, flag = self._c, ffi.new("ans_fit_profile *"), ffi.new("int *")

        def work() -> Any:
            must(lib.ans_fit_profile_of(context(), handle, names.index(name), profile))
            return flag

        lib.ans_fit_set_interrupt(handle, flag)
        try:
            interruptible(work, stop=_raiser(flag))
        finally:
            lib.ans_fit_set_interrupt(handle, ffi.NULL)
        return {"values": list(profile.values), "chi2": list(profile.chi2), "least": profile.least, "low": profile.low,
                "high": profile.high}

    def next(self, count: int = 1) -> list[dict[str, Any]]:
        """Where to measure next, the best place first: its coordinates, the field, and the errors then."""
        handle, places = self._c, ffi.new("ans_fit_place[]", count)
        must(lib.ans_fit_next(context(), handle, places, count))
        problem, names = self.solution.problem, list(self.unknowns)
        return [{**{c.name: place.point[i] for i, c in enumerate(problem.coordinates)}, "field": problem.fields[place.field],
                 "errors": {name: place.errors[i] for i, name in enumerate(names)}} for place in places]

    @property
    def measured(self) -> dict[str, dict[str, NDArray[np.float64]]]:
        """For every field: its points, by coordinate, and the values `measured`, `sigma` and `fitted` there."""
        import numpy as np

        problem, value, index = self.solution.problem, ffi.new("ans_fit_value *"), 0
        rows: dict[str, list[list[float]]] = {}
        width = len(problem.coordinates)
        while lib.ans_fit_value_at(self._c, index, value):
            row = [*(value.point[i] for i in range(width)), value.measured, value.sigma, value.fitted]
            rows.setdefault(problem.fields[value.field], []).append(row)
            index += 1
        names = [*(c.name for c in problem.coordinates), "measured", "sigma", "fitted"]
        return {field: dict(zip(names, np.array(table).T)) for field, table in rows.items()}

    def plot(self, axes: Any = None) -> Any:
        """Measured over fitted values, one picture per measured field, with matplotlib."""
        data = self.measured
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(1, len(data), figsize=(4 * len(data), 4), squeeze=False, layout="constrained")
        import numpy as np

        flat = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
        for axis, (field, table) in zip(flat, data.items()):
            low, high = float(table["measured"].min()), float(table["measured"].max())
            axis.plot([low, high], [low, high], color="0.7")
            axis.errorbar(table["fitted"], table["measured"], yerr=table["sigma"], fmt="o", markersize=3, linewidth=0.8)
            axis.set(xlabel=f"{field} fitted", ylabel=f"{field} measured")
        return flat

    def __str__(self) -> str:
        return text_of(lib.ans_fit_print, self._c)

    def __repr__(self) -> str:
        if self.closed:
            return "<ansatz.Fit, closed>"
        return f"<ansatz.Fit {', '.join(f'{k}={v.estimate:.6g}±{v.error:.2g}' for k, v in self.unknowns.items())}>"


def _words(given: Union[None, str, Mapping[str, float], Iterable[str]]) -> Optional[str]:
    """A list for the library: "a,b=1"."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        return ",".join(f"{name}={float(value)!r}" for name, value in given.items()) or None
    return ",".join(given)


def _measurements(problem: Any, data: Any) -> Any:
    if isinstance(data, (str, os.PathLike)):
        return make("ans_measurements", lib.ans_measurements_read, problem, path_bytes(data))
    import numpy as np

    names = [str(name) for name in data.keys()]
    try:
        columns = [np.asarray(data[name], dtype=float).ravel() for name in data.keys()]
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"the measurements are not all numbers: {wrong}") from None
    if len({len(column) for column in columns}) > 1:
        raise ValueError("the columns of the measurements differ in length")
    table = np.ascontiguousarray(np.column_stack(columns)) if columns else np.zeros((0, 0))
    kept = [ffi.new("char[]", encoded(name)) for name in names]
    return make("ans_measurements", lib.ans_measurements_new, problem, ffi.new("char *[]", kept), len(names),
                ffi.cast("double *", ffi.from_buffer(table)), table.shape[0])


def _raiser(flag: Any) -> Callable[[], None]:
    """What asks a call of the library to stop."""
    def stop() -> None:
        flag[0] = 1
    return stop


def fit(problem: Problem, data: Any, unknown: Union[None, str, Mapping[str, float], Iterable[str]] = None, *,
        fixed: Union[None, str, Mapping[str, float]] = None, case: Optional[str] = None, structure: Optional[str] = None,
        noise: Union[None, str, Mapping[str, float]] = None, model: Union[None, str, Model] = None, check: bool = True,
        seed: int = 101, threads: Optional[int] = None, seconds: float = 0.0) -> Fit:
    """See `Problem.fit`."""
    model = Model(model) if isinstance(model, str) else model
    family, flag = problem._c, ffi.new("int *")
    given = _measurements(family, data)
    automatic = structure == "auto"
    kept = [bytes_or_null(text) for text in (_words(unknown), _words(fixed), case, None if automatic else structure, _words(noise))]
    options = ffi.new("ans_fit_options *", {
        "size": ffi.sizeof("ans_fit_options"), "unknown": kept[0], "fixed": kept[1], "case_name": kept[2],
        "structure": kept[3], "noise": kept[4], "model": model._c if model is not None else ffi.NULL, "seed": seed,
        "threads": threads or default_threads(), "seconds": seconds, "interrupt": flag})
    table = ffi.new("ans_fit_candidate[]", lib.ans_problem_count(family, lib.ANS_STRUCTURES))

    def work() -> Any:
        if automatic:
            handle = make("ans_fit", lambda *a: lib.ans_fit_structures(*a[:-1], table, a[-1]), family, given, options)
        else:
            handle = make("ans_fit", lib.ans_fit_new, family, given, options)
        if check and not flag[0]:
            lib.ans_fit_set_interrupt(handle, flag)
            must(lib.ans_fit_check(context(), handle, ffi.new("ans_fit_reference *")))
            lib.ans_fit_set_interrupt(handle, ffi.NULL)
        return handle, kept, model

    handle = interruptible(work, stop=_raiser(flag))[0]
    rows = {string(row.structure): row.bic for row in table if row.fitted} if automatic else None
    return Fit(handle, rows)
