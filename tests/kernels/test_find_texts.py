"""Binary search among sorted texts, against a list; damage included."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.analysis.buffers import text_buffers
from octavo.kernels.find_texts import find_texts

TEXT = st.text("ab\uffff\U0001f600\0", max_size=4)


def found(known, wanted):
    there, asked = (text_buffers(pa.array(each, pa.large_string())) for each in (known, wanted))
    numbers = np.empty(len(wanted), np.int32)
    find_texts(there.offsets, there.data, asked.offsets, asked.data, numbers)
    return numbers.tolist()


@given(st.sets(TEXT, max_size=40), st.lists(TEXT, max_size=20))
def test_known_texts_are_found_and_no_others(known, asked):
    ordered = sorted(known, key=str.encode)
    wanted = [*asked, *ordered]
    expected = [ordered.index(text) if text in known else -1 for text in wanted]
    assert found(ordered, wanted) == expected


@pytest.mark.parametrize("seed", range(20))
def test_damaged_offsets_and_bytes_end_in_some_answer(seed):
    random = np.random.default_rng(seed)
    known = [f"node {number:03}" for number in range(50)]
    buffers = text_buffers(pa.array(known, pa.large_string()))
    asked = text_buffers(pa.array(known, pa.large_string()))
    offsets, data = buffers.offsets.copy(), buffers.data.copy()
    for _ in range(10):
        offsets[random.integers(51)] = random.choice([-(2**63), -1, 10**12, 2**63 - 1, 7])
        data[random.integers(len(data))] = random.integers(256)
    numbers = np.full(50, -9, np.int32)
    find_texts(offsets, data, asked.offsets, asked.data, numbers)
    assert ((numbers >= -1) & (numbers < 50)).all()
