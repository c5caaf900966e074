"""Graphs written to files and mapped again; what damage is named, and what it cannot do."""

import errno

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.edge_list import read_edges
from octavo.columns.graph_check import check_graph
from octavo.columns.graph_files import open_graph, write_graph
from octavo.columns.node_numbers import node_numbers
from octavo.errors import CorpusCorruptError
from octavo.kernels.graph_traversal import traverse
from tests.columns.graphs import edge_lists, same, table

EDGES = [("b", "cites", "a", 1.0), ("a", "é", "\U0001f600", 0.5), ("b", "cites", "a", 2.0)]


@given(edges=edge_lists)
def test_what_is_written_is_read(tmp_path_factory, edges):
    folder = tmp_path_factory.mktemp("graph") / "not" / "there"
    graph = read_edges(table(edges))
    write_graph(folder, graph)
    found = open_graph(folder)
    assert same(found, graph)
    assert check_graph(found) == []
    assert not (edges and found.targets.flags.writeable)
    first = [path.read_bytes() for path in sorted(folder.iterdir())]
    write_graph(folder, found.__class__(**{name: getattr(graph, name) for name in graph.__slots__}))
    assert [path.read_bytes() for path in sorted(folder.iterdir())] == first


def test_the_files_are_arrow_files_that_anyone_can_read(tmp_path):
    write_graph(tmp_path, read_edges(table(EDGES)))
    nodes = pa.ipc.open_file(tmp_path / "nodes.arrow").read_all()
    edges = pa.ipc.open_file(tmp_path / "edges.arrow").read_all()
    assert nodes.to_pydict() == {"id": ["a", "b", "\U0001f600"], "end": [1, 3, 3]}
    assert edges.to_pydict() == {
        "target": [2, 0, 0], "relation": ["é", "cites", "cites"], "weight": [0.5, 1.0, 2.0],
    }  # fmt: skip
    write_graph(tmp_path, read_edges(table([(*edge[:3], 1.0) for edge in EDGES])))
    assert pa.ipc.open_file(tmp_path / "edges.arrow").schema.names == ["target", "relation"]


def test_edges_are_mapped_and_not_copied(tmp_path):
    count = 300_000
    numbers = pa.array(np.arange(count) % 7)
    write_graph(tmp_path, read_edges(pa.table({"head": numbers, "tail": numbers})))
    before = pa.total_allocated_bytes()
    graph = open_graph(tmp_path)
    assert graph.edges == count
    assert pa.total_allocated_bytes() - before < 10_000


def test_a_sliced_graph_is_written_as_it_is(tmp_path):
    graph = read_edges(table([("a", "x", "b", 1.0), ("c", "x", "d", 1.0)]))
    longer = pa.array(["0", *graph.node_ids.to_pylist(), "z"], pa.large_string())
    sliced = graph.__class__(
        longer.slice(1, 4), graph.offsets, graph.targets, graph.relations, graph.relation_names
    )
    write_graph(tmp_path, sliced)
    assert same(open_graph(tmp_path), graph)


def rewrite(path, columns=None, batches=1, **changed):
    """Write the columns of a file anew, some of them changed, some batches of them."""
    found = pa.ipc.open_file(path.read_bytes()).read_all().combine_chunks()
    for name, values in changed.items():
        field = found.schema.field(name)
        place = found.schema.get_field_index(name)
        column = values if isinstance(values, pa.Array) else pa.array(values, field.type)
        found = found.set_column(place, field.with_type(column.type), column)
    found = found.select(columns or found.schema.names)
    with pa.ipc.new_file(path, found.schema) as writer:
        for _ in range(batches):
            writer.write_batch(found.to_batches()[0])


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("nodes.arrow", {"columns": ["end", "id"]}, "expected id: large_string"),
        ("nodes.arrow", {"columns": ["id"]}, "expected id: large_string"),
        ("nodes.arrow", {"end": pa.array([1, 3, 3], pa.int32())}, "found .*end: int32"),
        ("nodes.arrow", {"id": pa.array(["a", "b", "c"])}, "found id: string"),
        ("nodes.arrow", {"batches": 2}, "expected one record batch, found 2"),
        ("nodes.arrow", {"batches": 0}, "expected one record batch, found 0"),
        ("nodes.arrow", {"end": [1, 0, 3]}, "end: expected to rise to 3, the number of edges"),
        ("nodes.arrow", {"end": [-1, 0, 3]}, "end: expected to rise to 3"),
        ("nodes.arrow", {"end": [1, 2, 2]}, "end: expected to rise to 3"),
        ("nodes.arrow", {"end": [1, 3, 4]}, "end: expected to rise to 3"),
        ("nodes.arrow", {"end": [2**63 - 1, -(2**63), 3]}, "end: expected to rise to 3"),
        ("nodes.arrow", {"end": [None, 3, 3]}, "expected no nulls"),
        ("nodes.arrow", {"id": [None, "b", "c"]}, "expected no nulls"),
        ("edges.arrow", {"columns": ["target", "weight"]}, "expected target: int32"),
        ("edges.arrow", {"target": pa.array([0, 0, 0], pa.int64())}, "found target: int64"),
        ("edges.arrow", {"weight": pa.array([0, 0, 0])}, "found .*weight: int64"),
        ("edges.arrow", {"batches": 2}, "expected one record batch, found 2"),
        ("edges.arrow", {"target": [0, None, 0]}, "expected no nulls"),
        ("edges.arrow", {"weight": [0.5, None, 1.0]}, "expected no nulls"),
    ],
)
def test_damage_that_opening_names(tmp_path, name, changes, message):
    write_graph(tmp_path, read_edges(table(EDGES)))
    rewrite(tmp_path / name, **changes)
    with pytest.raises(CorpusCorruptError, match=rf"(?s){name}: .*{message}"):
        open_graph(tmp_path)


@pytest.mark.parametrize("name", ["nodes.arrow", "edges.arrow"])
@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[: len(d) // 2], lambda d: b"x" * 99,
                                    lambda d: d[:-1], lambda d: d + b"x"])  # fmt: skip
def test_structural_damage_is_named(tmp_path, name, damage):
    write_graph(tmp_path, read_edges(table(EDGES)))
    path = tmp_path / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CorpusCorruptError, match=name):
        open_graph(tmp_path)
    path.unlink()
    with pytest.raises(CorpusCorruptError, match=name):
        open_graph(tmp_path)


def test_files_of_different_graphs_do_not_fit(tmp_path):
    write_graph(tmp_path / "one", read_edges(table(EDGES)))
    write_graph(tmp_path / "other", read_edges(table(EDGES[1:])))
    (tmp_path / "other" / "edges.arrow").replace(tmp_path / "one" / "edges.arrow")
    with pytest.raises(CorpusCorruptError, match=r"nodes.arrow.*rise to 2, the number of edges"):
        open_graph(tmp_path / "one")


def test_nothing_is_there(tmp_path):
    with pytest.raises(CorpusCorruptError, match=r"edges\.arrow"):
        open_graph(tmp_path / "missing")


@pytest.mark.parametrize("seed", range(150))
def test_any_changed_bytes_are_named_or_change_a_result_and_nothing_else(tmp_path, seed):
    random = np.random.default_rng(seed)
    edges = [(f"n{a}", f"r{a % 3}", f"n{b}", float(b)) for a, b in random.integers(0, 40, (90, 2))]
    write_graph(tmp_path, read_edges(table(edges)))
    path = tmp_path / ("nodes.arrow", "edges.arrow")[seed % 2]
    data = bytearray(path.read_bytes())
    for _ in range(1 + seed % 9):
        data[random.integers(len(data))] = random.integers(256)
    path.write_bytes(data)
    try:
        graph = open_graph(tmp_path)
    except CorpusCorruptError as error:
        assert path.name in str(error)  # noqa: PT017 - either way is fine
        return
    assert all(isinstance(problem, str) for problem in check_graph(graph))
    number = np.flatnonzero(np.diff(graph.offsets))[:1]
    visits = traverse(
        graph.offsets, graph.targets, np.array([0, len(number)]), number, np.ones(len(number)),
        max_depth=9, decay=0.5, max_nodes=99,
    )  # fmt: skip
    assert (visits.nodes < graph.nodes).all()
    found = node_numbers(graph, pa.array(["n1", "x"] * 20, pa.large_string()))
    assert ((found >= -1) & (found < graph.nodes)).all()


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("nodes.arrow", {"id": ["a", "a", "b"]}, "node ids: expected distinct texts in the order"),
        ("nodes.arrow", {"id": ["b", "a", "c"]}, "node ids: expected distinct texts in the order"),
        ("nodes.arrow", {"id": ["a", "\U0001f600", "\uffff"]}, "node ids: expected distinct"),
        ("edges.arrow", {"target": [0, 3, 0]}, "targets: expected numbers below 3"),
        ("edges.arrow", {"target": [0, 0, -1]}, "targets: expected numbers below 3"),
        ("edges.arrow", {"weight": [0.5, 1.0, float("nan")]}, "weights: expected finite numbers"),
    ],
)
def test_damage_that_only_checking_finds(tmp_path, name, changes, message):
    write_graph(tmp_path, read_edges(table(EDGES)))
    rewrite(tmp_path / name, **changes)
    (problem,) = check_graph(open_graph(tmp_path))
    assert problem.startswith(message)


@given(st.integers(0, 10**6))
def test_bytes_that_are_no_text(tmp_path_factory, chance):
    folder = tmp_path_factory.mktemp("graph")
    write_graph(folder, read_edges(table(EDGES)))
    name, text = [("nodes.arrow", "\U0001f600"), ("edges.arrow", "é")][chance % 2]
    path = folder / name
    path.write_bytes(path.read_bytes().replace(text.encode(), b"\xff" * len(text.encode())))
    try:
        (problem,) = check_graph(open_graph(folder))
    except CorpusCorruptError as error:
        problem = str(error)
    assert "UTF8" in problem


def test_a_full_disk_is_an_os_error(tmp_path):
    (tmp_path / "edges.arrow").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as raised:
        write_graph(tmp_path, read_edges(table(EDGES)))
    assert raised.value.errno == errno.ENOSPC
