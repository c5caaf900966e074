"""Compaction: one commit, or nothing."""

import errno
import os

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, CorpusLockedError
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format.manifest import read_manifest
from tests.storage.segmented import files_of, segmented
from tests.storage.writer.test_merge import OPTIONS, WORDS, searches, table

PARTS = [
    pa.table({"id": ["a", "b", "c"], "text": ["red fox", "blue whale", "red whale"]}),
    pa.table({"id": ["d"], "text": ["the red fox returns"]}),
]


@pytest.fixture
def corpus(tmp_path):
    return segmented(tmp_path / "index", PARTS, [(1,)])


def ids(corpus):
    return corpus.search_batch(["red"], strategy="keyword")["id"].to_pylist()


def segments(corpus):
    return sorted(path.name for path in (corpus.path / "segments").iterdir())


def test_one_segment_is_left_and_readers_keep_what_they_opened(corpus):
    reader = Corpus.open(corpus.path)
    stages = []
    assert corpus.compact(progress=lambda stage, rows: stages.append((stage, rows))) is corpus
    assert segments(corpus) == ["00000003"]
    assert sorted(ids(corpus)) == sorted(ids(reader)) == ["a", "c", "d"]
    assert len(corpus) == len(reader) == 3
    assert corpus.info().generation == reader.info().generation + 1
    assert (corpus.info().segments, reader.info().segments) == (1, 2)
    assert ("reading", 3) in stages
    assert Corpus.open(corpus.path).verify().whole


def updated(index, **options):
    """An index after several commits, and the documents that it should hold, in order."""
    first, again = table(0, 40), table(7, 1, seed=6)
    corpus = Corpus.build(first, index, **options)
    with corpus.writer() as writer:
        writer.delete(["d3", "d39", "d91"])
        writer.add(table(40, 5))
    with corpus.writer() as writer:
        # the first two are what they were
        assert writer.upsert(pa.concat_tables([first.slice(0, 2), table(50, 2), again])) == 3
    kept = first.take([row for row in range(40) if row not in (3, 7, 39)])
    return corpus, pa.concat_tables([kept, table(40, 5), table(50, 2), again])


@pytest.mark.parametrize("embedding", ["hash:64", "column:vector"])
def test_after_any_updates_the_index_is_the_one_built_from_scratch(tmp_path, embedding):
    options = {**OPTIONS, "embedding": embedding, "threads": 1}
    corpus, documents = updated(tmp_path / "index", **options)
    assert corpus.verify().whole
    corpus.compact()
    assert corpus.verify().whole
    scratch = Corpus.build(documents, tmp_path / "scratch", **options)
    assert files_of(corpus.path) == files_of(scratch.path)
    vectors = np.random.default_rng(2).standard_normal((4, corpus.dimensions))
    for one, other in zip(searches(corpus, vectors), searches(scratch, vectors), strict=True):
        assert one.equals(other)


def test_mere_parents_stay_what_they_are_until_they_are_documents(tmp_path):
    options = {**OPTIONS, "embedding": "hash:64", "threads": 1, "parents": table(90, 3)}
    corpus, documents = updated(tmp_path / "index", **options)
    assert corpus.verify().whole
    with corpus.writer() as writer:
        assert writer.upsert(table(90, 1)) == 1
    assert corpus.verify().whole
    corpus.compact()
    assert corpus.verify().whole
    (segment,) = corpus._snapshot.segments
    assert segment.columns.texts("id", np.flatnonzero(segment.only_parents)) == ["d92"]
    found = corpus.search_batch(WORDS, strategy="hybrid", max_results=99, min_score=-1.0)["id"]
    assert set(found.to_pylist()) <= {*documents["id"].to_pylist(), "d90"}
    assert "d90" in found.to_pylist()


def test_what_is_compact_is_left_alone(corpus):
    compacted = corpus.compact()
    before = compacted.info().generation
    files = {path: path.stat().st_mtime_ns for path in corpus.path.rglob("*")}
    again = compacted.compact()
    assert {path: path.stat().st_mtime_ns for path in corpus.path.rglob("*")} == files
    assert again.info().generation == before


def test_one_segment_with_dead_rows_is_not_compact(tmp_path):
    compacted = segmented(tmp_path / "index", PARTS[:1], [(0,)]).compact()
    assert ids(compacted) == ["c"]
    assert segments(compacted) == ["00000002"]


def test_a_locked_index_is_not_touched(corpus):
    with writer_lock(corpus.path), pytest.raises(CorpusLockedError):
        corpus.compact()
    assert segments(corpus) == ["00000001", "00000002"]


PLACES = (
    "build.columns_stage.AnalyzedWriter", "build.segment_build.write_postings", "format.files.sync_file",
    "build.segment_build.write_block_max_postings", "commit.commit.write_temporary", "writer.compact.merge_segments",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_full_disk_leaves_the_old_state(corpus, monkeypatch, place):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = read_manifest(corpus.path)
    monkeypatch.setattr(f"octavo.storage.{place}", full)
    with pytest.raises(OSError, match="No space"):
        corpus.compact()
    monkeypatch.undo()
    assert read_manifest(corpus.path) == before
    assert segments(corpus) == ["00000001", "00000002"]
    assert sorted(ids(corpus.compact())) == ["a", "c", "d"]


def test_remains_of_a_killed_compaction_are_no_obstacle(corpus):
    remains = corpus.path / "segments" / "00000003"
    remains.mkdir()
    (remains / "documents.arrow").write_bytes(b"half")
    assert corpus.verify().whole
    assert corpus.verify().remains == (remains,)
    compacted = corpus.compact()
    assert segments(compacted) == ["00000003"]
    assert compacted.verify().whole
    assert compacted.verify().remains == ()
