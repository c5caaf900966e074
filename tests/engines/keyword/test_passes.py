"""MaxScore in passes: which terms are essential, and which documents may be left out."""

import itertools
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.engines.keyword.costs import SearchCosts
from octavo.engines.keyword.passes import MOST_OPTIONAL, Pass, RemainingTerm, next_pass

COSTS = SearchCosts(rows=900_000, limit=10)


def term(frequency, bound, *, alone=True):
    return RemainingTerm(frequency, bound, min(max(bound, 0.1), 10.0), alone)


RARE, COMMON, COMMONEST = term(500, inf), term(100_000, 3.0), term(300_000, 1.5)


def test_nothing_is_left_where_the_bounds_do_not_reach_the_threshold():
    assert next_pass([], 1.0, COSTS) is None
    assert next_pass([COMMON, COMMONEST], 4.6, COSTS) is None
    # A document that ties may have a lower row.
    assert next_pass([COMMON, COMMONEST], 4.5, COSTS) is not None


def test_the_rarest_term_comes_first_and_the_frequent_ones_are_looked_up():
    assert next_pass([RARE, COMMON, COMMONEST], -1.0, COSTS) == Pass(1)
    assert next_pass([RARE, COMMON, COMMONEST], 5.0, COSTS) == Pass(1)


def test_a_document_may_need_two_terms_at_once():
    assert next_pass([COMMON, COMMONEST], 4.0, COSTS) == Pass(1, (1,))
    three = [term(9_000, 2.0), term(90_000, 2.0), term(300_000, 1.0)]
    assert next_pass(three, 4.5, COSTS) == Pass(1, (1, 2))
    assert next_pass(three, 3.5, COSTS) == Pass(1, (1,))


def test_documents_of_one_known_list_need_no_pass():
    assert next_pass([term(300_000, 2.0, alone=False)], -1.0, COSTS) is None
    pair = [term(90_000, 3.0, alone=False), term(300_000, 2.0, alone=False)]
    assert next_pass(pair, 2.5, COSTS) == Pass(1, (1,))
    assert next_pass([term(90_000, 3.0), pair[1]], -1.0, COSTS).required == ()


def test_terms_of_like_frequency_are_scored_in_one_union():
    terms = [term(50_000, 5.0)] * 3
    assert next_pass(terms, -1.0, COSTS) == Pass(3)


@pytest.mark.parametrize("threshold", [-1.0, 1.0, 7.9])
def test_nesting_is_bounded(threshold):
    terms = [term(1, inf)] * 30 + [term(500_000, 0.5)] * 20
    step = next_pass(terms, threshold, COSTS)
    assert len(terms) - step.essential <= MOST_OPTIONAL


@given(
    st.lists(
        st.tuples(st.integers(1, 400_000), st.sampled_from([0.0, 0.5, 1.0, 2.5, inf])),
        min_size=1,
        max_size=11,
    ),
    st.sampled_from([-1.0, 0.5, 1.0, 3.0, 4.5, 9.0]),
    st.booleans(),
)
def test_no_document_that_may_matter_is_left_out(terms, threshold, filtered):
    # By enumeration: a document is the set of terms it holds; its score is at most their bounds.
    terms = sorted(terms)
    costs = SearchCosts(900_000, 10, 5_000 if filtered else None)
    remaining = [term(frequency, bound) for frequency, bound in terms]
    step = next_pass(remaining, threshold, costs)
    for size in range(1, len(terms) + 1):
        for held in itertools.combinations(range(len(terms)), size):
            if sum(terms[place][1] for place in held) < threshold:
                continue
            # Left for later passes if its rarest term is not essential now.
            assert step is not None
            if held[0] < step.essential:
                assert set(step.required) <= set(held)
    if step is not None:
        assert 1 <= step.essential <= len(terms)
        assert not step.required or step.essential == 1
