"""What must be flushed before what, in every kind of write: checked at each change, not by chance."""

import json
import os
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from octavo.storage.commit.commit import remove_remains
from octavo.storage.format.layout import GRAPH, LOCK, MANIFEST, MANIFEST_COPY, SEGMENTS
from octavo.storage.format.manifest import read_manifest
from octavo.storage.format.manifest_json import encode_manifest
from tests.storage.kill_harness import WRITES, build, prepared, script
from tests.storage.manifest_editing import named_parts

BASE = {f"d{number:03d}": 0 for number in range(40)}


def quiet(_stage, _rows):
    """A listener that does nothing."""


class Watcher:
    """Knows what of an index is on the disk, and what must be when its files change."""

    def __init__(self, index, monkeypatch):
        self.index = index
        self.contents = {path.stat().st_ino: state(path) for path in files(index)}
        self.names = {path: entries(path) for path in directories(index.parent)}
        self.replaced, self.removed, self.begun = 0, 0, False
        for name, before in (("replace", self.replace), ("unlink", self.remove),
                             ("rmdir", self.remove), ("mkdir", self.mkdir), ("fsync", None)):  # fmt: skip
            monkeypatch.setattr(os, name, self.watched(getattr(os, name), before))

    def watched(self, function, before):
        def call(target, *others, **options):
            if before is None:
                self.flush(Path(f"/proc/self/fd/{target}").readlink())
            elif not options:
                before(Path(target), *others)
            return function(target, *others, **options)

        return call

    def flush(self, path):
        if path.is_dir():
            self.names[path] = entries(path)
        else:
            self.contents[path.stat().st_ino] = state(path)

    def mkdir(self, path, *_):
        if path in {self.index / SEGMENTS, self.index / GRAPH}:
            assert self.is_named(self.index / LOCK), "the lock is there before any part"

    def replace(self, source, target):
        assert self.is_flushed(Path(source)), f"{source} replaces {target}"
        if target == self.index / MANIFEST:
            self.replaced += 1
            for path in self.named_by(Path(source)):
                assert self.is_flushed(path), f"the content of {path}"
                for each in [path, *path.parents]:
                    if each.is_relative_to(self.index):
                        assert self.is_named(each), f"the name of {each}"
        if target == self.index / MANIFEST_COPY:
            assert self.is_there(MANIFEST), "the manifest is durable before its copy"
            assert Path(source).read_bytes() == (self.index / MANIFEST).read_bytes()

    def remove(self, path, *_):
        """Nothing goes that a manifest which might be found after a power cut names."""
        if self.replaced and path.parent != self.index:
            self.removed += 1
            self.done()

    def done(self):
        assert self.is_there(MANIFEST), "the manifest is durable"
        assert self.is_there(MANIFEST_COPY), "its copy is durable"
        assert (self.index / MANIFEST).read_bytes() == (self.index / MANIFEST_COPY).read_bytes()

    def is_there(self, name):
        return self.is_named(self.index / name) and self.is_flushed(self.index / name)

    def is_named(self, path):
        return self.names.get(path.parent, {}).get(path.name) == path.stat().st_ino

    def is_flushed(self, path):
        return self.contents.get(path.stat().st_ino) == state(path)

    def named_by(self, manifest):
        for part, files in named_parts(json.loads(manifest.read_bytes())):
            for name in files:
                yield self.index / part / name


def files(index):
    return [path for path in index.rglob("*") if path.is_file()]


def directories(root):
    return [root, *(path for path in root.rglob("*") if path.is_dir())]


def entries(directory):
    with os.scandir(directory) as found:
        return {entry.name: entry.inode() for entry in found}


def state(path):
    return path.stat().st_size, path.stat().st_mtime_ns


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    path = tmp_path_factory.mktemp("order") / "base"
    build(path, BASE, quiet)
    return path


@pytest.mark.parametrize("name", ["first", *WRITES])
@pytest.mark.parametrize("seed", range(2))  # a change that merges, and one that does not
def test_nothing_is_relied_on_before_it_is_flushed(base, tmp_path, monkeypatch, name, seed):
    index = tmp_path.resolve() / "index"
    if name != "first":
        shutil.copytree(base, index)
        (index / LOCK).unlink()
    names = ["overwrite"] if name == "first" else prepared(name)
    *before, write = script(random.Random(seed), None if name == "first" else BASE, names)
    for each in before:
        each.run(index, quiet)
    with monkeypatch.context() as patch:
        watcher = Watcher(index, patch)
        write.run(index, quiet)
        watcher.done()
    assert watcher.replaced == 1
    assert watcher.removed or name not in {"overwrite", "compact"}


def test_what_a_killed_writer_did_not_flush_is_flushed_before_anything_is_removed(
    base, tmp_path, monkeypatch
):
    """It was killed after it had replaced the manifest; the next one removes its remains."""
    index = tmp_path.resolve() / "index"
    shutil.copytree(base, index)
    left = index / SEGMENTS / "00000009/documents.arrow"
    left.parent.mkdir()
    left.touch()
    manifest = read_manifest(index)
    manifest = replace(manifest, generation=manifest.generation + 1)
    new = index / f"{MANIFEST}.tmp"
    new.write_bytes(encode_manifest(manifest))
    with monkeypatch.context() as patch:
        watcher = Watcher(index, patch)
        os.rename(new, index / MANIFEST)  # noqa: PTH104 - not watched
        watcher.replaced = 1
        remove_remains(index, manifest)
    assert watcher.removed
    assert not left.exists()
