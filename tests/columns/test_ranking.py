"""Ranking of hits with their parts."""

import numpy as np
import pytest

from octavo.columns.hits import Hits, Part
from octavo.columns.ranking import rank_hits
from octavo.errors import InvalidArgumentError

HITS = Hits(
    np.array([0, 3, 3, 5]),
    np.array([9, 4, 2, 8, 7]),
    np.array([0.5, 0.9, 0.5, -1.0, -1.0]),
    {"from": Part(np.array([0, 1, 2, 3, 4]), np.array([True, False, True, True, False]))},
)


def test_parts_move_with_their_hits():  # S6
    ranked = rank_hits(HITS)
    assert ranked.offsets.tolist() == [0, 3, 3, 5]
    assert ranked.rows.tolist() == [4, 2, 9, 7, 8]
    assert ranked.scores.tolist() == [0.9, 0.5, 0.5, -1.0, -1.0]
    assert ranked.parts["from"].values.tolist() == [1, 2, 0, 4, 3]
    assert ranked.parts["from"].present.tolist() == [False, True, True, False, True]


def test_a_limit_is_a_prefix():  # S12
    ranked = rank_hits(HITS, 1)
    assert ranked.offsets.tolist() == [0, 1, 1, 2]
    assert ranked.rows.tolist() == [4, 7]


def test_nothing_to_rank():
    assert rank_hits(Hits.empty(3), 5).offsets.tolist() == [0, 0, 0, 0]
    assert rank_hits(Hits.empty(0)).queries == 0


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(InvalidArgumentError, match="limit: expected an integer of at least 1"):
        rank_hits(HITS, limit)
