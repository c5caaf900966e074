"""What is wrong with graphs in memory; graphs from files are in test_graph_files."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from octavo.columns.edge_list import read_edges
from octavo.columns.graph_check import check_graph

GRAPH = read_edges(pa.table({"head": ["b", "a", "b"], "tail": ["a", "c", "b"],
                             "relation": ["x", "y", "x"], "weight": [1.0, 2.0, 3.0]}))  # fmt: skip


def large(*values):
    return pa.array(values, pa.large_string())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, None),
        ({"offsets": np.array([0, 1, 3])}, "expected the edges of 3 nodes to be those from 0 to 3"),
        ({"offsets": np.array([1, 1, 3, 3])}, "expected the edges of 3 nodes"),
        ({"offsets": np.array([0, 1, 3, 4])}, "expected the edges of 3 nodes"),
        ({"offsets": np.array([0, 4, 3, 3])}, "expected the edges of a node to begin where"),
        ({"relations": np.array([0, 2, 0], np.int32)}, "relations: expected numbers below 2"),
        ({"relations": np.array([0, -1, 0], np.int32)}, "relations: expected numbers below 2"),
        ({"relations": np.array([0, 0], np.int32)}, "relations: expected one for each of 3 edges"),
        ({"relation_names": large("y", "x")}, "relations: expected distinct texts in the order"),
        ({"relation_names": large(None, "x")}, "relations: expected no nulls"),
        ({"weights": np.ones(2)}, "weights: expected one for each of 3 edges, found 2"),
        ({"weights": np.array([1, 2, np.inf])}, "weights: expected finite numbers"),
    ],
)
def test_what_is_wrong_is_said(changes, problem):
    found = check_graph(replace(GRAPH, **changes))
    assert len(found) == (problem is not None)
    assert all(each.startswith(problem) for each in found)


def test_every_problem_is_said():
    found = check_graph(
        replace(GRAPH, targets=np.array([0, 9, 0], np.int32), node_ids=large("a", "a", "b"))
    )
    assert len(found) == 2
