"""Edges between documents, from what they refer to (S82)."""

from collections import Counter
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import (
    EntityMention,
    EntityRelation,
    InMemoryGraphStore,
    InvalidArgumentError,
    reference_edges,
)
from octavo.columns.edge_list import read_edges


def document(identity, content, source=None, title=None):
    return SimpleNamespace(id=identity, content=content, source=source, title=title)


def edges(documents, extractor=None):
    return rows(reference_edges(InMemoryGraphStore(documents, extractor)))


def rows(table):
    return [tuple(row.values()) for row in table.to_pylist()]


def test_references_and_links():
    assert edges(
        [
            document("pep-0008", "Style. See PEP 257, PEP 8 and PEP 999.", title="Style Guide"),
            document(
                "pep-0257", "See PEP 8, the [guide](guide.md) and [it](guide.md).", "p/257.rst"
            ),
            document("guide", "Read [this](p/257.rst), the Style Guide and PEP 8.", "guide.md"),
            document("far", "Nothing. [Out](https://example.org/x)", "p/far.md"),
        ]
    ) == [
        ("guide", "links to", "pep-0257"),
        ("guide", "refers to", "pep-0008"),
        ("pep-0008", "refers to", "pep-0257"),
        ("pep-0257", "links to", "guide"),  # there is no p/guide.md
        ("pep-0257", "refers to", "pep-0008"),
    ]


def test_a_link_is_taken_from_where_its_document_lies():
    found = edges([
        document("a", "See [it](../guide.md).", "p/a.md"), document("b", "Guide.", "guide.md"),
    ])  # fmt: skip
    assert found == [("a", "links to", "b")]


def test_a_document_in_parts_is_its_first_part_and_each_refers_for_itself():
    parts = [document(f"auth#{number}", text, "auth.md", "Login") for number, text in
             ((2, "See [keys](keys.md)."), (1, "Beginning."), (3, "See [keys](keys.md) too."))]  # fmt: skip
    others = [document("keys#9", "See [login](auth.md).", "keys.md", "Keys"),
              document("keys#10", "More.", "keys.md", "Keys")]  # fmt: skip
    expected = [
        ("auth#2", "links to", "keys#10"),
        ("auth#3", "links to", "keys#10"),
        ("keys#9", "links to", "auth#1"),
    ]
    assert edges(parts + others) == expected
    assert edges(others + parts[::-1]) == expected


def test_what_something_else_refers_to_is_no_edge_of_the_document():
    def extract(text):
        if text == "one":
            yield EntityMention("somebody", sentence=text)
            yield EntityRelation("somebody", "refers to", "two")
            yield EntityRelation(None, "loves", "two")
            yield EntityRelation(None, "links to", "two")

    documents = [document("1", "one", title="one"), document("2", "two", title="two")]
    assert edges(documents, extract) == [("1", "links to", "2")]


@pytest.mark.parametrize(
    "documents", [[], [document("a", "Alone.")], [document("a", "", title="...")]]
)
def test_no_edges(documents):
    table = reference_edges(InMemoryGraphStore(documents))
    assert (table.num_rows, table.column_names) == (0, ["head", "relation", "tail"])
    assert set(table.schema.types) == {pa.large_string()}
    assert read_edges(table).edges == 0


@given(st.lists(st.lists(st.integers(0, 7), max_size=5), max_size=8))
def test_every_reference_among_documents_and_nothing_else(references):
    documents = [
        document(f"pep-{number:04}", "".join(f"See PEP {other}.\n\n" for other in others))
        for number, others in enumerate(references)
    ]
    expected = {
        (f"pep-{number:04}", "refers to", f"pep-{other:04}")
        for number, others in enumerate(references)
        for other in others
        if other != number and other < len(references)
    }
    assert edges(documents) == sorted(expected)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_true_references_of_a_collection_are_found(collections, step):  # S82
    path = collections / "peps"
    table = pq.read_table(path / "corpus.parquet", columns=["id", "title", "text"])
    documents = table.take(list(range(0, len(table), step))).to_pylist()
    store = InMemoryGraphStore(
        [document(row["id"], row["text"], None, row["title"]) for row in documents]
    )
    here = {row["id"] for row in documents}
    lines = (path / "links.tsv").read_text("utf-8").splitlines()
    links = [tuple(line.split("\t")[:3]) for line in lines]
    related = {(citing, cited) for citing, cited, _ in links}
    cited = {(a, b) for a, b, relation in links if relation == "cites" and a != b}
    cited = {pair for pair in cited if here.issuperset(pair)}
    edge_rows = rows(reference_edges(store))
    found = {(head, tail) for head, relation, tail in edge_rows if relation == "refers to"}
    assert max(Counter(edge_rows).values()) == 1
    assert here.issuperset(end for pair in found for end in pair)
    assert len(found & cited) / len(cited) > 0.99
    assert len(found & related) / len(found) > 0.98


def test_they_are_an_edge_list_of_their_documents():
    documents = pa.table({"id": ["pep-1", "pep-2"], "text": ["See PEP 2.", "A standard."]})
    store = InMemoryGraphStore([document(row["id"], row["text"])
                                for row in documents.to_pylist()])  # fmt: skip
    graph = read_edges(reference_edges(store))
    assert graph.node_ids.to_pylist() == ["pep-1", "pep-2"]
    assert graph.relation_names.to_pylist() == ["refers to"]


@pytest.mark.parametrize("store", [[], None, "documents"])
def test_only_what_reads_documents_has_them(store):
    with pytest.raises(InvalidArgumentError, match="store: expected an InMemoryGraphStore, found"):
        reference_edges(store)
