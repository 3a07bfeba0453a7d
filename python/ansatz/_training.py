# SPDX-License-Identifier: Apache-2.0
"""Training: from a problem to a model, by its physics alone."""
from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Optional

from ._errors import Interrupted, ModelError
from ._library import Handle, context, ffi, lib, make, must, path_bytes
from ._model import Model
from ._options import TRAINING, default_threads
from ._problem import Path, Problem
from ._progress import Show
from ._run import Progress, run
from ._solution import _living, _steps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Training", "train"]


class Training(Handle):
    """A training that can be paused, saved and continued with the same bits.

    >>> import ansatz
    >>> training = ansatz.Training(ansatz.Problem("heat"), steps=10, seed=3)
    >>> training.run(4).state.step
    4
    >>> len(training.run().losses)
    10
    """

    def __init__(self, problem: Problem, **options: Any) -> None:
        made, kept = TRAINING.build(options)
        self._start(make("ans_training", lib.ans_training_begin, problem._c, made))
        del kept

    def _start(self, handle: Any) -> None:
        self._handle, self._lock = handle, threading.Lock()
        _living.add(self)

    @classmethod
    def resume(cls, path: Path, *, threads: Optional[int] = None) -> Training:
        """Continues from a checkpoint."""
        made = cls.__new__(cls)
        made._start(make("ans_training", lib.ans_training_resume, path_bytes(path), threads or default_threads()))
        return made

    @property
    def state(self) -> Progress:
        """Steps done and planned, loss, and why the last run ended."""
        with self._lock:
            return Progress.of(lib.ans_training_state(self._c))

    def plan(self, steps: int) -> None:
        """Sets the total number of steps."""
        with self._lock:
            lib.ans_training_plan(self._c, _steps(steps))

    def run(self, steps: Optional[int] = None, *, seconds: Optional[float] = None, progress: Show = None) -> Training:
        """Takes steps: so many of those planned, or all of them. Ctrl-C ends it between two steps."""
        handle, lock, count = self._c, self._lock, None if steps is None else _steps(steps)
        start = lib.ans_training_state(handle)

        def call(rules: Any, watcher: Any, data: Any) -> None:
            with lock:
                must(lib.ans_training_run(context(), handle, rules, watcher, data))

        run(call, start, count, seconds, start.steps - start.step, progress, "train")
        return self

    @property
    def losses(self) -> NDArray[np.float64]:
        """The loss of every step so far."""
        import numpy as np

        count = ffi.new("size_t *")
        with self._lock:
            values = lib.ans_training_losses(self._c, count)
            return np.frombuffer(ffi.buffer(values, count[0] * 8), dtype=np.float64).copy() if count[0] else np.zeros(0)

    def save(self, path: Path) -> None:
        """Writes a checkpoint."""
        with self._lock:
            must(lib.ans_training_save(context(), self._c, path_bytes(path)))

    def model(self) -> Model:
        """The model as it is now."""
        with self._lock:
            return Model._of(make("ans_model", lib.ans_training_model, self._c))

    def __repr__(self) -> str:
        if self.closed:
            return "<ansatz.Training, closed>"
        now = self.state
        return f"<ansatz.Training, {now.step} of {now.steps} steps, loss {now.loss:.3g}>"


def train(problem: Problem | Path, *, progress: Show = None, checkpoint: Optional[Path] = None, resume: bool = False,
          every: int = 500, **options: Any) -> Model:
    """Trains a model of a family.

    With a `checkpoint` the training is saved there after every `every` steps and when it is interrupted; with `resume`
    it continues from there if the file exists, with the same bits as if there had been no pause. Options:
    descriptor, rounds, seed, steps, rate, threads, precision.

    >>> import ansatz
    >>> ansatz.train(ansatz.Problem("heat"), steps=3).info.steps
    3
    """
    problem = problem if isinstance(problem, Problem) else Problem(problem)
    if resume and checkpoint is None:
        raise TypeError("resume needs checkpoint=, the file to continue from")
    if resume and checkpoint is not None and os.path.exists(checkpoint):
        training = _resumed(problem, checkpoint, options)
    else:
        training = Training(problem, **options)
    try:
        while training.state.step < training.state.steps:
            training.run(None if checkpoint is None else every, progress=progress)
            if checkpoint is not None:
                training.save(checkpoint)
    except KeyboardInterrupt:
        if checkpoint is not None:
            training.save(checkpoint)
        raise Interrupted(training) from None
    return training.model()


def _resumed(problem: Problem, checkpoint: Path, options: dict[str, Any]) -> Training:
    made, kept = TRAINING.build(options)
    training = Training.resume(checkpoint, threads=made.threads)
    model = training.model()
    if model.problem.text != problem.text:
        raise ModelError(f"{os.fspath(checkpoint)} is a training of another problem")
    info = model.info
    for name in ("descriptor", "rounds", "seed", "precision"):
        if options.get(name) not in (None, getattr(info, name)):
            raise ModelError(f"{os.fspath(checkpoint)} was begun with {name} {getattr(info, name)}, not {options[name]}")
    if options.get("steps") is not None:
        training.plan(options["steps"])
    del kept
    return training


