"""A merge writes what a build from scratch of the live documents writes."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import Corpus, CorpusCorruptError
from octavo.storage.format.manifest import read_manifest
from tests.storage.segmented import files_of, segmented

WORDS = ["red", "blue", "green", "fox", "whale", "owl", "wolf", "über", "日本", "naïve"]


def table(start, rows, seed=0):
    """Documents with every optional column, some of each value null."""
    rng = np.random.default_rng([start, rows, seed])

    def some(values):
        return [None if rng.random() < 0.2 else value for value in values]

    numbers = range(start, start + rows)
    return pa.table(
        {
            "id": pa.array([f"d{number}" for number in numbers], pa.string()),
            "text": pa.array(
                some([" ".join(rng.choice(WORDS, rng.integers(0, 9))) for _ in numbers]),
                pa.string(),
            ),
            "title": pa.array(some([f"title {number % 7}" for number in numbers]), pa.string()),
            "source": pa.array(some([f"file{number % 3}.md" for number in numbers]), pa.string()),
            "parent": pa.array(some([f"d{number // 3}" for number in numbers]), pa.string()),
            "when": pa.array(some(list(numbers)), pa.timestamp("us", "UTC")),
            "tier": pa.array(some([f"tier {number % 5}" for number in numbers]), pa.string()),
            "vector": pa.array(
                some([(rng.standard_normal(40) * 3).tolist() for _ in numbers]),
                pa.list_(pa.float32(), 40),
            ),
        }
    )


OPTIONS = {
    "title": "title", "source": "source", "parent": "parent", "timestamp": "when",
    "metadata": ["tier"],
}  # fmt: skip


def kept(tables, dead):
    """The live rows of all tables, as one table."""
    live = []
    for each, rows in zip(tables, dead, strict=True):
        mask = np.ones(len(each), bool)
        mask[list(rows)] = False
        live.append(each.filter(pa.array(mask)))
    return pa.concat_tables(live)


def searches(corpus, vectors=None):
    return [
        corpus.search_batch(
            ["red fox", "über whale whale", "日本", "title 3"],
            strategy=strategy,
            max_results=50,
            min_score=-1.0,
            filters=filters,
            query_vectors=vectors,
        )
        for strategy in ("keyword", "vector", "hybrid")
        for filters in (None, {"tier": "tier 2"})
    ]


def by_function(text):
    return [float(len(text)), float(text.count("o")) + 1.0, 0.5] * 13


@pytest.mark.parametrize("embedding", ["hash:64", "column:vector", "none", by_function])
@pytest.mark.parametrize("block_max", [True, False])
def test_a_compacted_index_is_the_one_built_from_scratch(tmp_path, embedding, block_max):
    tables = [table(0, 60), table(60, 20), table(80, 1), table(81, 40)]
    dead = [range(0, 60, 7), range(20), (), (39,)]
    options = {**OPTIONS, "embedding": embedding, "block_max": block_max, "threads": 2}
    corpus = segmented(tmp_path / "index", tables, dead, **options)
    compacted = corpus.compact(threads=2)
    scratch = Corpus.build(kept(tables, dead), tmp_path / "scratch", **options)
    assert files_of(compacted.path) == files_of(scratch.path)
    assert len(compacted) == len(scratch) == 91
    entry, expected = (read_manifest(each.path).segments[0] for each in (compacted, scratch))
    assert (entry.rows, entry.null_vectors, entry.empty_texts, entry.live) == (
        expected.rows, expected.null_vectors, expected.empty_texts, None,
    )  # fmt: skip
    if embedding != "none":
        vectors = np.random.default_rng(5).standard_normal((4, scratch.dimensions))
        for one, other in zip(
            searches(compacted, vectors), searches(scratch, vectors), strict=True
        ):
            assert one.equals(other)
    assert compacted.verify().whole
    assert corpus.search("red", strategy="keyword")  # what was opened before still answers


@pytest.mark.slow
@settings(max_examples=25)
@given(data=st.data())
def test_any_cut_and_any_deletions_give_the_same_files(data, tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("cut")
    sizes = data.draw(st.lists(st.integers(0, 12), min_size=1, max_size=4))
    starts = np.cumsum([0, *sizes])
    seed = data.draw(st.integers(0, 3))
    tables = [table(int(a), n, seed) for a, n in zip(starts, sizes, strict=False)]
    dead = [data.draw(st.sets(st.integers(0, n - 1))) if n else () for n in sizes]
    options = {**OPTIONS, "embedding": "hash:64"}
    corpus = segmented(tmp_path / "index", tables, dead, **options).compact()
    scratch = Corpus.build(kept(tables, dead), tmp_path / "scratch", threads=1, **options)
    assert files_of(corpus.path) == files_of(scratch.path)


def test_documents_that_are_only_parents_stay_unsearchable(tmp_path):
    tables = [table(0, 9), table(20, 5)]
    parents = [table(10, 4), table(30, 3)]
    options = {**OPTIONS, "embedding": "hash:64", "threads": 1}
    corpus = segmented(tmp_path / "index", tables, [(2, 10), (6,)], parents, **options).compact()
    (segment,) = corpus._snapshot.segments
    assert segment.only_parents.tolist() == [False] * 8 + [True] * 3 + [False] * 5 + [True] * 2
    assert corpus.info().null_vectors == 5
    once = files_of(corpus.path)
    found = corpus.search_batch(WORDS, strategy="hybrid", max_results=99, min_score=-1.0)
    assert not set(found["id"].to_pylist()) & {f"d{n}" for n in (*range(10, 14), *range(30, 33))}
    # a second merge keeps them too
    again = segmented(tmp_path / "again", [table(50, 1)], parents=[table(60, 2)], **options)
    assert len(again._snapshot.segments[0].only_parents) == 3
    assert once["only_parents.npy"][-16:] == bytes([0] * 8 + [1] * 3 + [0] * 5 + [1] * 2)[-16:]


@pytest.mark.parametrize("embedding", ["hash:64", "column:vector"])
def test_nothing_or_only_parents_may_be_left(tmp_path, embedding):
    options = {"parent": "parent", "embedding": embedding, "threads": 1}
    tables, parents = [table(0, 5), table(5, 2)], [table(20, 2), table(30, 2)]
    corpus = segmented(tmp_path / "index", tables, [range(5), range(2)], parents, **options)
    compacted = corpus.compact()
    assert len(compacted) == 4
    assert compacted.verify().whole
    assert compacted.search("red", strategy="keyword") == ()
    vectors = [[1.0] * corpus.dimensions]
    assert len(compacted.search_batch(["red"], strategy="vector", query_vectors=vectors)) == 0
    empty = segmented(tmp_path / "empty", tables, [range(5), range(2)], **options).compact()
    assert len(empty) == 0
    assert empty.verify().whole
    assert empty.search("red", strategy="keyword") == ()


def test_damage_is_not_copied(tmp_path):
    corpus = segmented(tmp_path / "index", [table(0, 9), table(9, 9)], **OPTIONS)
    before = read_manifest(corpus.path)
    for name in ("documents.arrow", "dictionaries.arrow", "vectors.npy"):
        path = corpus.path / "segments" / "00000002" / name
        whole = path.read_bytes()
        path.write_bytes(whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:])
        with pytest.raises(CorpusCorruptError, match=name):
            Corpus.open(corpus.path).compact()
        path.write_bytes(whole)
        assert read_manifest(corpus.path) == before
        assert sorted(each.name for each in (corpus.path / "segments").iterdir()) == [
            "00000001", "00000002",
        ]  # fmt: skip
    assert corpus.verify().whole


@pytest.mark.data
@pytest.mark.slow
def test_a_real_corpus_of_many_batches(collections, tmp_path):
    """Read in other batches, with a tenth deleted: the same bytes as a build of what is left."""
    rows = pq.read_table(collections / "software_descriptions.parquet").slice(0, 100_000)
    dead = np.flatnonzero(np.random.default_rng(4).random(60_000) < 0.1)
    parts = [rows.slice(0, 60_000), rows.slice(60_000)]
    options = {"metadata": ["month", "tier"], "embedding": "hash:64", "threads": 2}
    compacted = segmented(tmp_path / "index", parts, [dead], **options).compact(threads=2)
    pq.write_table(kept(parts, [dead, ()]), tmp_path / "kept.parquet", row_group_size=7_000)
    scratch = Corpus.build(tmp_path / "kept.parquet", tmp_path / "scratch", **options)
    found, expected = files_of(compacted.path), files_of(scratch.path)
    assert found.keys() == expected.keys()
    assert [name for name in found if found[name] != expected[name]] == []
