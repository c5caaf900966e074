"""Blocks of a segment: every searchable vector once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.engines.vector.blocks import blocks


@given(
    st.lists(st.booleans(), max_size=60),
    st.integers(1, 20),
    st.sampled_from([0.0, 0.4, 1.0, 2.0]),
)
def test_every_searchable_vector_is_in_one_block(flags, block_rows, dense_share):
    searchable = np.array(flags, np.bool_)
    numbers = np.arange(len(flags))
    found = []
    for block in blocks(len(flags), searchable, block_rows=block_rows, dense_share=dense_share):
        own = block.of(numbers)
        assert 0 < len(own) == block.size <= block_rows
        found += own[block.admitted].tolist() if len(block.admitted) else own.tolist()
    assert sorted(found) == np.flatnonzero(searchable).tolist()


@pytest.mark.parametrize("rows", [0, 1, 10, 11])
def test_without_a_filter_all_are_searchable(rows):
    found = [block.of(np.arange(rows)) for block in blocks(rows, None, block_rows=5, dense_share=1)]
    assert np.concatenate([np.zeros(0), *found]).tolist() == list(range(rows))
    assert all(own.base is not None for own in found)  # views, not copies
