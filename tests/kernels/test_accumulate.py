"""Windows are scored one after the other, and leave no trace; see also ``test_block_max.py``."""

import numpy as np

from octavo.kernels.accumulate import WINDOW
from tests.kernels.test_block_max import hits, oracle, ranked, world


def test_rows_on_both_sides_of_a_window_are_found():
    w = world(2, 3 * WINDOW, [4])
    w.rows[:] = [WINDOW - 1, WINDOW, 2 * WINDOW - 1, 2 * WINDOW]
    everything = np.zeros(0, np.bool_)
    heap, size, counters = ranked("windows", w, 9, everything)
    assert hits(heap, size) == oracle(w, 9, everything)
    assert size == 4
    assert counters.tolist() == [4, 0, 0]
