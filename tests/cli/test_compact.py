"""``octavo compact``."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.corpus.corpus import Corpus


@pytest.fixture
def updated(octavo, index, tmp_path):
    """An index of two segments and one deleted row."""
    mine = shutil.copytree(index, tmp_path / "index")
    pq.write_table(pa.table({"id": ["f"], "text": ["A grey wolf."]}), tmp_path / "f.parquet")
    assert octavo("add", mine, tmp_path / "f.parquet").exit_code == 0
    assert octavo("delete", mine, "--id", "b").exit_code == 0
    return mine


def test_it_leaves_one_segment_without_deleted_rows(octavo, updated):
    before = Corpus.open(updated).info()
    done = octavo("compact", updated)
    assert done.exit_code == 0, done.stderr
    assert f"segments   {before.segments} -> 1" in done.stdout.splitlines()
    assert "documents  5" in done.stdout.splitlines()
    after = Corpus.open(updated)
    assert (after.info().segments, after.keyword_index.rows, len(after)) == (1, 5, 5)
    assert [hit.metadata["entryId"] for hit in after.search("wolf", strategy="keyword")] == ["f"]
    assert octavo("verify", updated).exit_code == 0


def test_json(octavo, updated):
    said = json.loads(octavo("compact", updated, "--json", "--threads", 1).stdout)
    assert (said["documents"], said["segments"]) == (5, 1)
    assert said["size"] == Corpus.open(updated).info().size


def test_no_index_is_a_failure(octavo, tmp_path):
    failed = octavo("compact", tmp_path)
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert failed.stderr.startswith("octavo: ")
