"""Flushing and listing the files of a segment."""

import zlib

import pytest

from octavo.storage.format import files
from octavo.storage.format.files import sync_and_list


def test_every_file_is_flushed_before_its_directory_and_listed(tmp_path, monkeypatch):
    contents = {"a": b"1", "sub/b": b"", "sub/deeper/c": bytes(range(256)) * 9000}
    for name, content in contents.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    flushed = []
    monkeypatch.setattr(files, "sync_file", flushed.append)
    monkeypatch.setattr(files, "sync_directory", flushed.append)
    entries = sync_and_list(tmp_path)
    assert {name: (entry.size, entry.crc32) for name, entry in entries.items()} == {
        name: (len(content), f"{zlib.crc32(content):08x}") for name, content in contents.items()
    }
    assert list(entries) == sorted(contents)
    named = [path.relative_to(tmp_path).as_posix() for path in flushed]
    assert sorted(named[:3]) == sorted(contents)
    assert sorted(named[3:]) == [".", "sub", "sub/deeper"]


def test_a_failed_flush_is_an_error(tmp_path, monkeypatch):
    def fail(path):
        raise OSError(28, "No space left on device", str(path))

    for number in range(20):
        (tmp_path / str(number)).write_bytes(b"x")
    monkeypatch.setattr(files, "sync_file", fail)
    with pytest.raises(OSError, match="No space left"):
        sync_and_list(tmp_path)


def test_an_empty_directory_has_no_files(tmp_path):
    assert sync_and_list(tmp_path) == {}
