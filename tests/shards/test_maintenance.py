"""Shards are tuned and repaired one by one, and go together whatever stops that half-way."""

import shutil
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.errors import (
    ConfigurationError,
    CorpusCorruptError,
    CorpusFormatError,
    CorpusLockedError,
    InvalidArgumentError,
)
from octavo.shards import ShardedCorpus, maintenance, open_index
from octavo.shards.opening import open_single
from octavo.shards.verify import verify_shards
from octavo.storage.commit.lock import writer_lock

COUNT, DIMENSIONS = 1_500, 6
ASKED = np.random.default_rng(2).standard_normal((60, DIMENSIONS)).astype(np.float32)


@pytest.fixture(scope="module")
def table():
    vectors = np.random.default_rng(1).standard_normal((COUNT, DIMENSIONS)).astype(np.float32)
    return pa.table(
        {
            "id": [f"d{number}" for number in range(COUNT)],
            "text": [f"w{number % 31} w{number % 37}" for number in range(COUNT)],
            "v": pa.array(vectors.tolist(), pa.list_(pa.float32(), DIMENSIONS)),
        }
    )


@pytest.fixture(scope="module")
def exact(table, tmp_path_factory):
    out = tmp_path_factory.mktemp("exact") / "index"
    return Corpus.build(table, out, embedding="column:v", recall=1.0)


@pytest.fixture(scope="module")
def built(table, tmp_path_factory):
    out = tmp_path_factory.mktemp("lists") / "index"
    options = {"embedding": "column:v", "vector_index": "lists", "recall": 0.6}
    return ShardedCorpus.build(table, out, 3, **options).path


@pytest.fixture
def index(built, tmp_path):
    shutil.copytree(built, tmp_path / "index")
    return tmp_path / "index"


def measured(index):
    return [each.measured for each in ShardedCorpus.open(index).info().vector_search]


def chosen(entry):
    return (entry.kind, entry.target, entry.efforts, entry.nominees, dict(entry.recalls))


def found(corpus):
    return corpus.search_batch([""] * 60, strategy="vector", query_vectors=ASKED)


def test_each_shard_is_tuned_as_an_index_of_its_own(index, tmp_path):
    parts = [place.snapshot().path for place in ShardedCorpus.open(index).shards]
    expected = []
    for number, part in enumerate(parts):
        copy = shutil.copytree(part, tmp_path / str(number))
        tuned = Corpus.open(copy).tune(0.9, query_vectors=ASKED, queries=[""] * 60)
        expected.append(chosen(tuned.info().vector_search[0].measured))
    told = []
    before = ShardedCorpus.open(index)
    state = before.fingerprint
    after = before.tune(
        0.9,
        query_vectors=ASKED,
        queries=[""] * 60,
        progress=lambda stage, rows: told.append((stage, rows)),
    )
    assert [chosen(each) for each in measured(index)] == expected
    assert [each.target for each in measured(index)] == [0.9] * 3
    assert {stage for stage, _ in told} == {maintenance.TUNED}
    assert (len(told), told[-1][1]) == (3, COUNT)
    assert (before.fingerprint, after.fingerprint) == (state, ShardedCorpus.open(index).fingerprint)
    assert after.fingerprint != state
    assert not verify_shards(index).problems


def test_tuned_to_exact_they_find_what_a_single_index_finds(index, exact):  # S20
    tuned = ShardedCorpus.open(index).tune(1.0)
    assert found(tuned) == found(exact)
    assert found(ShardedCorpus.open(index)) == found(exact)
    assert tuned.vector_store.scans_all_vectors


def test_a_shard_that_was_tuned_meanwhile_is_not_mixed_with_others(index):
    before = ShardedCorpus.open(index)
    expected = found(before)
    before.tune(1.0)
    assert found(before) == expected  # a reader keeps what it opened
    for place in before.shards:  # a worker that opens a shard only now
        with pytest.raises(CorpusFormatError, match="changed since the sharded index was opened"):
            place.open()


def test_a_tuning_that_is_interrupted_leaves_the_rest_as_it_was(index, monkeypatch):
    tune, done = maintenance.tune_index, []

    def interrupted(directory, request):
        if done:
            raise KeyboardInterrupt
        tune(directory, request)
        done.append(directory)

    before = measured(index)
    with monkeypatch.context() as patched:
        patched.setattr(maintenance, "tune_index", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ShardedCorpus.open(index).tune(0.95)
    assert [each.target for each in measured(index)] == [0.95, 0.6, 0.6]
    assert measured(index)[1:] == before[1:]
    assert not verify_shards(index).problems
    assert found(ShardedCorpus.open(index)).num_rows == 600
    ShardedCorpus.open(index).tune(0.95)
    assert [each.target for each in measured(index)] == [0.95] * 3


def test_a_tuning_that_is_killed_leaves_every_shard_whole(index, exact):
    script = (
        "import os, signal, sys\n"
        "from octavo.shards import ShardedCorpus\n"
        "kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "ShardedCorpus.open(sys.argv[1]).tune(1.0, progress=kill)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, index], check=False)
    assert ended.returncode == -9
    assert [each.target for each in measured(index)] == [1.0, 0.6, 0.6]
    assert not verify_shards(index).problems
    assert found(ShardedCorpus.open(index).tune(1.0)) == found(exact)  # the lock is free again


def test_what_cannot_be_tuned_is_said_and_nothing_is_changed(index, built):
    corpus = ShardedCorpus.open(index)
    few = {"queries": [""] * 19, "query_vectors": ASKED[:19]}
    with pytest.raises(InvalidArgumentError, match="queries: expected at least 20"):
        corpus.tune(**few)
    with pytest.raises(InvalidArgumentError, match="recall: expected"):
        corpus.tune(1.5)
    with pytest.raises(ConfigurationError, match="came from the column 'v'"):
        corpus.tune(queries=["w1"] * 30)
    with pytest.raises(TypeError, match="speed"):
        corpus.tune(speed=3)
    with writer_lock(index), pytest.raises(CorpusLockedError):
        corpus.tune()
    assert ShardedCorpus.open(index).fingerprint == ShardedCorpus.open(built).fingerprint


def test_shards_without_vectors_are_left_out(tmp_path):
    ids = [f"d{number}" for number in range(20)]
    vectors = pa.array([[1.0, 0.0], *[None] * 19], pa.list_(pa.float32()))
    documents = pa.table({"id": ids, "text": ["fox"] * 20, "v": vectors})
    corpus = ShardedCorpus.build(documents, tmp_path / "some", 4, embedding="column:v")
    tuned = corpus.tune(0.8)
    assert [each.measured.target for each in tuned.info().vector_search] == [0.8]
    none = ShardedCorpus.build(documents, tmp_path / "none", 4, embedding="none")
    with pytest.raises(ConfigurationError, match="no vectors, so nothing can be tuned"):
        none.tune()


def test_texts_are_embedded_once_by_the_function_of_the_corpus(table, tmp_path):
    asked = []

    def embed(text):
        asked.append(text)
        return [float(len(text)), 1.0]

    corpus = ShardedCorpus.build(
        table.slice(0, 200), tmp_path / "index", 3, embedding=embed, vector_index="lists"
    )
    asked.clear()
    queries = [f"w{number}" * (number % 5 + 1) for number in range(40)]
    tuned = corpus.tune(0.9, queries=queries)
    assert sorted(asked) == sorted(queries)
    assert tuned.search("w1", strategy="vector", max_results=3)


def damage(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def test_damaged_shards_are_repaired(index, exact, built):
    parts = [place.snapshot().path for place in ShardedCorpus.open(index).shards]
    damage(next(parts[0].rglob("id_hashes.npy")))
    damage(next(parts[2].rglob("*.idx")))
    before = ShardedCorpus.open(built)
    report = ShardedCorpus.repair(index)
    assert report.rebuilt == ("ids of shard 0", "postings of shard 2")
    assert (report.segments, len(report.problems)) == (2, 2)
    assert not verify_shards(index).problems
    repaired = ShardedCorpus.open(index)
    texts = ["w1 w2", "w30"]
    expected = exact.search_batch(texts, strategy="keyword")
    assert repaired.search_batch(texts, strategy="keyword") == expected
    assert found(repaired) == found(before)
    again = ShardedCorpus.repair(index)
    assert (again.problems, again.rebuilt, again.segments) == ((), (), 0)


def test_positions_that_are_lost_are_named_and_nothing_is_changed(index):
    parts = [place.snapshot().path for place in ShardedCorpus.open(index).shards]
    damaged = next(parts[0].rglob("id_hashes.npy"))
    damage(damaged)
    content = damaged.read_bytes()
    positions = parts[1].with_name("00001.positions.npy")
    np.save(positions, np.load(positions)[::-1])
    with pytest.raises(CorpusCorruptError, match=r"build the index again: .*00001\.positions"):
        ShardedCorpus.repair(index)
    assert damaged.read_bytes() == content
    positions.unlink()
    with pytest.raises(CorpusCorruptError, match="positions"):
        ShardedCorpus.repair(index)


def test_what_changes_documents_says_how_to_build_again(built, tmp_path):
    expected = r"3 shards, in .*generation-00000001, .* --shards 3 --overwrite"
    corpus = open_index(built)
    for change in (corpus.writer, corpus.compact, lambda: open_single(built)):
        with pytest.raises(CorpusFormatError, match=expected):
            change()
    for single in (Corpus.open, Corpus.repair):
        with pytest.raises(CorpusFormatError, match=r"octavo\.open_index or octavo\.ShardedCorpus"):
            single(built)
    with pytest.raises(CorpusFormatError):
        open_single(tmp_path)


def test_what_is_no_sharded_index_is_not_touched(tmp_path):
    for work in (ShardedCorpus.repair, ShardedCorpus.open):
        with pytest.raises(CorpusFormatError, match="expected a sharded index"):
            work(tmp_path)
    assert not list(tmp_path.iterdir())
