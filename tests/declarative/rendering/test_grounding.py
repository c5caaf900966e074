"""What is next of a SEQUENTIAL source, in one context with everything else (S70, S74)."""

import pytest

from octavo.declarative import Grounding, Knowledge, KnowledgeUse, ResolvedSearch
from octavo.declarative.runtime.bindings import BindingKey
from octavo.declarative.runtime.cursors import CursorKey, Cursors
from octavo.declarative.runtime.retrieved import Retrieved, SourceGiven
from octavo.errors import ContextValidationError
from octavo.spi import RetrievedDocument, SourceDocument

SEARCH, DIRECT, SEQUENTIAL = KnowledgeUse.SEARCH, KnowledgeUse.DIRECT, KnowledgeUse.SEQUENTIAL


def grounding(texts, window, *, direct=(), ranked=(), max_tokens=None, counter=len):
    """A context of units written as they are, a space after each."""
    units = tuple(SourceDocument(str(place), text) for place, text in enumerate(texts))
    knowledge = [
        Knowledge("whole", use=DIRECT),
        Knowledge("book", use=SEQUENTIAL, **({"max_tokens": max_tokens} if max_tokens else {})),
        Knowledge("notes"),
    ]
    key = CursorKey(BindingKey(object, None, (knowledge[1],)))
    given = zip(("whole", "book", "notes"), (DIRECT, SEQUENTIAL, SEARCH), strict=True)
    counts = (len(direct), len(units), len(ranked))
    retrieved = Retrieved(
        tuple(RetrievedDocument(each, "r", 0.5, {}) for each in ranked),
        ResolvedSearch(context_window=window, context_format="${content} ", include_spec=False),
        tuple(
            SourceGiven(name, use, count) for (name, use), count in zip(given, counts, strict=True)
        ),
        direct=tuple(SourceDocument(each, each) for each in direct),
        sequential=(Cursors().reading(key, "book", units, "1"),),
    )
    return Grounding.of(retrieved, knowledge, counter)


def row(found, source="book"):
    (usage,) = (each for each in found.context.usage if each.source == source)
    return usage.documents, usage.truncated, usage.exhausted


# S74
def test_next_units_stand_between_whole_sources_and_ranked_documents():
    found = grounding(["b", "c"], 100, direct=["a"], ranked=["d"])
    assert found.context.text == "a b c d"
    assert row(found) == (2, False, True)
    assert [row(found, each)[2] for each in ("whole", "notes")] == [False, False]
    assert found.context.ended == ("book",)


# S74
def test_a_unit_that_waits_leaves_its_room_to_others():
    found = grounding(["bb", "cccccc", "d"], 8, direct=["a"], ranked=["e"])
    assert found.context.text == "a bb e"
    assert (row(found), found.context.truncated) == ((1, False, False), False)
    assert found.context.ended == found.context.dropped == found.context.shortened == ()


# S74
def test_both_budgets_bound_what_comes_next():
    assert row(grounding(["bb"] * 9, 13, max_tokens=100)) == (4, False, False)
    assert row(grounding(["bb"] * 9, 100, max_tokens=13)) == (6, False, False)


# S74
def test_a_first_unit_is_shortened_to_the_room_that_others_left():
    found = grounding(["bbbbbbbb", "c"], 8, direct=["aa"])
    assert found.context.text == "aa bbb…"
    assert (row(found), found.context.truncated) == ((1, True, False), True)
    assert found.settle()
    assert found.again().context.text == "aa c"


# S74 S70
def test_no_room_beside_others_is_an_error():
    with pytest.raises(ContextValidationError, match="context_window 4.*next unit of 'book'"):
        grounding(["bb"], 4, direct=["aaa"])


# S74
def test_an_exhausted_source_is_no_error():
    found = grounding([], 10, direct=["a"])
    assert (row(found), found.context.ended) == ((0, False, True), ())


# S74
def test_what_a_counter_finds_too_much_in_the_whole_waits():
    def counter(text):
        return len(text) + (2 if len(text) > 5 else 0)

    found = grounding(["bb", "cc", "dd"], 9, counter=counter)
    assert found.context.text == "bb cc"
    assert (row(found), found.context.truncated) == ((2, False, False), False)
    assert found.settle()
    assert found.again().context.text == "dd"


# S74
def test_blank_units_are_units():
    assert row(grounding(["", " ", ""], 100, max_tokens=1)) == (3, False, True)


# S74
def test_of_a_long_source_only_what_may_fit_is_looked_at():
    looked_at = []

    def counter(text):
        looked_at.append(text)
        return len(text)

    grounding(["bbbb"] * 10_000, 100, max_tokens=20, counter=counter)
    assert len(looked_at) < 30
