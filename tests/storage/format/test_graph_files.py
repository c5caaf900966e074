"""The graph of an index: written with it, found by its rows, kept through every change."""

import shutil

import numpy as np
import pyarrow as pa
import pytest

from octavo import (
    Corpus,
    CorpusCorruptError,
    CorpusFormatError,
    InvalidArgumentError,
    SourceLoadingError,
)
from octavo.columns.edge_columns import EdgeColumns
from octavo.columns.edge_list import read_edges
from octavo.columns.graph_files import EDGES as EDGES_FILE
from octavo.columns.graph_files import NODES as NODES_FILE
from octavo.storage.format import layout
from octavo.storage.format.manifest import read_manifest
from octavo.storage.maintenance.verify import verify_index
from octavo.storage.snapshot.snapshot import open_snapshot
from tests.storage.manifest_editing import rewrite_manifest
from tests.storage.unmerged import unmerged

EDGES = [
    ("a", "cites", "b"),
    ("b", "cites", "c"),
    ("c", "cites", "later"),
    ("never", "cites", "a"),
    ("a", "extends", "b"),
    ("ß", "cites", "ß"),
]
NODES = sorted({end for head, _, tail in EDGES for end in (head, tail)}, key=str.encode)


def documents(ids):
    return pa.table({"id": list(ids), "text": [f"text of {identity}" for identity in ids]})


def edge_table(edges):
    heads, relations, tails = zip(*edges, strict=True)
    return pa.table({"head": heads, "relation": relations, "tail": tails})


@pytest.fixture
def index(tmp_path):
    Corpus.build(
        documents(["x", "b", "a", "c", "ß"]),
        tmp_path / "index",
        edges=edge_table(EDGES),
        embedding="none",
    )
    return tmp_path / "index"


def graph_of(index):
    """Return the edges, and the node of each live document by its id, as the index has them."""
    snapshot = open_snapshot(index)
    graph = snapshot.graph
    columns = graph.columns
    ids = columns.node_ids.to_pylist()
    names = columns.relation_names.to_pylist()
    edges = [
        (ids[head], names[columns.relations[edge]], ids[columns.targets[edge]])
        for head in range(columns.nodes)
        for edge in range(columns.offsets[head], columns.offsets[head + 1])
    ]
    live = np.ones(snapshot.rows, np.bool_) if snapshot.live is None else snapshot.live
    rows = np.flatnonzero(live)
    nodes = graph.node_of_row[rows].tolist()
    return edges, {
        identity: None if node < 0 else ids[node]
        for identity, node in zip(snapshot.ids(rows), nodes, strict=True)
    }


def in_order(edges):
    """Return edges by the bytes of their heads, otherwise as they were given."""
    return sorted(edges, key=lambda edge: edge[0].encode())


def check(index, ids):
    edges, nodes = graph_of(index)
    assert edges == in_order(EDGES)
    assert nodes == {identity: identity if identity in NODES else None for identity in ids}
    assert verify_index(index).whole, verify_index(index).problems


def test_rows_find_their_nodes(index):
    check(index, ["x", "b", "a", "c", "ß"])
    entry = read_manifest(index).graph
    assert (entry.nodes, entry.edges) == (len(NODES), len(EDGES))


def test_the_size_of_an_index_is_also_that_of_its_graph(index):
    parts = [*(index / layout.SEGMENTS).rglob("*"), *(index / layout.GRAPH).rglob("*")]
    size = sum(path.stat().st_size for path in parts if path.is_file())
    assert Corpus.open(index).info().size == size


def test_an_index_without_edges_has_no_graph(tmp_path):
    Corpus.build(documents("ab"), tmp_path / "index", embedding="none")
    assert open_snapshot(tmp_path / "index").graph is None
    assert not (tmp_path / "index" / layout.GRAPH).exists()


def test_an_empty_edge_list_is_a_graph_without_nodes(tmp_path):
    empty = pa.table({name: pa.array([], pa.string()) for name in ("head", "relation", "tail")})
    Corpus.build(documents("ab"), tmp_path / "index", edges=empty, embedding="none")
    edges, nodes = graph_of(tmp_path / "index")
    assert edges == []
    assert nodes == {"a": None, "b": None}
    assert verify_index(tmp_path / "index").whole


def test_the_graph_stays_through_every_change(index):
    with unmerged():
        with Corpus.open(index).writer() as writer:
            writer.add(documents(["later", "other"]))
        check(index, ["x", "b", "a", "c", "ß", "later", "other"])
        with Corpus.open(index).writer() as writer:
            writer.upsert(pa.table({"id": ["a", "new"], "text": ["changed", "new"]}))
            writer.delete(["b", "x"])
        check(index, ["a", "c", "ß", "later", "other", "new"])
    assert len(read_manifest(index).segments) == 3
    Corpus.open(index).compact()
    check(index, ["a", "c", "ß", "later", "other", "new"])
    with Corpus.open(index).writer() as writer:
        writer.delete(["a", "c", "ß", "later", "other", "new"])
    check(index, [])
    with Corpus.open(index).writer() as writer:
        writer.add(documents(["b"]))
    check(index, ["b"])


def test_a_commit_shares_the_graph_that_is_open(index):
    corpus = Corpus.open(index)
    before = corpus.keyword_index
    with corpus.writer() as writer:
        writer.add(documents(["later"]))
    assert corpus.keyword_index is not before
    assert corpus.keyword_index.graph_columns is before.graph_columns


def test_replacing_an_index_replaces_its_graph_and_a_reader_keeps_the_old(index):
    reader = open_snapshot(index)
    for edges, names in (
        (edge_table([("b", "likes", "c")]), ["00000002"]),
        (None, []),
    ):
        Corpus.build(documents("abc"), index, edges=edges, embedding="none", overwrite=True)
        graphs = index / layout.GRAPH
        assert [path.name for path in graphs.iterdir()] == names if names else not graphs.exists()
        assert verify_index(index).whole
    assert reader.graph.columns.node_ids.to_pylist() == NODES
    assert reader.graph.node_of_row.tolist() == [
        NODES.index(identity) if identity in NODES else -1 for identity in ["x", "b", "a", "c", "ß"]
    ]


def test_nothing_is_written_through_a_link_to_graphs_elsewhere(index, tmp_path):
    graphs = index / layout.GRAPH
    shutil.move(graphs, tmp_path / "elsewhere")
    graphs.symlink_to(tmp_path / "elsewhere")
    manifest = (index / layout.MANIFEST).read_bytes()
    for edges in (edge_table(EDGES), None):
        with pytest.raises(CorpusFormatError, match="graph: .*found a link"):
            Corpus.build(documents("ab"), index, edges=edges, embedding="none", overwrite=True)
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["00000001"]
    assert (index / layout.MANIFEST).read_bytes() == manifest


def test_the_graph_is_that_of_the_edges_in_memory(index):
    stored = open_snapshot(index).graph.columns
    given = read_edges(edge_table(EDGES))
    for name in ("offsets", "targets", "relations"):
        assert np.array_equal(getattr(stored, name), getattr(given, name))
    assert stored.node_ids.equals(given.node_ids)
    assert stored.relation_names.equals(given.relation_names)


@pytest.mark.parametrize(
    ("edges", "error", "named"),
    [
        (pa.table({"head": ["a", None], "tail": ["b", "c"]}), InvalidArgumentError, "head"),
        (pa.table({"head": ["a"]}), InvalidArgumentError, "tail"),
        ("missing.parquet", SourceLoadingError, "missing.parquet"),
    ],
)
def test_edges_that_are_refused_leave_everything_as_it_was(index, tmp_path, edges, error, named):
    before = verify_index(index)
    for place in (index, tmp_path / "new"):
        with pytest.raises(error, match=named):
            Corpus.build(documents("ab"), place, edges=edges, embedding="none", overwrite=True)
    assert not (tmp_path / "new").exists()
    assert verify_index(index) == before
    assert verify_index(index).remains == ()
    check(index, ["x", "b", "a", "c", "ß"])


@pytest.mark.parametrize("edges", [5, [], [5]])
def test_what_is_no_edge_list_is_named(tmp_path, edges):
    with pytest.raises(InvalidArgumentError, match="^edges: expected"):
        Corpus.build(documents("ab"), tmp_path / "new", edges=edges, embedding="none")


@pytest.mark.parametrize(
    "columns",
    [{"head": "src", "tail": "dst", "relation": "kind"}, EdgeColumns("src", "kind", "dst")],
)
def test_columns_of_other_names(tmp_path, columns):
    edges = edge_table(EDGES).rename_columns(["src", "kind", "dst"])
    Corpus.build(
        documents(["a"]), tmp_path / "new", edges=edges, edge_columns=columns, embedding="none"
    )
    assert graph_of(tmp_path / "new") == (in_order(EDGES), {"a": "a"})


@pytest.mark.parametrize("columns", [{"from": "src"}, {"head": 5}, ["src", "dst"], "src"])
def test_columns_that_are_none_are_refused(tmp_path, columns):
    with pytest.raises(InvalidArgumentError, match="^edge_columns: expected .*head.*tail"):
        Corpus.build(
            documents(["a"]), tmp_path / "new", edges=edge_table(EDGES), edge_columns=columns,
            embedding="none",
        )  # fmt: skip


def test_a_manifest_names_the_files_of_its_graph(index):
    rewrite_manifest(index, lambda body: body["graph"].update(files={}))
    with pytest.raises(CorpusCorruptError, match="the manifest does not name this file"):
        Corpus.open(index)
    assert not verify_index(index).whole


def test_what_is_no_id_names_no_node(index):
    graph = Corpus.open(index).graph
    assert graph.edges(3) == ()
    with pytest.raises(KeyError):
        graph.node(3)


def damaged(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", [NODES_FILE, EDGES_FILE])
def test_a_damaged_graph_is_found_and_cannot_be_made_again(index, name):
    path = index / layout.GRAPH / "00000001" / name
    damaged(path)
    assert [problem.path for problem in verify_index(index).problems] == [path]
    with pytest.raises(CorpusCorruptError, match=f"{name}.*build the index again with its edges"):
        Corpus.repair(index)


@pytest.mark.parametrize("name", [NODES_FILE, EDGES_FILE])
def test_a_missing_file_of_the_graph_is_named(index, name):
    (index / layout.GRAPH / "00000001" / name).unlink()
    with pytest.raises(CorpusCorruptError, match=name):
        Corpus.open(index)
    assert [problem.path.name for problem in verify_index(index).problems] == [name]


def test_damaged_nodes_of_rows_are_found_and_made_again(index):
    path = index / layout.SEGMENTS / "00000001" / layout.GRAPH_NODES
    damaged(path)
    assert [problem.path for problem in verify_index(index).problems] == [path]
    repair = Corpus.repair(index)
    assert repair.rebuilt == ("graph nodes",)
    check(index, ["x", "b", "a", "c", "ß"])


def overwritten(path, column, buffer, numbers):
    """Write numbers over the first ones of a column's buffer, in place."""
    content = pa.py_buffer(path.read_bytes())
    array = pa.ipc.open_file(content).get_batch(0).column(column)
    parts = [*array.buffers(), *(array.dictionary.buffers() if column == "relation" else [])]
    part = parts[buffer]
    with path.open("r+b") as file:
        file.seek(part.address - content.address)
        file.write(numbers.tobytes())


@pytest.mark.parametrize("number", [-1, 6, 10**6, 2**31 - 1])
@pytest.mark.parametrize("column", ["target", "relation"])
def test_damaged_edges_are_refused_and_lead_nowhere(index, column, number):
    overwritten(
        index / layout.GRAPH / "00000001" / EDGES_FILE,
        column,
        1,
        np.full(len(EDGES), number, np.int32),
    )
    corpus = Corpus.open(index)
    with pytest.raises(CorpusCorruptError, match="the graph is damaged"):
        corpus.graph.edges("a")
    assert corpus.graph.edges("x") == ()
    assert corpus.search("text of a", strategy="graph")


@pytest.mark.parametrize("number", [-(2**63), -1, 3, 10**6, 2**62])
@pytest.mark.parametrize(
    ("name", "column", "buffer"), [(NODES_FILE, "id", 1), (EDGES_FILE, "relation", 3)]
)
def test_texts_that_lie_anywhere_are_not_read_from_there(index, name, column, buffer, number):
    corpus = Corpus.open(index)
    offsets = np.array([0, number], np.int64)
    overwritten(index / layout.GRAPH / "00000001" / name, column, buffer, offsets)
    found = [edge for node_id in NODES for edge in corpus.graph.edges(node_id)]
    assert all(len(edge.target) + len(edge.relation) < 50 for edge in found)


@pytest.mark.parametrize("number", [6, 10**6, 2**31 - 1])
def test_a_row_whose_node_is_none_is_damage(index, number):
    late = Corpus.open(index)
    expected = late.search("text of a", strategy="graph")
    path = index / layout.SEGMENTS / "00000001" / layout.GRAPH_NODES
    with path.open("r+b") as file:
        file.seek(-5 * 4, 2)
        file.write(np.full(5, number, np.int32).tobytes())
    for use in (lambda corpus: corpus.search("a", strategy="graph"), lambda corpus: corpus.info()):
        with pytest.raises(CorpusCorruptError, match="the graph is damaged"):
            use(Corpus.open(index))
    assert late.search("text of a", strategy="graph") == expected


def test_what_a_killed_build_left_of_a_graph_goes(index):
    graph = index / layout.GRAPH
    shutil.copytree(graph / "00000001", graph / "00000007")
    assert verify_index(index).remains == (graph / "00000007",)
    with Corpus.open(index).writer() as writer:
        writer.add(documents(["later"]))
    assert [path.name for path in graph.iterdir()] == ["00000001"]
