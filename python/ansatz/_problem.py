# SPDX-License-Identifier: Apache-2.0
"""Problems, families of equations that are written as text, and their members."""
from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from ._errors import FileError, unknown
from ._fields import Fields, ReferenceReport
from ._graph import Graph
from ._library import Handle, array, bytes_or_null, context, encoded, ffi, lib, make, must, path_bytes, string, text_of
from ._options import SOLVER
from ._run import interruptible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._fit import Fit
    from ._solution import Solution

__all__ = ["Coordinate", "Instance", "Problem", "Symbol", "Term"]

Path = Union[str, "os.PathLike[str]"]
HERE = os.path.dirname(os.path.abspath(__file__))


class Coordinate(NamedTuple):
    """A coordinate and its range."""

    name: str
    low: float
    high: float
    periodic: bool
    time: bool


class Symbol(NamedTuple):
    """A coefficient or parameter and the family's range of it, or what is derived from them."""

    name: str
    kind: str
    low: float
    high: float
    logarithmic: bool
    optional: bool


class Term(NamedTuple):
    """A term of an equation, multiplied out."""

    equation: str
    text: str
    coefficient: float
    arity: int
    has_source: bool


def _homes() -> list[str]:
    """Where families and models are looked for: the package, then the data of an installed program."""
    given = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    shares = [os.path.join(sys.prefix, "share"), *given.split(":")]
    return [HERE, *(os.path.join(share, "ansatz") for share in shares if os.path.isabs(share))]


def shipped(folder: str, extension: str) -> dict[str, str]:
    """The families or models of the package and of an installed program: names and paths."""
    found: dict[str, str] = {}
    for home in _homes():
        top = os.path.join(home, folder)
        for place, _, files in os.walk(top):
            for name in files:
                path = os.path.join(place, name)
                if name.endswith(extension):
                    found.setdefault(os.path.relpath(path, top)[: -len(extension)], path)
    return {name: found[name] for name in sorted(found, key=lambda name: ("/" in name, name))}


def find(path: Path, folder: str, extension: str) -> Path:
    """A path that is there, or that of what is shipped under this name."""
    if os.path.exists(path):
        return path
    name = os.fspath(path)
    bare = name[len(folder) + 1:] if name.startswith(f"{folder}/") else name
    bare = bare[: -len(extension)] if bare.endswith(extension) else bare
    names = shipped(folder, extension)
    if bare in names:
        return names[bare]
    if os.sep in bare:
        return path
    raise FileError(f"cannot open {name}: there is no such file; {unknown('one', bare, names).hint}")


class Problem(Handle):
    """A family of equations, read from a file, from a text, or by the name of a family that comes with the package.

    >>> import ansatz
    >>> p = ansatz.Problem("heat")
    >>> p.fields, [c.name for c in p.coordinates]
    (('u',), ['x', 't'])
    >>> ansatz.Problem(text="coordinate x in [0, 1")
    Traceback (most recent call last):
    ...
    ansatz._errors.ProblemError: text:1:22: ...
    """

    def __init__(self, path: Optional[Path] = None, *, text: Optional[str] = None, name: str = "text") -> None:
        if (path is None) == (text is None):
            raise TypeError("Problem takes a path or text=, and not both")
        if text is not None:
            data = text.encode() if isinstance(text, str) else bytes(text)
            self._handle = make("ans_problem", lib.ans_problem_parse, encoded(name), data, len(data))
        else:
            assert path is not None
            self._handle = make("ans_problem", lib.ans_problem_read, path_bytes(find(path, "families", ".pde")))

    @classmethod
    def _of(cls, handle: Any) -> Problem:
        made = cls.__new__(cls)
        made._handle = handle
        return made

    # ---- What it consists of

    @property
    def text(self) -> str:
        """The canonical text, from which an equal problem can be read."""
        return text_of(lib.ans_problem_print, self._c)

    def _names(self, part: int) -> tuple[str, ...]:
        return tuple(string(lib.ans_problem_name(self._c, part, i)) for i in range(lib.ans_problem_count(self._c, part)))

    def describe(self, part: str) -> list[str]:
        """One kind of part in the words of the text: "equations", "terms", "conditions", "settings", ..."""
        kinds = {name[4:].lower(): value for value, name in ffi.typeof("ans_part").elements.items()}
        if part not in kinds:
            raise unknown("part", part, kinds)
        count = lib.ans_problem_count(self._c, kinds[part])
        return [text_of(lib.ans_problem_describe, self._c, kinds[part], i) for i in range(count)]

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates in the order of the text."""
        found = (lib.ans_problem_coordinate(self._c, i) for i in range(lib.ans_problem_count(self._c, lib.ANS_COORDINATES)))
        return tuple(Coordinate(string(c.name), c.low, c.high, c.periodic, c.time) for c in found)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields."""
        return self._names(lib.ANS_FIELDS)

    @property
    def symbols(self) -> dict[str, Symbol]:
        """Coefficients, parameters and what is derived from them."""
        kinds = ("coefficient", "parameter", "derived")
        found = (lib.ans_problem_symbol(self._c, i) for i in range(lib.ans_problem_count(self._c, lib.ANS_SYMBOLS)))
        made = (Symbol(string(s.name), kinds[s.kind], s.low, s.high, s.logarithmic, s.optional) for s in found)
        return {symbol.name: symbol for symbol in made}

    @property
    def structures(self) -> tuple[str, ...]:
        """Which optional coefficients are there."""
        return self._names(lib.ANS_STRUCTURES)

    @property
    def cases(self) -> tuple[str, ...]:
        """Named members."""
        return self._names(lib.ANS_CASES)

    # ---- Its members

    def instance(self, case: Optional[str] = None, *, structure: Optional[str] = None, outside: bool = False,
                 fill: bool = False, values: Optional[Mapping[str, float]] = None, **coefficients: float) -> Instance:
        """One member of the family.

        By a case, by its coefficients, or both: these over those of the case. Without anything the first case or,
        without cases, the middle of every range. `values` is for coefficients that are named like an argument.

        >>> import ansatz
        >>> ansatz.Problem("fisher").instance("H1", rho_u=1.1).values["rho_u"]
        1.1
        """
        given = {**(values or {}), **coefficients}
        if case is None and structure is None and not given:
            case = next(iter(self.cases), None)
            fill = fill or case is None
        self._check(case, structure, given)
        words = ",".join(f"{name}={float(value)!r}" for name, value in given.items())
        kept = [bytes_or_null(case), bytes_or_null(structure), bytes_or_null(words or None)]
        choice = ffi.new("ans_choice *", [*kept, fill, outside])
        handle = make("ans_instance", lib.ans_instance_new, self._c, choice[0])
        return Instance(handle, self._c)

    def _check(self, case: Optional[str], structure: Optional[str], given: Mapping[str, Any]) -> None:
        if case is not None and case not in self.cases:
            raise unknown("case", case, self.cases)
        if structure is not None and structure not in self.structures:
            raise unknown("structure", structure, self.structures)
        known = [symbol.name for symbol in self.symbols.values() if symbol.kind != "derived"]
        for name, value in given.items():
            if name not in known:
                raise unknown("coefficient or option", name, [*known, *SOLVER.rows, "steps", "seconds", "case", "structure"])
            if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
                raise TypeError(f"{name} must be a number, not {value!r}")
            if getattr(value, "size", 1) != 1:
                raise ValueError(f"{name} must be one number, not an array of shape {value.shape}")

    def graph(self, case: Optional[str] = None, **choice: Any) -> Graph:
        """The operator graph of a member; arguments as in `instance`."""
        return self.instance(case, **choice).graph()

    def descriptor(self, kind: str = "graph", case: Optional[str] = None, **choice: Any) -> NDArray[np.float64]:
        """What a hypernetwork reads of a member; see `Instance.descriptor`."""
        return self.instance(case, **choice).descriptor(kind)

    def reference(self, case: Optional[str] = None, *, points: int = 0, times: int = 0, **choice: Any) -> Fields:
        """A classical solution of a member; arguments as in `instance`."""
        return self.instance(case, **choice).reference(points=points, times=times)

    def begin(self, case: Optional[str] = None, **settings: Any) -> Solution:
        """A solution before its first step; arguments as in `solve`."""
        from ._solution import begin

        return begin(self, None, case, settings)

    def solve(self, case: Optional[str] = None, **settings: Any) -> Solution:
        """Solves a member from scratch, that is without a model.

        Coefficients and options are keywords: those of `instance`, the options of solvers (`ansatz.options()` lists
        them), `steps`, `seconds` and `progress` as in `Solution.run`. The default seed is 101, and the answer has the
        same bits as that of the program with the same options.

        >>> import ansatz
        >>> s = ansatz.Problem("heat").solve(steps=5, seed=1)
        >>> s.state.step
        5
        """
        from ._solution import solve

        return solve(self, None, case, settings)

    def solve_many(self, targets: Any, **settings: Any) -> Any:
        """Solves every row of a table; see `ansatz.solve_many`."""
        from ._many import solve_many

        return solve_many(self, targets, **settings)

    def fit(self, data: Any, unknown: Any = None, **settings: Any) -> Fit:
        """Seeks unknown coefficients in measurements: a DataFrame, a mapping of columns, or the path of a CSV file.

        Columns are every coordinate, some of the fields, and `sigma_u` for the standard deviations of `u`; NaN was not
        measured. `unknown` is a list of names, or a mapping from names to where to start; without it, unknown initial
        values alone are sought. Further arguments: `fixed`,
        a mapping of the other coefficients, or `case`, whose values they have; `structure`, a name or "auto"; `noise`,
        a mapping from fields to standard deviations (default: estimated); `model`; `check=False` to leave the
        classical fit out; `seed`, `threads`, `seconds`.

        >>> import ansatz
        >>> p = ansatz.Problem("heat")
        >>> f = p.fit({"x": [0.2, 0.3, 0.6], "t": [0.5, 1.0, 0.7], "u": [0.61, 0.55, -0.36]}, unknown=["D"])
        >>> list(f.unknowns)
        ['D']
        """
        from ._fit import fit

        return fit(self, data, unknown, **settings)

    def __repr__(self) -> str:
        if self.closed:
            return "<ansatz.Problem, closed>"
        return f"<ansatz.Problem of {', '.join(self.fields)} over {', '.join(c.name for c in self.coordinates)}>"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.text)}</pre>"


class Instance(Handle):
    """One member of a family, with numbers."""

    def __init__(self, handle: Any, problem: Any) -> None:
        self._handle, self._family = handle, problem  # the C object refers to the problem

    @property
    def problem(self) -> Problem:
        """The family."""
        return Problem._of(self._family)

    @property
    def structure(self) -> str:
        """The name of its structure."""
        return string(lib.ans_problem_name(self._family, lib.ANS_STRUCTURES, lib.ans_instance_structure(self._c)))

    @property
    def values(self) -> dict[str, float]:
        """The numbers of the symbols that are there, with the derived ones."""
        names = self.problem.symbols
        made = {name: lib.ans_instance_value(self._c, i) for i, name in enumerate(names)}
        return {name: value for name, value in made.items() if value == value}

    @property
    def terms(self) -> list[Term]:
        """The terms that do not vanish."""
        names, made = self.problem._names(lib.ANS_EQUATIONS), []
        for i in range(lib.ans_instance_term_count(self._c)):
            term = lib.ans_instance_term(self._c, i)
            text = text_of(lib.ans_instance_term_text, self._c, i)
            made.append(Term(names[term.equation], text, term.coefficient, term.arity, term.has_source))
        return made

    @property
    def hash(self) -> int:
        """Everything that determines the solution, as one number."""
        return int(lib.ans_instance_hash(self._c))

    def graph(self) -> Graph:
        """Its operator graph."""
        return Graph(make("ans_graph", lib.ans_graph_new, self._c), borrow(self._c, self._family))

    def descriptor(self, kind: str = "graph") -> NDArray[np.float64]:
        """[rows, columns] of a descriptor: "graph", "set", "ownership", "vector", "presence" or "dictionary"."""
        kinds = ("graph", "set", "ownership", "vector", "presence", "dictionary")
        if kind not in kinds:
            raise unknown("descriptor", kind, kinds)
        made = make("ans_descriptor", lib.ans_descriptor_new, self._c, kind.encode())
        shape = lib.ans_descriptor_rows(made), lib.ans_descriptor_columns(made)
        return array(lib.ans_descriptor_values(made), made, shape)

    def reference(self, *, points: int = 0, times: int = 0) -> Fields:
        """A classical solution, on `points` nodes and `times` levels (0: the text's own).

        It needs SUNDIALS where the package was built; `report` says how far it checks itself.
        """
        options = ffi.new("ans_reference_options *", {"points": int(points), "times": int(times)})
        report, instance, family = ffi.new("ans_reference_report *"), self._c, self._family

        def work() -> Any:
            result = ffi.new("ans_solution **")
            must(lib.ans_reference_solve(context(), instance, options[0], result, report))
            return ffi.gc(result[0], lib.ans_solution_free), family

        made = Fields(interruptible(work)[0], "reference", {"method": ""})
        made.report = ReferenceReport.of(report)
        made.attributes = {**self.attributes(), **{k: v for k, v in made.report._asdict().items() if v == v}}
        return made

    def attributes(self) -> dict[str, Any]:
        """What goes into the attributes of a Dataset."""
        return {"structure": self.structure, **self.values, "problem": self.problem.text,
                "ansatz_version": string(lib.ans_version())}

    def begin(self, model: Any = None, **options: Any) -> Solution:
        """A solution before its first step, from a model or from scratch."""
        from ._solution import begin_instance

        return begin_instance(self, model, options)

    def __repr__(self) -> str:
        if self.closed:
            return "<ansatz.Instance, closed>"
        return f"<ansatz.Instance {self.structure}: {', '.join(f'{k}={v:g}' for k, v in self.values.items())}>"


def borrow(handle: Any, owner: Any) -> Any:
    """The handle, together with what it refers to."""
    return ffi.gc(handle, lambda _, kept=(handle, owner): None)
