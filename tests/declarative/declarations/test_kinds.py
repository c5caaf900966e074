"""What a source of each type may set."""

import pytest

from octavo.declarative import Knowledge, Search
from octavo.errors import ConfigurationError

# The reference's list, and a value each that is possible elsewhere.
REFUSED_FOR_A_GRAPH = {
    "path": "p",
    "connection": "c",
    "query": "q",
    "format": "JSON",
    "include": ["*.md"],
    "exclude": ["*.md"],
    "unit": "SECTION",
    "chunk_context": "HEADINGS",
    "chunk_context_model": "m",
    "select": ["a=b"],
    "max_tokens": 3,
}


@pytest.mark.parametrize("name", REFUSED_FOR_A_GRAPH)
def test_location_and_loader_members_fail_for_a_graph(name):  # S80
    members = {name: REFUSED_FOR_A_GRAPH[name]}
    Knowledge("graph", **members)
    with pytest.raises(ConfigurationError, match=f"^Knowledge 'graph': {name}: .*GRAPH source"):
        Knowledge("graph", type="GRAPH", **members)


@pytest.mark.parametrize("name", ["path", "format", "include", "unit"])
def test_a_given_default_fails_for_a_graph_too(name):  # S80
    default = getattr(Knowledge("graph"), name)
    with pytest.raises(ConfigurationError, match=f"{name}: .*GRAPH source"):
        Knowledge("graph", type="GRAPH", **{name: default})


@pytest.mark.parametrize("use", ["DIRECT", "SEQUENTIAL"])
def test_a_graph_is_searched(use):  # S80
    assert Knowledge("graph", type="GRAPH", use="SEARCH").use == "SEARCH"
    with pytest.raises(ConfigurationError, match=f"use: a GRAPH source .*SEARCH, found {use}"):
        Knowledge("graph", type="GRAPH", use=use)


@pytest.mark.parametrize("strategy", [each for each in Search.Strategy if each.name != "GRAPH"])
def test_a_graph_is_searched_by_graph(strategy):  # S80
    for search in (Search(), Search(strategy="GRAPH"), Search(top_k=3)):
        assert Knowledge("graph", type="GRAPH", search=search).search == search
    with pytest.raises(ConfigurationError, match=f"search.strategy: .*GRAPH, found {strategy}"):
        Knowledge("graph", type="GRAPH", search=Search(strategy=strategy))


def test_a_disabled_graph_is_checked_as_well():  # S80
    with pytest.raises(ConfigurationError, match="path"):
        Knowledge("graph", type="GRAPH", enabled=False, path="p")


def test_a_memory_has_no_location_and_no_order():  # S74
    for name in REFUSED_FOR_A_GRAPH.keys() - {
        "max_tokens"
    }:  # entries are never cut, nor chosen from
        with pytest.raises(ConfigurationError, match=f"{name}: .*MEMORY source"):
            Knowledge("notes", type="MEMORY", **{name: REFUSED_FOR_A_GRAPH[name]})
    with pytest.raises(ConfigurationError, match="use: a MEMORY source"):
        Knowledge("notes", type="MEMORY", use="SEQUENTIAL")
    assert Knowledge("notes", type="MEMORY", max_tokens=3, search=Search(top_k=3))


@pytest.mark.parametrize("use", ["DIRECT", "SEQUENTIAL"])
def test_search_is_of_searched_sources(use):  # S60
    assert Knowledge("docs", use=use, max_tokens=3).max_tokens == 3
    with pytest.raises(ConfigurationError, match=f"^Knowledge 'docs': search: .*found use {use}"):
        Knowledge("docs", use=use, search=Search(top_k=3))


def test_a_chunk_context_by_model_needs_one():  # S61
    assert (
        Knowledge("docs", chunk_context="MODEL", chunk_context_model="m").chunk_context == "MODEL"
    )
    with pytest.raises(ConfigurationError, match="^Knowledge 'docs': chunk_context_model: needed"):
        Knowledge("docs", chunk_context="MODEL")
    with pytest.raises(ConfigurationError, match="chunk_context_model: .*blank"):
        Knowledge("docs", chunk_context="MODEL", chunk_context_model=" ")
