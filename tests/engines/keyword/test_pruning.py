"""Pruned searches find what a union of all terms finds: the same rows and the same float32 bits."""

import itertools
from array import array

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from octavo.engines.keyword import champions as champion_lists
from octavo.engines.keyword import costs, passes, pruning
from octavo.engines.keyword.champions import ChampionList, Champions
from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.frequency import document_frequencies
from octavo.engines.keyword.pruning import Found, PrunedSearcher
from octavo.engines.keyword.queries import QueryTerm, gated, known_terms, nested, union
from octavo.engines.keyword.rows import RowSearcher
from octavo.engines.keyword.schema import filter_term
from tests.engines.keyword.corpora import write_segments

VOCABULARY = [f"w{number}" for number in range(12)]


def corpus_of(seed, rows=400, longest=14):
    """Zipf words, so that some terms are everywhere; short documents, so that many tie."""
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 13)
    return [
        [VOCABULARY[place] for place in random.choice(12, size, p=weights / weights.sum())]
        for size in random.integers(0, longest, rows)
    ]


class Opened:
    """One index, with everything that a test asks of it."""

    def __init__(self, directory, documents, cuts=()):
        self.rows = len(documents)
        metadata = {"part": [str(row % 3) for row in range(self.rows)]}
        metadata["all"] = ["yes"] * self.rows
        tantivy_searcher = open_composed(write_segments(directory, documents, cuts, metadata))
        self.searcher = RowSearcher(tantivy_searcher, self.rows, "here")
        self._frequency = document_frequencies(tantivy_searcher)

    def terms(self, tokens):
        return known_terms(tokens, self._frequency)

    def pruned(self):
        return PrunedSearcher(self.searcher, Champions(self.searcher))

    def exact(self, terms):
        """Add up the float32 scores of single terms in order, in Python; rank in Python."""
        totals = {}
        for term in terms:
            rows, scores = self.searcher.top(union([term]), self.rows)
            for row, score in zip(rows, scores, strict=True):
                totals[row] = np.float32(totals.get(row, np.float32(0.0)) + np.float32(score))
        return sorted(
            ((row, float(score)) for row, score in totals.items()),
            key=lambda hit: (-hit[1], hit[0]),
        )


@pytest.fixture(scope="module", params=[(), (37, 200)], ids=["one segment", "three segments"])
def opened(request, tmp_path_factory):
    return Opened(tmp_path_factory.mktemp("pruning"), corpus_of(5), request.param)


# What searches cost decides which plans run: each of these makes another kind of pass the cheapest.
PLANS = {
    "lookups are free": {"_PASS": 0, "_HIT": 0, "_SEEK": 0, "_BLOCK_POSTING": 0},
    "passes are free": {"_PASS": 0, "_HIT": 0, "_SEEK": 1, "_BLOCK_POSTING": 0},
    "as measured": {},
}


@pytest.fixture(params=PLANS, autouse=True)
def everything_is_planned(request, monkeypatch):
    """Plan queries of small indexes too, with bounds for all terms and short lists."""
    monkeypatch.setattr(pruning, "_WORTH_PLANNING", 0)
    monkeypatch.setattr(pruning, "_RARE_TERM", 0)
    monkeypatch.setattr(pruning, "CHAMPIONS", 8)
    monkeypatch.setattr(champion_lists, "CHAMPIONS", 8)
    monkeypatch.setattr(passes, "_LARGEST_LOSS", 100.0)
    for name, cost in PLANS[request.param].items():
        monkeypatch.setattr(costs, name, cost)


TOKENS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=14)
LIMITS = st.sampled_from([1, 2, 3, 7, 8, 9, 30, 400])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TOKENS, LIMITS, st.sampled_from([(), ("part=1",), ("all=yes", "part=2")]))
def test_a_pruned_search_equals_the_exact_ranking(opened, tokens, limit, filters):
    # S5, S6, S12: rows and bits, with repeated terms, ties, filters, and limits beyond the matches
    terms = opened.terms(tokens)
    found = opened.pruned().top(terms, limit, filters)
    admitted = [
        hit
        for hit in opened.exact(terms)
        if all(text == "all=yes" or hit[0] % 3 == int(text[-1]) for text in filters)
    ]
    assert [*zip(found.rows, found.scores, strict=True)] == admitted[:limit]


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32), st.lists(TOKENS, min_size=1, max_size=5), LIMITS, st.booleans())
def test_any_corpus(tmp_path_factory, seed, queries, limit, cut):
    documents = corpus_of(seed, rows=60, longest=5)
    opened = Opened(tmp_path_factory.mktemp("any"), documents, [20] if cut else [])
    for tokens in queries:
        if terms := opened.terms(tokens):
            found = opened.pruned().top(terms, limit)
            assert [*zip(found.rows, found.scores, strict=True)] == opened.exact(terms)[:limit]


@pytest.mark.parametrize("limit", [1, 5, 8, 20])
def test_every_query_of_three_terms(opened, limit, monkeypatch):
    kinds, intersections = set(), []
    monkeypatch.setattr(pruning, "gated", lambda *given: intersections.append(1) or gated(*given))
    searcher = opened.pruned()
    for first in range(12):
        for second in range(12):
            terms = opened.terms([VOCABULARY[first], VOCABULARY[second], "w0"])
            found = searcher.top(terms, limit)
            assert [*zip(found.rows, found.scores, strict=True)] == opened.exact(terms)[:limit]
            kinds.add((found.passes, found.pruned))
    if costs._PASS == 0:
        assert len(kinds) > 1
        assert intersections or limit > 8


def test_a_term_alone_needs_no_search_where_its_list_is_long_enough(opened):
    terms = opened.terms(["w0"])
    found = opened.pruned().top(terms, 8)
    assert (found.passes, found.pruned) == (0, True)
    assert opened.pruned().top(terms, 9).passes == 1
    assert opened.pruned().top(opened.terms(["w0", "w0"]), 8).passes == 1


class LowBounds(Champions):
    """Lists that lie: middling terms seem to add less than they can."""

    def of(self, term):
        champions = super().of(term)
        share = 0.05 if term in VOCABULARY[2:9] else 1.0
        return ChampionList(champions.rows, array("d", [share * s for s in champions.scores]))


class ShortLists(Champions):
    """Lists that lie: documents are forgotten."""

    def of(self, term):
        champions = super().of(term)
        return ChampionList(champions.rows[:3], champions.scores[:3])


@pytest.mark.parametrize(("lists", "limit"), [(LowBounds, 30), (ShortLists, 8)])
def test_a_wrong_list_would_be_found_here(opened, lists, limit):
    # What the other tests are worth: where bounds are too low or lists too short they fail.
    searcher = PrunedSearcher(opened.searcher, lists(opened.searcher))
    wrong = 0
    for words in [*itertools.combinations(VOCABULARY, 1), *itertools.combinations(VOCABULARY, 3)]:
        terms = opened.terms(words)
        found = searcher.top(terms, limit)
        wrong += [*zip(found.rows, found.scores, strict=True)] != opened.exact(terms)[:limit]
    assert wrong > 0 or costs._PASS


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TOKENS, st.data())
def test_flat_nested_and_gated_queries_score_alike(opened, tokens, data):
    # A fact about tantivy that all of this rests on: sums go from the first clause to the last.
    terms = opened.terms(tokens)
    exact = opened.exact(terms)
    assert [*zip(*opened.searcher.top(union(terms), opened.rows), strict=True)] == exact
    cut = data.draw(st.integers(max(1, len(terms) - 8), len(terms)))
    core = {row for row, _ in opened.exact(terms[:cut])}
    found = opened.searcher.top(nested(terms[:cut], terms[cut:]), opened.rows)
    assert [*zip(*found, strict=True)] == [hit for hit in exact if hit[0] in core]
    part = [filter_term("part", "1"), filter_term("all", "yes")]
    found = opened.searcher.top(nested(terms[:cut], terms[cut:], part), opened.rows)
    assert [*zip(*found, strict=True)] == [
        hit for hit in exact if hit[0] in core and hit[0] % 3 == 1
    ]
    if 2 <= len(terms) <= 9:
        required = sorted(data.draw(st.sets(st.integers(1, len(terms) - 1), min_size=1)))
        holding = set.intersection(
            *({row for row, _ in opened.exact([terms[place]])} for place in (0, *required))
        )
        found = opened.searcher.top(gated(terms, required), opened.rows)
        assert [*zip(*found, strict=True)] == [hit for hit in exact if hit[0] in holding]


def test_hits_are_merged_at_their_highest_score():
    found = Found()
    found.add([4, 2], [3.0, 1.0], 3)
    found.add([9, 2, 4], [3.0, 2.0, 1.0], 3)
    assert (found.rows, found.scores) == ([4, 9, 2], [3.0, 3.0, 2.0])
    found.add([1, 3], [2.0, 1.0], 3)
    assert (found.rows, found.scores) == ([4, 9, 1], [3.0, 3.0, 2.0])
    found.add([], [], 3)
    found.add([0], [0.5], 3)
    assert found.rows == [4, 9, 1]


def test_work_is_counted(opened):
    terms = [QueryTerm(term.frequency, term.text, 1) for term in opened.terms(["w0", "w11"])]
    found = opened.pruned().top(terms, 400)
    assert found.passes >= 1
    assert found.essential + found.optional >= 2
