"""Both algorithms against plain sums in float32, over random postings."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.accumulate import WINDOW, rank_by_windows
from octavo.kernels.block_max import large_factor, rank_rarest_first
from octavo.kernels.key_heap import LARGEST_ROW, key_score, sort_keys
from octavo.kernels.merge_postings import bound_blocks
from octavo.kernels.posting_codes import BLOCK, FIRST_LARGE_CODE

NORMS = (0.3 + np.arange(256, dtype=np.float32) / np.float32(7)).astype(np.float32)


class World(NamedTuple):
    """Postings of one segment whose clauses are all its terms."""

    rows_total: int
    rows: np.ndarray
    codes: np.ndarray
    large_places: np.ndarray
    large_counts: np.ndarray
    bounds: np.ndarray
    levels: np.ndarray
    factors: np.ndarray
    starts: np.ndarray
    stops: np.ndarray
    weights: np.ndarray
    level_numbers: np.ndarray


def world(seed, rows_total, counts, *, with_levels=True):
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 30, rows_total)
    rows, codes, large = [], [], {}
    levels, numbers = [], []
    for count in counts:
        held = np.sort(random.choice(rows_total, min(count, rows_total), replace=False))
        frequencies = np.minimum(random.geometric(0.6, len(held)), 300)
        frequencies[random.random(len(held)) < 0.01] = 700
        for row, frequency in zip(held.tolist(), frequencies.tolist(), strict=True):
            if frequency >= 255:
                large[len(rows)] = frequency
            rows.append(row)
            codes.append(min(frequency, 255) * 256 + int(lengths[row]))
        numbers.append(-1)
        if with_levels and random.random() < 0.5:
            numbers[-1] = len(levels)
            level = np.zeros(-(-rows_total // 4) * 4, np.uint8)
            level[held] = np.minimum(frequencies, 3)
            quarters = level.reshape(-1, 4)
            levels.append(quarters @ np.array([1, 4, 16, 64], np.uint8))
    codes = np.array(codes, np.uint16)
    bounds = np.zeros((-(-len(codes) // BLOCK), 2), np.uint16)
    bound_blocks(codes, 0, bounds)
    tf = np.arange(256, dtype=np.float32)[:, None]
    factors = (tf / (tf + NORMS)).astype(np.float32)
    factors[255] = 1
    stops = np.cumsum([min(count, rows_total) for count in counts])
    return World(
        rows_total,
        np.array(rows, np.int32),
        codes,
        np.array(sorted(large), np.int64),
        np.array([large[place] for place in sorted(large)], np.int64),
        bounds,
        np.array(levels, np.uint8).reshape(len(levels), -(-rows_total // 4)),
        factors.ravel(),
        (stops - [min(count, rows_total) for count in counts]).astype(np.int64),
        stops.astype(np.int64),
        random.uniform(0.5, 12, len(counts)).astype(np.float32),
        np.array(numbers, np.int64),
    )


def oracle(given_world, limit, admitted):
    """Sum float32 scores clause by clause; sort by (score descending, row ascending)."""
    large = dict(zip(given_world.large_places, given_world.large_counts, strict=True))
    sums = {}
    for clause, weight in enumerate(given_world.weights):
        for place in range(given_world.starts[clause], given_world.stops[clause]):
            code = int(given_world.codes[place])
            frequency = np.float32(large.get(place, code >> 8))
            assert (place in large) == (code >= FIRST_LARGE_CODE)
            score = np.float32(weight * (frequency / (frequency + NORMS[code & 255])))
            row = int(given_world.rows[place])
            sums[row] = np.float32(sums.get(row, np.float32(0)) + score)
    kept = [(row, float(s)) for row, s in sums.items() if not len(admitted) or admitted[row]]
    return sorted(kept, key=lambda hit: (-hit[1], hit[0]))[:limit]


def ranked(algorithm, w, limit, admitted, first_row=0, size=0, heap=None):
    heap = np.zeros(limit + 1, np.int64) if heap is None else heap
    counters = np.zeros(3, np.int64)
    shared = (w.rows, w.codes, w.large_places, w.large_counts)
    clauses = (w.starts, w.stops, w.weights)
    place = (admitted, w.rows_total, first_row, heap, 0, size, limit)
    if algorithm == "rarest first":
        size = rank_rarest_first(
            *shared, w.bounds, w.levels, w.factors, NORMS, *clauses, w.level_numbers, *place,
            counters,
        )  # fmt: skip
    else:
        sums = np.zeros(WINDOW, np.float32)
        size = rank_by_windows(*shared, w.factors, NORMS, *clauses, *place, sums, counters)
        assert not sums.any()
    return heap, size, counters


def hits(heap, size):
    sort_keys(heap, 0, size)
    keys = heap[:size].tolist()
    return [(LARGEST_ROW - (key & 0xFFFFFFFF), float(key_score(key))) for key in keys]


ALGORITHMS = pytest.mark.parametrize("algorithm", ["rarest first", "windows"])


@ALGORITHMS
@given(
    st.integers(0, 2**32),
    st.integers(1, 90),
    st.lists(st.integers(1, 90), min_size=1, max_size=6),
    st.integers(1, 40),
    st.booleans(),
)
def test_small_segments_equal_the_oracle(algorithm, seed, rows_total, counts, limit, filtered):
    w = world(seed, rows_total, counts)
    admitted = np.random.default_rng(seed).random(rows_total if filtered else 0) < 0.5
    heap, size, _ = ranked(algorithm, w, limit, admitted)
    assert hits(heap, size) == oracle(w, limit, admitted)


@ALGORITHMS
@pytest.mark.parametrize("limit", [1, 10, 200])
@pytest.mark.parametrize("counts", [[1500], [40, 900, 4000], [300, 310, 2000, 5000, 5000]])
def test_large_segments_equal_the_oracle(algorithm, limit, counts):
    for seed in range(3):
        w = world(seed, 20_000, counts)
        for share in (0.0, 0.3):
            admitted = np.random.default_rng(seed).random(20_000 if share else 0) < share
            heap, size, counters = ranked(algorithm, w, limit, admitted)
            assert hits(heap, size) == oracle(w, limit, admitted)
            assert 0 < counters[0] <= sum(counts)


@ALGORITHMS
def test_a_second_segment_goes_on_with_the_heap(algorithm):
    first, second = world(1, 300, [40, 200]), world(2, 500, [60, 300])
    second = second._replace(weights=first.weights)
    everything = np.zeros(0, np.bool_)
    heap, size, _ = ranked(algorithm, first, 30, everything)
    heap, size, _ = ranked(algorithm, second, 30, everything, 300, size, heap)
    both = oracle(first, 800, everything)
    both += [(row + 300, score) for row, score in oracle(second, 800, everything)]
    assert hits(heap, size) == sorted(both, key=lambda hit: (-hit[1], hit[0]))[:30]


def test_blocks_below_the_threshold_are_skipped():
    w = world(5, 20_000, [20, 8000], with_levels=False)
    w.weights[:] = 10, 0.1
    _, _, counters = ranked("rarest first", w, 5, np.zeros(0, np.bool_))
    assert counters[0] < 8000


@ALGORITHMS
def test_rows_out_of_range_are_ignored(algorithm):
    w = world(9, 200, [50, 150])
    w.rows[::7] = [(-5, 2**31 - 1, 200)[n % 3] for n in range(len(w.rows[::7]))]
    heap, size, _ = ranked(algorithm, w, 100, np.ones(200, np.bool_))
    assert {row for row, _ in hits(heap, size)} <= set(range(200))


@pytest.mark.parametrize("count", [-3, 0, -(2**63)])
def test_a_large_frequency_that_is_none_divides_by_nothing(count):
    # a damaged file: the sum of count and norm may be 0
    counts, norms = np.array([count]), np.full(256, 3, np.float32)
    assert large_factor(5, FIRST_LARGE_CODE, np.array([5]), counts, norms) == 1
