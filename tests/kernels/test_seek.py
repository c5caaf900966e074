"""Seeking equals the standard library's bisection."""

from bisect import bisect_left

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.seek import seek_row


@given(
    st.sets(st.integers(0, 400), max_size=200), st.integers(0, 200), st.integers(0, 200), st.data()
)
def test_seek_equals_bisection(values, first, second, data):
    rows = sorted(values)
    position, stop = sorted((min(first, len(rows)), min(second, len(rows))))
    row = data.draw(st.integers(-1, 402))
    expected = bisect_left(rows, row, position, stop)
    assert seek_row(np.array(rows, np.int32), position, stop, row) == expected


def test_every_row_of_a_long_list_is_found_from_the_start():
    rows = np.arange(0, 6000, 3, dtype=np.int32)
    for row in range(0, 6000, 7):
        assert seek_row(rows, 0, len(rows), row) == -(-row // 3)
