"""The table of ``docs/rrf-dialects.md``: other libraries' formulas in plain Python (S22)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.hits import Hits
from octavo.strategies.fusion import fuse

STREAMS = st.lists(st.lists(st.integers(0, 15), unique=True, max_size=12), min_size=1, max_size=4)


def ranx(runs):
    """ranx.fusion.rrf: ``1 / (k + rank)``, k = 60, over the documents of each run in order."""
    fused = {}
    for run in runs:
        for rank, document in enumerate(run, start=1):
            fused[document] = fused.get(document, 0.0) + 1 / (60 + rank)
    return fused


def octavo(streams, k):
    hits = {
        str(number): Hits(
            np.array([0, len(rows)]), np.array(rows, np.int64), -np.arange(len(rows), dtype=float)
        )
        for number, rows in enumerate(streams)
    }
    fused = fuse(hits, k=k)
    return dict(zip(fused.rows.tolist(), fused.scores.tolist(), strict=True))


@given(STREAMS)
def test_parity_with_ranx(streams):  # S22
    expected = ranx(streams)
    found = octavo(streams, 60)
    voting = sum(map(bool, streams))
    assert found.keys() == expected.keys()
    for document, score in found.items():
        assert score * voting / 61 == pytest.approx(expected[document], rel=1e-14)
    order = sorted(expected, key=lambda document: (-round(expected[document], 15), document))
    assert [round(expected[each], 15) for each in found] == [
        round(expected[each], 15) for each in order
    ]


DIALECTS = {
    "LanceDB, Rust": (lambda rank0: Fraction(1, 60 + rank0), 59),
    "LlamaIndex": (lambda rank0: Fraction(1, 60 + rank0), 59),
    "Weaviate": (lambda rank0: Fraction(1, 60 + rank0), 59),
    "Chroma": (lambda rank0: Fraction(1, 60 + rank0), 59),
    "Qdrant": (lambda rank0: 1 / Fraction((rank0 + 1) + 2 - 1), 1),
    "txtai": (lambda rank0: Fraction(1, rank0 + 1), 0),
    "Haystack": (lambda rank0: Fraction(1, 61 + rank0), 60),
    "paper": (lambda rank0: Fraction(1, 60 + rank0 + 1), 60),
}


@pytest.mark.parametrize("name", DIALECTS)
@given(streams=STREAMS)
def test_each_dialect_is_a_constant_and_a_scale(name, streams):  # S22
    contribution, k = DIALECTS[name]
    theirs = {}
    for stream in streams:
        for rank0, document in enumerate(stream):
            theirs[document] = theirs.get(document, 0) + contribution(rank0)
    voting = max(1, sum(map(bool, streams)))
    expected = {document: float(score * (k + 1) / voting) for document, score in theirs.items()}
    assert octavo(streams, k) == pytest.approx(expected, rel=1e-14)
