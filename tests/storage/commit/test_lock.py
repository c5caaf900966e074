"""One writer at a time; a dead writer blocks nobody."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from octavo.errors import CorpusLockedError
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format.layout import LOCK, LOCK_HOLDER

HOLD = """
import os, sys, time
from pathlib import Path
from octavo.storage.commit.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    child = 1
    if sys.argv[2] == "forking":
        readable, writable = os.pipe()
        child = os.fork()
        # Only a child that has run since has closed its copy of the lock.
        os.read(readable, 1) if child else os.write(writable, b"1")
    if child:
        print("held", child, flush=True)
    time.sleep(60)
"""


class Holder:
    """Another process that holds the lock."""

    def __init__(self, index, kind="alone"):
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(index), kind], stdout=subprocess.PIPE, text=True
        )
        self.child = int(self.process.stdout.readline().split()[1])

    @property
    def pid(self):
        return self.process.pid

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def holder(tmp_path):
    holder = Holder(tmp_path)
    yield holder
    holder.kill()


def refusal(index):
    with pytest.raises(CorpusLockedError) as caught, writer_lock(index):
        pass
    return str(caught.value)


def test_a_second_writer_is_told_who_holds_the_lock(tmp_path, holder):
    for _ in range(2):  # being refused must not spoil the record
        assert re.search(rf"{tmp_path}: .*\(pid {holder.pid}, for \d+ s\)", refusal(tmp_path))
    holder.kill()
    started = time.monotonic()
    with writer_lock(tmp_path):
        assert time.monotonic() - started < 10


def test_a_killed_writer_blocks_nobody_though_its_children_live(tmp_path):
    holder = Holder(tmp_path, "forking")
    try:
        refusal(tmp_path)
        holder.kill()
        os.kill(holder.child, 0)  # lives
        with writer_lock(tmp_path):
            pass
    finally:
        os.kill(holder.child, signal.SIGKILL)


LEAVE = """
import os, sys
from pathlib import Path
from octavo.errors import CorpusLockedError
from octavo.storage.commit.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        try:
            with writer_lock(Path(sys.argv[1])):
                print("free")
        except CorpusLockedError:
            print("held")
"""


def test_the_lock_is_still_held_after_a_forked_child_has_left_the_block(tmp_path):
    assert output(LEAVE, tmp_path) == "held\n"
    with writer_lock(tmp_path):
        pass


def output(script, *arguments):
    run = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_it_is_free_again_after_use_and_after_an_error(tmp_path):
    with pytest.raises(RuntimeError), writer_lock(tmp_path):
        raise RuntimeError
    with writer_lock(tmp_path):
        assert str(os.getpid()) in (tmp_path / LOCK_HOLDER).read_text()


def test_threads_of_one_process_exclude_each_other(tmp_path):
    at_work, most, refused, rounds = 0, 0, [], 200
    count = threading.Lock()

    def work():
        nonlocal at_work, most
        done = 0
        while done < rounds:
            try:
                with writer_lock(tmp_path):
                    with count:
                        at_work += 1
                        most = max(most, at_work)
                    time.sleep(0)
                    with count:
                        at_work -= 1
                    done += 1
            except CorpusLockedError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    with writer_lock(tmp_path):
        assert f"pid {os.getpid()}" in refusal(tmp_path)
        assert not refused or f"pid {os.getpid()}" in "".join(refused)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", ""),
        (b'{"pid": 12, "si', ""),
        (b"\xff\xfe", ""),
        (b"[]", ""),
        (b'{"pid": "x", "since": 1}', ""),
        (b'{"pid": 1e999, "since": 1}', ""),
        (b'{"pid": 7, "since": 99999999999}', " (pid 7, for 0 s)"),  # the clock was set back
    ],
)
def test_a_record_that_is_torn_or_from_the_future_is_no_failure(tmp_path, holder, content, told):
    (tmp_path / LOCK_HOLDER).write_bytes(content)
    assert refusal(tmp_path) == f"{tmp_path}: another writer holds the lock{told}"


def test_a_record_that_cannot_be_written_is_no_failure(tmp_path):
    (tmp_path / LOCK_HOLDER).mkdir()
    with writer_lock(tmp_path):
        refusal(tmp_path)


def test_links_are_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    index = tmp_path / "index"
    index.mkdir()
    (index / LOCK_HOLDER).symlink_to(precious)
    with writer_lock(index):
        pass
    (index / LOCK).unlink()
    (index / LOCK).symlink_to(precious)
    with pytest.raises(OSError, match=LOCK) as caught, writer_lock(index):
        pass
    assert caught.value.errno == errno.ELOOP
    assert precious.read_text() == "mine"


def test_a_directory_that_is_gone_is_an_error_that_names_it(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, writer_lock(tmp_path / "none"):
        pass
    assert caught.value.filename == str(tmp_path / "none" / LOCK)


def test_whoever_locked_a_file_that_was_removed_meanwhile_locks_the_new_one(tmp_path, monkeypatch):
    """Between opening and locking a failed build may remove its directory, lock and all."""
    from octavo.storage.commit import lock as locks

    lock, turns = locks.fcntl.flock, iter(["remove"])

    def remove_then_lock(descriptor, operation):
        if next(turns, None):
            (tmp_path / LOCK).unlink()
        lock(descriptor, operation)

    monkeypatch.setattr(locks.fcntl, "flock", remove_then_lock)
    with writer_lock(tmp_path):
        monkeypatch.undo()
        refusal(tmp_path)


def test_a_lock_that_the_file_system_refuses_is_an_error_that_names_it(tmp_path, monkeypatch):
    from octavo.storage.commit import lock as locks

    def refuse(_descriptor, operation):
        if operation & locks.fcntl.LOCK_EX:
            raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    with pytest.raises(OSError, match="No locks") as caught, writer_lock(tmp_path):
        pass
    assert caught.value.filename == str(tmp_path / LOCK)


FORBIDDEN = """
import os, sys
from pathlib import Path
from octavo.storage.commit.lock import writer_lock
os.setuid(65534)
try:
    with writer_lock(Path(sys.argv[1])):
        print("held")
except PermissionError as error:
    print(error.filename)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_without_permission_it_is_an_error_that_names_the_file():
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o555)
        assert output(FORBIDDEN, directory) == f"{directory}/{LOCK}\n"


def test_descriptors_do_not_pile_up(tmp_path):
    def descriptors():
        return len([*Path("/proc/self/fd").iterdir()])

    with writer_lock(tmp_path):
        refusal(tmp_path)
        before = descriptors()
        for _ in range(20):
            refusal(tmp_path)
        assert descriptors() <= before  # what earlier tests left may have been collected
    for _ in range(20):
        with writer_lock(tmp_path):
            pass
    assert descriptors() <= before
    json.loads((tmp_path / LOCK_HOLDER).read_bytes())
