"""Estimates of what searches cost: only their order matters."""

from octavo.engines.keyword.costs import SearchCosts

COSTS = SearchCosts(rows=900_000, limit=10)
FILTERED = SearchCosts(rows=900_000, limit=10, filter_frequency=9_000)


def test_more_postings_and_more_hits_cost_more():
    assert COSTS.union([10, 20]) < COSTS.union([10, 20, 5_000]) < COSTS.union([10, 20, 300_000])
    assert COSTS.union([50_000]) < SearchCosts(900_000, 1_000).union([50_000])


def test_looking_up_a_frequent_term_beats_scoring_it_only_from_few_documents():
    assert COSTS.nested([100, 300_000], 1) < COSTS.union([100, 300_000])
    assert COSTS.nested([200_000, 300_000], 1) > COSTS.union([200_000, 300_000])
    assert COSTS.gated(100, 300_000) < COSTS.union([100, 300_000])


def test_a_filter_leaves_fewer_documents_to_look_terms_up_in():
    assert COSTS.documents([1_000, 2_000]) == 3_000
    assert FILTERED.documents([1_000, 2_000]) == 30
    assert FILTERED.union([300_000]) < COSTS.union([300_000])
    assert FILTERED.nested([5_000, 300_000], 1) < FILTERED.union([5_000, 300_000])
