"""Values at rows of many batches, against a plain list."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import CorpusCorruptError
from octavo.storage.snapshot.row_columns import StoredBatch, taken

WORDS = pa.array(["x", "y", "z"], pa.large_string())


def batch(values, *, checked=True):
    codes = [None if value is None else value % 3 for value in values]
    texts = [None if value is None else str(value) for value in values]
    columns = {"a": pa.array(texts, pa.large_string()), "metadata.k": pa.array(codes, pa.int32())}
    return StoredBatch(pa.record_batch(columns), {"k": WORDS}.__getitem__, checked)


values = st.lists(st.lists(st.one_of(st.none(), st.integers(0, 99)), max_size=5), max_size=5)


@given(values, st.data())
def test_any_rows_in_any_order(parts, data):
    flat = [value for part in parts for value in part]
    wanted = data.draw(st.lists(st.sampled_from(range(len(flat))))) if flat else []
    rows = np.array(wanted, np.int64)
    batches = [batch(part, checked=False) for part in parts]
    expected = [flat[row] for row in wanted]
    assert taken(batches, "a", rows).to_pylist() == [
        None if v is None else str(v) for v in expected
    ]
    words = [None if value is None else "xyz"[value % 3] for value in expected]
    assert taken(batches, "metadata.k", rows).to_pylist() == words
    assert taken(batches, "missing", rows).to_pylist() == [None] * len(wanted)


def test_damage_is_an_error():
    offsets = pa.py_buffer(np.array([0, 10**12, 3], np.int64))
    texts = pa.Array.from_buffers(pa.large_string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    codes = pa.array([0, 7], pa.int32())
    for columns, name in (({"a": texts}, "a"), ({"metadata.k": codes}, "metadata.k")):
        damaged = StoredBatch(pa.record_batch(columns), {"k": WORDS}.__getitem__, checked=False)
        with pytest.raises(CorpusCorruptError, match=name):
            taken([damaged], name, np.array([0, 1]))
