"""Compaction: one commit, or nothing."""

import errno
import os

import pyarrow as pa
import pytest
from tests.storage.segmented import segmented

from octavo import Corpus, CorpusLockedError
from octavo.storage.lock import writer_lock
from octavo.storage.manifest import read_manifest

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
    stages = []
    compacted = corpus.compact(progress=lambda stage, rows: stages.append((stage, rows)))
    assert segments(compacted) == ["00000003"]
    assert sorted(ids(compacted)) == sorted(ids(corpus)) == ["a", "c", "d"]
    assert len(compacted) == len(corpus) == 3
    assert compacted.info().generation == corpus.info().generation + 1
    assert ("reading", 3) in stages
    assert Corpus.open(corpus.path).verify().whole


def test_what_is_compact_is_left_alone(corpus):
    compacted = corpus.compact()
    files = {path: path.stat().st_mtime_ns for path in corpus.path.rglob("*")}
    again = compacted.compact()
    assert {path: path.stat().st_mtime_ns for path in corpus.path.rglob("*")} == files
    assert again.info().generation == compacted.info().generation


def test_one_segment_with_dead_rows_is_not_compact(tmp_path):
    compacted = segmented(tmp_path / "index", PARTS[:1], [(0,)]).compact()
    assert ids(compacted) == ["c"]
    assert segments(compacted) == ["00000002"]


def test_a_locked_index_is_not_touched(corpus):
    with writer_lock(corpus.path), pytest.raises(CorpusLockedError):
        corpus.compact()
    assert segments(corpus) == ["00000001", "00000002"]


PLACES = (
    "columns_stage.AnalyzedWriter", "segment_build.write_postings", "files.sync_file",
    "segment_build.write_block_max_postings", "commit.write_temporary", "compact.merge_segments",
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
