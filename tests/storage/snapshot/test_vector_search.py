"""Structures on disk: built with an index, opened by memory map, tuned again, and checked."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from octavo import (
    ConfigurationError,
    Corpus,
    CorpusCorruptError,
    CorpusFormatError,
    CorpusLockedError,
    InvalidArgumentError,
    VectorIndexKind,
)
from octavo.engines import choice
from octavo.engines.vector import FlatVectorIndex
from octavo.engines.vector.sample import mean_recall, true_rows
from octavo.storage.build.build_request import BuildProgress
from octavo.storage.commit.commit import CommitStep
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format.manifest import read_manifest
from octavo.storage.maintenance import tune as tunes
from octavo.storage.snapshot import vector_search
from octavo.storage.snapshot.held_back import held_back
from octavo.storage.snapshot.snapshot import open_snapshot
from tests.storage.manifest_editing import rewrite_manifest

ROWS = 3000
WORDS = [f"word{number}" for number in range(400)]


def documents(rows=ROWS, seed=1):
    generator = random.Random(seed)
    weights = [1.0 / (rank + 1) for rank in range(len(WORDS))]
    texts = [" ".join(generator.choices(WORDS, weights, k=8)) for _ in range(rows)]
    return pa.table(
        {
            "id": [str(row) for row in range(rows)],
            "text": texts,
            "parity": [str(row % 2) for row in range(rows)],
        }
    )


TABLE = documents()
QUERIES = [" ".join(text.split()[:3]) for text in documents(60, seed=2)["text"].to_pylist()]


def build(out, table=TABLE, **options):
    defaults = {"embedding": "hash", "threads": 2, "metadata": ["parity"], "recall": 0.8}
    return Corpus.build(table, out, **{**defaults, "vector_index": "lists", **options})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("lists") / "index")


@pytest.fixture
def index(built, tmp_path):
    shutil.copytree(built.path, tmp_path / "index")
    return tmp_path / "index"


def search_entry(path):
    return read_manifest(Path(path)).segments[0].vector_search


def found(corpus, **options):
    table = corpus.search_batch(QUERIES, strategy="vector", **options)
    return list(zip(table["query_id"].to_pylist(), table["id"].to_pylist(), strict=True))


def plans(corpus, query="word1 word7"):
    from octavo import RAGContext
    from octavo.strategies.queries import Queries

    return dict(corpus.strategy("vector").rank(Queries.of([query]), RAGContext()).report.plans)


def test_the_index_says_how_it_is_searched_and_what_that_finds(built):
    (search,) = built.info().vector_search
    assert search.measured.kind == "lists"
    assert search.measured.target == 0.8
    assert search.measured.recall == min(search.measured.recalls.values()) >= 0.8
    assert set(search.measured.recalls) == {"documents", "texts"}
    assert search.measured.queries > 400
    assert search.measured.single_seconds > 0
    assert search.stored_bytes == ROWS * 128 * 4
    files = built.path / "segments" / "00000001"
    sizes = [(files / name).stat().st_size for name in ("vector_lists.faiss", "list_of_row.npy")]
    assert search.structure_bytes == sum(sizes)
    assert plans(built) == {"vector: inverted lists": 1}


def test_what_is_stored_is_what_is_found(built, tmp_path):
    exact = build(tmp_path / "exact", recall=1.0)
    assert search_entry(exact.path).kind == "flat"
    truth, answers = set(found(exact)), set(found(built))
    assert len(truth & answers) / len(truth) >= 0.75  # 60 other queries: noise
    assert len(answers) == len(truth)


def test_a_batch_is_a_loop_and_threads_do_not_matter(built):  # S5
    together = built.search_batch(QUERIES, strategy="vector", threads=1)
    assert built.search_batch(QUERIES, strategy="vector", threads=4).equals(together)
    scores = [hit.score for query in QUERIES for hit in built.search(query, strategy="vector")]
    assert together["score"].to_pylist() == scores


def test_filters_lose_nothing(built):  # S8
    table = built.search_batch(QUERIES, strategy="vector", filters={"parity": "1"}, max_results=20)
    assert table.num_rows == 20 * len(QUERIES)
    assert all(int(row) % 2 == 1 for row in table["id"].to_pylist())


def test_building_again_chooses_the_same(built, tmp_path):
    again = build(tmp_path / "again", threads=1)
    one, two = (
        {name: entry.crc32 for name, entry in read_manifest(path).segments[0].files.items()}
        for path in (built.path, again.path)
    )
    assert one["vector_lists.faiss"] == two["vector_lists.faiss"]
    assert one["list_of_row.npy"] == two["list_of_row.npy"]
    first, second = search_entry(built.path), search_entry(again.path)
    assert (first.efforts, first.nominees, first.recalls) == (
        second.efforts,
        second.nominees,
        second.recalls,
    )


def test_lists_nobody_asked_for_must_pay(tmp_path, monkeypatch):
    monkeypatch.setattr(choice, "EXACT_ROWS", ROWS - 1)
    automatic = {"vector_index": VectorIndexKind.AUTOMATIC}
    # Hash vectors of few dimensions are always compared, all of them.
    hashed = build(tmp_path / "hashed", **automatic)
    assert search_entry(hashed.path).kind == "flat"
    assert not list(hashed.path.rglob("*.faiss"))
    # Three thousand vectors are compared in no time: lists are built, tried and not used.
    monkeypatch.setattr(vector_search, "_FEW_HASH_DIMENSIONS", 0)
    tried = build(tmp_path / "tried", **automatic)
    assert search_entry(tried.path).kind == "flat"


def test_small_corpora_stay_exact_unless_asked(tmp_path, monkeypatch):
    plain = build(tmp_path / "plain", vector_index=VectorIndexKind.AUTOMATIC)
    assert plans(plain) == {"vector: exact scan": 1}
    monkeypatch.setattr(choice, "EXACT_ROWS", ROWS - 1)
    monkeypatch.setattr(vector_search, "_FEW_HASH_DIMENSIONS", 0)
    monkeypatch.setattr(vector_search, "_rival", lambda *_: None)
    large = build(tmp_path / "large", vector_index=VectorIndexKind.AUTOMATIC)
    assert plans(large) == {"vector: inverted lists": 1}


def test_a_graph_is_built_and_searched(tmp_path):
    graph = build(tmp_path / "graph", documents(600), vector_index=VectorIndexKind.GRAPH)
    assert search_entry(graph.path).kind == "graph"
    assert plans(graph) == {"vector: graph": 1}
    assert graph.verify().whole
    assert search_entry(graph.tune(0.9, vector_index="lists").path).kind == "lists"


def test_tuning_keeps_the_structure_in_use_where_there_are_two(tmp_path):
    both = build(tmp_path / "both", documents(600), vector_index=VectorIndexKind.LISTS)
    both = both.tune(0.9, vector_index="graph")
    assert search_entry(both.tune(0.8).path).kind == "graph"


def test_a_walk_nominates_as_many_as_lists_at_least(tmp_path):  # S12
    graph = build(tmp_path / "graph", documents(600), vector_index="graph", recall=0.5)
    assert search_entry(graph.path).nominees >= 128


def test_tuning_again_builds_nothing(index):
    before = {path.name: path.stat().st_mtime_ns for path in index.rglob("*.*") if path.is_file()}
    old = Corpus.open(index)
    wide = old.tune(0.97)
    after = {path.name: path.stat().st_mtime_ns for path in index.rglob("*.*") if path.is_file()}
    changed = {name for name, time in after.items() if before.get(name) != time}
    assert changed <= {"manifest.json", "manifest.copy.json", "writer.json", "writer.lock"}
    assert read_manifest(index).generation == 2
    assert search_entry(index).target == 0.97
    assert search_entry(index).recall >= 0.97
    assert search_entry(index).efforts[0] > old.info().vector_search[0].measured.efforts[0]
    assert wide.verify().whole
    assert found(old) != found(wide)  # the old snapshot stays what it was


def test_exact_and_back(index):
    exact = Corpus.open(index).tune(1.0)
    assert plans(exact) == {"vector: exact scan": 1}
    assert exact.info().vector_search[0].structure_bytes == 0
    assert plans(exact.tune(0.8, vector_index="lists")) == {"vector: inverted lists": 1}


def test_an_exact_index_gets_lists_by_tuning(tmp_path):
    exact = build(tmp_path / "index", recall=1.0)
    lists = exact.tune(0.8, vector_index="lists")
    assert plans(lists) == {"vector: inverted lists": 1}
    assert lists.verify().whole
    assert plans(exact) == {"vector: exact scan": 1}


def test_tuning_for_given_queries(index):
    corpus = Corpus.open(index).tune(0.9, queries=QUERIES)
    measured = corpus.info().vector_search[0].measured
    assert set(measured.recalls) == {"queries"}
    assert measured.queries == len(QUERIES) // 2
    vectors = np.random.default_rng(3).standard_normal((40, 128))
    corpus = corpus.tune(0.5, query_vectors=vectors)
    assert corpus.info().vector_search[0].measured.queries == 20


def test_bad_requests_change_nothing(index, tmp_path):
    corpus = Corpus.open(index)
    before = (index / "manifest.json").read_bytes()
    for recall in (0.0, 1.5, float("nan"), True, "0.9"):
        with pytest.raises(InvalidArgumentError, match="recall"):
            corpus.tune(recall)
        with pytest.raises(InvalidArgumentError, match="recall"):
            build(tmp_path / "other", recall=recall)
    with pytest.raises(InvalidArgumentError, match="vector_index"):
        corpus.tune(0.9, vector_index="ivf")
    with pytest.raises(InvalidArgumentError, match="at least 20"):
        corpus.tune(0.9, queries=["word1"] * 19)
    with pytest.raises(InvalidArgumentError, match="query vectors: expected an array"):
        corpus.tune(0.9, query_vectors=[[1.0, 2.0], [3.0]] * 15)
    with pytest.raises(InvalidArgumentError, match=r"query vectors: expected shape \(30, dimens"):
        corpus.tune(0.9, queries=["word1"] * 30, query_vectors=np.ones((20, 4), np.float32))
    with pytest.raises(InvalidArgumentError, match="128"):
        corpus.tune(0.9, query_vectors=np.ones((30, 5)))
    with pytest.raises(CorpusFormatError):
        tunes.tune_index(tmp_path / "none", None)
    assert not (tmp_path / "other").exists()
    assert (index / "manifest.json").read_bytes() == before


def test_an_index_without_vectors_cannot_be_tuned(tmp_path):
    corpus = build(tmp_path / "index", embedding="none")
    assert corpus.info().vector_search == ()
    with pytest.raises(ConfigurationError, match="no vectors"):
        corpus.tune(0.9)


def test_one_writer_at_a_time(index):
    with writer_lock(index), pytest.raises(CorpusLockedError):
        Corpus.open(index).tune(0.9)


def test_a_failed_commit_leaves_the_old_state(index, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tunes, "commit", full)
    before = (index / "manifest.json").read_bytes()
    with pytest.raises(OSError, match="No space left"):
        Corpus.open(index).tune(0.9)
    assert (index / "manifest.json").read_bytes() == before
    assert Corpus.open(index).verify().whole


def test_recall_is_measured_on_what_is_live(tmp_path):  # S8
    corpus = build(tmp_path / "index")
    with corpus.writer() as writer:
        writer.delete([str(row) for row in range(0, ROWS, 3)])
    corpus.tune(0.8)
    snapshot = open_snapshot(tmp_path / "index")
    (segment,) = snapshot.segments
    live = snapshot.select({})
    exact = FlatVectorIndex([segment.vectors])
    recalls = segment.entry.vector_search.recalls
    assert segment.entry.vector_search.kind == "lists"
    for sample in held_back(segment, snapshot.query_embedding):
        _, asked = sample.halves()
        found = true_rows(snapshot.vector_index, asked, 10, live)
        truth = true_rows(exact, asked, 10, live)
        assert recalls.pop(sample.name) == mean_recall(found, truth).mean()
    assert not recalls


def test_vectors_that_came_from_outside_are_tuned_on_documents(tmp_path):
    vectors = np.random.default_rng(4).standard_normal((1000, 16)).astype(np.float32)
    column = pa.FixedSizeListArray.from_arrays(vectors.ravel(), 16)
    valid = pa.array([list(vector) if row % 5 else None for row, vector in enumerate(vectors)])
    table = documents(1000).append_column("v", valid)
    corpus = build(tmp_path / "index", table, embedding="column:v", recall=0.5)
    measured = corpus.info().vector_search[0].measured
    assert set(measured.recalls) == {"documents"}
    assert len(column) == 1000
    table = corpus.search_batch([""], strategy="vector", query_vectors=vectors[1:2], max_results=50)
    assert table.num_rows > 0
    assert all(int(row) % 5 for row in table["id"].to_pylist())


def test_progress_names_the_stage_that_is_under_way(tmp_path):
    told = []
    build(tmp_path / "index", progress=told.append)
    stages = [event for event in told if isinstance(event, BuildProgress)]
    vectors = [event.rows for event in stages if event.stage == "vectors"]
    assert vectors[0] == 0  # said before centroids are trained, which takes the longest
    assert vectors == sorted(vectors)
    assert vectors[-1] == ROWS
    told = list(dict.fromkeys(event.stage for event in stages))
    begun = [stage for stage in told if not isinstance(stage, CommitStep)]
    assert begun[:1] == ["reading"]
    # Postings of a small index are written side by side: either may be told of first.
    assert sorted(begun[1:3]) == ["indexing words", "indexing words for batches"]
    assert begun[3:] == ["vectors", "tuning"]


@pytest.mark.parametrize("rows", [0, 1, 5, 9])
def test_few_documents(tmp_path, rows):
    corpus = build(tmp_path / "index", documents(rows))
    hits = corpus.search("word1", strategy="vector", max_results=20)
    assert len(hits) <= rows
    assert corpus.verify().whole


def test_damage_is_named(index):
    directory = index / "segments" / "00000001"
    for name in ("vector_lists.faiss", "list_of_row.npy"):
        whole = (directory / name).read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 1
        (directory / name).write_bytes(flipped)
        problems = Corpus.open(index).verify().problems
        assert [problem.path.name for problem in problems] == [name]
        (directory / name).write_bytes(whole[:-1])
        with pytest.raises(CorpusCorruptError, match=name):
            Corpus.open(index)
        (directory / name).write_bytes(whole)
    assert Corpus.open(index).verify().whole


def test_flips_are_errors_or_other_results_but_no_crash(index):
    code = """
import sys, random
from pathlib import Path
from octavo import Corpus, OctavoError
path = Path(sys.argv[1]) / "segments" / "00000001"
generator = random.Random(5)
files = [path / "vector_lists.faiss", path / "list_of_row.npy"]
outcomes = {"results": 0, "errors": 0}
for number in range(60):
    file = files[number % 4 == 3]
    whole = file.read_bytes()
    damaged = bytearray(whole)
    # The head holds the sizes; the rest is codes and rows.
    end = 400 if number % 2 else len(whole)
    damaged[generator.randrange(end)] ^= 1 << generator.randrange(8)
    file.write_bytes(damaged)
    try:
        hits = Corpus.open(sys.argv[1]).search("word1 word2", strategy="vector")
        assert len(hits) == 10 and all(-1 <= hit.score <= 1 for hit in hits)
        outcomes["results"] += 1
    except OctavoError:
        outcomes["errors"] += 1
    file.write_bytes(whole)
print(outcomes)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(index)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "'results': 0" not in done.stdout


def test_a_hostile_manifest_is_refused(index):
    def rewritten(**changes):
        rewrite_manifest(index, lambda body: body["segments"][0]["vector_search"].update(changes))

    for changes in (
        {"kind": "tree"},
        {"efforts": []},
        {"efforts": [0]},
        {"nominees": 0},
        {"nominees": -1},
        {"efforts": "x"},
    ):
        before = (index / "manifest.json").read_bytes()
        rewritten(**changes)
        with pytest.raises(CorpusCorruptError):
            Corpus.open(index)
        for name in ("manifest.json", "manifest.copy.json"):
            (index / name).write_bytes(before)
    rewritten(kind="graph")
    with pytest.raises(CorpusCorruptError, match="vector_graph"):
        Corpus.open(index)


def test_a_reader_keeps_lists_that_are_replaced_before_its_first_search(index):
    reader = Corpus.open(index)
    build(index, documents(2000, seed=9), overwrite=True)
    assert len(found(reader)) == 10 * len(QUERIES)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_files_that_may_only_be_read_are_enough(index):
    for path in sorted(index.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    index.chmod(0o555)
    try:
        assert plans(Corpus.open(index)) == {"vector: inverted lists": 1}
    finally:
        for path in [index, *index.rglob("*")]:
            path.chmod(0o755)


def test_a_failed_tuning_leaves_no_file(index, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    before = {path for path in index.rglob("*") if path.is_file()}
    (remains,) = {path.parent / "vector_graph.faiss" for path in before if path.stem == "vectors"}
    remains.write_bytes(b"of a killed one")
    monkeypatch.setattr(tunes, "commit", fail)
    with pytest.raises(OSError, match="No space"):
        Corpus.open(index).tune(0.9, vector_index="graph")
    assert {path for path in index.rglob("*") if path.stem.startswith(("vector", "list"))} <= before


def test_a_segment_without_vectors_is_scanned_whatever_died_in_it(tmp_path):
    # The second segment has 300 rows, of which 290 are live, and none has a vector.
    vectors = [[1.0, float(row)] for row in range(1000)] + [None] * 300
    table = TABLE.slice(0, 1300).append_column("vector", pa.array(vectors, pa.list_(pa.float32())))
    corpus = build(tmp_path / "index", table.slice(0, 1000), embedding="column:vector")
    with corpus.writer() as writer:
        writer.add(table.slice(1000))
    with corpus.writer() as writer:
        writer.delete([str(row) for row in range(1000, 1010)])
    corpus.tune(0.9, vector_index="lists")
    segments = read_manifest(tmp_path / "index").segments
    assert [(segment.rows, segment.null_vectors) for segment in segments] == [(1000, 0), (300, 290)]
    assert segments[1].vector_search.kind == "flat"
    assert len(corpus.search("", strategy="vector", query_vector=[1, 2], max_results=9999)) == 1000
