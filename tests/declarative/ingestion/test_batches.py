"""Documents as columns, and a corpus of them."""

import pyarrow as pa
import pytest

from octavo import Corpus, HierarchyIndex, InvalidArgumentError, SourceLoadingError
from octavo.declarative.ingestion import batches
from octavo.declarative.ingestion.batches import (
    corpus_columns,
    document_batches,
    spool_documents,
)
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.manifest import SourceManifest
from octavo.spi.source_document import SourceDocument

GUIDE = "---\ntier: A\ndate: 2024-05-01\n---\n# Guide\n\nRead me.\n\n## Foxes\n\nThey are red.\n\n## Whales\n\nThey swim.\n"
SMALL = FileLoader(IngestionLimits(chunk_characters=40))


def build(documents, directory):
    (directory / "spool").mkdir()
    spooled = spool_documents(documents, directory / "spool")
    columns = corpus_columns(spooled.metadata)
    return Corpus.build(list(spooled.paths), directory / "index", **columns, embedding="none")


def test_a_corpus(load, tmp_path, write, declared):
    corpus = build(
        load({"guide.md": GUIDE, "faq.jsonl": '{"id": 7, "text": "Owls?", "title": "Q"}'}, [SMALL]),
        tmp_path,
    )
    (hit,) = corpus.search("swim")
    assert hit.content == "## Whales\n\nThey swim."
    assert hit.source == str(tmp_path / "files" / "guide.md")
    assert hit.metadata["entryId"] == "docs/guide.md#whales"
    assert (hit.metadata["tier"], hit.metadata["headings"]) == ("A", "Guide > Whales")
    assert not corpus.search("owls", filters={"tier": "A"})
    assert corpus.search("owls", filters={"id": "7", "title": "Q", "path": "faq.jsonl"})
    index = HierarchyIndex.of_corpus(corpus.keyword_index)
    assert sorted(index.parents.tolist()) == [-1, -1, 1, 1]
    assert corpus.search("swim", strategy="temporal")


def test_context_is_searched_and_not_shown(load, tmp_path):
    documents = load({"guide.md": GUIDE}, [SMALL], chunk_context="HEADINGS")
    corpus = build(documents, tmp_path)
    hits = corpus.search("guide")
    assert len(hits) == 3
    assert "Guide" not in hits[-1].content
    assert "chunk_context" not in hits[0].metadata


def test_changes_in_a_corpus(write, declared, tmp_path):
    write({"a.md": GUIDE, "b.md": "owls"})
    manifest = SourceManifest(tmp_path / "manifest")
    changes = manifest.changes(declared(), SMALL)
    corpus = build(changes.documents(), tmp_path)
    changes.commit()
    write({"a.md": GUIDE.replace("## Whales\n\nThey swim.", "")})
    changes = manifest.changes(declared(), SMALL)
    with corpus.writer() as writer:
        written = sum(writer.upsert(batch) for batch in document_batches(changes.documents()))
        deleted = writer.delete(changes.deletions)
    changes.commit()
    # The file declares its date, so that its other sections are what they were.
    assert (written, deleted) == (0, 1)
    corpus = corpus.refresh() or corpus
    assert [len(corpus.search(word)) for word in ("swim", "red", "owls")] == [0, 1, 1]


def test_batches_are_bounded(monkeypatch):
    monkeypatch.setattr(batches, "_BATCH_DOCUMENTS", 3)
    documents = [SourceDocument(str(number), "x", {f"k{number}": "v"}) for number in range(7)]
    found = list(document_batches(documents))
    assert [batch.num_rows for batch in found] == [3, 3, 1]
    assert found[2].schema.names[6:] == ["k6"]


def test_names_without_bound(tmp_path):
    metadata = {f"k{number}": "v" for number in range(4_097)}
    with pytest.raises(SourceLoadingError, match="at most 4,096 different names"):
        spool_documents([SourceDocument("a", "x", metadata)], tmp_path)


def test_another_hierarchy_id():
    with pytest.raises(InvalidArgumentError, match="expected its own id as hierarchy.id"):
        list(document_batches([SourceDocument("a", "x", {"hierarchy.id": "b"})]))


def test_no_documents(tmp_path):
    assert list(document_batches([])) == []
    spooled = spool_documents([], tmp_path)
    assert (spooled.paths, spooled.count) == ((), 0)


def test_summaries_have_the_column_that_navigators_read():
    (batch,) = document_batches([SourceDocument("a", "x", {"hierarchy.summary": "s"})])
    assert batch["summary"].to_pylist() == ["s"]
    assert pa.types.is_large_string(batch["octavo.title"].type)
