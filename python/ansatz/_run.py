# SPDX-License-Identifier: Apache-2.0
"""Runs that last: on a thread of their own, so that the caller can look on, draw a bar and be interrupted.

The C call never needs the interpreter's lock. Ctrl-C sets the flag that the library looks at between two steps.
"""
from __future__ import annotations

import threading
from typing import Any, Callable, NamedTuple, Optional, TypeVar

from ._library import enumerators, ffi, lib
from ._progress import Show, show_of

__all__ = ["Progress", "interruptible", "run"]

Result = TypeVar("Result")
LOOK = 0.05  # seconds between two looks
GRACE = 0.5  # seconds that Ctrl-C waits for a step to end; a longer one ends in the background

ENDS = {value: name.lower() for value, name in enumerators("ans_end", "ANS_END_").items()}


class Progress(NamedTuple):
    """Where a training or a solution is."""

    step: int
    steps: int
    loss: float
    gradient_norm: float
    rate: float
    radius: float
    rollbacks: int
    stopped: bool
    seconds: float
    end: str

    @classmethod
    def of(cls, now: Any) -> Progress:
        return cls(now.step, now.steps, now.loss, now.gradient_norm, now.rate, now.radius, now.rollbacks, now.stopped,
                   now.seconds, ENDS.get(now.end, "none"))


class _Work(threading.Thread):
    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__(daemon=True, name="ansatz")
        self.function, self.result = function, None
        self.error: Optional[BaseException] = None

    def run(self) -> None:
        try:
            self.result = self.function()
        except BaseException as error:  # handed to the caller
            self.error = error


def interruptible(function: Callable[[], Result], look: Optional[Callable[[], None]] = None,
                  stop: Optional[Callable[[], None]] = None) -> Result:
    """Calls the function on another thread. `look` is called while it lasts, `stop` when it shall end."""
    work = _Work(function)
    work.start()
    try:
        going = True
        while going:
            work.join(LOOK)
            going = work.is_alive()
            if look:
                look()
    except BaseException:
        if stop:
            stop()
        try:
            work.join(GRACE)
        finally:
            raise
    if work.error is not None:
        raise work.error
    return work.result  # type: ignore[return-value]


def run(call: Callable[[Any, Any, Any], Any], start: Any, steps: Optional[int], seconds: Optional[float], planned: int,
        progress: Show, label: str) -> Any:
    """One run of the library: call(rules, watcher, data) with the steps it shall take."""
    onlooker, rules = ffi.new("onlooker *"), ffi.new("ans_run_rules *")
    lib.onlooker_begin(onlooker, start)
    lib.onlooker_watch(onlooker, rules)
    rules.size, rules.every = ffi.sizeof("ans_run_rules"), 1
    rules.steps = -1 if steps is None else steps
    rules.seconds = seconds or 0.0
    bar = show_of(progress, label, start.step, start.step + planned if steps is None else start.step + steps)
    try:
        return interruptible(lambda: (call(rules, ffi.addressof(lib, "onlooker_note"), onlooker), onlooker)[0],
                             lambda: bar.update(Progress.of(lib.onlooker_see(onlooker))),
                             lambda: lib.onlooker_interrupt(onlooker))
    finally:
        bar.close()
