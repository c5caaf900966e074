"""Hierarchies from documents and from corpora: what they hold and what they refuse (S26)."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import ConfigurationError, Corpus, HierarchyError, RetrievedDocument
from octavo.spi import NodeView
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.hierarchy_index import HierarchyIndex
from tests.corpus import hand_made


def document(identifier=None, parent=None, **metadata):
    named = {"hierarchy.id": identifier, "hierarchy.parentId": parent, **metadata}
    kept = {key: value for key, value in named.items() if value is not None}
    return RetrievedDocument(f"text of {identifier}", "guide.md", 0.0, kept)


def built(tmp_path, ids, parents, **columns):
    table = {"id": ids, "text": ["word"] * len(ids), "parent": pa.array(parents, pa.string())}
    table = pa.table({**table, **columns})
    metadata = ["summary"] if "summary" in columns else []
    return Corpus.build(
        table, tmp_path / "index", parent="parent", metadata=metadata, embedding="none"
    )


LINKS = [("c", "b"), ("a", None), ("b", "a"), ("z", None), ("d", "a")]


def both_ways(tmp_path, links):
    """The same links as documents and as a corpus, each as a call that builds the index."""
    ids, parents = zip(*links, strict=True) if links else ((), ())
    documents = [document(identifier, parent) for identifier, parent in links]
    yield lambda: HierarchyIndex(documents)
    corpus = built(tmp_path, pa.array(ids, pa.string()), parents)
    yield lambda: HierarchyIndex.of_corpus(corpus.keyword_index)


def test_documents_and_a_corpus_give_the_same_tree(tmp_path):  # S26
    for build in both_ways(tmp_path, LINKS):
        index = build()
        assert index.parents.tolist() == [2, -1, 1, -1, 1]
        assert index.parents.dtype == np.int64
        assert index.roots.tolist() == [1, 3]
        assert [index.children(row).tolist() for row in range(5)] == [[], [2, 4], [0], [], []]
        assert len(index) == 5
        assert index.store.rows_of(["d", "?"]).tolist() == [4, -1]
        with pytest.raises(ValueError, match="read-only"):
            index.parents[0] = 3


@pytest.mark.parametrize(
    ("links", "named"),
    [
        ([("a", "a"), ("b", None)], "own parent, found 'a'"),
        ([("a", "b"), ("b", "c"), ("c", "a"), ("d", "c")], "'a' under 'b' under 'c' under 'a'"),
        ([("x", "a"), ("a", "b"), ("b", "a")], "'a' under 'b' under 'a'"),
        ([("a", None), ("b", "gone")], "'b' under 'gone'"),
        ([(f"d{n}", f"p{n}") for n in range(9)], "'d4' under 'p4' and 4 more"),
    ],
)
def test_what_is_no_forest_is_refused_by_name(tmp_path, links, named):  # S26
    for build in both_ways(tmp_path, links):
        with pytest.raises(HierarchyError, match="hierarchy: expected") as raised:
            build()
        assert named in str(raised.value)
        assert isinstance(raised.value, ConfigurationError)


def test_repeated_and_missing_ids_are_refused():  # S26
    with pytest.raises(HierarchyError, match="found again 'a'$"):
        HierarchyIndex([document("a"), document("b"), document("a")])
    with pytest.raises(HierarchyError, match="found none on document 1, 2$"):
        HierarchyIndex([document("a"), document(), document("")])


def test_a_document_without_a_hierarchy_id_is_known_by_its_entry_id():  # S26
    index = HierarchyIndex(
        [document("a", entryId="entry"), document(None, "a", entryId="b"), document("c", "b")]
    )
    assert index.parents.tolist() == [-1, 0, 1]
    with pytest.raises(HierarchyError, match="under 'entry'"):
        HierarchyIndex([document("a", entryId="entry"), document("b", "entry")])


def test_an_empty_parent_is_none(tmp_path):  # S26
    for build in both_ways(tmp_path, [("a", ""), ("b", "a")]):
        assert build().parents.tolist() == [-1, 0]


def test_no_documents_are_a_hierarchy(tmp_path):  # S26
    for build in both_ways(tmp_path, []):
        index = build()
        assert (len(index), index.roots.tolist()) == (0, [])


@pytest.mark.parametrize("upwards", [True, False])
def test_a_chain_of_100000_is_fine(upwards):  # S26
    nodes = 100_000
    links = [(str(node), str(node + 1) if node + 1 < nodes else None) for node in range(nodes)]
    documents = [document(*link) for link in (links if upwards else reversed(links))]
    assert len(HierarchyIndex(documents).roots) == 1
    links[-1] = (str(nodes - 1), "0")
    with pytest.raises(HierarchyError, match="without a cycle, found .* under '3' .*\\.\\.\\."):
        HierarchyIndex([document(*link) for link in links])


def test_ids_may_hold_any_text():  # S26
    index = HierarchyIndex([document("\ud800"), document("東京\n", "\ud800"), document("e\u0301", "東京\n")])  # fmt: skip
    assert index.parents.tolist() == [-1, 0, 1]
    with pytest.raises(HierarchyError):
        HierarchyIndex([document("e\u0301"), document("x", "\u00e9")])


def test_a_corpus_without_a_parent_column_is_refused(corpus):  # S26
    with pytest.raises(HierarchyError, match="no parent column"):
        HierarchyIndex.of_corpus(corpus.keyword_index)


def test_what_a_navigator_sees(tmp_path):  # S28
    index = HierarchyIndex(
        [
            document("a", **{"hierarchy.title": "A", "hierarchy.summary": "All of it"}),
            document(None, "a", entryId="b"),
        ]
    )
    assert index.views(np.array([1, 0])) == [NodeView("b"), NodeView("a", "A", "All of it")]
    corpus = built(tmp_path, ["a", "b"], [None, "a"], title=["A", None])
    index = HierarchyIndex.of_corpus(corpus.keyword_index)
    assert index.views(np.array([1, 0])) == [NodeView("b"), NodeView("a", "A")]
    assert index.views(np.zeros(0, np.int64)) == []


def test_a_metadata_column_of_summaries_is_shown_to_navigators(tmp_path):  # S11 S28
    corpus = built(tmp_path, ["a", "b"], [None, "a"], title=["A", None], summary=["all", None])
    index = HierarchyIndex.of_corpus(corpus.keyword_index)
    assert index.views(np.array([1, 0])) == [NodeView("b"), NodeView("a", "A", "all")]


def updated(tmp_path, links, deleted, upserted=()):
    """The hierarchy of a corpus of which documents were deleted and then others replaced."""
    ids, parents = zip(*links, strict=True)
    corpus = built(tmp_path, ids, parents)
    hand_made.delete(corpus.path, deleted)
    if upserted:
        ids, parents = zip(*upserted, strict=True)
        table = pa.table({"id": ids, "text": ids, "parent": pa.array(parents, pa.string())})
        hand_made.upsert(corpus.path, table, parent="parent", embedding="none")
    return lambda: HierarchyIndex.of_corpus(Corpus.open(corpus.path).keyword_index)


def test_a_deleted_row_is_no_node(tmp_path):  # S26 S28
    links = [("x", "a"), ("a", None), ("y", None), ("b", "a"), ("c", "b"), ("z", "c")]
    index = updated(tmp_path, links, ["x", "y", "z"])()
    assert index.parents.tolist() == [-1, -1, -1, 1, 3, -1]
    assert index.roots.tolist() == [1]
    assert [index.children(row).tolist() for row in range(6)] == [[], [3], [], [4], [], []]
    assert len(index) == 3
    assert index.store.rows == 6
    assert index.store.rows_of(["x", "c"]).tolist() == [-1, 4]


def test_an_upserted_document_is_one_node(tmp_path):  # S26: no id is repeated
    links = [("b", "a"), ("a", None), ("c", "a"), ("d", None)]
    index = updated(tmp_path, links, [], [("a", "d"), ("c", "b")])()
    assert index.parents.tolist() == [4, -1, -1, -1, 3, 0]
    assert (len(index), index.roots.tolist()) == (4, [3])
    assert index.children(1).tolist() == []
    # A row that died twice, and a parent that came back.
    (tmp_path / "again").mkdir()
    again = updated(tmp_path / "again", links, ["a"], [("a", None)])()
    assert again.parents.tolist() == [4, -1, 4, -1, -1]


@pytest.mark.parametrize(
    ("deleted", "upserted", "named"),
    [
        (["a"], [], "among the documents, found 'b' under 'a', 'd' under 'a'$"),
        ([], [("a", "c")], "without a cycle, found"),
        (["d"], [("b", "d")], "found 'b' under 'd'$"),
        ([], [("a", "a")], "own parent, found 'a'$"),
    ],
)
def test_what_is_left_is_refused_as_if_built_so(tmp_path, deleted, upserted, named):  # S26
    new = dict(upserted)
    left = [link for link in LINKS if link[0] not in {*deleted, *new}] + upserted
    (tmp_path / "scratch").mkdir()
    *_, build = both_ways(tmp_path / "scratch", left)
    with pytest.raises(HierarchyError, match=named) as expected:
        build()
    with pytest.raises(HierarchyError) as found:
        updated(tmp_path, LINKS, deleted, upserted)()
    assert str(found.value) == str(expected.value)


def test_faults_of_deleted_documents_are_no_faults(tmp_path):  # S26
    links = [("a", "a"), ("b", "gone"), ("c", "d"), ("d", "c"), ("e", None)]
    index = updated(tmp_path, links, ["a", "b", "c", "d"])()
    assert (len(index), index.roots.tolist()) == (1, [4])
    nothing = updated(tmp_path / "none", [("a", None)], ["a"])()
    assert (len(nothing), nothing.roots.tolist()) == (0, [])


node_names = st.sampled_from("abcdef")


@given(st.lists(st.tuples(node_names, st.none() | node_names, st.booleans()), max_size=12))
def test_a_snapshot_with_deleted_rows_is_the_tree_of_the_live_ones(rows):  # S26
    live = [(name, parent) for name, parent, alive in rows if alive]
    expected = refusal_or_index(lambda: HierarchyIndex([document(*link) for link in live]))
    found = refusal_or_index(lambda: HierarchyIndex.of_corpus(FakeSnapshot(rows)))
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
        return
    of_live = np.flatnonzero([alive for *_, alive in rows])
    assert len(found) == len(live)
    assert found.roots.tolist() == of_live[expected.roots].tolist()
    for row, own in enumerate(of_live.tolist()):
        assert found.children(own).tolist() == of_live[expected.children(row)].tolist()


def refusal_or_index(build):
    try:
        return build()
    except HierarchyError as error:
        return str(error)


class FakeSnapshot(Snapshot):
    """Rows of (id, parent, live) without files."""

    def __init__(self, rows):
        self._rows = rows
        self.path = "index"

    @property
    def rows(self):
        return len(self._rows)

    @property
    def live(self):
        live = np.array([alive for *_, alive in self._rows], np.bool_)
        return None if live.all() else live

    def text_column(self, name):
        place = ["id", "parent"].index(name)
        return pa.chunked_array([[row[place] for row in self._rows]], pa.large_string())

    def texts(self, column, rows):
        return [self._rows[row][["id", "parent"].index(column)] for row in rows.tolist()]

    def ids(self, rows):
        return self.texts("id", rows)
