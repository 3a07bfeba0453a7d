# SPDX-License-Identifier: Apache-2.0
"""Progress: a bar in a terminal, an element in a notebook, or a function of the caller's."""
from __future__ import annotations

import math
import sys
import time
from typing import Any, Callable, Union

__all__ = ["MANY_STEPS", "Show", "show_of"]

# None: where somebody looks on; True or False; or a function that is called with the progress.
Show = Union[None, bool, Callable[[Any], None]]

PATIENCE = 0.5  # seconds before a bar appears
WIDTH = 30
MANY_STEPS = 10**9  # more than any run takes: another rule will end it


class Nothing:
    """No bar."""

    def update(self, now: Any) -> None:
        pass

    def close(self) -> None:
        pass


class Caller(Nothing):
    """The caller's function, on the caller's thread."""

    def __init__(self, function: Callable[[Any], None]) -> None:
        self.function = function

    def update(self, now: Any) -> None:
        self.function(now)


class Bar(Nothing):
    """A line on standard error that is written anew; it appears when a run lasts."""

    def __init__(self, label: str, first: int, last: int) -> None:
        self.label, self.first, self.last = label, first, max(last, first + 1)
        self.begun, self.shown = time.monotonic(), False

    def line(self, now: Any) -> tuple[float, str]:
        if self.last - self.first >= MANY_STEPS:
            return 0.0, f"step {now.step}, loss {now.loss:.3e}, {time.monotonic() - self.begun:.0f} s"
        share = min(1.0, max(0.0, (now.step - self.first) / (self.last - self.first)))
        spent = time.monotonic() - self.begun
        left = f", {spent / share - spent:.0f} s left" if 0 < share < 1 else ""
        loss = "" if math.isnan(now.loss) else f", loss {now.loss:.3e}"
        return share, f"{now.step}/{self.last}{loss}{left}"

    def update(self, now: Any) -> None:
        if time.monotonic() - self.begun >= PATIENCE:
            self.shown = True
            self.draw(*self.line(now))

    def draw(self, share: float, text: str) -> None:
        filled = round(share * WIDTH)
        sys.stderr.write(f"\r{self.label} [{'#' * filled}{' ' * (WIDTH - filled)}] {text}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Notebook(Bar):
    """The same as an element of the page."""

    display: Any = None

    def draw(self, share: float, text: str) -> None:
        from IPython.display import HTML, display

        page = HTML(f"{self.label} <progress value='{share:.3f}' max='1'></progress> {text}")
        if self.display is None:
            self.display = display(page, display_id=True)
        else:
            self.display.update(page)

    def close(self) -> None:
        if self.display is not None:
            from IPython.display import HTML

            self.display.update(HTML(""))


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def show_of(progress: Show, label: str, first: int, last: int) -> Nothing:
    """What shows the progress that was asked for."""
    if callable(progress):
        return Caller(progress)
    if progress is False:
        return Nothing()
    if _in_notebook():
        return Notebook(label, first, last)
    return Bar(label, first, last) if progress or sys.stderr.isatty() else Nothing()
