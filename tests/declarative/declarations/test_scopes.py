"""Merging: what one source of a scope sets applies to all, and two values are an error."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.declarative import Knowledge, Search
from octavo.declarative.declarations.scopes import ClassScope, action_scope, chat_scope, merged
from octavo.errors import ConfigurationError
from tests.declarative.declarations.test_mappings import SEARCH

# A member with two values to choose from: enough to agree, to differ, and to be silent.
OTHERS = {
    "strategy": "KEYWORD",
    "top_k": 1,
    "min_score": 1.0,
    "deduplicate": True,
    "query_param": "",
    "on_failure": "FAIL",
}
VALUES = {name: [SEARCH.given[name], other] for name, other in OTHERS.items()}
SEARCHES = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in VALUES.items()}
).map(lambda members: Search(**members))
CONTRIBUTIONS = st.lists(SEARCHES, max_size=4).map(
    lambda searches: [(f"s{place}", search) for place, search in enumerate(searches)]
)


def outcome(contributions):
    """What merging gives, or that it is an error."""
    try:
        return merged(contributions)
    except ConfigurationError:
        return "conflict"


def oracle(contributions):
    """The rule, member by member."""
    chosen = {}
    for each in fields(Search):
        values = {s.given[each.name] for _, s in contributions if each.name in s.given}
        if len(values) > 1:
            return "conflict"
        if values:
            chosen[each.name] = values.pop()
    return Search(**chosen)


@given(CONTRIBUTIONS)
def test_merging_is_the_rule(contributions):  # S60
    assert outcome(contributions) == oracle(contributions)


@given(CONTRIBUTIONS, st.randoms())
def test_order_does_not_matter(contributions, random):  # S60
    shuffled = list(contributions)
    random.shuffle(shuffled)
    assert outcome(shuffled) == outcome(contributions)


@given(CONTRIBUTIONS, st.integers(0, 4))
def test_scopes_can_be_merged_in_parts(contributions, cut):  # S60
    parts = [outcome(contributions[:cut]), outcome(contributions[cut:])]
    whole = outcome(contributions)
    if "conflict" in parts:
        assert whole == "conflict"
    else:
        assert outcome([("first", parts[0]), ("second", parts[1])]) == whole


@given(SEARCHES)
def test_saying_it_again_changes_nothing(search):  # S60
    assert merged([]) == Search()
    assert merged([("a", search)]) == merged([("a", search), ("b", search)]) == search
    assert merged([("a", search), ("b", Search())]) == search


@pytest.mark.parametrize("name", [each.name for each in fields(Search)])
def test_every_member_is_merged(name):  # S60
    one = Search(**{name: SEARCH.given[name]})
    assert merged([("a", Search()), ("b", one)]) == one


def test_a_conflict_names_both_sources_and_both_values():  # S60
    with pytest.raises(
        ConfigurationError, match=r"^search.top_k: 'manual' sets 8 and 'notes' sets 3; "
    ):
        merged([("manual", Search(top_k=8)), ("quiet", Search()), ("notes", Search(top_k=3))])
    with pytest.raises(ConfigurationError, match="'a' sets FAIL and 'b' sets CONTINUE"):
        merged([("a", Search(on_failure="FAIL")), ("b", Search(on_failure="CONTINUE"))])
    with pytest.raises(ConfigurationError, match=r"'a' sets 'x' and 'b' sets ''"):
        merged([("a", Search(query_param="x")), ("b", Search(query_param=""))])


def scope(*sources):
    return ClassScope(sources)


def search_of(entries, declared):
    return action_scope(tuple(entries), declared).search


A = Knowledge("a", search=Search(top_k=8, min_score=0.2))
B = Knowledge("b")
C = Knowledge("c", search=Search(cache=False))


def test_what_a_source_declares_applies_to_the_others():  # S60
    declared = scope(A, B, C)
    for names in ("a", "b", "ab", "c", "abc"):
        found = search_of([Knowledge(name) for name in names], declared)
        assert found == Search(top_k=8, min_score=0.2, cache=False)


def test_an_actions_search_replaces_the_declared_as_a_whole():  # S60
    declared = scope(A, B)
    assert search_of([Knowledge("a", search=Search(top_k=3))], declared) == Search(top_k=3)
    assert search_of([Knowledge("a", search=Search())], declared) == Search()
    # What it replaces does not come back through another source that it names.
    both = [Knowledge("a", search=Search(top_k=3)), Knowledge("b")]
    assert search_of(both, declared) == Search(top_k=3)


def test_entries_of_one_action_are_merged_after_its_overrides():  # S60
    declared = scope(A, B, C)
    entries = [Knowledge("a", search=Search(top_k=3)), Knowledge("b", search=Search(rerank=False))]
    assert search_of(entries, declared) == Search(top_k=3, rerank=False)
    entries = [Knowledge("a", search=Search(top_k=3)), Knowledge("b", search=Search(top_k=4))]
    with pytest.raises(ConfigurationError, match="search.top_k: 'a' sets 3 and 'b' sets 4"):
        search_of(entries, declared)
    # What a third source declares still holds for a source that the action does not replace.
    entries = [Knowledge("a", search=Search(cache=True)), Knowledge("b")]
    with pytest.raises(ConfigurationError, match="search.cache: 'a' sets True and 'c' sets False"):
        search_of(entries, declared)


def test_other_overrides_replace_member_by_member():  # S60
    declared = scope(Knowledge("a", path="p", max_tokens=9, search=Search(top_k=8)), B)
    found = action_scope((Knowledge("a", max_tokens=5),), declared)
    assert found.knowledge[0].max_tokens == 5
    assert (found.knowledge[0].path, found.search) == ("p", Search(top_k=8))
    found = action_scope((Knowledge("a", use="DIRECT"),), declared)
    assert (found.knowledge[0].use, found.knowledge[0].max_tokens) == ("DIRECT", 9)
    assert found.search is None


def test_a_source_that_is_given_whole_can_be_searched_by_an_action():  # S60
    declared = scope(Knowledge("a", use="DIRECT"), C)
    assert search_of([Knowledge("a", use="SEARCH")], declared) == Search()
    entry = Knowledge("a", use="SEARCH", search=Search(top_k=3))
    assert search_of([entry], declared) == Search(top_k=3)


def test_search_for_a_source_that_is_not_searched_is_an_error():  # S60
    declared = scope(Knowledge("a", use="DIRECT"))
    with pytest.raises(ConfigurationError, match="^knowledge: Knowledge 'a': search: .*use DIRECT"):
        search_of([Knowledge("a", search=Search(top_k=3))], declared)


def test_a_class_whose_sources_contradict_each_other_fails():  # S60
    with pytest.raises(ConfigurationError, match="search.top_k: 'a' sets 8 and 'b' sets 3"):
        scope(A, Knowledge("b", search=Search(top_k=3)))
    # What is disabled sets nothing.
    assert scope(A, Knowledge("b", enabled=False, search=Search(top_k=3)))


def test_two_sources_of_one_name_fail():  # S60
    for enabled in (True, False):
        with pytest.raises(ConfigurationError, match="the source 'a' is there twice"):
            scope(A, Knowledge("a", enabled=enabled))
    assert scope(A, Knowledge("A"))  # names are case-sensitive


def test_an_unknown_source_brings_the_nearest():  # S60
    declared = scope(Knowledge("research-corpus"), Knowledge("notes", enabled=False))
    with pytest.raises(
        ConfigurationError,
        match=r"there is no source 'Research-corpus'; known: 'research-corpus'; did you mean 'res",
    ):
        search_of([Knowledge("Research-corpus")], declared)
    with pytest.raises(ConfigurationError, match="^the source 'notes' is disabled"):
        search_of([Knowledge("notes")], declared)


GRAPH = Knowledge("graph", type="GRAPH")


def test_a_graph_is_searched_by_graph_alone():  # S80
    own = Knowledge("graph", type="GRAPH", search=Search(strategy="GRAPH", top_k=2))
    declared = scope(Knowledge("docs", search=Search(strategy="HYBRID", top_k=8)), own)
    assert search_of([Knowledge("docs")], declared) == Search(strategy="HYBRID", top_k=8)
    assert search_of([Knowledge("graph")], declared) == Search(strategy="GRAPH", top_k=2)
    declared = scope(Knowledge("docs", search=Search(strategy="HYBRID", top_k=8)), GRAPH)
    # It shares nothing with the documents beside it.
    assert search_of([Knowledge("graph")], declared) == Search(strategy="GRAPH")
    entry = Knowledge("graph", search=Search(top_k=3))
    assert search_of([entry], declared) == Search(strategy="GRAPH", top_k=3)
    assert search_of([Knowledge("docs")], declared) == Search(strategy="HYBRID", top_k=8)
    for entries in (
        [Knowledge("graph"), Knowledge("docs")],
        [Knowledge("docs"), Knowledge("graph")],
    ):
        with pytest.raises(ConfigurationError, match="GRAPH source 'graph' .* beside it 'docs'"):
            search_of(entries, declared)
    entries = [Knowledge("graph"), Knowledge("other")]
    with pytest.raises(ConfigurationError, match="GRAPH source 'graph' .* beside it 'other'"):
        search_of(entries, scope(GRAPH, Knowledge("other", type="GRAPH")))


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"search": Search(strategy="HYBRID")}, "search.strategy: .*found HYBRID"),
        ({"use": "DIRECT"}, "use: .*found DIRECT"),
        ({"use": "SEQUENTIAL"}, "use: .*found SEQUENTIAL"),
        ({"max_tokens": 5}, "max_tokens: cannot be set for a GRAPH"),
    ],
)
def test_an_action_cannot_make_a_graph_what_it_is_not(members, told):  # S80
    with pytest.raises(ConfigurationError, match=f"^knowledge: Knowledge 'graph': {told}"):
        search_of([Knowledge("graph", **members)], scope(GRAPH))


def test_a_documents_own_strategy_may_be_graph():  # S63
    declared = scope(Knowledge("docs", search=Search(strategy="GRAPH")), B)
    assert search_of([Knowledge("b")], declared) == Search(strategy="GRAPH")


def test_a_memory_grounds_chat_only():  # S61
    with pytest.raises(ConfigurationError, match="'notes' is a MEMORY source, which grounds chat"):
        search_of([Knowledge("notes")], scope(Knowledge("notes", type="MEMORY")))


def test_chat_sees_enabled_sources_that_are_searched_or_given_whole():  # S72
    sources = [
        Knowledge("searched", search=Search(top_k=8)),
        Knowledge("whole", use="DIRECT"),
        Knowledge("pieces", use="SEQUENTIAL"),
        GRAPH,
        Knowledge("off", enabled=False, search=Search(top_k=3)),
        Knowledge("memory", type="MEMORY", search=Search(cache=False)),
    ]
    found = chat_scope(sources)
    assert [each.name for each in found.knowledge] == ["searched", "whole", "memory"]
    assert found.search == Search(top_k=8, cache=False)
    assert chat_scope(sources[1:5]).search is None


NAMES = "abcd"
DECLARED = st.lists(SEARCHES, min_size=len(NAMES), max_size=len(NAMES)).map(
    lambda searches: tuple(Knowledge(n, search=s) for n, s in zip(NAMES, searches, strict=True))
)
# Sources that agree: each says some of what one search says.
AGREEING = st.builds(
    lambda whole, silent: tuple(
        Knowledge(
            name,
            search=Search(**{key: value for key, value in whole.given.items() if key not in quiet}),
        )
        for name, quiet in zip(NAMES, silent, strict=True)
    ),
    SEARCHES,
    st.lists(st.sets(st.sampled_from(sorted(VALUES))), min_size=len(NAMES), max_size=len(NAMES)),
)
NAMED = st.lists(st.sampled_from(NAMES), min_size=1, unique=True)


def told(entries, sources):
    """What an action of these entries is searched by, or that it is an error."""
    try:
        return search_of(entries, ClassScope(sources))
    except ConfigurationError:
        return "conflict"


@given(DECLARED, NAMED)
def test_every_action_without_a_search_is_searched_as_its_class_says(sources, named):  # S60
    whole = outcome([(each.name, each.search) for each in sources])
    assert told([Knowledge(name) for name in named], sources) == whole


@given(AGREEING, st.dictionaries(st.sampled_from(NAMES), SEARCHES, min_size=1))
def test_what_an_action_replaces_entirely_is_its_own(sources, given_searches):  # S60
    entries = [Knowledge(name, search=search) for name, search in given_searches.items()]
    assert told(entries, sources) == outcome(list(given_searches.items()))


@given(DECLARED, st.dictionaries(st.sampled_from(NAMES), st.none() | SEARCHES), st.randoms())
def test_the_order_of_sources_and_entries_does_not_matter(sources, named, random):  # S60
    entries = [
        Knowledge(name) if search is None else Knowledge(name, search=search)
        for name, search in named.items()
    ]
    shuffled = random.sample(entries, len(entries))
    others = tuple(random.sample(sources, len(sources)))
    assert told(shuffled, others) == told(entries, sources)


@given(AGREEING, NAMED)
def test_repeating_what_holds_anyway_changes_nothing(sources, named):  # S60
    whole = told([Knowledge("a")], sources)
    assert told([Knowledge(name, search=whole) for name in named], sources) == whole


@given(st.lists(SEARCHES, min_size=1, max_size=5), st.data())
def test_an_action_means_the_same_as_merging_everything_again(searches, data):  # S60
    names = [f"s{place}" for place in range(len(searches))]
    sources = [
        Knowledge(name, path="x", search=each) for name, each in zip(names, searches, strict=True)
    ]
    try:
        scope = ClassScope(tuple(sources))
    except ConfigurationError:
        return
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    own = {name: data.draw(SEARCHES) for name in chosen if data.draw(st.booleans())}
    entries = tuple(
        Knowledge(name, search=own[name]) if name in own else Knowledge(name) for name in chosen
    )
    expected = [(name, own[name]) for name in chosen if name in own]
    if len(own) < len(chosen):
        expected += [(each.name, each.search) for each in sources if each.name not in own]
    wanted = failure_of(merged, expected) or merged(expected)
    found = failure_of(action_scope, entries, scope) or action_scope(entries, scope).search
    assert found == wanted


def failure_of(call, *arguments):
    """The message of the error that a call raises; blank where it raises none."""
    try:
        call(*arguments)
    except ConfigurationError as error:
        return str(error)
    return ""


def test_many_sources_and_many_actions_are_looked_at_once_each(monkeypatch):
    count, asked = 60, []
    given_members = Search.given.fget
    scope = ClassScope(tuple(Knowledge(f"s{n}", path="x") for n in range(count)))
    counted = property(lambda self: asked.append(1) or given_members(self))
    monkeypatch.setattr(Search, "given", counted)
    for number in range(count):
        action_scope((Knowledge(f"s{number}", search=Search(top_k=number + 1)),), scope)
        action_scope((Knowledge(f"s{number}"),), scope)
    assert len(asked) <= 4 * count
