"""Search settings: immutable, checked, and unset told from given."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from decimal import Decimal

import numpy as np
import pytest

from octavo.declarative import UNSET, Search
from octavo.errors import ConfigurationError

COUNTS = {"context_window": 1, "top_k": 1, "top_n": 1, "expanded_queries": 1}
COUNTS |= {"cache_ttl": 0, "max_staleness": -1}
FRACTIONS = ("min_score", "dedupe_threshold")
FLAGS = ("rerank", "deduplicate", "include_spec", "cache")
MODELS = ("reranker_model", "query_expansion_model", "navigator_model")
TEXTS = ("query_param", "context_format")
ENUMS = ("strategy", "query_expansion", "on_failure")
MEMBERS = (*COUNTS, *FRACTIONS, *FLAGS, *MODELS, *TEXTS, *ENUMS)


def test_the_members_are_the_references():  # S62
    assert {each.name for each in fields(Search)} == set(MEMBERS)
    assert len(MEMBERS) == 20


@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_is_unset_unless_given(name):  # S62
    assert getattr(Search(), name) is UNSET
    assert Search().given == {}
    assert Search(**{name: UNSET}) == Search()


def test_a_given_default_is_not_unset():  # S62
    assert Search(top_k=5) != Search()
    assert Search(top_k=5).given == {"top_k": 5}


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("value", [(1,), [0.5, 0.6], ["a"], (), {1}, None, object(), {}, b"a"])
def test_several_values_or_none_are_an_error(name, value):  # S62
    with pytest.raises(ConfigurationError, match=f"^Search: {name}: expected "):
        Search(**{name: value})


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):  # S62
    lowest = COUNTS[name]
    for value in (lowest, lowest + 1, 10**12, np.int64(7)):
        assert getattr(Search(**{name: value}), name) == value
        assert type(getattr(Search(**{name: value}), name)) is int
    for value in (lowest - 1, True, False, 1.0, math.nan, "3", 3 + 0j):
        with pytest.raises(ConfigurationError, match=f"^Search: {name}: expected an integer of at"):
            Search(**{name: value})


@pytest.mark.parametrize("name", FRACTIONS)
def test_fractions(name):  # S62
    for value in (0, 1, 0.0, 0.5, 1.0, np.float32(0.5), Decimal("0.5")):
        assert getattr(Search(**{name: value}), name) == value
        assert type(getattr(Search(**{name: value}), name)) is float
    for value in (-1e-9, 1.0000001, math.nan, math.inf, -math.inf, True, "0.5", 10**400):
        with pytest.raises(ConfigurationError, match=f"^Search: {name}: expected a number from 0"):
            Search(**{name: value})


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("value", [0, 1, "true", 1.0])
def test_flags(name, value):  # S62
    assert getattr(Search(**{name: True}), name) is True
    assert getattr(Search(**{name: False}), name) is False
    with pytest.raises(ConfigurationError, match=f"^Search: {name}: expected True or False"):
        Search(**{name: value})


@pytest.mark.parametrize("name", MODELS)
def test_a_blank_model_is_an_error(name):  # S63
    assert getattr(Search(**{name: " exact-Name "}), name) == " exact-Name "
    for value in ("", " ", "\t\u3000"):
        with pytest.raises(ConfigurationError, match=f"^Search: {name}: .*blank"):
            Search(**{name: value})
    with pytest.raises(ConfigurationError, match=f"^Search: {name}: expected text"):
        Search(**{name: 3})


def test_a_blank_query_parameter_is_given_and_means_the_first():  # S65
    assert Search(query_param=" ").given == {"query_param": ""}


@pytest.mark.parametrize("name", [*TEXTS, *MODELS])
def test_text_can_be_written_as_utf_8(name):
    with pytest.raises(ConfigurationError, match=f"^Search: {name}: .*lone surrogate"):
        Search(**{name: "a\ud800"})


@pytest.mark.parametrize("value", ["HYBRID", "hybrid", " Hybrid ", Search.Strategy.HYBRID])
def test_a_name_stands_for_a_member(value):  # S63
    assert Search(strategy=value).strategy is Search.Strategy.HYBRID


def test_hyphens_stand_for_underscores():  # S63
    assert Search(strategy="multi-query").strategy is Search.Strategy.MULTI_QUERY


def test_names_fold_in_no_locale():  # S63
    # Neither the letters i of Turkish nor the sign of Kelvin are letters of ASCII.
    for value in ("hıerarchıcal", "hierarchİcal", "\u212aEYWORD"):
        with pytest.raises(ConfigurationError, match="is no SearchStrategy"):
            Search(strategy=value)


def test_a_member_of_another_enumeration_is_an_error():  # S63
    with pytest.raises(ConfigurationError, match="^Search: strategy: expected a SearchStrategy"):
        Search(strategy=Search.QueryExpansion.MULTI_QUERY)


def test_an_unknown_name_brings_the_nearest():  # S63
    with pytest.raises(ConfigurationError, match=r"'hybird' is no SearchStrategy; .*mean 'HYBRID'"):
        Search(strategy="hybird")


def test_it_cannot_be_changed():
    search = Search(top_k=3)
    with pytest.raises(FrozenInstanceError):
        search.top_k = 4
    with pytest.raises((AttributeError, TypeError)):
        search.topk = 4
    assert not hasattr(search, "__dict__")


def test_it_is_a_value():
    search = Search(top_k=3, strategy="GRAPH")
    assert pickle.loads(pickle.dumps(search)) == search == copy.deepcopy(search)
    assert pickle.loads(pickle.dumps(search)).min_score is UNSET
    assert hash(search) == hash(Search(strategy="graph", top_k=3))
    assert replace(search, top_k=4) == Search(top_k=4, strategy="GRAPH")
    assert replace(search, top_k=UNSET) == Search(strategy="GRAPH")
    assert repr(Search()) == "Search()"
    assert repr(Search(top_k=3)) == "Search(top_k=3)"


def test_members_are_given_by_name():
    with pytest.raises(TypeError):
        Search("HYBRID")
