"""Recall, counted by hand."""

import numpy as np

from octavo.engines.vector import FlatVectorIndex
from octavo.engines.vector.sample import Sample, mean_recall, true_rows

CIRCLE = np.array([[1, 0], [0.8, 0.6], [0, 1], [-1, 0]], np.float32)


def test_a_document_is_no_answer_to_itself():
    sample = Sample("documents", CIRCLE[:2].copy(), np.array([0, 1]))
    found = true_rows(FlatVectorIndex([CIRCLE]), sample, 2, threads=2)
    assert found.tolist() == [[1, 2], [0, 2]]


def test_there_may_be_fewer_rows_than_wanted():
    sample = Sample("texts", CIRCLE[:1].copy(), np.array([-1]))
    found = true_rows(FlatVectorIndex([CIRCLE]), sample, 6)
    assert found.tolist() == [[0, 1, 2, 3, -1, -1]]


def test_recall_is_the_share_of_true_rows():
    found = np.array([[1, 2, 3], [4, 5, 6], [-1, -1, -1], [-1, -1, -1]])
    truth = np.array([[3, 2, 9], [6, -1, -1], [1, 2, 3], [-1, -1, -1]])
    assert mean_recall(found, truth).tolist() == [2 / 3, 1.0, 0.0, 1.0]


def test_halves_have_no_query_in_common():
    sample = Sample("documents", CIRCLE, np.arange(4))
    first, second = sample.halves()
    assert first.own_rows.tolist() == [0, 2]
    assert second.own_rows.tolist() == [1, 3]
    assert [len(block) for block in sample.blocks()] == [4]
