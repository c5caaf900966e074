"""Decay by age against the formula in plain Python."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.temporal_decay import temporal_decay

FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # the years 1 and 9999
TICKS = st.one_of(
    st.integers(FIRST, LAST), st.integers(1_700_000_000_000_000, 1_700_000_009_000_000)
)
SCORES = st.floats(-1e6, 1e6)
HALF_LIVES = st.floats(1e-6, 1e9)
FLOORS = st.floats(0, 1)


def decay(hits, now, half_life, floor):
    scores = np.array([score for score, _ in hits], np.float64)
    ticks = np.array([tick or 0 for _, tick in hits], np.int64)
    present = np.array([tick is not None for _, tick in hits], np.bool_)
    found = temporal_decay(scores, ticks, present, now=now, half_life=half_life, floor=floor)
    return [each.tolist() for each in found]


def formula(score, tick, now, half_life, floor):
    """S27, step by step as it is written."""
    if tick is None:
        multiplier, age = floor, 0.0
    else:
        age = max(0, now - tick) / 1e6
        multiplier = floor + (1 - floor) * math.exp(-(age / half_life) * math.log(2))
    factor = multiplier if score >= 0 else 1 + floor - multiplier
    return score * factor, multiplier, age


HITS = st.lists(st.tuples(SCORES, st.none() | TICKS), max_size=8)


@given(HITS, TICKS, HALF_LIVES, FLOORS)
def test_the_formula_to_the_last_bit(hits, now, half_life, floor):  # S27
    expected = [formula(*hit, now, half_life, floor) for hit in hits]
    assert list(zip(*decay(hits, now, half_life, floor), strict=True)) == expected


@given(SCORES, TICKS, TICKS, TICKS, HALF_LIVES, FLOORS)
def test_the_fresher_of_two_equals_never_scores_lower(
    score, one, two, now, half_life, floor
):  # S27
    fresher, older = max(one, two), min(one, two)
    scores, multipliers, _ = decay(
        [(score, fresher), (score, older), (score, None)], now, half_life, floor
    )
    assert scores[0] >= scores[1] >= scores[2]
    assert 1 >= multipliers[0] >= multipliers[1] >= multipliers[2] == floor


@given(SCORES, TICKS, st.integers(1, 10**6), st.integers(0, 10**12), FLOORS)
def test_a_microsecond_fresher_is_never_worse(score, now, apart, age, floor):  # S27
    hits = [(score, now - age), (score, now - age - apart)]
    scores = decay(hits, now, 30 * 86_400.0, floor)[0]
    assert scores[0] >= scores[1]


@given(st.lists(st.tuples(SCORES, st.none() | TICKS), max_size=8), TICKS, HALF_LIVES)
def test_a_floor_of_one_changes_nothing(hits, now, half_life):  # S27
    assert decay(hits, now, half_life, 1.0)[0] == [score for score, _ in hits]


@given(st.lists(st.tuples(SCORES, SCORES, TICKS), min_size=1, max_size=8), TICKS, FLOORS)
def test_monotone_in_the_child_score(pairs, now, floor):  # S27
    low = decay([(min(a, b), tick) for a, b, tick in pairs], now, 1e6, floor)[0]
    high = decay([(max(a, b), tick) for a, b, tick in pairs], now, 1e6, floor)[0]
    assert all(a <= b for a, b in zip(low, high, strict=True))


def test_half_lives():  # S27
    ages = [0, 10, 20, 40]
    scores, multipliers, seconds = decay([(2.0, -age * 10**6) for age in ages], 0, 10.0, 0.5)
    assert multipliers == pytest.approx([1.0, 0.75, 0.625, 0.53125], rel=1e-15)
    assert scores == [2 * multiplier for multiplier in multipliers]
    assert seconds == ages


def test_the_future_counts_as_now():  # S27
    assert decay([(3.0, LAST)], 0, 1.0, 0.25) == [[3.0], [1.0], [0.0]]


def test_the_oldest_under_the_shortest_half_life_keeps_the_floor():  # S27
    assert decay([(1.0, FIRST), (-1.0, FIRST)], LAST, 1e-6, 0.8)[0] == pytest.approx([0.8, -1.0])


def test_no_score_is_ever_nan():  # S13
    hits = [(math.inf, FIRST), (-math.inf, LAST), (math.inf, None), (-math.inf, FIRST)]
    scores = decay(hits, LAST, 1.0, 0.0)[0]
    assert not any(map(math.isnan, scores))


def test_the_same_bits_without_compilation():
    program = (
        "import numpy as np; from octavo.kernels.temporal_decay import temporal_decay;"
        "n = 400; t = np.arange(n, dtype=np.int64) ** 4 * 997;"
        "s = np.sin(np.arange(n, dtype=np.float64)); p = np.arange(n) % 7 != 0;"
        "found = temporal_decay(s, t, p, now=int(t[-9]), half_life=86400.5, floor=0.3);"
        "print([each.tobytes().hex() for each in found])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
        ).stdout
        for disabled in ("0", "1")
    }  # fmt: skip
    assert len(outputs) == 1
