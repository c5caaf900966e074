"""Filter terms: one pair, one term."""

from hypothesis import given
from hypothesis import strategies as st

from octavo.engines.keyword.schema import LONGEST_FILTER_TERM, filter_term

TEXT = st.text(st.sampled_from("ab=\\#"), max_size=5) | st.text(max_size=20)


@given(TEXT, TEXT, TEXT, TEXT)
def test_different_pairs_have_different_terms(key, value, other_key, other_value):
    # S7
    same = (key, value) == (other_key, other_value)
    assert (filter_term(key, value) == filter_term(other_key, other_value)) is same


@given(TEXT, TEXT)
def test_an_equals_sign_may_move_between_key_and_value(key, value):
    assert filter_term(key + "=" + value, "x") != filter_term(key, value + "=x")


def test_ordinary_pairs_stay_readable():
    assert filter_term("tier", "SEMANTIC") == "tier=SEMANTIC"


def test_long_terms_and_lone_surrogates_become_distinct_digests():
    long = "x" * (LONGEST_FILTER_TERM + 1)
    terms = {
        filter_term("k", long),
        filter_term("k", long + "x"),
        filter_term("k2", long),
        filter_term("k", "\ud800"),
        filter_term("k", "\ud801"),
        filter_term("\ud800", "k"),
    }
    assert len(terms) == 6
    assert all(term.startswith("\\#") and len(term) == 66 for term in terms)


def test_no_readable_term_looks_like_a_digest():
    digest = filter_term("k", "x" * 2000)
    assert filter_term(digest, "") != digest
    assert not filter_term(digest, "v").startswith("\\#")
