"""Private directories: where they are, and that nothing stays behind."""

import signal
import subprocess
import sys
import textwrap

import pytest

from octavo.memory import private_files
from octavo.memory.private_files import place_for, private_directory


@pytest.fixture
def place(monkeypatch, tmp_path):
    """A directory that stands for the file system in memory."""
    monkeypatch.setattr(private_files, "_MEMORY", tmp_path / "memory")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "memory").mkdir()
    return tmp_path / "memory"


def run(place, code):
    start = f"""
        import os, pathlib, signal
        from octavo.memory import private_files
        private_files._MEMORY = pathlib.Path({str(place)!r})
    """
    code = textwrap.dedent(start) + textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def homes(place):
    return sorted(path.name for path in place.iterdir())


def test_directories_are_private_and_distinct(place):
    first, second = private_directory(10), private_directory(10)
    assert first != second
    assert first.parent == second.parent
    assert first.parent.parent == place
    assert first.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("memory", ["missing", "full", "too small"])
def test_without_room_in_memory_the_systems_place_serves(monkeypatch, place, memory):
    if memory == "missing":
        place.rmdir()
    if memory == "full":
        monkeypatch.setattr(private_files, "_SPARE_BYTES", 1 << 62)
    size = 1 << 62 if memory == "too small" else 1
    assert place_for(size) == place.parent
    assert private_directory(size).parent.parent == place.parent


def test_a_process_that_ends_leaves_nothing(place):
    ended = run(place, "print(private_files.private_directory(1).is_dir())")
    assert ended.stdout == "True\n", ended.stderr
    assert homes(place) == []


def test_what_a_killed_process_left_goes_with_the_next(place):
    killed = run(place, "private_files.private_directory(1); os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    (abandoned,) = homes(place)
    own = private_directory(1).parent
    assert homes(place) == [own.name] != [abandoned]


def test_what_another_process_uses_stays(place):
    own = private_directory(1)
    (place / "octavo-memory-unlocked").mkdir()  # about to be locked, for all that is known
    (place / "octavo-memory-file").touch()
    ended = run(place, "private_files.private_directory(1)")
    assert ended.returncode == 0, ended.stderr
    assert own.is_dir()
    assert homes(place) == sorted([own.parent.name, "octavo-memory-unlocked", "octavo-memory-file"])


def test_a_forked_process_has_its_own(place):
    ended = run(
        place,
        """
        first = private_files.private_directory(1)
        child = os.fork()
        if child == 0:
            second = private_files.private_directory(1)
            assert second.parent != first.parent
            raise SystemExit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert first.is_dir()
        assert list(first.parent.parent.iterdir()) == [first.parent]
        """,
    )
    assert ended.returncode == 0, ended.stderr
    assert homes(place) == []


def test_a_home_that_was_removed_is_made_again(place):
    first = private_directory(1)
    (first.parent / private_files._LOCK).unlink()
    first.rmdir()
    first.parent.rmdir()
    assert private_directory(1).is_dir()
