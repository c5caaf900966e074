"""Small segments that follow one another become one; nothing else changes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.vector_codes import VectorCodes, code_width
from octavo.engines.vector import joined_segments
from octavo.engines.vector.joined_segments import join_small
from octavo.engines.vector.segments import VectorSegments
from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors

DIMENSIONS = 40
VECTORS = unit_length(np.random.default_rng(2).standard_normal((60, DIMENSIONS)))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.booleans()), min_size=1, max_size=6),
    st.data(),
)
@settings(max_examples=60)
def test_rows_flags_and_codes_stay_the_same(parts, data):
    cuts = np.cumsum([0, *(size for size, _, _ in parts)])
    matrices = [VECTORS[a:b] for a, b in pairwise(cuts.tolist())]
    present = [np.arange(len(each)) % 2 == 0 if held else None
               for each, (_, held, _) in zip(matrices, parts, strict=True)]  # fmt: skip
    codes = [VectorCodes(*encode_vectors(each, code_width(DIMENSIONS))) if coded else None
             for each, (_, _, coded) in zip(matrices, parts, strict=True)]  # fmt: skip
    apart = data.draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts)))
    stored = VectorSegments(matrices, present, codes)
    joined, firsts = join_small(stored, apart)
    assert (joined.rows, len(joined.matrices)) == (stored.rows, len(firsts))
    assert firsts == sorted(set(firsts))
    for number, first in enumerate(firsts):
        run = range(first, firsts[number + 1] if number + 1 < len(firsts) else len(parts))
        assert len(run) == 1 or not any(apart[each] for each in run)
        assert joined.starts[number] == stored.starts[first]
        expected = np.concatenate([matrices[each] for each in run])
        assert joined.matrices[number].tobytes() == expected.tobytes()
        flags = [present[each] for each in run]
        own = joined.present[number]
        assert (own is None) == all(each is None for each in flags)
        if own is not None:
            expected = [np.ones(len(matrices[each]), bool) if f is None else f
                        for each, f in zip(run, flags, strict=True)]  # fmt: skip
            assert own.tolist() == np.concatenate(expected).tolist()
        assert len({codes[each] is None for each in run}) == 1
        if codes[first] is not None:
            assert (joined.codes[number].codes.tobytes()
                    == b"".join(codes[each].codes.tobytes() for each in run))  # fmt: skip
            assert (joined.codes[number].bounds.tobytes()
                    == b"".join(codes[each].bounds.tobytes() for each in run))  # fmt: skip


@pytest.mark.parametrize(
    ("small", "most", "apart", "firsts"),
    [
        (30, 100, (), [0, 1]),
        (30, 100, (3,), [0, 1, 3, 4]),
        (30, 9, (), [0, 1, 2, 3]),
        (4, 100, (), [0, 1, 2, 3]),
    ],
)
def test_large_segments_and_large_pieces_stay_apart(monkeypatch, small, most, apart, firsts):
    monkeypatch.setattr(joined_segments, "_SMALL_BYTES", small * 4 * DIMENSIONS)
    monkeypatch.setattr(joined_segments, "_JOINED_BYTES", most * 4 * DIMENSIONS)
    matrices = [VECTORS[start:stop] for start, stop in pairwise([0, 31, 36, 42, 46, 50])]
    flags = [number in apart for number in range(5)]
    assert join_small(VectorSegments(matrices), flags)[1] == firsts
