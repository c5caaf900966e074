"""Entries and tiers."""

import dataclasses

import pytest

from octavo.errors import InvalidArgumentError
from octavo.memory import MemoryEntry, MemoryTier


def test_tiers_are_those_of_the_contract():
    # S31
    assert [tier.name for tier in MemoryTier] == ["WORKING", "EPISODIC", "SEMANTIC", "PROCEDURAL"]


@pytest.mark.parametrize(("given", "expected"), [(None, "a"), ("", "a"), ("guide.md", "guide.md")])
def test_source_falls_back_to_the_id(given, expected):
    # S31
    assert MemoryEntry("a", "text", MemoryTier.WORKING, given).source == expected


def test_entries_are_immutable_values():
    entry = MemoryEntry("a", "", MemoryTier.WORKING)
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry.content = "other"
    assert entry == MemoryEntry("a", "", MemoryTier.WORKING)
    assert hash(entry) == hash(MemoryEntry("a", "", MemoryTier.WORKING))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("", "text", MemoryTier.WORKING), "id"),
        ((" \t\u3000", "text", MemoryTier.WORKING), "id"),
        ((None, "text", MemoryTier.WORKING), "id"),
        ((7, "text", MemoryTier.WORKING), "id"),
        (("\ud800", "text", MemoryTier.WORKING), "id"),
        (("a", None, MemoryTier.WORKING), "content of 'a'"),
        (("a", b"text", MemoryTier.WORKING), "content of 'a'"),
        (("a", "text", "WORKING"), "tier of 'a'"),
        (("a", "text", None), "tier of 'a'"),
        (("a", "text", MemoryTier.WORKING, 1), "source of 'a'"),
    ],
)
def test_bad_entries_are_refused(arguments, named):
    with pytest.raises(InvalidArgumentError, match=f"^{named}: expected"):
        MemoryEntry(*arguments)
