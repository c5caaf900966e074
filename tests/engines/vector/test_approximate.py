"""Approximate search: what is exact about it, what is tuned, and what a filter may not lose."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.vector import FlatVectorIndex
from octavo.engines.vector.approximate import ApproximateVectorIndex, Structure
from octavo.engines.vector.sample import mean_recall
from octavo.engines.vector.width import SearchWidth
from octavo.errors import DimensionMismatchError, InvalidArgumentError, NonFiniteVectorError
from tests.engines.vector.clustered import clustered, lists_of, with_graph, with_lists

ROWS = 6000
VECTORS = clustered(ROWS)
QUERIES = clustered(60, seed=7)
FLAT = FlatVectorIndex([VECTORS])


@pytest.fixture(scope="module", params=[with_lists, with_graph], ids=["lists", "graph"])
def index(request):
    return request.param(VECTORS)


@pytest.fixture(scope="module")
def lists():
    return with_lists(VECTORS)


def rows_of(hits, depth):
    rows = np.full((hits.queries, depth), -1, np.int64)
    rows[hits.query_of(), hits.ranks() - 1] = hits.rows
    return rows


def recall(index, queries, selection=None, depth=10):
    found, _ = index.search(queries, depth, selection)
    truth, _ = FLAT.search(queries, depth, selection)
    return mean_recall(rows_of(found, depth), rows_of(truth, depth)).mean()


def equal(left, right):
    return (
        (left.offsets == right.offsets).all()
        and (left.rows == right.rows).all()
        and (left.scores == right.scores).all()
    )


def test_scores_have_the_bits_of_the_exact_search(index):  # S5 S20
    found, _ = index.search(QUERIES, 50)
    exact, _ = FLAT.search(QUERIES, ROWS)
    for query in range(len(QUERIES)):
        own = slice(found.offsets[query], found.offsets[query + 1])
        every = slice(exact.offsets[query], exact.offsets[query + 1])
        scores = dict(zip(exact.rows[every].tolist(), exact.scores[every].tolist(), strict=True))
        expected = [(-scores[row], row) for row in found.rows[own].tolist()]
        assert expected == sorted(expected)  # S6
        assert [-score for score, _ in expected] == found.scores[own].tolist()


def test_most_of_the_nearest_are_found(index):
    assert recall(index, QUERIES) >= 0.95


@pytest.mark.parametrize("chosen", [None, Selection.of(np.arange(ROWS) % 3 > 0)])
def test_a_batch_is_a_loop_on_any_thread(index, chosen):  # S5
    together, _ = index.search(QUERIES, 10, chosen)
    with ThreadPoolExecutor(4) as pool:
        alone = list(pool.map(lambda query: index.search(query[np.newaxis], 10, chosen), QUERIES))
    assert equal(together, Hits.concatenate([hits for hits, _ in alone]))


@given(depths=st.tuples(st.integers(1, 128), st.integers(1, 128)), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_a_smaller_depth_gives_a_prefix(lists, depths, seed):  # S12
    admitted = np.random.default_rng(seed).random(ROWS) < (1.0, 0.6, 0.1)[seed % 3]
    few, many = sorted(depths)
    queries = QUERIES[seed % 50 :][:3]
    short, _ = lists.search(queries, few, Selection.of(admitted))
    long, _ = lists.search(queries, many, Selection.of(admitted))
    assert equal(short, long.head(few))


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001])
def test_recall_under_filters_of_any_selectivity(index, share):  # S8
    selection = Selection.of(np.random.default_rng(8).random(ROWS) < share)
    assert recall(index, QUERIES, selection) >= 0.95


@pytest.mark.parametrize("share", [0.8, 0.5, 0.1, 0.01])
def test_recall_where_the_filter_admits_what_is_far_from_the_query(lists, share):  # S8
    found = []
    for query in QUERIES[:12]:
        scores = VECTORS @ query
        selection = Selection.of(scores <= np.quantile(scores, share))
        near = QUERIES[np.argsort(-(QUERIES @ query))[:8]]
        found.append(recall(lists, near, selection))
    assert np.mean(found) >= 0.92


@pytest.mark.parametrize("share", [0.9, 0.5])
def test_recall_where_the_filter_leaves_out_what_is_near_the_query(lists, share):  # S8
    # The nearest admitted rows are about equally far: codes cannot tell them apart.
    for query in QUERIES[:12]:
        scores = VECTORS @ query
        selection = Selection.of(scores <= np.quantile(scores, share))
        assert recall(lists, query[np.newaxis], selection) >= 0.9


def test_recall_where_the_filter_leaves_out_whole_clusters():  # S8
    # One list holds all that is near a query, until a filter leaves it out.
    vectors = clustered(20_000, dimensions=64, clusters=100)
    queries = clustered(150, dimensions=64, clusters=100)
    index, flat = with_lists(vectors, efforts=(1, 1, 2, 3)), FlatVectorIndex([vectors])
    assigned = lists_of(vectors)._list_of_row
    chosen = np.random.default_rng(13).permutation(256)[:128]
    selection = Selection.of(np.isin(assigned, chosen))
    found, _ = index.search(queries, 10, selection)
    truth, _ = flat.search(queries, 10, selection)
    assert mean_recall(rows_of(found, 10), rows_of(truth, 10)).mean() >= 0.95


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
def test_recall_where_the_filter_admits_whole_lists(lists, share):  # S8
    # Most queries are far from every admitted row.
    assigned = lists_of(VECTORS)._list_of_row
    chosen = np.random.default_rng(13).permutation(128)[: max(1, int(128 * share))]
    assert recall(lists, QUERIES, Selection.of(np.isin(assigned, chosen))) >= 0.95


@pytest.mark.parametrize("share", [0.6, 0.1, 0.001])
def test_there_are_always_as_many_hits_as_rows_to_find(index, share):  # S8
    admitted = np.random.default_rng(9).random(ROWS) < share
    for depth in (1, 10, 300, 2 * ROWS):
        hits, _ = index.search(QUERIES[:5], depth, Selection.of(admitted))
        assert hits.counts().tolist() == [min(depth, int(admitted.sum()))] * 5
        assert admitted[hits.rows].all()


def test_too_few_rows_nearby_are_looked_for_further_away():
    index = with_lists(VECTORS, efforts=(1,), nominees=1000)
    hits, report = index.search(QUERIES[:4], 1000)
    assert hits.counts().tolist() == [1000] * 4
    assert report.counters["vector retries"] >= 4
    assert report.plans["vector: inverted lists"] + report.plans["vector: exact scan"] == 4


def test_the_plan_and_its_work_are_reported(lists):
    _, report = lists.search(QUERIES[:4], 10)
    assert dict(report.plans) == {"vector: inverted lists": 4}
    assert report.counters["lists probed"] == 4 * 12
    assert 0 < report.counters["vectors compared"] < 4 * ROWS
    assert report.counters["vectors rescored"] == 4 * 128
    _, report = lists.search(QUERIES[:4], 10, Selection.of(np.arange(ROWS) > 100))
    assert dict(report.plans) == {"vector: inverted lists of admitted rows": 4}
    _, report = lists.search(QUERIES[:4], 10, Selection.of(np.arange(ROWS) < 100))
    assert dict(report.plans) == {"vector: exact scan of admitted rows": 4}


def test_a_graph_names_itself():
    _, report = with_graph(VECTORS[:500]).search(QUERIES[:2], 10)
    assert dict(report.plans) == {"vector: graph": 2}


def test_no_admitted_row_gives_no_hit(index):
    hits, _ = index.search(QUERIES, 10, Selection.of(np.zeros(ROWS, np.bool_)))
    assert len(hits) == 0
    assert hits.queries == len(QUERIES)


def test_no_query_gives_no_hits(index):
    hits, _ = index.search(QUERIES[:0], 10)
    assert hits.queries == 0


def test_a_zero_query_gets_the_first_rows(index):  # S20
    queries = np.vstack([QUERIES[:1], np.zeros_like(QUERIES[:1]), QUERIES[1:2]])
    hits, report = index.search(queries, 4)
    assert rows_of(hits, 4)[1].tolist() == [0, 1, 2, 3]
    assert (hits.scores[4:8] == 0.0).all()
    assert report.plans["vector: zero query"] == 1
    assert (rows_of(hits, 4)[[0, 2]] == rows_of(index.search(QUERIES[:2], 4)[0], 4)).all()


@pytest.mark.parametrize("make", [with_lists, with_graph])
def test_rows_without_a_vector_are_never_hits(make):
    present = np.random.default_rng(10).random(ROWS) < 0.5
    vectors = np.where(present[:, np.newaxis], VECTORS, np.float32(0.0))
    index = make(vectors, present)
    for selection in (None, Selection.of(np.arange(ROWS) % 2 == 0)):
        hits, _ = index.search(QUERIES, 100, selection)
        assert hits.counts().tolist() == [100] * len(QUERIES)
        assert present[hits.rows].all()


@pytest.mark.parametrize("make", [with_lists, with_graph])
@pytest.mark.parametrize("vectors", [np.zeros((900, 8)), np.ones((900, 8)) / np.sqrt(8.0)])
def test_equal_and_zero_vectors(make, vectors):
    vectors = vectors.astype(np.float32)
    index = make(vectors)
    hits, _ = index.search(np.ones((2, 8)), 5)
    assert hits.counts().tolist() == [5, 5]
    assert len(set(hits.scores.tolist())) == 1
    exact, _ = FlatVectorIndex([vectors]).search(np.ones((2, 8)), 900)
    assert hits.scores[0] == exact.scores[0]


def test_segments_are_searched_together():
    parts = [VECTORS[:2500], VECTORS[2500:2600], VECTORS[2600:]]
    width = SearchWidth((12, 16, 20), 128)
    index = ApproximateVectorIndex(
        parts,
        None,
        [Structure(lists_of(parts[0]), width), None, Structure(lists_of(parts[2]), width)],
    )
    assert index.rows == ROWS
    assert recall(index, QUERIES) >= 0.95
    assert recall(index, VECTORS[2500:2530] + 0.0, depth=1) == 1.0
    selection = Selection.of(np.random.default_rng(11).random(ROWS) < 0.4)
    assert recall(index, QUERIES, selection) >= 0.95


def test_a_changed_selection_is_not_remembered(lists):
    admitted = np.ones(ROWS, np.bool_)
    first, _ = lists.search(QUERIES[:1], 1, Selection.of(admitted))
    admitted[first.rows[0]] = False
    second, _ = lists.search(QUERIES[:1], 1, Selection.of(admitted))
    assert second.rows[0] != first.rows[0]


def test_bad_input_is_refused_before_native_code(index):
    with pytest.raises(DimensionMismatchError):
        index.search(np.zeros((1, 5)), 10)
    with pytest.raises(NonFiniteVectorError):
        index.search(np.full((1, 24), np.nan), 10)
    for depth in (0, -1, True, 1.5):
        with pytest.raises(InvalidArgumentError, match="depth"):
            index.search(QUERIES, depth)
    with pytest.raises(InvalidArgumentError, match="selection"):
        index.search(QUERIES, 10, Selection.of(np.ones(5, np.bool_)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_forked_after_a_search_can_search(index):
    expected, _ = index.search(QUERIES, 10)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            found, _ = index.search(QUERIES, 10)
            status = 0 if equal(found, expected) else 2
        finally:
            os._exit(status)
    import time

    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize("dead", [0.01, 0.1, 0.3])
def test_recall_where_rows_anywhere_are_dead(index, dead):  # S8
    live = np.random.default_rng(14).random(ROWS) >= dead
    assert recall(index, QUERIES, Selection.of(live)) >= 0.95


@pytest.mark.parametrize("dead", [10, 100, 1500])
def test_recall_where_all_the_nearest_rows_are_dead(index, dead):  # S8
    found = []
    for query in QUERIES[:20]:
        live = np.ones(ROWS, np.bool_)
        live[np.argsort(-(VECTORS @ query))[:dead]] = False
        found.append(recall(index, query[np.newaxis], Selection.of(live)))
    assert np.mean(found) >= 0.95


def test_recall_where_nearly_all_of_the_nearest_rows_are_dead(lists):  # S8
    found = []
    random = np.random.default_rng(3)
    for query in QUERIES:
        nearest = np.argsort(-(VECTORS @ query))[:100]
        live = np.ones(ROWS, np.bool_)
        live[nearest[random.random(100) < 0.9]] = False
        found.append(recall(lists, query[np.newaxis], Selection.of(live)))
    assert np.mean(found) >= 0.95


def test_a_few_dead_rows_cost_no_second_nomination(lists):
    live = np.ones(ROWS, np.bool_)
    live[::100] = False
    _, plain = lists.search(QUERIES, 10)
    hits, report = lists.search(QUERIES, 10, Selection.of(live))
    assert live[hits.rows].all()
    assert report.counters["vectors compared"] <= 1.1 * plain.counters["vectors compared"]
    assert report.counters["vectors rescored"] == plain.counters["vectors rescored"]


@given(
    st.lists(st.integers(0, 120), min_size=1, max_size=6),
    st.sampled_from([1.0, 0.95, 0.4]),
    st.integers(0, 99),
)
@settings(max_examples=30, deadline=None)
def test_fresh_segments_beside_a_structure_change_nothing(lists, sizes, share, seed):  # S5 S8
    # One segment of fresh rows, or many: the same hits and bits, and none of the best is missed.
    random = np.random.default_rng(seed)
    fresh = clustered(sum(sizes), seed=seed)
    parts = [np.ascontiguousarray(part) for part in np.split(fresh, np.cumsum(sizes)[:-1])]
    structure = lists._structures[0]
    live = random.random(ROWS + len(fresh)) < share
    selection = None if share == 1.0 else Selection.of(live)
    many = ApproximateVectorIndex([VECTORS, *parts], None, [structure, *[None] * len(parts)])
    once = ApproximateVectorIndex([VECTORS, fresh], None, [structure, None])
    queries = QUERIES[seed % 50 :][:4]
    found, _ = many.search(queries, 10, selection)
    assert equal(found, once.search(queries, 10, selection)[0])
    every = FlatVectorIndex([np.concatenate([VECTORS, fresh])])
    exact, _ = every.search(queries, 10, selection)
    best = rows_of(exact, 10)
    assert set(best[best >= ROWS].tolist()) <= set(found.rows.tolist())
    if share < 1.0:
        assert live[found.rows].all()
