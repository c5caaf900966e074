"""Derived parts are built again; what nothing else tells is refused, and nothing is changed."""

import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from octavo import Corpus, CorpusCorruptError, CorpusLockedError, DimensionMismatchError
from octavo.storage.build.work import work_of
from octavo.storage.commit.commit import CommitStep
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format import layout
from octavo.storage.format.manifest import read_manifest
from octavo.storage.maintenance.repair import Repair, repair_index
from octavo.storage.maintenance.verify import verify_index
from tests.storage.damage import edit, flip, restated
from tests.storage.segmented import segmented
from tests.storage.writer.test_merge import OPTIONS, by_function, searches, table

WORK = work_of(None, 1, None)
PARTS = [table(0, 40), table(40, 25)]


@pytest.fixture(scope="module", params=["hash:64", "column:vector", "none"])
def built(request, tmp_path_factory):
    index = tmp_path_factory.mktemp("repair") / request.param.replace(":", "-")
    segmented(index, PARTS, [(3, 9), ()], [table(90, 3)], **OPTIONS, embedding=request.param)
    return index


@pytest.fixture
def index(built, tmp_path):
    shutil.copytree(built, tmp_path / "index")
    return tmp_path / "index"


def contents(index):
    own = {"writer.lock", "writer.json"}
    files = (path for path in sorted(index.rglob("*")) if path.is_file() and path.name not in own)
    return {path: path.read_bytes() for path in files}


def files_by_part(index):
    directory = layout.segment_directory(index, "00000001")
    parts = {"ids": ["id_hashes.npy", "id_rows.npy"],
             "postings": [path.relative_to(directory).as_posix()
                          for path in sorted((directory / "keyword").rglob("*.*"))],
             "block-max postings": ["block_max/rows.npy", "block_max/description.json"]}  # fmt: skip
    if (directory / "vector_codes.npy").exists():
        parts["vector codes"] = ["vector_codes.npy", "vector_bounds.npy"]
    return directory, parts


def found(index):
    corpus = Corpus.open(index)
    vectors = np.random.default_rng(3).standard_normal((4, corpus.dimensions or 1))
    if corpus.dimensions is None:
        return corpus.search_batch(["red fox", "über"], strategy="keyword")
    return searches(corpus, vectors)


def test_a_whole_index_is_left_alone(index):
    before = contents(index)
    assert repair_index(index, WORK) == Repair()
    assert contents(index) == before


def test_each_derived_part_is_built_again(index):
    directory, parts = files_by_part(index)
    for part, names in parts.items():
        damages = (flip, lambda path: path.write_bytes(b"x"), lambda path: path.unlink())
        for damage in damages if part == "ids" else damages[:1]:
            copy = index.parent / "copy"
            shutil.copytree(index, copy)
            for name in names[:2]:
                damage(copy / directory.relative_to(index) / name)
            problems = verify_index(copy).problems
            assert {problem.path.name for problem in problems} == {
                name.rpartition("/")[2] for name in names[:2]
            }
            report = repair_index(copy, WORK)
            assert (report.problems, report.rebuilt, report.segments) == (problems, (part,), 1)
            assert verify_index(copy).whole
            assert verify_index(copy).remains == ()
            assert repair_index(copy, WORK) == Repair()
            entries = read_manifest(copy).segments
            assert [entry.name for entry in entries] == ["00000003", "00000002"]
            assert [entry.rows for entry in entries] == [41, 25]  # dead rows are gone
            ids = Corpus.open(copy).search_batch(["red"], strategy="keyword", max_results=99)["id"]
            expected = Corpus.open(index).search_batch(["red"], strategy="keyword", max_results=99)
            assert set(ids.to_pylist()) == set(expected["id"].to_pylist())
            shutil.rmtree(copy)


def _specification(index):
    embedding = read_manifest(index).embedding
    return "none" if embedding is None else embedding.specification


def test_a_repaired_index_equals_one_built_from_scratch(tmp_path):
    options = {**OPTIONS, "embedding": "column:vector", "threads": 1}
    Corpus.build(table(0, 40), tmp_path / "index", **options)
    expected = found(tmp_path / "index")
    vectors = (tmp_path / "index/segments/00000001/vectors.npy").read_bytes()
    for path in (tmp_path / "index").rglob("*.npy"):
        if path.name not in {"vectors.npy", "vector_present.npy"}:
            path.unlink()
    report = repair_index(tmp_path / "index", WORK)
    assert report.rebuilt == ("block-max postings", "ids", "vector codes")
    assert (tmp_path / "index/segments/00000002/vectors.npy").read_bytes() == vectors
    for one, other in zip(found(tmp_path / "index"), expected, strict=True):
        assert one.equals(other)


PRIMARY = ["documents.arrow", "dictionaries.arrow", "live/00000001.npy", "only_parents.npy"]


@pytest.mark.parametrize("name", PRIMARY)
def test_what_nothing_else_tells_is_refused_and_all_stays(index, name):
    directory, parts = files_by_part(index)
    flip(directory / name)
    flip(directory / parts["ids"][0])
    flip(layout.segment_directory(index, "00000002") / "id_rows.npy")
    before = contents(index)
    with pytest.raises(CorpusCorruptError, match=f"cannot be repaired.*{name}"):
        repair_index(index, WORK)
    assert contents(index) == before


def test_vectors_are_made_again_where_text_makes_them(index):
    directory, _ = files_by_part(index)
    if _specification(index) == "none":
        return
    kept = np.delete(np.load(directory / "vectors.npy"), [3, 9], axis=0)
    flip(directory / "vectors.npy", 400)
    flip(directory / "vector_present.npy")
    if _specification(index) == "column:vector":
        with pytest.raises(CorpusCorruptError, match="came in a column"):
            repair_index(index, WORK)
        return
    assert repair_index(index, WORK).rebuilt == ("vectors",)
    assert verify_index(index).whole
    again = np.load(index / "segments/00000003/vectors.npy")
    np.testing.assert_array_equal(again, kept)


def test_vectors_of_a_function_need_the_function(tmp_path):
    index = tmp_path / "index"
    corpus = Corpus.build(table(0, 20), index, embedding=by_function, threads=1, **OPTIONS)
    expected = corpus._snapshot.segments[0].vectors.tobytes()
    edit(index / "segments/00000001/vectors.npy", lambda vectors: vectors * 2)
    restated(index)
    with pytest.raises(CorpusCorruptError, match="only its builder has"):
        repair_index(index, WORK)
    with pytest.raises(DimensionMismatchError):
        repair_index(index, WORK, lambda text: [1.0, float(len(text))])
    assert [path.name for path in (index / "segments").iterdir()] == ["00000001"]
    report = repair_index(index, WORK, by_function)
    assert report.rebuilt == ("vectors",)
    assert np.load(index / "segments/00000002/vectors.npy").tobytes() == expected


@pytest.mark.parametrize("name", ["manifest.json", "manifest.copy.json"])
def test_a_manifest_is_written_again_from_the_other(index, name):
    manifest = read_manifest(index)
    flip(index / name, 40)
    report = repair_index(index, WORK)
    assert report.rebuilt == ("manifest",)
    assert report.segments == 0
    assert verify_index(index).whole
    assert read_manifest(index).segments == manifest.segments
    assert (index / "manifest.json").read_bytes() == (index / "manifest.copy.json").read_bytes()


def test_two_damaged_manifests_are_too_many(index):
    for name in ("manifest.json", "manifest.copy.json"):
        flip(index / name, 40)
    before = contents(index)
    with pytest.raises(CorpusCorruptError, match="manifest"):
        repair_index(index, WORK)
    assert contents(index) == before


def test_wrong_counts_are_counted_again(index):
    entry = read_manifest(index).segments[1]
    restated(index, 1, empty_texts=entry.empty_texts + 1)
    assert repair_index(index, WORK).rebuilt == ("counts",)
    assert read_manifest(index).segments[1].empty_texts == entry.empty_texts


def test_a_repair_that_fails_leaves_the_damage_as_it_was(index, monkeypatch):
    directory, _ = files_by_part(index)
    flip(directory / "id_rows.npy")
    problems = verify_index(index).problems

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    for place in (
        "build.segment_build.write_postings",
        "format.files.sync_file",
        "maintenance.repair.commit",
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"octavo.storage.{place}", full)
            with pytest.raises(OSError, match="No space"):
                repair_index(index, WORK)
        assert verify_index(index).problems == problems
        assert verify_index(index).remains == ()
    assert repair_index(index, WORK).rebuilt == ("ids",)


def test_a_locked_index_is_not_repaired(index):
    directory, _ = files_by_part(index)
    flip(directory / "id_rows.npy")
    with writer_lock(index), pytest.raises(CorpusLockedError):
        repair_index(index, WORK)


def test_repeated_ids_cannot_be_repaired(tmp_path):
    segmented(tmp_path / "index", [table(0, 5), table(3, 4)], **OPTIONS)
    with pytest.raises(CorpusCorruptError, match="every id once"):
        repair_index(tmp_path / "index", WORK)


KILLED = """
import os, signal, sys
from pathlib import Path
from octavo.storage.maintenance.repair import repair_index
from octavo.storage.build.work import work_of

def kill(stage, rows):
    if stage == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

repair_index(Path(sys.argv[1]), work_of(None, 1, kill))
"""


@pytest.mark.parametrize(
    "stage", ["reading", "indexing words", CommitStep.WRITE.value, CommitStep.REMOVE.value]
)
def test_a_killed_repair_leaves_the_damage_or_none(tmp_path, stage):
    index = tmp_path / "index"
    segmented(index, PARTS, [(3, 9), ()], **OPTIONS)
    flip(layout.segment_directory(index, "00000001") / "id_rows.npy")
    problems = verify_index(index).problems
    killed = subprocess.run([sys.executable, "-c", KILLED, index, stage], check=False)
    assert killed.returncode == -signal.SIGKILL
    done = stage == CommitStep.REMOVE
    assert verify_index(index).problems == (() if done else problems)
    assert repair_index(index, WORK).rebuilt == (() if done else ("ids",))
    assert verify_index(index).whole
    with Corpus.open(index).writer() as writer:
        writer.delete(["d1"])
    assert verify_index(index).whole
    assert verify_index(index).remains == ()
