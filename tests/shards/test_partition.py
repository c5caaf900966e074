"""Cutting holds no file open, whatever the number of shards, and tells what the disk says."""

import errno
import os
import resource
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from octavo.columns.schema import ColumnRequest, choose_columns
from octavo.columns.sources import input_schema, resolve_inputs
from octavo.shards import appended_file
from octavo.shards.appended_file import AppendedFile
from octavo.shards.assignment import shard_of
from octavo.shards.partition import partition

COUNT = 2_000
DOCUMENTS = pa.table(
    {"id": [f"d{n}" for n in range(COUNT)], "text": [f"fox {n}" for n in range(COUNT)]}
)


def cut(scratch, shards, documents=DOCUMENTS):
    sources = resolve_inputs(documents)
    choice = choose_columns(input_schema(sources), ColumnRequest())
    return partition(sources, choice, shards, scratch, lambda _: None)


@pytest.fixture
def few_descriptors():
    """Ten more open files than there are."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(each.name) for each in Path("/dev/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 10, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("few_descriptors")
@pytest.mark.parametrize("documents", [DOCUMENTS, DOCUMENTS.slice(0, 3)])
def test_there_may_be_more_shards_than_descriptors(tmp_path, documents):
    parts = cut(tmp_path, 300, documents)
    owners = shard_of(documents["id"].cast(pa.large_string()).combine_chunks(), 300)
    for part in parts:
        expected = np.flatnonzero(owners == part.number)
        assert part.positions().tolist() == expected.tolist()
        texts = [
            text
            for source in part.sources()
            for batch in source.batches(["text"], 100)
            for text in batch["text"].to_pylist()
        ]
        assert texts == documents["text"].take(expected).to_pylist()


@pytest.mark.parametrize("held", [1, 7, 1_000])
def test_what_is_written_is_there_in_order(tmp_path, held):
    pieces = [b"", b"abc", bytes(range(9)), b"x" * 2_000, b"end"]
    with AppendedFile(tmp_path / "file", held) as file:
        assert file.writable()
        assert [file.write(memoryview(piece)) for piece in pieces] == [0, 3, 9, 2_000, 3]
    assert (tmp_path / "file").read_bytes() == b"".join(pieces)
    with pytest.raises(FileExistsError):
        AppendedFile(tmp_path / "file", held)


def test_a_full_disk_is_told_with_the_place(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(appended_file.AppendedFile, "flush", full)
    with pytest.raises(OSError, match="No space left") as error:
        cut(tmp_path, 3)
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(tmp_path))
