"""Filters against a plain loop over dictionaries."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.filters import ENTRY_ID, FilterIndex
from octavo.columns.metadata import DictionaryEncoder

KEYS = ("tier", "lang")
values = st.sampled_from([None, "a", "A", "b", "", "a=b"])
documents = st.lists(st.fixed_dictionaries(dict.fromkeys(KEYS, values)), max_size=9)


class Pieces:
    """A segment in memory, its codes in two pieces."""

    def __init__(self, rows, keys=KEYS):
        self.rows = len(rows)
        self.keys = keys
        self._encoders = {key: DictionaryEncoder() for key in keys}
        self._codes = {}
        for key in keys:
            texts = [
                pa.array([row[key] for row in part], pa.large_string())
                for part in (rows[:4], rows[4:])
            ]
            self._codes[key] = [self._encoders[key].encode(text) for text in texts]

    def codes(self, key):
        return self._codes[key]

    def dictionary(self, key):
        return self._encoders[key].dictionary()


def index_of(segments, live=None, **options):
    total = sum(len(rows) for rows in segments)
    pieces = [Pieces(rows) for rows in segments]
    known = {f"d{row}": [row] for row in range(total) if live is None or live[row]}
    options["live"] = live
    return FilterIndex(pieces, lambda identifier: known.get(identifier, []), **options)


@settings(max_examples=50)
@given(
    st.lists(documents, max_size=3),
    st.dictionaries(
        st.sampled_from([*KEYS, "other", ENTRY_ID]), st.sampled_from(["a", "A", "b", "c", "d3"])
    ),
    st.data(),
)
def test_selection_equals_a_loop(segments, filters, data):  # S7
    rows = [
        {ENTRY_ID: f"d{i}", **row} for i, row in enumerate(row for rows in segments for row in rows)
    ]
    matching = [all(row.get(key) == value for key, value in filters.items()) for row in rows]
    index = index_of(segments)
    for _ in range(2):  # the second answer is a remembered one
        selection = index.selection(filters)
        assert selection.count == sum(matching)
        if filters:
            assert selection.admitted.tolist() == matching
            assert selection.filters == filters
        else:
            assert selection.admitted is None
    flags = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    live = np.array(flags, np.bool_)
    both = [one and other for one, other in zip(matching, flags, strict=True)]
    updated = index_of(segments, live)
    for _ in range(2):
        assert updated.selection(filters).admitted.tolist() == both
        assert updated.selection(filters).count == sum(both)


def test_segments_may_have_other_keys():  # S7
    index = FilterIndex(
        [Pieces([{"tier": "a"}], ("tier",)), Pieces([{"lang": "a"}], ("lang",))], lambda _: []
    )
    assert index.selection({"tier": "a"}).admitted.tolist() == [True, False]
    assert index.selection({"lang": "a"}).admitted.tolist() == [False, True]


def test_a_value_that_no_text_can_hold_matches_nothing():
    index = index_of([[{"tier": "a", "lang": None}]])
    assert index.selection({"tier": "\ud800"}).count == 0


def test_remembered_results_are_shared_and_cannot_be_written():
    index = index_of([[{"tier": "a", "lang": "b"}] * 3])
    first = index.selection({"tier": "a", "lang": "b"})
    assert index.selection({"lang": "b", "tier": "a"}) is first
    assert not first.admitted.flags.writeable


def test_memory_is_bounded_and_the_least_used_goes_first():
    index = index_of([[{"tier": "a", "lang": "b"}] * 10], cache_bytes=20)
    first = index.selection({"tier": "a"})
    second = index.selection({"tier": "b"})
    assert index.selection({"tier": "a"}) is first
    index.selection({"lang": "b"})
    assert index.selection({"tier": "a"}) is first
    assert index.selection({"tier": "b"}) is not second
    nothing = index_of([[{"tier": "a", "lang": "b"}] * 10], cache_bytes=5)
    assert nothing.selection({"tier": "a"}) is not nothing.selection({"tier": "a"})


def test_many_threads_get_the_same():
    rows = [{"tier": "ab"[i % 2], "lang": "xyz"[i % 3]} for i in range(1_000)]
    index = index_of([rows], cache_bytes=2_500)
    wanted = [{"tier": "ab"[i % 2], "lang": "xyz"[i % 3]} for i in range(200)]
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda filters: index.selection(filters).count, wanted))
    assert counts == [sum(row == filters for row in rows) for filters in wanted]
