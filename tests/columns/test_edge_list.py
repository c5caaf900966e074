"""Edge lists to a graph, against dictionaries and stable sorts of plain Python."""

import json
import tracemalloc
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns import edge_list
from octavo.columns.edge_columns import EdgeColumns
from octavo.columns.edge_list import read_edges
from octavo.columns.graph_check import check_graph
from octavo.errors import InvalidArgumentError, SourceLoadingError
from tests.columns.graphs import edge_lists, rows, same, table

EDGES = [("b", "cites", "a", 1.0), ("a", "é", "\U0001f600", 0.5), ("b", "cites", "a", 2.0),
         ("a", "cites", "a", 1.0), ("\uffff", "é", "a", 1.0)]  # fmt: skip


@given(edge_lists)
def test_ids_by_their_bytes_and_edges_in_their_order(edges):
    graph = read_edges(table(edges))
    ends = {edge[end] for edge in edges for end in (0, 2)}
    assert graph.node_ids.to_pylist() == sorted(ends, key=str.encode)
    assert graph.relation_names.to_pylist() == sorted({edge[1] for edge in edges}, key=str.encode)
    assert rows(graph) == sorted(edges, key=lambda edge: edge[0].encode())
    assert (graph.weights is None) == all(edge[3] == 1.0 for edge in edges)
    assert (graph.nodes, graph.edges) == (len(ends), len(edges))
    dtypes = [each.dtype for each in (graph.offsets, graph.targets, graph.relations)]
    assert dtypes == [np.int64, np.int32, np.int32]
    assert check_graph(graph) == []


@given(edge_lists, st.integers(1, 7), st.lists(st.integers(0, 30), max_size=3))
def test_a_graph_depends_on_its_edges_alone(edges, batch_rows, cuts):
    bounds = [0, *sorted(min(cut, len(edges)) for cut in cuts), len(edges)]
    parts = [table(edges[start:stop]) for start, stop in pairwise(bounds)]
    assert same(read_edges(parts, batch_rows=batch_rows), read_edges(table(edges)))


class Exporting:
    """A table of another library: it exports an Arrow stream and nothing else."""

    def __init__(self, exported):
        self._exported = exported

    def __arrow_c_stream__(self, requested_schema=None):
        return self._exported.__arrow_c_stream__(requested_schema)


def write_all(folder):
    """The same edges in a file of each format; JSON without what is one."""
    edges = table(EDGES)
    pq.write_table(edges, folder / "edges.parquet")
    with pa.ipc.new_file(folder / "edges.arrow", edges.schema) as writer:
        writer.write_table(edges)
    pyarrow.csv.write_csv(edges, folder / "edges.csv")
    lines = [
        {"head": head, "relation": relation, "tail": tail} | ({"weight": w} if w != 1.0 else {})
        for head, relation, tail, w in EDGES
    ]
    (folder / "edges.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv", "jsonl"])
def test_files(tmp_path, ending):
    write_all(tmp_path)
    expected = read_edges(table(EDGES))
    assert same(read_edges(tmp_path / f"edges.{ending}"), expected)
    twice = read_edges([tmp_path / f"edges.{ending}", str(tmp_path / "edges.csv")])
    assert same(twice, read_edges([table(EDGES)] * 2))


def test_tables_of_other_libraries():
    expected = read_edges(table(EDGES))
    views = [pa.string_view(), pa.large_string(), pa.string_view(), pa.float32()]
    for edges in (
        Exporting(table(EDGES)),
        table(EDGES).to_batches()[0],
        table(EDGES).to_reader(),
        pa.table([column.dictionary_encode() for column in table(EDGES)], table(EDGES).column_names),
        pa.table([column.cast(view) for column, view in zip(table(EDGES), views, strict=True)],
                 table(EDGES).column_names),
    ):  # fmt: skip
        assert same(read_edges(edges), expected)


def test_integers_are_their_digits_in_any_mixture():
    numbers = pa.table({"from": pa.array([10, 9, -1], pa.int64()), "to": pa.array([9, 9, 10])})
    texts = pa.table({"source": ["10", "9", "-1"], "target": ["9", "9", "10"]})
    expected = read_edges(texts)
    assert expected.node_ids.to_pylist() == ["-1", "10", "9"]
    assert same(read_edges(numbers), expected)
    assert same(read_edges([numbers, texts]), read_edges([texts, texts]))


def test_each_file_has_its_own_columns(tmp_path):
    (tmp_path / "a.csv").write_text("source,target,type\nx,y,cites\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("tail,head,weight\nx,y,\nx,z,2\n", encoding="utf-8")
    graph = read_edges(tmp_path)
    assert rows(graph) == [("x", "cites", "y", 1.0), ("y", "links to", "x", 1.0),
                           ("z", "links to", "x", 2.0)]  # fmt: skip
    (tmp_path / "c.csv").write_text("from,where\nx,y\n", encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match=r"c\.csv: tail: .* columns are 'from', 'where'"):
        read_edges(tmp_path)


def test_named_columns():
    edges = pa.table({"a": ["x"], "b": ["y"], "c": [7], "d": [0.5], "head": ["no"]})
    graph = read_edges(edges, EdgeColumns(head="a", tail="b", relation="c", weight="d"))
    assert rows(graph) == [("x", "7", "y", 0.5)]
    with pytest.raises(InvalidArgumentError, match="table of edges: weight: no column 'e'"):
        read_edges(edges, EdgeColumns(head="a", tail="b", weight="e"))


@pytest.mark.parametrize("name", ["relation", "predicate"])
@pytest.mark.parametrize("batch_rows", [7, 100_000])
def test_relations_that_a_file_comes_to_late_are_not_lost(tmp_path, name, batch_rows):
    lines = [json.dumps({"head": "a", "tail": f"b{number:04}"}) for number in range(1500)]
    lines.append(json.dumps({"head": "a", "tail": "c", name: "cites"}))
    (tmp_path / "edges.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match=rf"{name}.* in every row or in none.* row 1500"):
        read_edges(tmp_path / "edges.jsonl", batch_rows=batch_rows)
    weighted = EdgeColumns(weight="label")
    (tmp_path / "edges.jsonl").write_text('{"head": 1, "tail": 2, "label": 3}', encoding="utf-8")
    assert read_edges(tmp_path / "edges.jsonl", weighted).weights.tolist() == [3.0]


def test_weights_that_a_file_comes_to_late(tmp_path):
    lines = [json.dumps({"head": "a", "tail": f"b{number:04}"}) for number in range(1500)]
    lines.append(json.dumps({"head": "a", "tail": "c", "weight": 3}))
    (tmp_path / "edges.jsonl").write_text("\n".join(lines), encoding="utf-8")
    graph = read_edges(tmp_path / "edges.jsonl")
    assert graph.weights.tolist() == [1.0] * 1500 + [3.0]


@pytest.mark.parametrize("columns", [("head", "tail"), ("head", "relation", "tail", "weight")])
def test_no_edges(tmp_path, columns):
    empty = pa.table({name: pa.array([], pa.string()) for name in columns})
    pyarrow.csv.write_csv(empty, tmp_path / "edges.csv")
    for inputs in (empty, tmp_path / "edges.csv"):
        graph = read_edges(inputs)
        assert (graph.nodes, graph.edges, graph.offsets.tolist()) == (0, 0, [0])
        assert graph.weights is None
        assert len(graph.relation_names) == 0
        assert check_graph(graph) == []


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("head", ["a", None, "c"], "expected an id in every row, found null in row 12"),
        ("tail", [None, None, None], "expected an id in every row, found null in rows 11, 12, 13"),
        ("tail", ["a", "b", " \u2003"], "expected non-blank ids, found blank in row 13"),
        ("head", ["", "b", ""], "expected non-blank ids, found blank in rows 11, 13"),
        ("relation", ["a", "b", None], "expected a relation in every row, found null in row 13"),
        ("weight", ["1", "nan", None], "expected finite numbers, found nan in row 12"),
        ("weight", ["1", "1", "x"], "expected numbers, found 'x' in row 13"),
    ],
)
@pytest.mark.parametrize("batch_rows", [2, 100])
def test_bad_values_are_named_by_column_file_and_row(tmp_path, name, values, message, batch_rows):
    good = pa.table({each: ["a"] * 11 if each != "weight" else ["1"] * 11
                     for each in ("head", "relation", "tail", "weight")})  # fmt: skip
    bad = {each: ["a", "b", "c"] for each in ("head", "relation", "tail")} | {"weight": ["1"] * 3}
    edges = pa.concat_tables([good, pa.table({**bad, name: pa.array(values, pa.string())})])
    pq.write_table(good, tmp_path / "1.parquet")
    pq.write_table(edges, tmp_path / "2.parquet")
    first = message if batch_rows > 2 else message.split(",")[0] + ","
    with pytest.raises(InvalidArgumentError) as raised:
        read_edges(tmp_path, batch_rows=batch_rows)
    told = str(raised.value)
    assert told.startswith(f"column {name!r} of {tmp_path / '2.parquet'}: ")
    if batch_rows > 2:
        assert told.endswith(first)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([1.0]), "head: expected column 'head' to hold strings or integers, found double"),
        (pa.array([b"x"]), "strings or integers, found binary"),
        (pa.array([["x"]]), "strings or integers, found list"),
    ],
)
def test_wrong_types(column, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_edges(pa.table({"head": column, "tail": ["a"]}))


def test_text_that_is_no_text_is_refused():
    broken = pa.array([b"\xff"]).view(pa.string())
    with pytest.raises(InvalidArgumentError, match="column 'head' of table of edges: .*UTF8"):
        read_edges(pa.table({"head": broken, "tail": ["a"]}))


@pytest.mark.parametrize("inputs", [[], 7, {"head": ["a"]}, [7]])
def test_no_input(inputs):
    with pytest.raises(InvalidArgumentError, match="edges: expected"):
        read_edges(inputs)


def test_a_missing_or_damaged_file(tmp_path):
    with pytest.raises(SourceLoadingError, match="missing"):
        read_edges(tmp_path / "missing.csv")
    (tmp_path / "edges.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(SourceLoadingError, match=r"edges\.parquet"):
        read_edges(tmp_path / "edges.parquet")


def test_batches_have_at_least_one_row():
    with pytest.raises(InvalidArgumentError, match="batch_rows: expected at least 1, found 0"):
        read_edges(table(EDGES), batch_rows=0)


@pytest.mark.parametrize(("most", "what"), [(2, "nodes"), (3, "edges")])
def test_more_than_numbers_can_count(monkeypatch, most, what):
    monkeypatch.setattr(edge_list, "LARGEST", most)
    edges = EDGES if what == "nodes" else [("a", "x", "b", 1.0)] * 4
    with pytest.raises(InvalidArgumentError, match=f"edges: expected at most {most} {what}"):
        read_edges(table(edges))


def test_progress_counts_edges():
    told = []
    read_edges([table(EDGES), table(EDGES)], progress=told.append, batch_rows=3)
    assert told == [3, 5, 8, 10]


def test_a_node_with_a_million_edges():
    count = 1_000_000
    tails = pa.array(np.arange(count) % 1000).cast(pa.string())
    heads = pa.array(["hub"] * count).dictionary_encode()
    graph = read_edges(pa.table({"head": heads, "tail": tails}))
    assert (graph.nodes, graph.edges) == (1001, count)
    hub = graph.node_ids.to_pylist().index("hub")
    assert graph.offsets[hub : hub + 2].tolist() == [0, count]
    numbers = {name: number for number, name in enumerate(graph.node_ids.to_pylist())}
    expected = np.array([numbers[str(tail)] for tail in range(1000)])
    assert (graph.targets == np.tile(expected, count // 1000)).all()


def test_what_told_ids_apart_is_gone_before_they_are_sorted():
    count = 300_000
    edges = pa.table({"head": pa.array(range(count)), "tail": pa.array(range(count, 2 * count))})
    read_edges(edges.slice(0, 1))  # kernels load
    tracemalloc.start()
    graph = read_edges(edges)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert graph.nodes == 2 * count
    assert peak / graph.nodes < 84
