"""A search is remembered, whatever other threads ask meanwhile."""

import numpy as np

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.sweeps.remembered import _Stream


def found(depth):
    return Hits(np.array([0, depth]), np.arange(depth), np.ones(depth)), SearchReport()


class Watched(_Stream):
    """A stream that, after each change of its state, is asked as another thread may ask it."""

    seen = ()

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name not in ("seen", "ready") and self.seen is not None and hasattr(self, "ready"):
            seen, self.seen = self.seen, None  # not again while asked
            depth = 8 - len(seen)  # none that was cut before
            self.seen = (*seen, len(self.at(depth, lambda: found(depth))[0]) - depth)


def test_a_shallow_search_that_ends_last_is_not_taken_for_a_deep_one():
    stream = Watched(None)
    stream.ready = True

    def shallow():
        stream.at(9, lambda: found(9))  # another thread's, which ends first
        return found(3)

    assert len(stream.at(3, shallow)[0]) == 3
    assert set(stream.seen) == {0}
