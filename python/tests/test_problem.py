# SPDX-License-Identifier: Apache-2.0
"""Problems, members, graphs and descriptors."""
import numpy as np
import pytest

import ansatz
from conftest import ONE, TWO


def test_parts(problem):
    assert problem.fields == ("u",)
    assert problem.cases == ("slow",)
    assert problem.structures == ("still", "moving")
    x, t = problem.coordinates
    assert (x.name, x.low, x.high, x.periodic, x.time) == ("x", 0, 1, True, False)
    assert t.time and not t.periodic
    k = problem.symbols["k"]
    assert (k.kind, k.low, k.high, k.logarithmic, k.optional) == ("coefficient", 0.01, 0.1, True, False)
    assert problem.symbols["a"].optional
    assert len(problem.describe("terms")) == 3


def test_canonical_text_reads_as_itself(problem):
    assert ansatz.Problem(text=problem.text).text == problem.text


def test_member_by_case_by_values_and_both(problem):
    assert problem.instance("slow").values == {"k": 0.02, "a": 0.5}
    assert problem.instance(k=0.03).structure == "still"
    assert problem.instance("slow", k=0.05).values == {"k": 0.05, "a": 0.5}
    assert problem.instance(values={"k": 0.03, "a": 1.0}).structure == "moving"
    assert problem.instance().values == problem.instance("slow").values
    assert problem.instance("slow").hash != problem.instance(k=0.03).hash


def test_values_cross_without_a_lost_bit(problem):
    k = 0.1 / 3
    assert problem.instance(k=k).values["k"] == k


def test_terms(problem):
    texts = [term.text for term in problem.instance("slow").terms]
    assert texts == ["u_t", "-0.02*u_xx", "0.5*u_x"]


def test_outside_must_be_allowed(problem):
    with pytest.raises(ansatz.Error):
        problem.instance(k=7)
    assert problem.instance(k=7, outside=True).values["k"] == 7


def test_graph_of_the_paper():
    graph = ansatz.Problem("fisher").graph("H1")
    assert len(graph.nodes) == 22 and graph.edges.shape == (30, 2) and graph.features.shape == (22, 12)
    np.testing.assert_allclose(graph.adjacency.sum(axis=1), 1)
    assert [node.kind for node in graph.nodes].count("residual") == 2
    assert graph.to_dot().startswith("digraph")


def test_graph_outlives_its_problem():
    graph = ansatz.Problem(text=TWO).graph("slow")
    assert "digraph" in graph.to_dot()


def test_networkx():
    networkx = pytest.importorskip("networkx")
    graph = ansatz.Problem("fisher").graph("H1")
    made = graph.to_networkx()
    assert isinstance(made, networkx.DiGraph) and made.number_of_edges() == 30
    assert made.nodes[0]["kind"] == "field" and made.nodes[0]["features"].shape == (12,)


def test_descriptors_are_arrays_without_copies(two):
    made = two.descriptor("vector", "slow")
    assert made.ndim == 2 and not made.flags.writeable and not made.flags.owndata
    assert two.descriptor("graph", "slow").shape == two.graph("slow").features.shape
    assert (two.descriptor("vector", "slow") == made).all()


def test_array_outlives_its_owner(two):
    graph = two.graph("slow")
    adjacency = graph.adjacency
    before = adjacency.copy()
    graph.close()
    two.close()
    del graph, two
    assert (adjacency == before).all()


def test_families_and_models_are_there():
    assert {"fisher", "burgers", "heat"} <= set(ansatz.families())
    assert "fisher-graph" in ansatz.models()
    for name in ansatz.families():
        ansatz.Problem(name)


def test_what_an_installed_program_has_is_found_by_name(tmp_path, monkeypatch):
    (tmp_path / "ansatz" / "families").mkdir(parents=True)
    (tmp_path / "ansatz" / "families" / "mine-alone.pde").write_text(ONE)
    (tmp_path / "ansatz" / "families" / "heat.pde").write_text("not read: the package comes first")
    monkeypatch.setenv("XDG_DATA_DIRS", f"relative:{tmp_path}")
    assert "mine-alone" in ansatz.families()
    assert ansatz.Problem("mine-alone").text == ansatz.Problem(text=ONE, name="mine-alone").text
    ansatz.Problem("heat")


def test_from_a_file(tmp_path):
    path = tmp_path / "mine.pde"
    path.write_text(ONE)
    assert ansatz.Problem(path).text == ansatz.Problem(str(path)).text


def test_path_or_text():
    with pytest.raises(TypeError):
        ansatz.Problem()
    with pytest.raises(TypeError):
        ansatz.Problem("heat", text=ONE)
