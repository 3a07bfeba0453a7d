# SPDX-License-Identifier: Apache-2.0
"""Fields on a grid, whoever computed them: a solution's or a reference's."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ._errors import UnsupportedError, unknown
from ._library import Handle, array, bytes_or_null, context, ffi, lib, must, path_bytes, string

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr
    from numpy.typing import NDArray

__all__ = ["Fields", "ReferenceReport"]


class ReferenceReport(NamedTuple):
    """How a reference was computed; numbers that do not apply are NaN."""

    method: str
    seconds: float
    steps: int
    nodes: int
    self_difference: float
    time_difference: float
    periodicity: float
    balance: float

    @classmethod
    def of(cls, report: Any) -> ReferenceReport:
        return cls(string(report.method), report.seconds, report.steps, report.nodes, report.self_difference,
                   report.time_difference, report.periodicity, report.balance)


class Fields(Handle):
    """Fields on a grid, as arrays that are the library's own memory.

    >>> import ansatz
    >>> grid = ansatz.Problem("heat").begin().on_grid(x=8, t=3)
    >>> list(grid.axes), grid["u"].shape
    (['t', 'x'], (3, 8))
    """

    report: Optional[ReferenceReport] = None

    def __init__(self, handle: Any, title: str = "", attributes: Optional[dict[str, Any]] = None) -> None:
        self._handle = handle
        self.title = title
        self.attributes = attributes or {}

    @property
    def axes(self) -> dict[str, NDArray[np.float64]]:
        """The nodes along each coordinate, time first."""
        made, name, size = {}, ffi.new("const char **"), ffi.new("size_t *")
        for i in range(lib.ans_solution_axis_count(self._c)):
            nodes = lib.ans_solution_axis(self._c, i, name, size)
            made[string(name[0])] = array(nodes, self._c, (size[0],))
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self._values())

    def _values(self) -> dict[str, Any]:
        made, name, count = {}, ffi.new("const char **"), ffi.new("size_t *")
        for i in range(lib.ans_solution_field_count(self._c)):
            values = lib.ans_solution_values(self._c, i, name, count)
            made[string(name[0])] = values
        return made

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """The values of a field: one axis per coordinate, in the order of `axes`."""
        values = self._values()
        if name not in values:
            raise unknown("field", name, values)
        return array(values[name], self._c, tuple(len(nodes) for nodes in self.axes.values()))

    def to_xarray(self) -> xr.Dataset:
        """An xarray Dataset, with what is known of the fields in its attributes."""
        import xarray as xr

        dims = tuple(self.axes)
        return xr.Dataset({name: (dims, self[name]) for name in self.names}, coords=self.axes, attrs=dict(self.attributes))

    def save(self, path: os.PathLike[str] | str) -> None:
        """Writes netCDF (.nc), NumPy (.npz) or a table (.csv), by the extension."""
        must(lib.ans_solution_write(context(), self._c, path_bytes(path)))

    def compare(self, reference: Fields) -> dict[str, float]:
        """The relative L2 distance of every field to the reference on the same grid."""
        errors = ffi.new("double[]", max(1, lib.ans_solution_field_count(self._c)))
        must(lib.ans_solution_compare(context(), self._c, reference._c, errors))
        return {name: errors[i] for i, name in enumerate(self.names)}

    def figure(self, path: os.PathLike[str] | str, *, title: Optional[str] = None, reference: Optional[Fields] = None) -> None:
        """The program's own figure, SVG, PDF or PNG by the extension; with a reference: both and the error."""
        kept = [bytes_or_null(self.title if title is None else title), ffi.new("char[]", path_bytes(path))]
        figure = ffi.new("ans_figure *", {"title": kept[0], "path": kept[1]})
        if reference is None:
            must(lib.ans_solution_figure(context(), self._c, figure[0]))
        else:
            must(lib.ans_comparison_figure(context(), self._c, reference._c, figure[0]))

    def plot(self, axes: Any = None) -> Any:
        """Draws every field with matplotlib; gives the axes, one per field."""
        from ._plot import draw

        return draw(self, axes)

    def svg(self) -> Optional[str]:
        """The program's figure as text; None where the package was built without figures."""
        from ._plot import svg_text

        try:
            return svg_text(self.figure)
        except UnsupportedError:
            return None

    def _repr_html_(self) -> str:
        from ._plot import page

        return page(repr(self), self.svg())

    def __repr__(self) -> str:
        if self.closed:
            return "<ansatz.Fields, closed>"
        sizes = ", ".join(f"{name}: {len(nodes)}" for name, nodes in self.axes.items())
        return f"<ansatz.Fields {', '.join(self.names)} ({sizes})>"
