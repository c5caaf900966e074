"""Faults of the disk and of people: a typed error, the old state intact, and the next writer works."""

import errno
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest

from octavo import Corpus, CorpusCorruptError, CorpusFormatError, CorpusLockedError
from octavo.storage.format.layout import MANIFEST
from octavo.storage.format.manifest import read_manifest
from tests.storage.kill_harness import WRITES, build, check_state, prepared, remains, script

ROOT = Path(__file__).parents[2]
BASE = {f"d{number:03d}": 0 for number in range(40)}


def quiet(_stage, _rows):
    """A listener that does nothing."""


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    path = tmp_path_factory.mktemp("faults") / "base"
    build(path, BASE, quiet)
    return path


def arranged(base, path, name):
    """Copy the index, do what gives a write something to do; return the state and the write."""
    shutil.copytree(base, path)
    *before, write = script(random.Random(4), BASE, prepared(name))
    for each in before:
        each.run(path, quiet)
    return (before[-1].after if before else BASE), write


class Fault:
    """Has the n-th call of a function fail, and perhaps all later ones too."""

    def __init__(self, function, nth, *, lasting):
        self.function, self.left, self.lasting, self.raised = function, nth, lasting, False

    def __call__(self, *args, **options):
        self.left -= 1
        if self.left == 0 or (self.left < 0 and self.lasting):
            self.raised = True
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.function(*args, **options)


def fail_everywhere(base, home, monkeypatch, name, function, *, lasting, step=1):
    """Have every n-th call fail until the write succeeds."""
    for nth in range(1, 1000, step):
        path = home / f"{name}-{function}-{nth}"
        before, write = arranged(base, path, name)
        raised = None
        with monkeypatch.context() as patch:
            fault = Fault(getattr(os, function), nth, lasting=lasting)
            patch.setattr(os, function, fault)
            try:
                write.run(path, quiet)
            except OSError as error:
                raised = error
        where = f"{name}, {function} {nth}"
        if raised is not None:
            assert str(path) in str(raised), where
            present = read_manifest(path)
            if lasting and check_state(path, write.after) is None:
                assert not remains(path) or present  # it could not be taken back either
            else:
                assert check_state(path, before) is None, where
        else:
            assert check_state(path, write.after) is None, where
        assert Corpus.open(path).verify().whole, where
        if raised is not None and not lasting:
            assert not remains(path), where
        again = WRITES["overwrite"](random.Random(nth), before, 5)
        if nth % 5 == 1:
            again.run(path, quiet)
            assert check_state(path, again.after) is None, where
            assert not remains(path), where
        shutil.rmtree(path)
        if not fault.raised:
            return
    pytest.fail("it never succeeded")


@pytest.mark.parametrize("name", WRITES)
def test_a_failed_replacement_leaves_the_old_state(base, tmp_path, monkeypatch, name):
    fail_everywhere(base, tmp_path, monkeypatch, name, "replace", lasting=False)


@pytest.mark.parametrize("name", WRITES)
def test_a_failed_flush_leaves_the_old_state(base, tmp_path, monkeypatch, name):
    fail_everywhere(base, tmp_path, monkeypatch, name, "fsync", lasting=False, step=13)


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("function", ["fsync", "replace", "unlink", "mkdir", "rmdir"])
def test_whichever_call_fails_the_old_state_is_left(
    base, tmp_path, monkeypatch, name, function, lasting
):
    # Every flush has its place in test_flush_order.py.
    step = 3 if function in {"fsync", "unlink"} else 1
    fail_everywhere(base, tmp_path, monkeypatch, name, function, lasting=lasting, step=step)


def run(script, *arguments, before=()):
    finished = subprocess.run(
        [*before, sys.executable, "-c", script, *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    return [json.loads(line) for line in finished.stdout.splitlines()]


FULL = """
import gc, json, random, shutil, subprocess, sys
from pathlib import Path
from tests.storage.kill_harness import WRITES, build, check_state, prepared, remains, script
from octavo import Corpus
place = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", place], check=True)
quiet = lambda *_: None
base = {f"d{number:03d}": 0 for number in range(40)}
for name in WRITES:
    path = place / name
    build(path, base, quiet)
    *before, write = script(random.Random(4), base, prepared(name))
    for each in before:
        each.run(path, quiet)
    old = before[-1].after if before else base
    tries = failed = 0
    room, wrong = 0, []
    while True:
        gc.collect()  # a state that was opened holds the room of its files
        free = shutil.disk_usage(place).free
        (place / "filler").write_bytes(bytes(max(0, free - room)))
        tries += 1
        try:
            write.run(path, quiet)
            break
        except OSError as error:
            failed += 1
            if not error.filename:
                wrong.append([room, "no name", repr(error)])
        finally:
            (place / "filler").unlink()
        difference = check_state(path, old)
        if difference or not Corpus.open(path).verify().whole:
            wrong.append([room, difference])
        room += 8192 + room // 8
    difference = check_state(path, write.after)
    if difference or remains(path) or not Corpus.open(path).verify().whole:
        wrong.append([room, "committed", difference, sorted(remains(path))])
    print(json.dumps({"name": name, "failed": failed, "room": room, "wrong": wrong}), flush=True)
    shutil.rmtree(path)
"""


def can_mount():
    tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
    return tried.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("unshare") is None or os.getuid() != 0 or not can_mount(),
    reason="only root can make a small disk",
)
def test_a_full_disk_of_any_size_leaves_the_old_state(tmp_path):
    """The disk is a few megabytes, seen by this process alone."""
    for report in run(FULL, tmp_path, before=["unshare", "-m"]):
        assert not report["wrong"], report
        assert report["failed"] > 1, report


FORBIDDEN = """
import json, os, random, shutil, sys
from pathlib import Path
from tests.storage.kill_harness import WRITES, build, check_state, prepared, remains, script
from octavo import Corpus
place = Path(sys.argv[1])
quiet = lambda *_: None
base = {f"d{number:03d}": 0 for number in range(40)}
build(place / "base", base, quiet)
check_state(place / "base", base)
for path in [place, *place.rglob("*")]:
    os.chown(path, 65534, 65534)
os.setgid(65534)
os.setuid(65534)
for name in WRITES:
    wrong, failed = [], 0
    for nth in range(1, 100, int(sys.argv[2])):
        path = place / f"{name}{nth}"
        shutil.copytree(place / "base", path)
        *before, write = script(random.Random(4), base, prepared(name))
        for each in before:
            each.run(path, quiet)
        old = before[-1].after if before else base
        told = 0
        def listen(*_):
            global told
            told += 1
            if told == nth:
                for each in [path, *path.rglob("*")]:
                    if each.is_dir():
                        each.chmod(0o555)
        raised = None
        try:
            write.run(path, listen)
        except OSError as error:
            failed += 1
            raised = error
        expected = write.after if raised is None else old
        difference = check_state(path, expected)
        for each in [path, *path.rglob("*")]:
            if each.is_dir():
                each.chmod(0o755)
        again = WRITES["overwrite"](random.Random(5), expected, 6)
        again.run(path, quiet)
        after = check_state(path, again.after)
        if difference or after or remains(path) or (raised and not raised.filename):
            wrong.append([nth, repr(raised), difference, after, sorted(remains(path))])
        shutil.rmtree(path)
        if told < nth:
            break
    print(json.dumps({"name": name, "failed": failed, "wrong": wrong}), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("step", [1])
def test_permission_lost_at_any_stage_leaves_the_old_state(step):
    with tempfile.TemporaryDirectory() as directory:
        for report in run(FORBIDDEN, directory, step):
            assert not report["wrong"], report
            assert report["failed"] > 0, report


def test_a_directory_moved_away_leaves_its_readers_what_they_opened(base, tmp_path):
    path = tmp_path / "index"
    shutil.copytree(base, path)
    corpus = Corpus.open(path)
    path.rename(tmp_path / "moved")
    assert len(corpus.search("every document", strategy="keyword", max_results=99)) == len(BASE)
    vectors = [hit.score for hit in corpus.search("", query_vector=[1.0] * 64, strategy="vector")]
    assert len(vectors) == 10
    with pytest.raises(CorpusFormatError, match="no such directory"):
        corpus.refresh()
    assert len(corpus.search("every document", strategy="keyword", max_results=99)) == len(BASE)
    with pytest.raises((OSError, CorpusFormatError), match="index"), corpus.writer() as writer:
        writer.delete(["d000"])
    (tmp_path / "moved").rename(path)
    with corpus.writer() as writer:
        writer.delete(["d000"])
    assert len(corpus) == len(BASE) - 1


def test_a_writer_does_not_touch_an_index_that_took_the_place_of_its_own(base, tmp_path):
    path, other = tmp_path / "index", {f"d{number:03d}": 3 for number in range(70, 99)}
    shutil.copytree(base, path)
    corpus = Corpus.open(path)

    def write():
        with corpus.writer() as writer:
            writer.delete(["d000"])
            path.rename(tmp_path / "moved")
            build(path, other, quiet)

    with pytest.raises(OSError, match="while it was written to"):
        write()
    assert check_state(path, other) is None
    assert Corpus.open(path).verify().whole
    assert check_state(tmp_path / "moved", BASE) is None


def test_a_writer_whose_lock_was_removed_touches_nothing(base, tmp_path):
    path = tmp_path / "index"
    shutil.copytree(base, path)
    corpus, second = Corpus.open(path), Corpus.open(path)

    def write():
        with corpus.writer() as writer:
            writer.delete(["d000"])
            (path / "writer.lock").unlink()
            with second.writer() as another:
                another.delete(["d001"])

    with pytest.raises(OSError, match="while it was written to"):
        write()
    assert check_state(path, {name: 0 for name in BASE if name != "d001"}) is None
    assert Corpus.open(path).verify().whole


def test_files_deleted_under_a_reader_are_still_its_own(base, tmp_path):
    path = tmp_path / "index"
    shutil.copytree(base, path)
    corpus = Corpus.open(path)
    shutil.rmtree(path / "segments")
    assert check_open(corpus) is None
    assert corpus.refresh() is corpus  # nothing was committed, so there is nothing to open
    with pytest.raises(CorpusCorruptError, match="missing"):
        Corpus.open(path)
    assert not corpus.verify().whole
    (path / MANIFEST).unlink()
    (path / "manifest.copy.json").unlink()
    with pytest.raises(CorpusFormatError, match="without manifest"):
        corpus.refresh()
    assert check_open(corpus) is None


def check_open(corpus):
    found = {
        strategy: len(
            corpus.search(
                "every document", strategy=strategy, max_results=99, min_score=-1.0, **options
            )
        )
        for strategy, options in (
            ("keyword", {}),
            ("vector", {"query_vector": [1.0] * 64}),
        )
    }
    return None if set(found.values()) == {len(BASE)} else found


RACE = """
import json, sys
from pathlib import Path
from octavo import Corpus, CorpusLockedError
from tests.storage.kill_harness import table
path, mine, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
done = refused = 0
sys.stdin.readline()
while done < rounds:
    ids = {f"d{1000 + mine * 100 + done:04d}": mine, f"d{5000 + mine * 100 + done:04d}": mine}
    try:
        with Corpus.open(path).writer(threads=1) as writer:
            writer.add(table(ids))
        done += 1
    except CorpusLockedError as error:
        refused += 1
        assert "another writer holds the lock" in str(error)
print(json.dumps({"done": done, "refused": refused}))
"""


def test_two_writers_racing_take_turns_and_lose_nothing(base, tmp_path):
    path, rounds = tmp_path / "index", 3
    shutil.copytree(base, path)
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(path), str(mine), str(rounds)], cwd=ROOT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for mine in (1, 2)
    ]  # fmt: skip
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    for racer in racers:
        said, errors = racer.communicate(timeout=120)
        assert racer.returncode == 0, errors
        assert json.loads(said)["done"] == rounds
    added = {
        f"d{first + mine * 100 + done:04d}": mine
        for mine in (1, 2)
        for done in range(rounds)
        for first in (1000, 5000)
    }
    corpus = Corpus.open(path)
    found = {
        hit.metadata["entryId"]: hit.content
        for hit in corpus.search("every document", strategy="keyword", max_results=999)
    }
    assert found.keys() == {*BASE, *added}
    assert corpus.verify().whole
    assert not remains(path)


def test_a_writer_in_the_same_process_is_refused_too(base, tmp_path):
    path = tmp_path / "index"
    shutil.copytree(base, path)
    corpus = Corpus.open(path)
    with corpus.writer() as writer:
        writer.delete(["d001"])
        with (
            pytest.raises(CorpusLockedError, match=f"pid {os.getpid()}"),
            Corpus.open(path).writer(),
        ):
            pass
    assert len(Corpus.open(path)) == len(BASE) - 1


def test_too_many_open_files_are_no_damage(tmp_path):
    # A limit of the process must not send anybody to `octavo repair`.
    table = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    Corpus.build(table, tmp_path / "index", embedding="hash")
    script = (
        "import os, resource, sys, octavo\n"
        "from pathlib import Path\n"
        "octavo.Corpus.open(sys.argv[1])  # every module is imported\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "used = os.dup(0); os.close(used)\n"
        "for limit in range(used + 1, used + 40):\n"
        "    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))\n"
        "    try:\n        octavo.Corpus.open(sys.argv[1])\n"
        "    except octavo.CorpusCorruptError as error:\n        sys.exit(f'{limit}: {error}')\n"
        "    except (OSError, octavo.OctavoError):\n        pass\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "index")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
