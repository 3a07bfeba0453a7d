# SPDX-License-Identifier: Apache-2.0
"""Options of solvers and of training: one row each, by the word of the program, and how it is read.

The word is the member of the C structure, but for those in MEMBERS. Tests check that every member has a row.
"""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Callable

from ._errors import InvalidError, unknown
from ._library import encoded, ffi, lib

__all__ = ["SOLVER", "TRAINING", "Options", "default_threads"]

Reader = Callable[[str, Any], Any]


def default_threads() -> int:
    """As many threads as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def integer(least: int, most: int) -> Reader:
    def read(name: str, value: Any) -> int:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} must be an integer, not {value!r}")
        number = value.__index__()
        if not least <= number <= most:
            raise InvalidError(f"{name} must be from {least} to {most}, not {number}")
        return int(number)

    return read


def number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None


def text(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {value!r}")
    return ffi.new("char[]", encoded(value))


def choice(words: dict[str, str]) -> Reader:
    """One of several words, by the enumerators they stand for."""

    def read(name: str, value: Any) -> int:
        if not isinstance(value, str) or value not in words:
            raise unknown(name, value, words)
        return int(getattr(lib, words[value]))

    return read


SEED = integer(0, 2**63 - 1)
THREADS = integer(1, 64)
PRECISION = integer(32, 64)

UNKNOWNS = {"automatic": "ANS_MODE_AUTOMATIC", "all": "ANS_FULL", "codes": "ANS_CODES", "tangent": "ANS_FROZEN_BASES", "weights": "ANS_WEIGHTS"}
METHODS = {"automatic": "ANS_METHOD_AUTOMATIC", "gauss_newton": "ANS_GAUSS_NEWTON", "adam": "ANS_ADAM"}

MEMBERS = {"unknowns": "mode"}

SOLVER_ROWS: dict[str, Reader] = {
    "seed": SEED,
    "rate": number,
    "threads": THREADS,
    "precision": PRECISION,
    "patience": integer(0, 10**6),
    "tolerance": number,
    "method": choice(METHODS),
    "unknowns": choice(UNKNOWNS),
    "time_weight": number,
    "attempts": integer(0, 100),
}

TRAINING_ROWS: dict[str, Reader] = {
    "descriptor": text,
    "rounds": integer(1, 16),
    "seed": SEED,
    "steps": integer(1, 10**9),
    "rate": number,
    "threads": THREADS,
    "precision": PRECISION,
}


class Options:
    """The options that one C structure takes, with the defaults of the program: seed 101, every processor."""

    def __init__(self, struct: str, rows: dict[str, Reader]) -> None:
        self.struct = struct
        self.rows = rows

    def split(self, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What are options, and what is left."""
        taken = {name: value for name, value in settings.items() if name in self.rows}
        return taken, {name: value for name, value in settings.items() if name not in self.rows}

    def build(self, settings: Mapping[str, Any]) -> tuple[Any, list[Any]]:
        """The structure, and what must live as long as it."""
        made, kept = ffi.new(f"{self.struct} *"), []
        made.size = ffi.sizeof(self.struct)
        for name, value in {"seed": 101, "threads": default_threads(), **settings}.items():
            if name not in self.rows:
                raise unknown("option", name, self.rows)
            if value is None:
                continue
            value = self.rows[name](name, value)
            kept.append(value)
            setattr(made, MEMBERS.get(name, name), value)
        return made, kept


SOLVER = Options("ans_solver_options", SOLVER_ROWS)
TRAINING = Options("ans_training_options", TRAINING_ROWS)
