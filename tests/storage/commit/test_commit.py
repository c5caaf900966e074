"""The commit: what is there when it fails or ends at any step, and what it removes."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from octavo.storage.commit.commit import CommitStep, commit, remove_remains
from octavo.storage.format import layout
from octavo.storage.format.entries import ColumnsEntry, FileEntry, Manifest, SegmentEntry
from octavo.storage.format.layout import MANIFEST, MANIFEST_COPY
from octavo.storage.format.manifest import read_manifest
from octavo.storage.format.manifest_json import encode_manifest


def manifest(generation, segments):
    """A manifest of segments, given as a mapping from name to the names of their files."""
    return Manifest(
        generation=generation,
        created_by="octavo test",
        analyzer={"language": None},
        analyzer_fingerprint="abc",
        embedding=None,
        columns=ColumnsEntry("id", "text", None, None, None, None, ()),
        segments=tuple(
            SegmentEntry(name, 1, 0, 0, (), {file: FileEntry(1, "0") for file in files})
            for name, files in segments.items()
        ),
    )


OLD = manifest(1, {"00000001": ["documents.arrow", "live/00000001.npy"]})
NEW = manifest(2, {"00000001": ["documents.arrow"], "00000002": ["documents.arrow"]})


def write(index, value):
    for segment in value.segments:
        for name in segment.files:
            path = layout.segment_directory(index, segment.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")


def files(index):
    return {p.relative_to(index).as_posix() for p in index.rglob("*") if not p.is_dir()}


def of(value):
    return {
        MANIFEST,
        MANIFEST_COPY,
        *(f"segments/{s.name}/{name}" for s in value.segments for name in s.files),
    }


@pytest.fixture
def index(tmp_path):
    """The old state, committed, and the files of the new one."""
    write(tmp_path, OLD)
    commit(tmp_path, OLD)
    write(tmp_path, NEW)
    return tmp_path


def test_the_new_state_is_there_twice_and_the_old_files_are_gone(index):
    commit(index, NEW)
    assert files(index) == of(NEW)
    for name in (MANIFEST, MANIFEST_COPY):
        assert (index / name).read_bytes() == encode_manifest(NEW)
    assert not (index / "segments/00000001/live").exists()


def test_all_steps_are_told_in_order(index):
    told = []
    commit(index, NEW, lambda step, rows: told.append((step, rows)))
    assert told == [(step, NEW.rows) for step in CommitStep]


@pytest.mark.parametrize("step", list(CommitStep))
def test_a_listener_that_fails_is_a_failed_commit_only_while_the_old_state_is_there(
    index, step, caplog
):
    def fail(told, _rows):
        if told is step:
            raise ValueError(told)

    done = list(CommitStep).index(step) >= list(CommitStep).index(CommitStep.COPY)
    if done:
        commit(index, NEW, fail)
        assert "committed" in caplog.text
    else:
        with pytest.raises(ValueError, match=step):
            commit(index, NEW, fail)
        assert files(index) >= of(OLD) - {MANIFEST_COPY}
    present = NEW if done else OLD
    assert read_manifest(index) == present
    remove_remains(index, read_manifest(index))
    assert files(index) == of(present)


class Faults:
    """Lets the n-th operation on the file system fail, and perhaps all that follow."""

    def __init__(self, monkeypatch, nth, *, lasting):
        self.left, self.lasting, self.raised = nth, lasting, 0
        for module, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink"), (Path, "rmdir")):
            monkeypatch.setattr(module, name, self._failing(getattr(module, name)))
        monkeypatch.setattr(Path, "open", self._failing(Path.open))

    def _failing(self, operation):
        def attempt(*args, **options):
            self.left -= 1
            if self.left == 0 or (self.left < 0 and self.lasting):
                self.raised += 1
                raise OSError(errno.EIO, "Input/output error")
            return operation(*args, **options)

        return attempt


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_whatever_operation_fails_the_state_is_the_old_one_or_committed(
    tmp_path, monkeypatch, lasting, first
):
    for nth in range(1, 1000):
        index = tmp_path / str(nth)
        if not first:
            write(index, OLD)
            commit(index, OLD)
        write(index, NEW)
        with monkeypatch.context() as patch:
            faults = Faults(patch, nth, lasting=lasting)
            try:
                commit(index, NEW)
                committed = True
            except OSError:
                committed = False
        if committed:
            assert read_manifest(index) == NEW
        elif not (lasting and layout.is_index(index) and read_manifest(index) == NEW):
            assert layout.is_index(index) is not first
            if not first:
                assert read_manifest(index) == OLD
                assert files(index) >= of(OLD) - {MANIFEST_COPY}
        present = read_manifest(index) if layout.is_index(index) else None
        remove_remains(index, present)
        assert files(index) == (set() if present is None else of(present))
        if not faults.raised:
            assert nth > 10
            return
    pytest.fail("it never succeeded")


def test_remains_of_a_killed_commit_are_finished_first(index):
    """The manifest was replaced and perhaps not flushed; the copy is the state before."""
    (index / MANIFEST).write_bytes(encode_manifest(NEW))
    remove_remains(index, NEW)
    assert files(index) == of(NEW)
    assert (index / MANIFEST_COPY).read_bytes() == encode_manifest(NEW)


@pytest.mark.parametrize("damage", [None, b"{"])
def test_a_damaged_manifest_is_restored_from_its_copy(index, damage):
    (index / MANIFEST).unlink()
    if damage:
        (index / MANIFEST).write_bytes(damage)
    remove_remains(index, read_manifest(index))
    assert files(index) == of(OLD)
    assert (index / MANIFEST).read_bytes() == (index / MANIFEST_COPY).read_bytes()


def test_a_manifest_that_is_out_of_date_costs_nothing(index):
    commit(index, NEW)
    remove_remains(index, OLD)
    assert read_manifest(index) == NEW
    assert files(index) == of(NEW)


def test_names_that_octavo_never_makes_are_left_alone(index, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "precious").write_text("mine")
    mine = [
        index / "notes.txt",
        index / "segments/notes.txt",
        index / "segments/12/documents.arrow",
        index / "segments/00000001/notes.txt",
        index / "segments/00000009/mine/notes.txt",
    ]
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    (index / "segments/00000008").symlink_to(outside)
    (index / "segments/00000001/keyword").symlink_to(outside)
    (index / "segments/00000007/block_max").mkdir(parents=True)
    (index / "segments/00000007/block_max/rows.npy").symlink_to(outside / "precious")
    commit(index, NEW)
    assert (outside / "precious").read_text() == "mine"
    assert all(path.read_text() == "mine" for path in mine)
    assert (index / "segments/00000008").is_symlink()
    assert not (index / "segments/00000007").exists()


def test_links_in_place_of_the_manifests_are_replaced_and_not_followed(index, tmp_path_factory):
    precious = tmp_path_factory.mktemp("outside") / "precious"
    precious.write_text("mine")
    (index / f"{MANIFEST}.tmp").symlink_to(precious)
    (index / MANIFEST_COPY).unlink()
    (index / MANIFEST_COPY).symlink_to(precious)
    commit(index, replace(NEW, generation=3))
    assert precious.read_text() == "mine"
    assert not (index / MANIFEST_COPY).is_symlink()
    assert files(index) == of(NEW)
