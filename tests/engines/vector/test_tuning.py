"""Tuning: the target is met on queries that chose nothing, and the choice is the same every time."""

import dataclasses

import numpy as np
import pytest

from octavo.columns.selection import Selection
from octavo.engines.vector import FlatVectorIndex
from octavo.engines.vector.approximate import ApproximateVectorIndex, Structure
from octavo.engines.vector.neighbour_graph import NeighbourGraph, build_graph
from octavo.engines.vector.sample import Sample, mean_recall, true_rows
from octavo.engines.vector.search_cost import scan_cost
from octavo.engines.vector.tuning import tune
from tests.engines.vector.clustered import clustered, lists_of

VECTORS = clustered(8000, clusters=500)
DOCUMENTS = Sample("documents", VECTORS[:300].copy(), np.arange(300))
NONE = np.full(200, -1)
TEXTS = Sample("texts", clustered(200, clusters=500, seed=9), NONE)


@pytest.fixture(scope="module", params=["lists", "graph"])
def nominator(request):
    if request.param == "lists":
        return lists_of(VECTORS)
    return NeighbourGraph(build_graph(VECTORS))


def without_times(tuned):
    return dataclasses.replace(tuned, single_seconds=0.0, batch_seconds=0.0)


@pytest.mark.parametrize("target", [0.8, 0.95])
def test_the_target_is_met_on_other_queries(nominator, target):
    tuned = tune(nominator, VECTORS, None, [DOCUMENTS, TEXTS], target)
    assert tuned.recall == min(tuned.recalls.values()) >= target
    assert set(tuned.recalls) == {"documents", "texts"}
    assert tuned.queries == 250
    index = ApproximateVectorIndex([VECTORS], None, [Structure(nominator, tuned.width)])
    fresh = Sample("documents", VECTORS[1000:2000].copy(), np.arange(1000, 2000))
    truth = true_rows(FlatVectorIndex([VECTORS]), fresh, 10)
    assert mean_recall(true_rows(index, fresh, 10), truth).mean() >= target - 0.02


@pytest.mark.parametrize("dead", [0.3, 0.6])
def test_recall_is_that_of_what_is_live(nominator, dead):  # S8
    live = np.random.default_rng(5).random(len(VECTORS)) >= dead
    live[:300] = True  # what asks
    tuned = tune(nominator, VECTORS, None, [DOCUMENTS, TEXTS], 0.9, live=live)
    index = ApproximateVectorIndex([VECTORS], None, [Structure(nominator, tuned.width)])
    for sample in (DOCUMENTS, TEXTS):
        _, asked = sample.halves()
        scores = asked.vectors.astype(np.float64) @ VECTORS.T.astype(np.float64)
        scores[:, ~live] = -2.0
        own = np.flatnonzero(asked.own_rows >= 0)
        scores[own, asked.own_rows[own]] = -2.0
        best = np.argsort(-scores, axis=1, kind="stable")[:, :10]
        found = true_rows(index, asked, 10, Selection.of(live))
        assert live[found].all()
        assert tuned.recalls[sample.name] == pytest.approx(mean_recall(found, best).mean())
        assert tuned.recalls[sample.name] >= 0.9


def test_a_higher_target_costs_more():
    nominator = lists_of(VECTORS)
    low = tune(nominator, VECTORS, None, [DOCUMENTS], 0.7)
    high = tune(nominator, VECTORS, None, [DOCUMENTS], 0.99)
    assert low.width.narrowest < high.width.narrowest
    assert low.compared < high.compared


def test_the_choice_is_the_same_every_time(nominator):
    chosen = [
        tune(nominator, VECTORS, None, [DOCUMENTS, TEXTS], 0.9, threads=threads)
        for threads in (1, 3)
    ]
    assert without_times(chosen[0]) == without_times(chosen[1])


def test_efforts_grow_with_selectivity():
    tuned = tune(lists_of(VECTORS), VECTORS, None, [DOCUMENTS], 0.9)
    efforts = list(tuned.width.efforts)
    assert len(efforts) == 6
    assert efforts == sorted(efforts)
    assert efforts[-1] > efforts[0]


def test_lists_must_cost_less_than_their_rival():
    lists = lists_of(VECTORS)
    dear, cheap = scan_cost(10_000_000, 128, coded=False), scan_cost(10, 128, coded=True)
    assert tune(lists, VECTORS, None, [DOCUMENTS], 0.9, rival=dear) is not None
    assert tune(lists, VECTORS, None, [DOCUMENTS], 0.9, rival=cheap) is None


def test_without_queries_nothing_can_be_promised(nominator):
    assert tune(nominator, VECTORS, None, [], 0.9) is None
    alone = Sample("texts", TEXTS.vectors[:1], NONE[:1])
    assert tune(nominator, VECTORS, None, [alone], 0.9) is None


def test_what_cannot_be_reached_is_not_claimed():
    # Near ties, far closer than four-bit codes can tell apart.
    random = np.random.default_rng(12)
    vectors = np.ones((4000, 16)) + 1e-6 * random.standard_normal((4000, 16))
    from octavo.kernels.unit_length import unit_length

    unit = unit_length(vectors)
    sample = Sample("documents", unit[:100].copy(), np.arange(100))
    tuned = tune(lists_of(unit), unit, None, [sample], 0.99)
    assert tuned is None or tuned.recall >= 0.99
