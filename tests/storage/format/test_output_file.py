import errno
import os
import stat
import threading

import pytest

from octavo.storage.format import durable
from octavo.storage.format.durable import replace_file
from octavo.storage.format.output_file import write_output_file


def no_space(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("write", [replace_file, write_output_file])
@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, write, step):
    path = tmp_path / "a.svg"
    path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(step, no_space)
        with pytest.raises(OSError, match="No space left") as failed:
            write(path, b"new")
    if write is write_output_file:
        assert failed.value.filename == str(path)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"a.svg": b"old"}
    write(path, b"new")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"a.svg": b"new"}


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(durable.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_output_file(tmp_path / "a", b"new")
    assert not list(tmp_path.iterdir())


def test_links_are_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "a.svg")
    for content in (b"one", b"two"):  # first to nothing
        write_output_file(tmp_path / "link", content)
        assert (tmp_path / "real" / "a.svg").read_bytes() == content
    assert (tmp_path / "link").is_symlink()


def test_what_is_no_file_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_output_file(pipe, b"content")
    reader.join()
    assert read == [b"content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", [".", "none/a.svg"])
def test_places_where_nothing_can_be_are_named(tmp_path, name):
    with pytest.raises(OSError, match="directory") as failed:
        write_output_file(tmp_path / name, b"content")
    assert failed.value.filename == str(tmp_path / name)
    assert not list(tmp_path.iterdir())
