"""What stored vectors must be."""

import numpy as np
import pytest

from octavo.engines.vector.segments import VectorSegments
from octavo.errors import DimensionMismatchError, InvalidArgumentError

MATRIX = np.eye(4, dtype=np.float32)


def test_rows_are_counted_across_segments():
    segments = VectorSegments([MATRIX, MATRIX[:0], MATRIX[:3]], [None, None, np.ones(3, np.bool_)])
    assert (segments.rows, segments.dimensions) == (7, 4)
    assert segments.starts.tolist() == [0, 4, 4]


def test_searchable_rows_are_admitted_and_present():
    present = np.array([True, False, True, True])
    segments = VectorSegments([MATRIX, MATRIX], [None, present])
    admitted = np.array([1, 0, 0, 0, 1, 1, 0, 1], np.bool_)
    assert segments.searchable(0, None) is None
    assert segments.searchable(1, None).tolist() == present.tolist()
    assert segments.searchable(0, admitted).tolist() == [True, False, False, False]
    assert segments.searchable(1, admitted).tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    ("vectors", "present", "error", "message"),
    [
        ([], None, InvalidArgumentError, "at least one segment"),
        ([MATRIX, MATRIX[:, :3].copy()], None, DimensionMismatchError, "segment 1.*4.*found 3"),
        ([MATRIX[:, :0].copy()], None, InvalidArgumentError, "at least one dimension"),
        ([MATRIX[:, ::2]], None, InvalidArgumentError, "C-contiguous"),
        ([MATRIX.astype(np.float64)], None, InvalidArgumentError, "float64"),
        ([MATRIX.astype(">f4")], None, InvalidArgumentError, "segment 0"),
        ([MATRIX[0]], None, InvalidArgumentError, r"shape \(4,\)"),
        ([MATRIX], [], InvalidArgumentError, "present: expected 1 segments, found 0"),
        ([MATRIX], [np.ones(3, np.bool_)], InvalidArgumentError, "expected 4 booleans"),
        ([MATRIX], [np.ones(4, np.int8)], InvalidArgumentError, "int8"),
    ],
)
def test_other_arrays_are_refused(vectors, present, error, message):
    with pytest.raises(error, match=message):
        VectorSegments(vectors, present)
