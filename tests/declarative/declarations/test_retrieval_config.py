"""The builder has the members of a search."""

from dataclasses import fields

import pytest

from octavo.declarative import RetrievalConfig, Search
from octavo.errors import ConfigurationError
from tests.declarative.declarations.test_mappings import SEARCH

BUILDER_ONLY = {"builder", "build"}


def test_it_has_the_members_of_a_search():  # S62
    methods = {name for name in vars(RetrievalConfig) if not name.startswith("_")} - BUILDER_ONLY
    assert methods == {each.name for each in fields(Search)}


def test_it_builds_what_search_is_given():  # S62
    builder = RetrievalConfig.builder()
    for name, value in SEARCH.given.items():
        assert getattr(builder, name)(value) is builder
    assert builder.build() == SEARCH


def test_nothing_is_set_at_first():  # S62
    assert RetrievalConfig.builder().build() == Search()


@pytest.mark.parametrize("name", [each.name for each in fields(Search)])
def test_a_method_sets_its_member_and_no_other(name):  # S62
    value = SEARCH.given[name]
    built = getattr(RetrievalConfig.builder(), name)(value).build()
    assert built.given == {name: value}


def test_a_value_is_checked_when_it_is_given():
    with pytest.raises(ConfigurationError, match="top_k"):
        RetrievalConfig.builder().top_k(0)


def test_the_last_value_holds_and_what_was_built_stays():
    builder = RetrievalConfig.builder().top_k(3)
    first = builder.build()
    assert builder.top_k(4).build() == Search(top_k=4)
    assert first == Search(top_k=3)
