"""The open-addressing table against a dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.row_table import FREE, find_slot


@given(st.lists(st.one_of(st.integers(0, 40), st.integers(0, 2**62)), max_size=60))
def test_a_table_finds_what_was_put_in(rows):
    size = 128
    known, table = np.zeros(size, np.int64), np.full(size, FREE, np.int32)
    expected = {}
    for row in rows:
        slot = find_slot(known, table, size - 1, row)
        assert table[slot] == expected.get(row, FREE)
        entry = expected.setdefault(row, len(expected))
        known[entry], table[slot] = row, entry
    for row, entry in expected.items():
        assert table[find_slot(known, table, size - 1, row)] == entry
