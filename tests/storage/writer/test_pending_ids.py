"""Looking up hashes of rows that keep coming."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.storage.writer.pending_ids import PendingIds, first_matches


@given(st.lists(st.lists(st.integers(0, 6), max_size=6), max_size=8), st.lists(st.integers(0, 8)))
def test_candidates_are_all_rows_of_a_hash(batches, wanted):
    ids, flat = PendingIds(), []
    for batch in batches:
        ids.add(np.array(batch, np.uint64), len(flat))
        flat += batch
    positions, rows = ids.candidates(np.array(wanted, np.uint64))
    expected = [
        (position, row)
        for position, value in enumerate(wanted)
        for row, known in enumerate(flat)
        if known == value
    ]
    assert sorted(zip(positions.tolist(), rows.tolist(), strict=True)) == expected
    assert (np.diff(positions) >= 0).all()


def test_ids_with_equal_hashes_are_told_apart():
    found = first_matches(np.array([0, 0, 1]), np.array([4, 7, 4]), ["a", "b", "a"], ["b", "c"])
    assert found.tolist() == [7, -1]
