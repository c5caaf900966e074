"""Documents within budgets of tokens: what is kept, shortened and dropped (S69, S70, S74)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.declarative import Knowledge, KnowledgeUsage, KnowledgeUse, ResolvedSearch
from octavo.declarative.rendering.documents import DocumentFormat, Passage
from octavo.declarative.rendering.fence import escaped
from octavo.declarative.rendering.rendered_context import rendered
from octavo.declarative.rendering.tokens import estimated_tokens
from octavo.declarative.runtime.retrieved import Retrieved, SourceGiven
from octavo.errors import ContextValidationError
from octavo.spi import RetrievedDocument, SourceDocument

FORM = "${source}:${content}\n"
SEARCH, DIRECT = KnowledgeUse.SEARCH, KnowledgeUse.DIRECT


def document(content, source="s", **metadata):
    return RetrievedDocument(
        content, source, 0.5, {k.replace("_", "."): v for k, v in metadata.items()}
    )


def retrieved(documents, *, window=4000, form=FORM, sources=None, direct=(), stale=False):
    search = ResolvedSearch(context_window=window, context_format=form)
    sources = sources or [SourceGiven("notes", SEARCH, len(documents))]
    return Retrieved(tuple(documents), search, tuple(sources), stale, tuple(direct))


def notes(**members):
    return [Knowledge("notes", **members)]


# S69
def test_documents_that_fit_are_all_there():
    found = rendered(retrieved([document("one", "a"), document("two", "b")]), notes(), len)
    assert found.text == "a:one\nb:two"
    assert (found.documents, found.truncated, found.stale) == (2, False, False)
    assert found.usage == (KnowledgeUsage("notes", SEARCH, 2, 12, truncated=False),)
    assert found.shortened == found.dropped == ()


# S69 S70
@pytest.mark.parametrize(
    ("window", "text", "documents", "shortened", "dropped"),
    [
        (12, "a:one\nb:two", 2, (), ()),
        (11, "a:one\nb:t…", 2, ("b",), ()),
        (10, "a:one", 1, (), ("b",)),
        (6, "a:one", 1, (), ("b",)),
        (5, "a:o…", 1, ("a",), ("b",)),
    ],
)
def test_the_first_that_does_not_fit_is_shortened_the_rest_dropped(
    window, text, documents, shortened, dropped
):
    given = retrieved([document("one", "a"), document("two", "b")], window=window)
    found = rendered(given, notes(), len)
    assert (found.text, found.documents) == (text, documents)
    assert (found.shortened, found.dropped) == (shortened, dropped)
    assert found.truncated is bool(shortened or dropped)
    assert found.usage[0].truncated is found.truncated
    assert found.usage[0].documents == documents


# S70
def test_a_later_document_never_takes_the_place_of_a_better_one():
    given = retrieved([document("long " * 20, "a"), document("x", "b")], window=60)
    found = rendered(given, notes(), len)
    assert found.shortened == ("a",)
    assert found.dropped == ("b",)


# S70
@pytest.mark.parametrize("window", [1, 2, 3, 4])
def test_truncation_that_leaves_nothing_is_a_validation_error(window):
    given = retrieved([document("one", "a"), document("two", "b")], window=window)
    with pytest.raises(ContextValidationError, match=f"context_window {window}.*2 documents"):
        rendered(given, notes(), len)


def test_nothing_retrieved_is_no_error():  # S69
    found = rendered(retrieved([]), notes())
    assert (found.text, found.documents, found.truncated) == ("", 0, False)
    assert found.usage == (KnowledgeUsage("notes", SEARCH, 0, 0, truncated=False),)


def test_what_is_counted_is_what_the_model_reads():  # S70
    given = retrieved([document("<<<<<<<<<<", "a")], window=30)
    found = rendered(given, notes(), len)
    assert len(escaped(found.text)) <= 30
    assert found.truncated


def test_stale_results_stay_marked():  # S69
    assert rendered(retrieved([document("one")], stale=True), notes()).stale


# S70 S74
def test_max_tokens_bounds_a_source_and_leaves_the_others():
    sources = [SourceGiven("notes", SEARCH, 2), SourceGiven("faq", SEARCH, 1)]
    documents = [
        document("aaaaaaaaaa", "a", tnsai_source="notes"),
        document("bbbbbbbbbb", "b", tnsai_source="notes"),
        document("cccccccccc", "c", tnsai_source="faq"),
    ]
    knowledge = [Knowledge("notes", max_tokens=14), Knowledge("faq")]
    found = rendered(retrieved(documents, sources=sources), knowledge, len)
    assert found.text == "a:aaaaaaaaaa\nb:bbb…\nc:cccccccccc"
    assert found.usage == (
        KnowledgeUsage("notes", SEARCH, 2, 20, truncated=True),
        KnowledgeUsage("faq", SEARCH, 1, 13, truncated=False),
    )


# S74
def test_direct_units_come_first_and_a_source_without_search_has_no_window():
    units = [SourceDocument("u1", "one", {"source": "/x"}), SourceDocument("u2", "two " * 5000)]
    given = Retrieved((), None, (SourceGiven("whole", DIRECT, 2),), False, tuple(units))
    found = rendered(given, [Knowledge("whole", use=DIRECT)])
    assert found.text.startswith("[Source: /x]\none\n\n[Source: u2]\ntwo two")
    assert (found.documents, found.truncated) == (2, False)

    both = retrieved(
        [document("ranked", "r")],
        sources=[SourceGiven("whole", DIRECT, 1), SourceGiven("notes", SEARCH, 1)],
        direct=units[:1],
    )
    assert rendered(both, [], len).text == "/x:one\nr:ranked"


# S74
def test_max_tokens_bounds_a_direct_source():
    unit = SourceDocument("u", "x" * 100)
    given = Retrieved((), None, (SourceGiven("whole", DIRECT, 1),), False, (unit,))
    found = rendered(given, [Knowledge("whole", use=DIRECT, max_tokens=60)], len)
    assert found.usage[0].truncated
    assert found.usage[0].tokens == len("[Source: u]\n\n\n") + 60
    with pytest.raises(ContextValidationError, match="max_tokens"):
        rendered(given, [Knowledge("whole", use=DIRECT, max_tokens=1)], len)


def test_of_a_long_document_only_what_may_fit_is_looked_at():
    looked_at = []

    def counter(text):
        looked_at.append(len(text))
        return estimated_tokens(text)

    unit = SourceDocument("u", "word " * 1_000_000)
    given = Retrieved((), None, (SourceGiven("whole", DIRECT, 1),), False, (unit,))
    found = rendered(given, [Knowledge("whole", use=DIRECT, max_tokens=100)], counter)
    assert 100 <= found.usage[0].tokens <= 110
    assert sum(looked_at) < 50_000


@pytest.mark.parametrize("content", ["", " ", "\n"])
def test_a_blank_document_is_written(content):
    found = rendered(retrieved([document(content, "a"), document("two", "b")]), notes(), len)
    assert (found.documents, found.text[:2], found.text[-5:]) == (2, "a:", "b:two")


def test_units_are_attributed_by_the_order_of_their_sources():  # S69
    sources = [
        SourceGiven("a", DIRECT, 1),
        SourceGiven("s", SEARCH, 1),
        SourceGiven("b", DIRECT, 2),
    ]
    units = [SourceDocument(str(place), "x") for place in range(3)]
    found = rendered(retrieved([document("r")], sources=sources, direct=units), [], len)
    assert [(each.source, each.documents) for each in found.usage] == [("a", 1), ("s", 1), ("b", 2)]


def test_matched_documents_that_direct_units_crowd_out_are_missed():  # S70
    sources = [SourceGiven("whole", DIRECT, 1), SourceGiven("notes", SEARCH, 1)]
    given = retrieved(
        [document("ranked")], window=20, sources=sources, direct=[SourceDocument("u", "x" * 50)]
    )
    with pytest.raises(ContextValidationError, match="that matched"):
        rendered(given, [], len)


@pytest.mark.parametrize("text", ["cafe\u0301 " * 9, "👩‍👩‍👧" * 9, "🇩🇪" * 9, "한글" * 9, "क्षि" * 9])
@pytest.mark.parametrize("window", range(14, 40, 5))
def test_no_grapheme_is_split(text, window):  # S70
    import regex

    found = rendered(retrieved([document(text, "a")], window=window), notes(), len)
    kept = found.text.removeprefix("a:").removesuffix("…")
    whole = regex.findall(r"\X", text)
    assert "".join(whole[: len(regex.findall(r"\X", kept))]).rstrip() == kept


def test_a_counter_that_finds_more_in_the_whole_than_in_its_parts():
    def greedy(text):
        return len(text) ** 2

    given = retrieved([document("one", "a"), document("two", "b")], window=80)
    found = rendered(given, notes(), greedy)
    assert (found.text, found.documents, found.dropped) == ("a:one", 1, ("b",))


texts = st.text(max_size=60)
documents = st.lists(st.tuples(texts, st.sampled_from(["a", "b/c.md", "<x>"])), max_size=6)


@settings(max_examples=200, deadline=None)
@given(documents, st.integers(1, 120), st.sampled_from([len, estimated_tokens]))
def test_the_window_is_never_exceeded(given_documents, window, counter):
    found_documents = [document(content, source) for content, source in given_documents]
    try:
        found = rendered(retrieved(found_documents, window=window), notes(), counter)
    except ContextValidationError:
        return
    assert counter(escaped(found.text)) <= window
    assert found.documents + len(found.dropped) == len(given_documents)
    assert found.truncated is bool(found.shortened or found.dropped)
    assert found.usage[0].documents == found.documents


@settings(max_examples=200, deadline=None)
@given(texts.filter(str.strip), st.integers(2, 60), st.sampled_from([len, estimated_tokens]))
def test_what_is_shortened_is_the_longest_that_fits(content, window, counter):
    form = DocumentFormat("${content}")
    whole = retrieved([document(content)], window=window, form="${content}")
    possible = [
        part
        for length in range(len(content))
        if (part := Passage("notes", content, "s").shortened(length))
        and counter(escaped(form.written(part))) <= window
    ]
    try:
        found = rendered(whole, notes(), counter)
    except ContextValidationError:
        assert possible == []
        return
    if found.truncated:
        assert found.text == form.written(possible[-1]).rstrip()
