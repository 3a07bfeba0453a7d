# SPDX-License-Identifier: Apache-2.0
"""The operator graph of an equation."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import UnsupportedError
from ._library import Handle, array, context, ffi, lib, must, path_bytes, string, text_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Graph", "Node"]


class Node(NamedTuple):
    """A node: "field", "derivative", "term" or "residual", and what it is called."""

    kind: str
    label: str


class Graph(Handle):
    """Fields, derivatives, terms and residuals of one equation, and which feeds which.

    >>> import ansatz
    >>> graph = ansatz.Problem("fisher").graph("H1")
    >>> len(graph.nodes), len(graph.edges)
    (22, 30)
    """

    def __init__(self, handle: Any, instance: Any) -> None:
        self._handle, self._instance = handle, instance

    @property
    def nodes(self) -> list[Node]:
        """The nodes in the library's order."""
        found = [lib.ans_graph_node(self._c, i) for i in range(lib.ans_graph_node_count(self._c))]
        return [Node(string(lib.ans_node_kind_name(node.kind)), string(node.label)) for node in found]

    @property
    def edges(self) -> NDArray[np.intp]:
        """[edges, 2]: from and to."""
        import numpy as np

        ends = ffi.new("size_t[2]")
        made = np.empty((lib.ans_graph_edge_count(self._c), 2), dtype=np.intp)
        for i in range(len(made)):
            lib.ans_graph_edge(self._c, i, ends, ends + 1)
            made[i] = ends[0], ends[1]
        return made

    @property
    def features(self) -> NDArray[np.float64]:
        """[nodes, features]: what a hypernetwork reads."""
        import numpy as np

        width = lib.ans_graph_feature_count(self._c)
        rows = [lib.ans_graph_node(self._c, i).features for i in range(lib.ans_graph_node_count(self._c))]
        return np.array([array(row, self._c, (width,)) for row in rows]).reshape(len(rows), width)

    @property
    def adjacency(self) -> NDArray[np.float64]:
        """[nodes, nodes]: symmetrised, with self-loops, rows sum to one."""
        count = lib.ans_graph_node_count(self._c)
        return array(lib.ans_graph_adjacency(self._c), self._c, (count, count))

    @property
    def hash(self) -> int:
        """Unchanged by renaming fields or symbols and by reordering terms or equations."""
        return int(lib.ans_graph_hash(self._c))

    def to_networkx(self) -> Any:
        """A networkx.DiGraph; nodes have `kind`, `label` and `features`."""
        import networkx

        made, features = networkx.DiGraph(), self.features
        for i, node in enumerate(self.nodes):
            made.add_node(i, kind=node.kind, label=node.label, features=features[i])
        made.add_edges_from((int(a), int(b)) for a, b in self.edges)
        return made

    def to_dot(self) -> str:
        """The graph in the DOT language of Graphviz."""
        return text_of(lib.ans_graph_print_dot, self._c, self._instance)

    def figure(self, path: os.PathLike[str] | str) -> None:
        """The graph in four columns, SVG, PDF or PNG by the extension."""
        must(lib.ans_graph_figure(context(), self._c, self._instance, path_bytes(path)))

    def _repr_html_(self) -> str:
        from ._plot import page, svg_text

        try:
            return page(repr(self), svg_text(self.figure))
        except UnsupportedError:
            return page(repr(self), None)

    def __repr__(self) -> str:
        if self.closed:
            return "<ansatz.Graph, closed>"
        return f"<ansatz.Graph {lib.ans_graph_node_count(self._c)} nodes, {lib.ans_graph_edge_count(self._c)} edges>"
