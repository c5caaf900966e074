"""The open-addressing table against a dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.row_table import find_slot


@given(st.lists(st.one_of(st.integers(0, 40), st.integers(0, 2**62)), max_size=60))
def test_a_table_finds_what_was_put_in(rows):
    size = 128
    keys, entries = np.zeros(size, np.int64), np.full(size, -1, np.int64)
    expected = {}
    for row in rows:
        slot = find_slot(keys, entries, size - 1, row)
        assert entries[slot] == expected.get(row, -1)
        expected.setdefault(row, len(expected))
        keys[slot], entries[slot] = row, expected[row]
    for row, entry in expected.items():
        assert entries[find_slot(keys, entries, size - 1, row)] == entry
