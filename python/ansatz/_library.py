# SPDX-License-Identifier: Apache-2.0
"""The C library: contexts, statuses as exceptions, memory as arrays.

Handles are owned by `ffi.gc`: whoever holds one keeps the C object alive, so closing an object drops a reference and
never frees what another thread, array or object still uses.
"""
from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Optional

from ._binding import ffi, lib
from ._errors import BY_STATUS, ClosedError, Error

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Handle", "array", "borrowed", "context", "ffi", "lib", "make", "must", "path_bytes", "read_only", "text_of"]

NULL = ffi.NULL
_local = threading.local()


def context() -> Any:
    """The context of this thread."""
    try:
        return _local.context
    except AttributeError:
        made = ffi.new("ans_context **")
        if lib.ans_context_new(made):
            raise MemoryError("no memory for a context") from None
        _local.context = ffi.gc(made[0], lib.ans_context_free)
        return _local.context


def string(text: Any) -> str:
    """A C string; "" for NULL."""
    return ffi.string(text).decode(errors="replace") if text else ""


def failure() -> Error:
    """The latest failure of this thread as an exception."""
    told = lib.ans_context_diagnostic(context())
    kind = BY_STATUS[STATUS[told.status]]
    return kind(string(told.message), file=string(told.file), source=string(told.source), line=told.line, column=told.column,
                length=told.length)


def must(status: int) -> None:
    """Raises unless the status is ANS_OK."""
    if status:
        raise failure()


def enumerators(name: str, prefix: str) -> dict[int, str]:
    """{0: "STEPS", ...} of an enumeration, without the common part of the names."""
    return {value: word[len(prefix):] for value, word in ffi.typeof(name).elements.items()}


STATUS = enumerators("ans_status", "ANS_")


def make(kind: str, function: Callable[..., int], *arguments: Any) -> Any:
    """Calls a function that gives an object through its last argument; the object frees itself."""
    result = ffi.new(f"{kind} **")
    must(function(context(), *arguments, result))
    return ffi.gc(result[0], getattr(lib, f"{kind}_free"))


def text_of(function: Callable[..., int], *arguments: Any) -> str:
    """Calls a function that gives text through a `char **`."""
    result = ffi.new("char **")
    must(function(context(), *arguments, result))
    try:
        return string(result[0])
    finally:
        lib.ans_free(result[0])


def bytes_or_null(text: Optional[str]) -> Any:
    return NULL if text is None else ffi.new("char[]", encoded(text))


def encoded(text: str) -> bytes:
    if "\0" in text:
        raise ValueError("the text has a NUL character")
    return text.encode()


def path_bytes(path: Any) -> bytes:
    data = os.fsencode(os.fspath(path))
    if b"\0" in data:
        raise ValueError("the path has a NUL character")
    return data


def borrowed(pointer: Any, owner: Any) -> Any:
    """The pointer as one that keeps its owner alive."""
    return ffi.gc(pointer, lambda _, owner=owner: None)


def array(pointer: Any, owner: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Memory of the library as a read-only array, without a copy."""
    import numpy as np

    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return np.zeros(shape)
    made = np.frombuffer(ffi.buffer(borrowed(pointer, owner), count * 8), dtype=np.float64).reshape(shape)
    made.flags.writeable = False
    return made


class Handle:
    """A Python object with a C object behind it.

    `close()` gives the C object up; further use raises `ClosedError`. Objects close themselves when nothing refers to
    them, and at the end of a `with` block.
    """

    _handle: Any = None

    @property
    def _c(self) -> Any:
        handle = self._handle
        if handle is None:
            raise ClosedError(f"this {type(self).__name__} is closed")
        return handle

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        return self._handle is None

    def close(self) -> None:
        """Gives the memory back. Closing twice does nothing."""
        self._handle = None

    def __enter__(self) -> Any:
        self._c
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled; save it to a file, or keep its text")
