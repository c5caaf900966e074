"""Which structure serves a segment."""

import math

import pytest

from octavo.engines.choice import (
    EXACT_ROWS,
    VectorIndexKind,
    VectorIndexRequest,
    list_bytes,
    list_count,
    requested_vector_index,
    slice_width,
    training_rows,
)
from octavo.errors import InvalidArgumentError

PLENTY = 1 << 40


def test_small_corpora_are_exact():
    request = VectorIndexRequest()
    assert request.kind_for(0, 128, PLENTY) is VectorIndexKind.FLAT
    assert request.kind_for(EXACT_ROWS, 128, PLENTY) is VectorIndexKind.FLAT
    assert request.kind_for(EXACT_ROWS + 1, 128, PLENTY) is VectorIndexKind.LISTS


@pytest.mark.parametrize("kind", VectorIndexKind)
def test_a_recall_of_one_is_exact_search(kind):
    assert VectorIndexRequest(1.0, kind).kind_for(10**7, 128, PLENTY) is VectorIndexKind.FLAT


@pytest.mark.parametrize("kind", [VectorIndexKind.LISTS, VectorIndexKind.GRAPH])
def test_one_document_needs_no_structure(kind):
    assert VectorIndexRequest(0.9, kind).kind_for(1, 128, PLENTY) is VectorIndexKind.FLAT
    assert VectorIndexRequest(0.9, kind).kind_for(100, 128, PLENTY) is kind


@pytest.mark.parametrize("kind", [VectorIndexKind.AUTOMATIC, VectorIndexKind.GRAPH])
def test_what_does_not_fit_the_memory_stays_exact(kind):
    request = VectorIndexRequest(0.95, kind)
    assert request.kind_for(10**6, 128, 10**6) is VectorIndexKind.FLAT


def test_ten_million_rows_fit_in_eight_gigabytes():
    assert list_bytes(10**7, 128) < 2 << 30


@pytest.mark.parametrize(
    "recall", [0, 0.0, -0.1, 1.01, math.nan, math.inf, True, "0.95", None, [0.95]]
)
def test_recall_is_a_number_above_zero_and_up_to_one(recall):
    with pytest.raises(InvalidArgumentError, match="recall: expected a number above 0"):
        requested_vector_index(recall, "automatic")


@pytest.mark.parametrize("kind", ["ivf", "", None, 3, True])
def test_unknown_kinds_are_refused(kind):
    with pytest.raises(InvalidArgumentError, match="automatic, flat, lists, graph"):
        requested_vector_index(0.95, kind)


def test_what_was_asked_for():
    found = requested_vector_index(1, "lists")
    assert found == VectorIndexRequest(1.0, VectorIndexKind.LISTS)


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 1000, 50_001, 886_323, 10**7])
def test_lists_are_fewer_than_training_rows(rows):
    assert 1 <= list_count(rows) <= max(1, rows // 8)
    assert list_count(rows) <= training_rows(rows) <= rows
    assert list_count(rows).bit_count() == 1 or list_count(rows) == rows // 8


@pytest.mark.parametrize("dimensions", [1, 2, 3, 127, 128, 129, 300, 384, 768, 1024, 1536, 3072])
def test_slices_divide_the_dimensions(dimensions):
    width = slice_width(dimensions)
    assert dimensions % width == 0
    assert 1 <= width < 16
