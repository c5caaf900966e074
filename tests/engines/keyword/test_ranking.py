"""Which plan is reported, and that pruning under a selection changes no result."""

import numpy as np
import pytest

from octavo.columns.selection import Selection
from octavo.engines.keyword import costs, pruning, ranking
from octavo.engines.keyword.pruning import Found
from octavo.engines.keyword.ranking import rank
from tests.engines.keyword.bm25_oracle import Bm25Oracle
from tests.engines.keyword.corpora import build

ROWS = 500
DOCUMENTS = [
    ["rare"] * (row % 50 == 7)
    + ["some"] * (row % 4 == 1)
    + ["all"] * (row % 7 != 3)
    + ["x"] * (row % 9)
    for row in range(ROWS)
]
METADATA = {"part": [str(row % 2) for row in range(ROWS)]}
QUERY = ["all", "some", "rare", "x", "x"]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return build(tmp_path_factory.mktemp("index"), DOCUMENTS, [100], METADATA)


@pytest.fixture
def pruning_pays(monkeypatch):
    monkeypatch.setattr(pruning, "_WORTH_PLANNING", 0)
    monkeypatch.setattr(pruning, "_RARE_TERM", 0)
    for name in ("_PASS", "_HIT", "_SEEK", "_BLOCK_POSTING"):
        monkeypatch.setattr(costs, name, 0)


@pytest.mark.parametrize(
    ("passes", "pruned", "plan"),
    [
        (0, True, "keyword: champion list"),
        (1, True, "keyword: pruned one pass"),
        (2, True, "keyword: pruned two passes"),
        (3, True, "keyword: pruned more passes"),
        (9, True, "keyword: pruned more passes"),
        (1, False, "keyword: full union"),
        (2, False, "keyword: full union"),
    ],
)
def test_plans_are_named_by_what_was_done(passes, pruned, plan):
    class Searcher:
        def top(self, terms, limit):
            return Found([1], [2.0], passes, 3, 4, pruned)

    found = rank(Searcher(), [object()], 5, Selection.everything(10))
    assert found.plan.value == plan
    assert (found.passes, found.essential, found.optional) == (passes, 3, 4)


@pytest.mark.usefixtures("pruning_pays")
@pytest.mark.parametrize("depth", [1, 3, 20, 500])
@pytest.mark.parametrize("filters", [{}, {"part": "1"}])
@pytest.mark.parametrize("dead", [0.0, 0.4])
def test_pruned_plans_find_what_the_others_find(index, monkeypatch, depth, filters, dead):
    # S5, S8: with a filter inside the engine, and with rows dropped after it
    admitted = np.random.default_rng(2).random(ROWS) >= dead
    if filters:
        admitted &= np.arange(ROWS) % 2 == 1
    selection = Selection.of(admitted, filters)
    hits, report = index.search([QUERY], depth, selection)
    Bm25Oracle(DOCUMENTS).check(hits, [QUERY], depth, lambda row: bool(admitted[row]))
    monkeypatch.setattr(pruning, "_WORTH_PLANNING", 1e18)
    plain, plain_report = index.search([QUERY], depth, selection)
    assert np.array_equal(hits.rows, plain.rows)
    assert np.array_equal(hits.scores, plain.scores)
    (plan,), (plain_plan,) = report.plans, plain_report.plans
    assert plain_plan in {"keyword: filtered union", "keyword: deepened union"}
    if depth < 20:
        assert plan in {"keyword: filtered, pruned", "keyword: deepened, pruned"}


@pytest.mark.usefixtures("pruning_pays")
def test_work_is_counted_over_all_attempts(index, monkeypatch):
    monkeypatch.setattr(ranking, "_DEEPER_HIT", 0)
    admitted = np.arange(ROWS) % 50 == 8  # no document with the rare word
    _, report = index.search([QUERY], 8, Selection.of(admitted))
    assert report.counters["passes"] >= 1
    assert report.counters["essential terms"] + report.counters["optional terms"] >= 4
