"""Terms are ordered by hash, then by bytes; equal ones stay together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.engines.keyword.block_max.term_order import order_terms

ITEMS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([b"", b"a", b"b", b"ab"])))


@given(ITEMS)
def test_order_is_by_hash_bytes_and_position(items):
    ends = np.cumsum([0, *(len(text) for _, text in items)]).astype(np.int64)
    data = np.frombuffer(b"".join(text for _, text in items), np.uint8)
    hashes = np.array([value for value, _ in items], np.uint64)
    order, new = order_terms(hashes, data, ends[:-1].copy(), ends[1:].copy())
    expected = sorted(range(len(items)), key=lambda item: (*items[item], item))
    # A term has one hash; equal texts of different hashes do not happen.
    if len({text for _, text in set(items)}) == len(set(items)):
        assert order.tolist() == expected
        texts = [items[item][1] for item in order]
        assert new.tolist() == [n == 0 or texts[n] != texts[n - 1] for n in range(len(texts))]
