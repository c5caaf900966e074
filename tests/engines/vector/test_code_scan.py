"""Search by 8-bit codes: the same hits and bits as without, on whatever vectors."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.selection import Selection
from octavo.columns.vector_codes import VectorCodes, code_width, worth_coding
from octavo.engines.vector import FlatVectorIndex, code_scan
from octavo.errors import InvalidArgumentError
from octavo.kernels.code_tiles import supported
from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors

needs_codes = pytest.mark.skipif(not supported(), reason="needs 8-bit dot products of 512 bits")


def codes_of(vectors):
    return VectorCodes(*encode_vectors(vectors, code_width(vectors.shape[1])))


def same(left, right):
    return (
        left.offsets.tobytes() == right.offsets.tobytes()
        and left.rows.tobytes() == right.rows.tobytes()
        and left.scores.tobytes() == right.scores.tobytes()
    )


@needs_codes
@pytest.mark.parametrize("count", [1, 2, 15, 16, 40, 70])
@pytest.mark.parametrize("depth", [1, 100])
def test_hits_and_scores_are_those_of_brute_force(  # S5, S6, S20
    family, random, brute_force, pairs, count, depth
):
    vectors = unit_length(family(random, 3000, 40))
    queries = family(random, count, 40)
    queries[: count // 2] = vectors[random.integers(0, 3000, count // 2)]
    queries = queries[queries.any(axis=1)]
    expected = brute_force(queries, vectors, depth)
    stored, report = FlatVectorIndex([vectors], None, [codes_of(vectors)]).search(queries, depth)
    assert pairs(stored) == expected
    assert report.counters["vectors compared"] == len(queries) * 3000
    plain, _ = FlatVectorIndex([vectors]).search(queries, depth)  # by codes from 16 queries on
    assert same(plain, stored)


@needs_codes
@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=4),
    st.sampled_from([1, 3, 20]),
    st.integers(1, 70),
    st.floats(0, 1),
    st.integers(0, 2**32 - 1),
)
def test_segments_filters_and_missing_codes_move_no_bit(sizes, count, depth, share, seed):  # S8
    random = np.random.default_rng(seed)
    parts = [unit_length(random.integers(-1, 2, (size, 36)).astype(float)) for size in sizes]
    present = [None if random.random() < 0.5 else random.random(size) < 0.7 for size in sizes]
    queries = random.integers(-1, 2, (count, 36)) + 0.5
    selection = Selection.of(random.random(sum(sizes)) < share)
    coded = [codes_of(part) for part in parts]
    results = [
        FlatVectorIndex(parts, present, codes).search(queries, depth, selection)[0]
        for codes in (None, coded, [None, *coded[1:]])
    ]
    flags = np.concatenate(
        [
            np.ones(size, np.bool_) if own is None else own
            for size, own in zip(sizes, present, strict=True)
        ]
    )
    assert same(results[0], results[1])
    assert same(results[0], results[2])
    admitted = flags if selection.admitted is None else flags & selection.admitted
    wanted = min(depth, int(admitted.sum()))
    assert results[0].counts().tolist() == [wanted] * count


@needs_codes
def test_few_vectors_are_scored(random):
    vectors = unit_length(random.standard_normal((20_000, 64)))
    queries = random.standard_normal((20, 64))
    index = FlatVectorIndex([vectors], None, [codes_of(vectors)])
    _, report = index.search(queries, 10)
    assert report.counters["vectors rescored"] < 20 * 100


@needs_codes
def test_threads_share_codes_and_give_the_same_bits(random):
    vectors = unit_length(random.standard_normal((4000, 64)))
    queries = random.standard_normal((64, 64))
    index = FlatVectorIndex([vectors], None, [codes_of(vectors)])
    expected, _ = index.search(queries, 10)
    with ThreadPoolExecutor(4) as pool:
        for hits, _ in pool.map(lambda _: index.search(queries, 10), range(8)):
            assert same(hits, expected)


@needs_codes
@pytest.mark.parametrize("count", [1, 5, 20])
def test_damage_never_crashes_invents_or_rescores(random, brute_force, count):  # S13
    vectors = unit_length(random.standard_normal((500, 40)))
    queries = random.standard_normal((count, 40))
    scores = [dict(hits) for hits in brute_force(queries, vectors, 500)]
    codes, bounds = encode_vectors(vectors, 64)
    damaged = codes.copy(), bounds.copy()
    damaged[0][::3] = random.integers(0, 256, (167, 64))
    damaged[1].view(np.int32)[::5] = random.integers(-(2**31), 2**31, (100, 2))
    damaged[1][::7] = np.nan
    damaged[1][::11, 0] = np.inf
    hits, _ = FlatVectorIndex([vectors], None, [VectorCodes(*damaged)]).search(queries, 20)
    for query, row, score in zip(hits.query_of(), hits.rows, hits.scores, strict=True):
        assert scores[query][int(row)] == score
    broken = vectors.copy()
    broken[::7, 3] = np.nan
    broken[::11, 2] = np.inf
    broken[::13] = np.float32(3e38)
    hits, _ = FlatVectorIndex([broken], None, [VectorCodes(codes, bounds)]).search(queries, 500)
    assert np.isfinite(hits.scores).all()
    assert (np.abs(hits.scores) <= 1).all()
    assert hits.rows.min() >= 0
    assert hits.rows.max() < 500


@needs_codes
@pytest.mark.parametrize("count", [1, 20])
def test_all_equal_all_zero_and_one(count):  # S6, S20
    queries = np.tile(np.arange(1.0, 41.0), (count, 1))
    for vectors in (
        unit_length(np.tile(np.arange(2.0, 42.0), (5000, 1))),
        np.zeros((5000, 40), np.float32),
    ):
        index = FlatVectorIndex([vectors], None, [codes_of(vectors)])
        hits, _ = index.search(queries, 7)
        assert hits.rows.tolist() == [0, 1, 2, 3, 4, 5, 6] * count
        assert len(set(hits.scores.tolist())) == 1
        one = FlatVectorIndex([vectors[:1]], None, [codes_of(vectors[:1])])
        assert one.search(queries, 10**12)[0].rows.tolist() == [0] * count


def test_codes_that_do_not_fit_are_refused():
    vectors = np.eye(40, dtype=np.float32)
    codes = codes_of(vectors)
    for wrong, message in (
        (VectorCodes(codes.codes[:39], codes.bounds), "codes of segment 0"),
        (VectorCodes(codes.codes.astype(np.int16), codes.bounds), "int16"),
        (VectorCodes(codes.codes, codes.bounds[:, :1]), "code bounds of segment 0"),
        (VectorCodes(np.asfortranarray(codes.codes), codes.bounds), "C-contiguous"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            FlatVectorIndex([vectors], None, [wrong])
    with pytest.raises(InvalidArgumentError, match="codes: expected 1 segments, found 2"):
        FlatVectorIndex([vectors], None, [codes, codes])


@pytest.mark.parametrize(
    ("dimensions", "width", "worth"),
    [
        *((1, 64, False), (35, 64, False), (36, 64, True), (64, 64, True), (65, 128, False)),
        *((128, 128, True), (384, 384, True), (16_384, 16_384, True), (16_385, 16_448, False)),
    ],
)
def test_codes_are_made_where_they_halve_the_size(dimensions, width, worth):
    assert code_width(dimensions) == width
    assert worth_coding(dimensions) == worth


PROGRAM = """
import numpy as np
from octavo.columns.vector_codes import VectorCodes
from octavo.engines.vector import FlatVectorIndex
from octavo.kernels.code_tiles import supported
from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors

random = np.random.default_rng(8)
vectors = unit_length(random.integers(-2, 3, (150, 37)).astype(np.float32))
codes = VectorCodes(*encode_vectors(vectors, 64))
queries = random.integers(-2, 3, (18, 37)) * 1.7
index = FlatVectorIndex([vectors], None, [codes])
print(supported())
print(codes.codes.tobytes().hex(), codes.bounds.tobytes().hex())
for count in (1, 3, 18):
    hits, report = index.search(queries[:count], 12)
    print(hits.rows.tobytes().hex(), hits.scores.tobytes().hex(), sorted(report.plans.items()))
"""


def test_with_and_without_the_instruction_the_bits_are_the_same():  # S5
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\n", 1)
        for environment in (
            {"NUMBA_DISABLE_JIT": "0"},
            {"NUMBA_DISABLE_JIT": "0", "NUMBA_CPU_NAME": "generic"},
            {"NUMBA_DISABLE_JIT": "1"},
        )
    ]
    assert [supports for supports, _ in outputs[1:]] == ["False", "False"]
    assert outputs[0][1] == outputs[1][1] == outputs[2][1]


def test_a_batch_without_stored_codes_makes_them_from_16_queries_on():
    index = FlatVectorIndex([np.eye(40, dtype=np.float32)])
    fits = [code_scan.fits(index._segments, count) for count in (1, 15, 16, 256)]
    assert fits == [False, False, supported(), supported()]
