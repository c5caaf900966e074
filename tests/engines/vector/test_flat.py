"""The exact scan against brute force."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import faiss
import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.selection import Selection
from octavo.columns.vector_codes import VectorCodes, code_width
from octavo.engines.vector import FlatVectorIndex
from octavo.errors import DimensionMismatchError, InvalidArgumentError, NonFiniteVectorError
from octavo.kernels.compile import jit_disabled
from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors

ROWS = 150 if jit_disabled() else 4000  # plain Python is slow


def same(left, right):
    return (
        left.offsets.tobytes() == right.offsets.tobytes()
        and left.rows.tobytes() == right.rows.tobytes()
        and left.scores.tobytes() == right.scores.tobytes()
    )


@pytest.mark.parametrize("count", [1, 6, 40])
@pytest.mark.parametrize("depth", [1, 100])
def test_hits_and_scores_are_those_of_brute_force(  # S6, S20
    family, random, brute_force, pairs, count, depth
):
    vectors = unit_length(family(random, ROWS, 40))
    queries = family(random, count, 40)
    queries[: count // 2] = vectors[random.integers(0, ROWS, count // 2)]
    queries = queries[queries.any(axis=1)]
    hits, report = FlatVectorIndex([vectors]).search(queries, depth)
    assert pairs(hits) == brute_force(queries, vectors, depth)
    assert report.counters["vectors compared"] == len(queries) * ROWS
    assert report.plans == ({"vector: exact scan": len(queries)} if len(queries) else {})


@pytest.mark.parametrize("dimensions", [1, 2, 31, 33, 1000, 16_384])
def test_any_number_of_dimensions(family, random, brute_force, pairs, dimensions):
    rows = min(400, ROWS) if dimensions < 1000 else ROWS // 40
    vectors = unit_length(family(random, rows, dimensions))
    queries = np.concatenate([family(random, 4, dimensions), vectors[:3]])
    queries = queries[queries.any(axis=1)]
    index = FlatVectorIndex([vectors])
    for block in (queries, queries[:2]):
        hits, _ = index.search(block, 5)
        assert pairs(hits) == brute_force(block, vectors, 5)


def test_a_batch_is_its_queries_one_by_one(family, random):  # S5
    vectors = unit_length(family(random, ROWS, 24))
    count = 30 if jit_disabled() else 300
    queries = family(random, count, 24).astype(np.float32)
    index = FlatVectorIndex([vectors])
    batch, _ = index.search(queries, 7)
    for size in (1, 4, 50):
        for start in range(0, count, size * 10):
            block, _ = index.search(queries[start : start + size], 7)
            own = slice(batch.offsets[start], batch.offsets[min(start + size, count)])
            assert block.rows.tobytes() == batch.rows[own].tobytes()
            assert block.scores.tobytes() == batch.scores[own].tobytes()


def test_fewer_are_a_prefix_of_more(family, random, pairs):  # S12
    vectors = unit_length(family(random, ROWS, 24))
    queries = family(random, 9, 24)
    index = FlatVectorIndex([vectors])
    long = pairs(index.search(queries, 200)[0])
    for depth in (1, 3, 33, 199):
        assert pairs(index.search(queries, depth)[0]) == [hits[:depth] for hits in long]


@settings(max_examples=30)
@given(st.lists(st.integers(0, 70), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_segments_are_one_index_and_null_vectors_are_never_hits(sizes, seed):  # S16
    random = np.random.default_rng(seed)
    parts = [unit_length(random.integers(-1, 2, (size, 5)).astype(float)) for size in sizes]
    present = [None if random.random() < 0.3 else random.random(size) < 0.7 for size in sizes]
    flags = np.concatenate(
        [
            np.ones(size, np.bool_) if own is None else own
            for size, own in zip(sizes, present, strict=True)
        ]
    )
    queries = random.integers(-1, 2, (8, 5)).astype(float)
    found, _ = FlatVectorIndex(parts, present).search(queries, 9)
    whole = FlatVectorIndex([np.concatenate(parts)])
    expected, _ = whole.search(queries, 9, Selection.of(flags))
    assert same(found, expected)
    assert flags[found.rows].all()
    assert found.counts().tolist() == [min(9, int(flags.sum()))] * 8


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.3, 0.6, 0.95, 1.0])
@pytest.mark.parametrize("count", [1, 12])
def test_a_filter_is_exact_at_any_share(  # S8
    random, brute_force, pairs, share, count
):
    vectors = unit_length(random.integers(-2, 3, (ROWS, 12)).astype(float))
    queries = random.standard_normal((count, 12))
    admitted = random.random(ROWS) < share
    admitted[: ROWS // 3] = False  # stretches without any admitted row
    admitted[ROWS // 3 : ROWS // 2] |= share > 0
    index = FlatVectorIndex([vectors[: ROWS // 2], vectors[ROWS // 2 :]])
    hits, report = index.search(queries, 15, Selection.of(admitted))
    assert pairs(hits) == brute_force(queries, vectors, 15, admitted)
    assert report.plans == {"vector: exact scan of admitted rows": count}
    assert report.counters["vectors compared"] <= count * ROWS


def test_everything_admitted_is_no_filter(random):
    vectors = unit_length(random.standard_normal((50, 4)))
    index = FlatVectorIndex([vectors])
    queries = random.standard_normal((3, 4))
    plain, _ = index.search(queries, 5)
    assert same(plain, index.search(queries, 5, Selection.everything(50))[0])
    assert same(plain, index.search(queries, 5, Selection.of(np.ones(50, np.bool_)))[0])


def test_more_hits_than_rows_gives_every_row_once(random, pairs, brute_force):
    vectors = unit_length(random.standard_normal((37, 6)))
    queries = random.standard_normal((8, 6))
    hits, _ = FlatVectorIndex([vectors]).search(queries, 10**30)
    assert pairs(hits) == brute_force(queries, vectors, 37)


def test_very_many_hits_are_searched_in_smaller_blocks(random, monkeypatch):
    vectors = unit_length(random.standard_normal((60, 6)))
    queries = random.standard_normal((20, 6))
    index = FlatVectorIndex([vectors])
    expected, _ = index.search(queries, 60)
    monkeypatch.setattr("octavo.engines.vector.flat._HIT_SLOTS", 130)
    assert same(index.search(queries, 60)[0], expected)


def test_a_zero_vector_scores_zero_and_sits_between(random):  # S20
    vectors = np.array([[-1, 0], [0, 0], [1, 0], [0, 0], [0, 1]], np.float32)
    for count in (1, 9):
        hits, _ = FlatVectorIndex([vectors]).search(np.tile([[2.0, 0.0]], (count, 1)), 5)
        assert hits.rows[:5].tolist() == [2, 1, 3, 4, 0]
        assert hits.scores[:5].tolist() == [1.0, 0.0, 0.0, 0.0, -1.0]


def test_a_zero_query_gets_the_first_admitted_rows(random):  # S20
    vectors = unit_length(random.standard_normal((10, 3)))
    present = np.array([False, True, True, True])
    index = FlatVectorIndex([vectors[:4], vectors[4:]], [present, None])
    queries = np.array([[0.0, 0, 0], [1, 2, 3], [0, -0.0, 0]])
    hits, report = index.search(queries, 4)
    assert hits.rows[:4].tolist() == hits.rows[8:].tolist() == [1, 2, 3, 4]
    assert hits.scores[:4].tolist() == hits.scores[8:].tolist() == [0.0] * 4
    assert same(hits.keep(hits.query_of() == 1), index_of_one(hits, index, queries))
    assert report.plans == {"vector: exact scan": 1, "vector: zero query": 2}
    assert report.counters["vectors compared"] == 10
    admitted = np.arange(10) % 3 == 0
    hits, report = index.search(queries[:1], 4, Selection.of(admitted))
    assert hits.rows.tolist() == [3, 6, 9]
    assert report.plans == {"vector: zero query": 1}
    assert not report.counters


def index_of_one(hits, index, queries):
    """Return what the second query finds alone, placed as in a batch of three."""
    alone, _ = index.search(queries[1:2], 4)
    return type(hits)(np.array([0, 0, 4, 4]), alone.rows, alone.scores)


def test_a_vector_has_cosine_one_with_itself_to_the_last_bit(random):
    vectors = unit_length(random.standard_normal((500, 77)))
    queries = vectors if not jit_disabled() else vectors[:20]
    hits, _ = FlatVectorIndex([vectors]).search(queries, 1)
    assert hits.rows.tolist() == list(range(len(queries)))
    assert (hits.scores == 1.0).all()


def test_query_length_and_type_do_not_matter(random):
    vectors = unit_length(random.standard_normal((200, 16)))
    queries = random.integers(-4, 5, (9, 16)).astype(np.float16)
    index = FlatVectorIndex([vectors])
    expected, _ = index.search(queries, 5)
    for scaled in (
        queries.astype(np.float32),
        queries.astype(np.float64) * 2.0**900,
        queries.astype(np.float64) * 2.0**-1000,
        np.asfortranarray(queries),
    ):
        assert same(index.search(scaled, 5)[0], expected)


def test_no_queries_and_no_rows():
    index = FlatVectorIndex([np.zeros((0, 4), np.float32)])
    hits, report = index.search(np.ones((3, 4)), 10)
    assert hits.offsets.tolist() == [0, 0, 0, 0]
    assert index.search(np.zeros((2, 4)), 10)[0].offsets.tolist() == [0, 0, 0]
    assert not report.counters["vectors compared"]
    index = FlatVectorIndex([np.eye(4, dtype=np.float32)])
    hits, report = index.search(np.ones((0, 4)), 10)
    assert hits.queries == 0
    assert not report.plans


@pytest.mark.parametrize(
    ("queries", "error", "message"),
    [
        (np.ones((2, 3)), DimensionMismatchError, "expected vectors of 4 dimensions, found 3"),
        (np.ones(4), InvalidArgumentError, r"found shape \(4,\)"),
        (np.ones((1, 1, 4)), InvalidArgumentError, "float array of shape"),
        (np.ones((1, 4), np.int64), InvalidArgumentError, "int64"),
        (np.ones((1, 4), np.longdouble), InvalidArgumentError, "float16, float32 or float64"),
        ([[1.0, 2.0, 3.0, 4.0]], InvalidArgumentError, "found list"),
        (
            np.array([[1, 2, 3, 4], [1, 2, np.nan, 4]]),
            NonFiniteVectorError,
            "nan in query 1, d.* 2",
        ),
        (np.array([[1, 2, 3, -np.inf]], np.float16), NonFiniteVectorError, "-inf in query 0"),
    ],
)
def test_bad_queries_never_reach_native_code(queries, error, message):  # S20
    index = FlatVectorIndex([np.eye(4, dtype=np.float32)])
    with pytest.raises(error, match=message):
        index.search(queries, 2)


@pytest.mark.parametrize("depth", [0, -1, 1.5, True, None])
def test_a_bad_depth_is_refused(depth):
    index = FlatVectorIndex([np.eye(4, dtype=np.float32)])
    with pytest.raises(InvalidArgumentError, match="depth: expected an integer of at least 1"):
        index.search(np.ones((1, 4)), depth)


def test_a_selection_for_other_rows_is_refused():
    index = FlatVectorIndex([np.eye(4, dtype=np.float32)])
    for admitted in (np.ones(5, np.bool_), np.ones(4, np.int8)):
        with pytest.raises(InvalidArgumentError, match="selection: expected 4 booleans"):
            index.search(np.ones((1, 4)), 1, Selection(admitted, 4))


def test_damaged_vectors_give_no_nan_and_no_crash(random):  # S13
    vectors = unit_length(random.standard_normal((300, 8)))
    vectors[::7, 3] = np.nan
    vectors[::11, 2] = np.inf
    vectors[::13] = np.float32(3e38)
    for count in (1, 10):
        hits, _ = FlatVectorIndex([vectors]).search(random.standard_normal((count, 8)), 300)
        assert np.isfinite(hits.scores).all()
        assert (np.abs(hits.scores) <= 1).all()


def test_memory_mapped_vectors_are_used_as_they_are(tmp_path, random, brute_force, pairs):
    vectors = unit_length(random.standard_normal((100, 8)))
    np.save(tmp_path / "vectors.npy", vectors)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    queries = random.standard_normal((7, 8))
    hits, _ = FlatVectorIndex([mapped]).search(queries, 5)
    assert pairs(hits) == brute_force(queries, vectors, 5)


def test_threads_share_an_index_and_give_the_same_bits(random):
    vectors = unit_length(random.standard_normal((ROWS, 32)))
    queries = random.standard_normal((64, 32))
    index = FlatVectorIndex([vectors])
    expected, _ = index.search(queries, 10)
    with ThreadPoolExecutor(4) as pool:
        for hits, _ in pool.map(lambda _: index.search(queries, 10), range(8)):
            assert same(hits, expected)


def test_the_number_of_faiss_threads_is_restored():
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(3)
    try:
        FlatVectorIndex([np.eye(4, dtype=np.float32)]).search(np.ones((9, 4)), 2)
        assert faiss.omp_get_max_threads() == 3
    finally:
        faiss.omp_set_num_threads(before)


@pytest.mark.data
@pytest.mark.parametrize("name", ["cranfield", "cisi", "cacm"])
def test_real_vectors(collections, brute_force, pairs, name):
    def read(file):
        column = pq.read_table(collections / name / file)["vector"].combine_chunks()
        return np.asarray(column.flatten()).reshape(len(column), -1)

    vectors = unit_length(read("vectors.parquet"))
    queries = read("query_vectors.parquet")[: 5 if jit_disabled() else None]
    depth = 10 if jit_disabled() else 100
    hits, _ = FlatVectorIndex([vectors]).search(queries, depth)
    assert pairs(hits) == brute_force(queries, vectors, depth)


PROGRAM = """
import hashlib
import numpy as np
from octavo.columns.selection import Selection
from octavo.engines.vector import FlatVectorIndex
from octavo.kernels.unit_length import unit_length

random = np.random.default_rng(8)
vectors = unit_length(random.integers(-2, 3, (150, 37)).astype(np.float32))
queries = random.integers(-2, 3, (9, 37)) * 1.7
index = FlatVectorIndex([vectors[:70], vectors[70:]])
for count in (3, 9):
    for selection in (None, Selection.of(random.random(150) < 0.4)):
        hits, report = index.search(queries[:count], 12, selection)
        print(hits.rows.tobytes().hex(), hits.scores.tobytes().hex(), sorted(report.plans.items()))
"""


def test_compiled_or_not_and_on_other_processors_the_bits_are_the_same():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for settings in (
            {"NUMBA_DISABLE_JIT": "0"},
            {"NUMBA_DISABLE_JIT": "1"},
            {
                "NUMBA_DISABLE_JIT": "1",
                "OPENBLAS_CORETYPE": "Nehalem",
                "FAISS_OPT_LEVEL": "generic",
            },
        )
    ]
    assert outputs[0] == outputs[1] == outputs[2]
    assert outputs[0].count("\n") == 4


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=8),
    st.sampled_from([1.0, 0.9, 0.5, 0.02]),
    st.integers(1, 20),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=40, deadline=None)
def test_any_segments_and_dead_rows_give_the_best_live_rows(sizes, share, depth, coded, seed):
    # S6, S8, S20: in numpy's float64, with ties
    random = np.random.default_rng(seed)
    rows = sum(sizes)
    vectors = unit_length(random.integers(-1, 2, (rows, 40)).astype(float))
    cuts = np.cumsum(sizes)[:-1].tolist()
    parts = [np.ascontiguousarray(part) for part in np.split(vectors, cuts)]
    codes = [VectorCodes(*encode_vectors(part, code_width(40))) for part in parts]
    live = random.random(rows) < share
    queries = random.integers(-1, 2, (3, 40)).astype(float) + 0.25
    selection = Selection.of(live)
    many, _ = FlatVectorIndex(parts, None, codes if coded else None).search(
        queries, depth, selection
    )
    assert same(many, FlatVectorIndex([vectors]).search(queries, depth, selection)[0])
    exact = vectors.astype(float)
    lengths = np.linalg.norm(exact, axis=1)
    for number, query in enumerate(queries):
        own = slice(int(many.offsets[number]), int(many.offsets[number + 1]))
        found = many.rows[own]
        assert live[found].all()
        assert len(found) == min(depth, int(live.sum()))
        cosines = exact @ query / np.maximum(lengths, 1e-300) / np.linalg.norm(query)
        expected = np.sort(cosines[live])[::-1][: len(found)]
        assert np.allclose(many.scores[own], expected, rtol=0, atol=1e-6)
        assert np.allclose(cosines[found], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("dead", [1, 200, ROWS - 3])
def test_dead_rows_use_up_no_place_where_all_the_best_are_dead(
    random, brute_force, pairs, dead
):  # S8
    vectors = unit_length(random.standard_normal((ROWS, 40)))
    query = random.standard_normal((1, 40))
    live = np.ones(ROWS, np.bool_)
    live[np.argsort(-(vectors @ query[0]))[:dead]] = False
    for count in (1, 20):
        queries = np.tile(query, (count, 1))
        hits, _ = FlatVectorIndex([vectors]).search(queries, 10, Selection.of(live))
        assert pairs(hits) == brute_force(query, vectors, 10, live) * count
