"""The corpus of the demonstration as parquet."""

import pyarrow.parquet as pq
import pytest

from octavo.demo.corpus_file import SCHEMA, write_corpus
from octavo.demo.docstrings import DocstringKind, Library


@pytest.fixture
def library(tmp_path):
    package = tmp_path / "lib" / "box"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""Boxes."""\n', encoding="utf-8")
    (package / "lid.py").write_text('def shut():\n    """Shut the lid."""\n', encoding="utf-8")
    (package / "torn.py").write_text("(", encoding="utf-8")
    return Library(tmp_path / "lib")


def test_rows_and_summary(tmp_path, library):
    path = tmp_path / "documents.parquet"
    written = write_corpus(path, library)
    table = pq.read_table(path)
    assert table.schema.equals(SCHEMA)
    assert table.to_pylist() == [
        {
            "id": "box",
            "title": "box",
            "text": "Boxes.",
            "kind": "package",
            "module": "box",
            "parent": None,
        },
        {
            "id": "box.lid.shut",
            "title": "box.lid.shut",
            "text": "Shut the lid.",
            "kind": "function",
            "module": "box.lid",
            "parent": "box",
        },
    ]
    assert len(written) == 2
    assert written.documents == {DocstringKind.PACKAGE: 1, DocstringKind.FUNCTION: 1}
    assert [source.name for source in written.skipped] == ["torn.py"]
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["documents.parquet"]


def test_same_library_same_bytes(tmp_path, library):
    write_corpus(tmp_path / "one.parquet", library)
    write_corpus(tmp_path / "two.parquet", library)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_a_failed_write_leaves_the_old_file(tmp_path, library, monkeypatch):
    path = tmp_path / "documents.parquet"
    path.write_bytes(b"old")

    def disk_full(_table, where):
        where.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", disk_full)
    with pytest.raises(OSError, match="No space left"):
        write_corpus(path, library)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["documents.parquet"]
