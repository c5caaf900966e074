"""Indexes that somebody has tampered with: a typed error or an answer, never a crash.

A file cut short in place while it is mapped is not among them: reading past its end is SIGBUS, which
no library can catch (see Known limitations in README.md).
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from octavo import Corpus, CorpusCorruptError
from octavo.storage.format.layout import MANIFEST, MANIFEST_COPY, SEGMENTS
from octavo.storage.format.manifest import read_manifest
from octavo.storage.maintenance.verify import verify_index
from tests.storage.hostile_harness import link_out, prepare
from tests.storage.manifest_editing import named_paths, rewrite_manifest

ROOT = Path(__file__).parents[2]


def attacks(count, seed):
    """Run the harness in memory where there is such a place; return its reports."""
    memory = "/dev/shm"
    place = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as directory:
        run = subprocess.run(
            [sys.executable, "-m", "tests.storage.hostile_harness", directory,
             "--attacks", str(count), "--seed", str(seed)],
            cwd=ROOT, capture_output=True, text=True, check=False, timeout=900,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def check(reports, count):
    assert len(reports) == count
    bad = [
        report
        for report in reports
        if report["result"] != "works" and not report["result"].startswith("refused: ")
    ]
    assert not bad, json.dumps(bad[:3], indent=1)
    kinds = Counter(report["done"].replace(":", ",").split(",")[0] for report in reports)
    assert kinds.keys() == {"damage", "named damage", "manifest", "link", "late"}


def test_sixty_attacks():
    check(attacks(60, 1), 60)


@pytest.mark.slow
def test_five_hundred_attacks():
    check(attacks(500, 2), 500)


@pytest.fixture(scope="module")
def segmented(tmp_path_factory):
    """An index of several segments with dead rows, edges, a graph and block-max postings."""
    path = tmp_path_factory.mktemp("hostile") / "index"
    prepare(path)
    manifest = read_manifest(path)
    assert len(manifest.segments) > 1
    assert any(segment.live for segment in manifest.segments)
    assert manifest.graph is not None
    names = {name for segment in manifest.segments for name in segment.files}
    assert any(name.endswith(".faiss") for name in names)
    assert any(name.startswith("block_max/") for name in names)
    return path


@pytest.fixture
def index(segmented, tmp_path):
    shutil.copytree(segmented, tmp_path / "index")
    return tmp_path / "index"


def flipped(content, position, bit):
    changed = bytearray(content)
    changed[position] ^= 1 << bit
    return bytes(changed)


def test_verify_finds_every_flip(index):
    """One in each file at once, since each is reported by itself."""
    chance = random.Random(3)
    named = [path for path in named_paths(index) if path.stat().st_size]
    whole = {path: path.read_bytes() for path in named}
    for place in (lambda size: 0, lambda size: size - 1, chance.randrange):
        for path, content in whole.items():
            path.write_bytes(flipped(content, place(len(content)), chance.randrange(8)))
        assert {problem.path for problem in verify_index(index).problems} == set(named)
    for path, content in whole.items():
        path.write_bytes(content)
    assert verify_index(index).whole


@pytest.mark.parametrize("name", [MANIFEST, MANIFEST_COPY])
def test_verify_finds_a_flip_in_either_manifest(index, name):
    chance = random.Random(4)
    whole = (index / name).read_bytes()
    for _ in range(3):
        content = flipped(whole, chance.randrange(len(whole)), chance.randrange(8))
        if json_of(content) != json.loads(whole):  # white space is no content
            (index / name).write_bytes(content)
            assert index / name in {problem.path for problem in verify_index(index).problems}


def json_of(content):
    try:
        return json.loads(bytes(content))
    except ValueError:
        return None


def test_a_damaged_list_of_live_rows_is_refused_at_once(index):
    """A changed bit would bring a deleted document back."""
    (path, *_) = [path for path in named_paths(index) if path.parent.name == "live"]
    whole = path.read_bytes()
    for bit in range(8):
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ (1 << bit)]))
        with pytest.raises(CorpusCorruptError, match=path.name):
            Corpus.open(index)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_outside_is_read_through_a_link(index, tmp_path, seed):
    done = link_out(index, random.Random(seed), tmp_path / "outside")
    if done.startswith(f"link {MANIFEST}"):
        assert Corpus.open(index).verify().problems  # the copy serves, the link is reported
        return
    with pytest.raises(CorpusCorruptError, match="leads out of the index"):
        Corpus.open(index)


def test_a_link_inside_to_a_directory_is_refused(index):
    first, second = (index / SEGMENTS / s.name for s in read_manifest(index).segments[:2])
    shutil.rmtree(second / "keyword")
    (second / "keyword").symlink_to(first / "keyword")
    with pytest.raises(CorpusCorruptError, match="keyword: expected a directory, found a link"):
        Corpus.open(index)


def test_what_is_no_file_is_not_opened(index):
    """Opening a pipe would wait for ever."""
    (path,) = [path for path in named_paths(index) if path.name == "vectors.npy"][:1]
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(CorpusCorruptError, match=r"vectors\.npy: the file is missing"):
        Corpus.open(index)
    (index / MANIFEST).unlink()
    os.mkfifo(index / MANIFEST)
    with pytest.raises(CorpusCorruptError):
        Corpus.open(index)


@pytest.mark.parametrize("name", ["x", "../00000001", "0000001", "00000001/", ".", "１2345678"])
def test_a_segment_has_a_name_that_octavo_gives(index, name):
    rewrite_manifest(index, lambda body: body["segments"][0].update(name=name))
    with pytest.raises(CorpusCorruptError, match="name"):
        Corpus.open(index)
