"""Hierarchies from documents and from corpora: what they hold and what they refuse (S26)."""

import numpy as np
import pyarrow as pa
import pytest

from octavo import ConfigurationError, Corpus, HierarchyError, RetrievedDocument
from octavo.spi import NodeView
from octavo.strategies.hierarchy_index import HierarchyIndex


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
