# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions.

Every failure of the library is an `Error` and at the same time what Python calls such a failure: a wrong text is a
`ValueError`, an unknown name a `KeyError`, a file an `OSError`.
"""
from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = ["ClosedError", "DivergedError", "Error", "FileError", "Interrupted", "InvalidError", "ModelError",
           "OutOfMemoryError", "ProblemError", "ToleranceError", "ToleranceWarning", "UnknownNameError", "UnsupportedError"]


class Error(Exception):
    """A failure that the library reports.

    `message` is one sentence. Where the failure has a place in a text, `line` and `column` (from 1) say where, `source`
    is that line, and the printed error shows it with a caret. `hint` is what may help, or "". `exit_code` is what the
    program would have ended with.
    """

    exit_code = 1

    def __init__(self, message: str, *, file: str = "", source: str = "", line: int = 0, column: int = 0, length: int = 0,
                 hint: str = "") -> None:
        self.message, self.file, self.source = message, file, source
        self.line, self.column, self.length = line, column, length
        self.hint = hint or _hint(message)
        super().__init__(message)

    def __str__(self) -> str:
        text = self.message
        if self.line:
            # The column counts bytes; the caret stands below the character.
            before = len(self.source.encode()[: self.column - 1].decode(errors="replace"))
            blank = "".join("\t" if c == "\t" else " " for c in self.source[:before])
            carets = "^" * max(1, min(self.length, len(self.source) - before))
            text = f"{self.file}:{self.line}:{self.column}: {text}\n  {self.source}\n  {blank}{carets}"
        return f"{text}\n{self.hint}" if self.hint and self.hint not in text else text

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), dict(self.__dict__))


def _rebuild(kind: type[Error], state: dict[str, Any]) -> Error:
    error = kind(state["message"])
    error.__dict__.update(state)
    return error


class ProblemError(Error, ValueError):
    """The text of a problem cannot be read, or states no well-posed problem."""

    exit_code = 3


class UnsupportedError(Error, NotImplementedError):
    """The problem is understood but not supported, or the package was built without what it takes."""

    exit_code = 4


class InvalidError(Error, ValueError):
    """An argument is outside its documented range."""

    exit_code = 2


class UnknownNameError(Error, KeyError):
    """There is nothing of this name; the message has those that are near."""

    exit_code = 2


class ModelError(Error, ValueError):
    """A model file is damaged or does not belong to the problem."""

    exit_code = 5


class DivergedError(Error, ArithmeticError):
    """A number became infinite or NaN."""

    exit_code = 6


class ToleranceError(Error, ArithmeticError):
    """The requested tolerance was not met."""

    exit_code = 7


class FileError(Error, OSError):
    """A file could not be read or written."""

    exit_code = 8


class OutOfMemoryError(Error, MemoryError):
    """Memory is exhausted."""

    exit_code = 9


class ClosedError(Error, RuntimeError):
    """The object was closed."""

    exit_code = 2


class ToleranceWarning(UserWarning):
    """A solution ended above the tolerance that was asked for."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. `partial` is the solution or the training as far as it came, and can be used or continued."""

    def __init__(self, partial: Any) -> None:
        self.partial = partial
        super().__init__("interrupted; what there is so far is the exception's attribute `partial`")


BY_STATUS: dict[str, type[Error]] = {
    "SYNTAX": ProblemError, "MEANING": ProblemError, "UNSUPPORTED": UnsupportedError, "ARGUMENT": InvalidError,
    "MODEL": ModelError, "DIVERGED": DivergedError, "TOLERANCE": ToleranceError, "FILE": FileError, "MEMORY": OutOfMemoryError,
}

# What the package may have been built without, and the packages of Debian and Homebrew that have it.
_PARTS = {"SUNDIALS": "libsundials-dev (Homebrew: sundials)", "cairo": "libcairo2-dev (Homebrew: cairo)",
          "netCDF": "libnetcdf-dev (Homebrew: netcdf)"}


def _hint(message: str) -> str:
    if "did you mean" in message:
        return message[message.index("did you mean"):]
    if "built without" in message:
        for part, package in _PARTS.items():
            if part in message:
                return f"install {package}, then build the package again: pip install --force-reinstall --no-cache-dir ."
    return ""


def unknown(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not among the known ones."""
    names = [str(k) for k in known]
    near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(repr(n) for n in near)}?" if near else f"there are: {', '.join(names) or 'none'}"
    return UnknownNameError(f"there is no {kind} {str(name)!r}; {hint}", hint=hint)
