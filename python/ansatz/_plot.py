# SPDX-License-Identifier: Apache-2.0
"""Pictures: matplotlib axes, and the program's own figures as text for a page."""
from __future__ import annotations

import html
import os
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Optional

if TYPE_CHECKING:
    from ._fields import Fields

__all__ = ["draw", "page", "svg_text"]


def draw(fields: Fields, axes: Any = None) -> Any:
    """Maps over two coordinates, lines over one."""
    import numpy as np

    names, grid = fields.names, fields.axes
    if len(grid) > 2:
        raise ValueError(f"plot draws one or two coordinates, and there are {len(grid)}: {', '.join(grid)}")
    if axes is None:
        import matplotlib.pyplot as plt

        _, axes = plt.subplots(1, len(names), figsize=(5 * len(names), 4), squeeze=False, layout="constrained")
    flat = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if len(flat) != len(names):
        raise ValueError(f"there are {len(names)} fields and {len(flat)} axes")
    for name, axis in zip(names, flat):
        coordinates = list(grid.items())
        if len(coordinates) == 1:
            axis.plot(coordinates[0][1], fields[name])
            axis.set(xlabel=coordinates[0][0], ylabel=name, title=fields.title)
        else:
            (across, columns), (up, rows) = coordinates  # time runs to the right, as in the program's figures
            drawn = axis.pcolormesh(columns, rows, fields[name].T, shading="nearest", cmap="viridis")
            axis.figure.colorbar(drawn, ax=axis)
            axis.set(xlabel=across, ylabel=up, title=f"{name} {fields.title}".strip())
    return flat


def svg_text(write: Callable[[str], Any]) -> str:
    """What write(path) draws as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figure.svg")
        write(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
    return text[text.index("<svg"):]


def page(text: str, svg: Optional[str]) -> str:
    """Words and a figure for a notebook. The figure is an image, so that its names are its own."""
    words = f"<pre>{html.escape(text)}</pre>"
    if svg is None:
        return words
    import base64

    data = base64.b64encode(svg.encode()).decode()
    return f'{words}<img alt="{html.escape(text, quote=True)}" src="data:image/svg+xml;base64,{data}">'
