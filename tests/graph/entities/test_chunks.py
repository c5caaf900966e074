"""The documents of a graph, and the names by which texts know them (S82)."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from octavo import InvalidArgumentError, RetrievedDocument
from octavo.columns.document_batch import DocumentBatch
from octavo.columns.stored_document import StoredDocument
from octavo.graph.entities.chunks import (
    Chunk,
    document_names,
    link_names,
    read_chunks,
    reference_name,
)


def test_documents_of_any_kind():
    batch = DocumentBatch(
        pa.array(["b1", "b2"], pa.large_string()),
        pa.array(["one", "two"], pa.large_string()),
        title=pa.array(["One", None], pa.large_string()),
    )
    documents = [
        RetrievedDocument("text", "a.md", 0.0, {"entryId": "e", "hierarchy.id": "h"}),
        RetrievedDocument("text", "a.md", 0.0, {"entryId": "e"}),
        RetrievedDocument("text", "", 0.0),
        StoredDocument("s", "text", "b.md", {}, " Title "),
        SimpleNamespace(content="text"),
        batch,
    ]
    assert list(read_chunks(documents)) == [
        Chunk("h", "text", "a.md", None),
        Chunk("e", "text", "a.md", None),
        Chunk("2", "text", None, None),
        Chunk("s", "text", "b.md", "Title"),
        Chunk("4", "text", None, None),
        Chunk("b1", "one", None, "One"),
        Chunk("b2", "two", None, None),
    ]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "document 0: expected an object with `content` and `source`.* found NoneType"),
        ({"content": "text"}, "document 0: expected an object with `content`.* found dict"),
        (SimpleNamespace(content=b"x"), "document 0: content: expected a string"),
        (SimpleNamespace(content="x", source=5), "document 0: source: expected a string, found 5"),
        (SimpleNamespace(content="x", title=[]), "document 0: title: expected a string"),
        (SimpleNamespace(content="x", id=5), "document 0: id: expected a string"),
        (SimpleNamespace(content="x", id="\ud800"), "document 0: id: expected a string of Unicode"),
        (SimpleNamespace(content="x", metadata=5), "document 0: metadata: expected a mapping"),
        (
            SimpleNamespace(content="x", metadata={"entryId": 5}),
            "document 0: id: expected a string",
        ),
    ],
)
def test_what_is_no_document(document, message):
    with pytest.raises(InvalidArgumentError, match=message):
        list(read_chunks([document]))


def test_what_are_no_documents():
    for documents in (None, 5, "text"):
        with pytest.raises(InvalidArgumentError, match="documents: expected a sequence"):
            list(read_chunks(documents))
    same = SimpleNamespace(content="x", id="a")
    with pytest.raises(InvalidArgumentError, match="distinct ids, found 'a' more than once"):
        list(read_chunks([same, same]))


def chunk(identity, source=None, title=None):
    return Chunk(identity, "", source, title)


def test_a_document_is_known_by_its_title_its_place_or_its_id():  # S82
    chunks = [chunk("1", "a.md", "Guide"), chunk("2", "b/c", None), chunk("3", "wiki"), chunk("4")]
    assert document_names(chunks).names == ["Guide", "b/c", "3", "4"]


def test_parts_of_a_document_share_its_name():  # S82
    chunks = [chunk("x#1", "x.md", "Guide"), chunk("x#2", "x.md", "Guide"), chunk("b#1", "b.md")]
    names = document_names(chunks)
    assert names.names == ["Guide", "Guide", "b.md"]
    assert names.aliases == {"x 1": "guide", "x 2": "guide", "x md": "guide", "b 1": "b md"}


def test_a_title_that_two_documents_have_names_neither():
    chunks = [chunk("pep-0367", None, "New Super"), chunk("pep-3135", None, "New super")]
    assert document_names(chunks).names == ["PEP 367", "PEP 3135"]
    assert document_names([chunk("x", "a.md", "Home"), chunk("y", "b.md", "Home")]).names == [
        "a.md",
        "b.md",
    ]


def test_other_names_of_a_document():
    names = document_names([chunk("pep-0008", "peps/pep-0008.rst", "Style Guide")])
    assert names.references == ["PEP 8"]
    assert names.aliases == {
        "pep 0008": "style guide",
        "peps pep 0008 rst": "style guide",
        "pep 8": "style guide",
    }


def test_a_name_that_could_stand_for_two_documents_stands_for_neither():
    names = document_names([chunk("x-1", None, "One"), chunk("X 1", None, "Other")])
    assert names.aliases == {}
    # A document's own name stands for itself.
    assert "one" not in document_names([chunk("one", None, "Two"), chunk("b", None, "One")]).aliases


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("pep-0008", "PEP 8"), ("rfc2119.txt", "RFC 2119"), ("ADR_0012.md", "ADR 12"), ("PEP 8", "PEP 8"),
        ("guide.md", ""), ("a-1-2", ""), ("8", ""), ("", ""), ("x8", ""),
    ],
)  # fmt: skip
def test_references_that_files_look_like(text, name):
    assert reference_name(text) == name


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("b.md#top", ["docs/b.md", "b.md"]),
        ("../b.md", ["b.md", "../b.md"]),
        ("https://peps.python.org/pep-0008/", ["https://peps.python.org/pep-0008/", "PEP 8"]),
        ("https://a.org/x?y=1", ["https://a.org/x"]),
        ("Auth Service", ["Auth Service"]),
        ("#top", ["#top"]),
        ("plain", ["plain"]),
    ],
)
def test_names_of_a_links_target(target, names):
    assert link_names(target, "docs/a.md") == names
