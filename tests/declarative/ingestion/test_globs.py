"""Patterns over paths, against the standard library's over names."""

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from octavo.declarative.ingestion.globs import PathFilter


def test_many_stars_take_no_time():
    assert not PathFilter.of("*a" * 20 + "b", ()).admits("a" * 250)
    assert PathFilter.of("*a" * 20 + "*b", ()).admits("a" * 250 + "b")


@given(st.text("ab*", max_size=8), st.text("ab", min_size=1, max_size=8))
def test_stars_match_as_those_of_the_standard_library(pattern, name):
    if pattern.strip("*") or pattern == "*":
        assert PathFilter.of(pattern, ()).admits(name) is fnmatchcase(name, pattern)
