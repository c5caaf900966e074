"""Who is nominated where some rows are not admitted; the structure is a list of all rows."""

import numpy as np
import pytest

from octavo.engines.vector.admitted_nomination import nominate_admitted
from octavo.engines.vector.nominator import Admitted, Nominations
from octavo.engines.vector.width import SearchWidth

ROWS = 1000
WIDTH = SearchWidth((4, 8), 20)


class InOrder:
    """Nominates the rows from a query's first value on, in row order."""

    def __init__(self):
        self.asked = []

    def nominate(self, queries, effort, nominees, admitted=None):
        self.asked.append((len(queries), effort, nominees, admitted is not None))
        flags = np.ones(ROWS, bool) if admitted is None else admitted.flags
        rows = np.full((len(queries), nominees), -1, np.int64)
        for query, start in enumerate(queries[:, 0].astype(int).tolist()):
            found = start + np.flatnonzero(flags[start:])[:nominees]
            rows[query, : len(found)] = found
        return Nominations(rows, 1, 2)


def nominate(starts, flags):
    nominator = InOrder()
    queries = np.array(starts, np.float32)[:, np.newaxis]
    found, apart = nominate_admitted(
        nominator, queries, WIDTH, Admitted(flags), np.count_nonzero(flags) / ROWS
    )
    return found, apart.tolist(), nominator.asked


def test_rows_that_are_not_admitted_are_dropped_from_a_plain_nomination():
    flags = np.arange(ROWS) % 10 != 3
    found, apart, asked = nominate([0, 500], flags)
    assert apart == [False, False]
    assert [rows.tolist() for rows in found.rows] == [
        [row for row in range(start, ROWS) if row % 10 != 3][:20] for start in (0, 500)
    ]
    (queries, effort, nominees, filtered) = asked[0]
    assert (len(asked), queries, effort, filtered) == (1, 2, 5, False)
    assert 22 < nominees < 50


def test_a_query_whose_neighbours_are_not_admitted_is_nominated_for_by_filter():
    flags = np.ones(ROWS, np.bool_)
    flags[200:260][np.arange(60) % 3 > 0] = False
    found, apart, asked = nominate([0, 200], flags)
    assert apart == [False, False]
    assert found.rows[0].tolist() == list(range(20))
    assert found.rows[1].tolist() == (200 + np.flatnonzero(flags[200:])[:20]).tolist()
    assert [call[0] for call in asked] == [2, 1]
    assert asked[1][3]
    assert (found.probed, found.compared) == (2, 4)


@pytest.mark.parametrize("share", [0.9, 0.45])
def test_a_query_with_nothing_admitted_near_it_is_told_apart(share):
    flags = np.random.default_rng(1).random(ROWS) < share / 0.9
    flags[100:200] = False
    found, apart, _ = nominate([120, 600], flags)
    assert apart == [True, False]
    assert (found.rows[0] == -1).all()
    assert (found.rows[1] >= 0).all()


def test_few_admitted_rows_are_nominated_by_filter_at_once():
    flags = np.zeros(ROWS, np.bool_)
    flags[::100] = True
    found, apart, asked = nominate([0], flags)
    assert apart == [False]
    assert found.rows[0, :10].tolist() == list(range(0, ROWS, 100))
    assert len(asked) == 1


def test_all_there_are_is_enough():
    flags = np.zeros(ROWS, np.bool_)
    flags[:15] = True
    found, apart = nominate_admitted(
        InOrder(), np.zeros((1, 1), np.float32), WIDTH, Admitted(flags), 0.75
    )
    assert found.rows[0].tolist() == [*range(15), *[-1] * 5]
    assert not apart.any()
