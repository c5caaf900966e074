"""The numbers of ids, few and many, against a dictionary."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.edge_list import read_edges
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.node_numbers import node_numbers
from tests.columns.graphs import names


def graph_of(ids):
    ordered = sorted(ids, key=str.encode)
    nothing = np.zeros(0, np.int32)
    return GraphColumns(
        pa.array(["0", *ordered, "~"], pa.large_string()).slice(1, len(ordered)),
        np.zeros(len(ordered) + 1, np.int64), nothing, nothing, pa.array([], pa.large_string()),
    )  # fmt: skip


@given(st.sets(names, max_size=60), st.lists(st.none() | names | st.just(""), max_size=8))
def test_every_id_and_no_other(ids, asked):
    graph = graph_of(ids)
    numbers = {text: number for number, text in enumerate(graph.node_ids.to_pylist())}
    wanted = [*asked, *ids]
    padded = pa.array(["b", *wanted, "a"], pa.large_string())
    for start, stop in ((0, len(wanted)), (0, 1), (len(asked), len(wanted)), (0, 0)):
        part = padded.slice(1 + start, stop - start)
        expected = [numbers.get(text, -1) for text in part.to_pylist()]
        found = node_numbers(graph, part)
        assert found.tolist() == expected
        assert found.dtype == np.int32


def test_one_among_many_and_many_among_many():
    count = 100_000
    random = np.random.default_rng(3)
    heads = pa.array(random.permutation(count))
    graph = read_edges(pa.table({"head": heads, "tail": pa.array(["x"] * count)}))
    asked = pa.array([str(number) for number in random.permutation(2 * count)], pa.large_string())
    found = node_numbers(graph, asked)
    known = asked.filter(pa.array(found >= 0))
    assert len(known) == count
    assert known.equals(graph.node_ids.take(pa.array(found[found >= 0])))
    for place in range(0, 2 * count, 20_011):
        assert node_numbers(graph, asked.slice(place, 1)).tolist() == [found[place]]


def test_damaged_ids_of_nodes_end_in_some_answer():
    graph = graph_of(["a", "b"])
    offsets = pa.py_buffer(np.array([0, 2**40, 1]))
    damaged = pa.LargeStringArray.from_buffers(2, offsets, pa.py_buffer(b"ab"))
    broken = GraphColumns(damaged, graph.offsets, graph.targets, graph.relations, graph.node_ids)
    found = node_numbers(broken, pa.array(["a", "b", "c"] * 30, pa.large_string()))
    assert ((found >= -1) & (found < 2)).all()
