"""Writing structures: a full disk is an error that says so; a damaged file is named."""

import errno
from pathlib import Path

import faiss
import numpy as np
import pytest

from octavo.engines.choice import VectorIndexKind
from octavo.errors import CorpusCorruptError
from octavo.storage.format.structure_file import HeldFile, StructureFile
from octavo.storage.snapshot import structures

VECTORS = np.eye(32, dtype=np.float32)[np.arange(640) % 32]


def written(tmp_path, kind):
    return structures.write_structure(
        tmp_path, kind, VECTORS, None, threads=1, progress=lambda _: None
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_an_os_error_that_names_the_file():
    index = faiss.IndexFlatIP(32)
    index.add(np.zeros((10_000, 32), np.float32))
    with pytest.raises(OSError, match="/dev/full") as raised:
        structures._write(index, Path("/dev/full"))
    assert raised.value.errno == errno.ENOSPC


@pytest.mark.parametrize("kind", [VectorIndexKind.LISTS, VectorIndexKind.GRAPH])
def test_what_was_written_is_what_is_mapped(tmp_path, kind):
    files = written(tmp_path, kind)
    (name,) = (name for name in files if name.endswith(".faiss"))
    assert {path.name for path in tmp_path.iterdir()} == set(files)
    assert {entry.size for entry in files.values()} == {
        path.stat().st_size for path in tmp_path.iterdir()
    }
    lists = np.load(tmp_path / "list_of_row.npy") if len(files) == 2 else None
    held = StructureFile(tmp_path / name, HeldFile(tmp_path / name), lists)
    (tmp_path / name).unlink()  # what is open stays readable
    nominator = structures.load_nominator(held, VECTORS)
    assert nominator.kind is kind
    found = nominator.nominate(VECTORS[:4], nominator.largest_effort, 20)
    assert all((rows % 32 == query).all() for query, rows in enumerate(found.rows))


@pytest.mark.parametrize("kind", [VectorIndexKind.LISTS, VectorIndexKind.GRAPH])
def test_another_index_or_none_is_refused(tmp_path, kind):
    files = written(tmp_path, kind)
    name = next(name for name in files if name.endswith(".faiss"))
    lists = np.zeros(640, np.int32) if kind is VectorIndexKind.LISTS else None

    def load(vectors=VECTORS):
        path = tmp_path / name
        return structures.load_nominator(StructureFile(path, HeldFile(path), lists), vectors)

    with pytest.raises(CorpusCorruptError, match=name):
        load(VECTORS[:, :31])
    whole = (tmp_path / name).read_bytes()
    for content in (b"", b"IxFI", whole[:100], whole[: len(whole) // 2], b"x" * 1000):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(CorpusCorruptError, match=name):
            load()
    faiss.write_index(faiss.IndexFlatIP(32), str(tmp_path / name))
    with pytest.raises(CorpusCorruptError, match=name):
        load()
