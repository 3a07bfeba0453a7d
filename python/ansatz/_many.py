# SPDX-License-Identifier: Apache-2.0
"""Many equations: every row of a table, as many at a time as there are threads."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from ._errors import BY_STATUS, Error, Interrupted
from ._library import STATUS, ffi, lib, string
from ._model import Model
from ._options import SOLVER, default_threads
from ._problem import Problem
from ._progress import MANY_STEPS, Show, show_of
from ._run import Progress, interruptible
from ._solution import TOLERANCE_SECONDS, Solution, _steps, begin

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = ["Many", "solve_many"]

ROOM = 512  # bytes of a sentence
WORDS = ("name", "case", "structure")


class Many(NamedTuple):
    """The table with its results, and the fields of all rows in one Dataset."""

    table: pd.DataFrame
    dataset: Optional[xr.Dataset]


class _Row:
    """A row and what became of it."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = {str(k): v for k, v in given.items() if not (v is None or v != v)}
        self.solution: Optional[Solution] = None
        self.results: dict[str, Any] = {"failure": "not begun"}
        self.fields: Any = None

    def begin(self, source: Union[Problem, Model], options: dict[str, Any]) -> None:
        self.results = {"failure": ""}
        choice = {k: str(v) for k, v in self.given.items() if k in ("case", "structure")}
        values = {k: v for k, v in self.given.items() if k not in WORDS}
        problem, model = (source, None) if isinstance(source, Problem) else (source.problem, source)
        settings = {**options, "structure": choice.get("structure"), "values": values, "threads": 1}
        try:
            self.solution = begin(problem, model, choice.get("case"), settings)
            self.results["residual_initial"] = self.solution.residual
        except Error as error:
            self.fail(error)

    def fail(self, error: Error) -> None:
        self.results["failure"], self.solution = error.message, None

    def finish(self, grid: Optional[dict[str, Any]]) -> None:
        if self.solution is None:
            return
        try:
            estimate = self.solution.estimate
            self.results.update(steps=self.solution.state.step, residual=self.solution.residual, estimate=estimate.mean,
                                trusted=estimate.trusted, trust_reason=estimate.reason)
            if grid is not None:
                self.fields = self.solution.on_grid(**grid)
        except Error as error:
            self.fail(error)
        self.solution = None  # its network is no longer needed


def solve_many(source: Union[Problem, Model], targets: Any, *, grid: Union[None, bool, dict[str, Any]] = True,
               steps: Optional[int] = None, seconds: Optional[float] = None, threads: Optional[int] = None, progress: Show = None, **options: Any) -> Many:
    """Solves every row of `targets`: a DataFrame, or rows as dictionaries, with coefficients, `structure`, `case`, `name`.

    An empty cell (None, NaN) is a coefficient that is not there. A row that fails has its sentence in the column
    `failure`, and the others go on. `grid` is that of the Dataset: {"x": 64}, True for the text's own, None for no
    Dataset. Ctrl-C raises `Interrupted`, whose `partial` has what was done. `seconds` bound each row.

    >>> import ansatz
    >>> m = ansatz.solve_many(ansatz.Problem("heat"), [{"D": 0.02}, {"D": 0.03}], steps=2)
    >>> list(m.table["steps"]), dict(m.dataset.sizes)["target"]
    ([2, 2], 2)
    """
    records = targets.to_dict("records") if hasattr(targets, "to_dict") else list(targets)
    rows = [_Row(record) for record in records]
    wanted = None if grid is None or grid is False else {} if grid is True else grid
    SOLVER.build({**options, "threads": 1})  # what is wrong with an option is no row's fault
    if options.get("tolerance"):
        steps, seconds = steps or MANY_STEPS, seconds or TOLERANCE_SECONDS
    width, count = threads or default_threads(), None if steps is None else _steps(steps)
    bar = show_of(progress, "adapt", 0, max(1, len(rows)))
    try:
        for first in range(0, len(rows), width):
            wave = rows[first: first + width]
            for row in wave:
                row.begin(source, options)
            _run_wave(wave, count, seconds, width)
            for row in wave:
                row.finish(wanted)
            bar.update(Progress(first + len(wave), len(rows), float("nan"), 0, 0, 0, 0, False, 0, "none"))
    except KeyboardInterrupt:
        raise Interrupted(_gather(records, rows, wanted is not None)) from None
    finally:
        bar.close()
    return _gather(records, rows, wanted is not None)


def _run_wave(wave: list[_Row], steps: Optional[int], seconds: Optional[float], threads: int) -> None:
    running = [row for row in wave if row.solution is not None]
    if not running:
        return
    handles = [row.solution._c for row in running if row.solution is not None]
    solvers, statuses = ffi.new("ans_solver *[]", handles), ffi.new("ans_status[]", len(running))
    messages, onlooker, rules = ffi.new("char[]", ROOM * len(running)), ffi.new("onlooker *"), ffi.new("ans_run_rules *")
    lib.onlooker_begin(onlooker, ffi.new("ans_progress *")[0])
    lib.onlooker_watch(onlooker, rules)
    rules.size, rules.steps, rules.every = ffi.sizeof("ans_run_rules"), -1 if steps is None else steps, 50
    rules.seconds = seconds or 0.0

    def work() -> Any:
        lib.ans_solver_run_many(solvers, len(running), rules, threads, ffi.addressof(lib, "onlooker_note"), onlooker, statuses, messages, ROOM)
        return handles

    interruptible(work, None, lambda: lib.onlooker_interrupt(onlooker))
    for i, row in enumerate(running):
        if statuses[i]:
            row.fail(BY_STATUS[STATUS[statuses[i]]](string(messages + i * ROOM)))


def _gather(records: list[Any], rows: list[_Row], fields: bool) -> Many:
    import pandas as pd

    columns = ("steps", "residual_initial", "residual", "estimate", "trusted", "trust_reason", "failure")
    frame = pd.DataFrame([{**record, **{c: row.results.get(c) for c in columns}} for record, row in zip(records, rows)])
    first = next((row.fields for row in rows if row.fields is not None), None)
    return Many(frame, _stack(rows, first) if fields and first is not None else None)


def _stack(rows: list[_Row], first: Any) -> Any:
    import numpy as np
    import xarray as xr

    axis = "target"
    while axis in first.axes or axis in first.names:
        axis += "_"
    missing = np.full_like(first[first.names[0]], np.nan)
    data = {name: ((axis, *first.axes), np.stack([missing if row.fields is None else row.fields[name] for row in rows]))
            for name in first.names}
    labels = [str(row.given.get("name", i)) for i, row in enumerate(rows)]
    return xr.Dataset(data, coords={axis: labels, **first.axes}, attrs={"problem": first.attributes.get("problem", "")})
