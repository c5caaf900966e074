"""A declared source: the reference's defaults, checked members, and which of them were given."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest

from octavo.declarative import UNSET, Knowledge, Search
from octavo.errors import ConfigurationError

# The reference's table of @Knowledge, "Default", and S61.
TABLE = {
    "type": "FILE",
    "format": "AUTO",
    "path": "",
    "connection": "",
    "query": "",
    "enabled": True,
    "include": (),
    "exclude": (),
    "select": (),
    "unit": "AUTO",
    "chunk_context": "NONE",
    "chunk_context_model": "",
    "use": "SEARCH",
    "max_tokens": None,
    "search": Search(),
}


def test_the_defaults_are_the_references():  # S61
    source = Knowledge("docs")
    assert {name: getattr(source, name) for name in TABLE} == TABLE
    assert {each.name for each in fields(Knowledge)} == {"name", "given", *TABLE}
    assert source.given == {"name"}


@pytest.mark.parametrize("name", sorted(set(TABLE) - {"max_tokens", "chunk_context_model"}))
def test_a_given_default_is_not_unset(name):  # S60
    source = Knowledge("docs", **{name: TABLE[name]})
    assert source.given == {"name", name}
    assert source != Knowledge("docs")
    assert Knowledge("docs", **{name: UNSET}) == Knowledge("docs")


@pytest.mark.parametrize("name", ["", " ", "\n"])
def test_a_blank_name_is_an_error(name):  # S61
    with pytest.raises(ConfigurationError, match="name: expected a name"):
        Knowledge(name)


def test_the_name_is_required_and_exact():  # S61
    with pytest.raises(TypeError):
        Knowledge()
    assert Knowledge(" Docs ").name == " Docs "
    assert Knowledge(name="docs") == Knowledge("docs")


@pytest.mark.parametrize("name", ["type", "format", "unit", "chunk_context", "use"])
def test_enumerations_are_checked(name):  # S61
    for value in ("nonsense", 3, None, ["AUTO"], Search.Strategy.HYBRID):
        with pytest.raises(ConfigurationError, match=rf"^Knowledge 'docs': {name}: "):
            Knowledge("docs", **{name: value})


def test_an_unknown_format_is_a_configuration_error_with_the_nearest():  # S66
    with pytest.raises(ConfigurationError, match=r"'markdwon' is no .*did you mean 'MARKDOWN'\?"):
        Knowledge("docs", format="markdwon")


@pytest.mark.parametrize("name", ["path", "connection", "query"])
@pytest.mark.parametrize("value", [3, None, ["a"], ("a", "b"), b"a", "\udc80"])
def test_locations_are_one_text(name, value):  # S61
    with pytest.raises(ConfigurationError, match=rf"^Knowledge 'docs': {name}: "):
        Knowledge("docs", **{name: value})


@pytest.mark.parametrize("name", ["include", "exclude"])
def test_patterns(name):  # S61
    for value in ("*.md", ["*.md"], ("*.md",)):
        assert getattr(Knowledge("docs", **{name: value}), name) == ("*.md",)
    assert getattr(Knowledge("docs", **{name: ["a", "b"]}), name) == ("a", "b")
    for value in (3, None, "", [""], ["a", 3], b"a", {"a": "b"}, {"a"}):
        with pytest.raises(ConfigurationError, match=rf"^Knowledge 'docs': {name}"):
            Knowledge("docs", **{name: value})


def test_select():  # S61
    for value in ("a = b=c", ["a = b=c"], {"a ": " b=c"}):
        assert Knowledge("docs", select=value).selection == (("a", "b=c"),)
    assert Knowledge("docs", select={"a": "1", "b": ""}).selection == (("a", "1"), ("b", ""))
    for value in ("a", ["=b"], [" =b"], {"": "b"}, {"a=b": "c"}, {"a": 3}, {3: "a"}, 3, None):
        with pytest.raises(ConfigurationError, match="^Knowledge 'docs': select"):
            Knowledge("docs", select=value)


def test_max_tokens():  # S61
    assert Knowledge("docs", max_tokens=1).max_tokens == 1
    for value in (0, -1, True, 1.0, math.nan, None, [1], "1"):
        with pytest.raises(ConfigurationError, match="^Knowledge 'docs': max_tokens: expected"):
            Knowledge("docs", max_tokens=value)


def test_enabled_and_search():
    for member, value in (
        ("enabled", 1),
        ("enabled", [True]),
        ("search", {}),
        ("search", [Search()]),
    ):
        with pytest.raises(ConfigurationError, match=f"^Knowledge 'docs': {member}: expected"):
            Knowledge("docs", **{member: value})


def test_members_but_the_name_are_given_by_name():
    with pytest.raises(TypeError):
        Knowledge("docs", "FILE")


def test_it_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Knowledge("docs").path = "elsewhere"
    include = ["a"]
    source = Knowledge("docs", include=include)
    include.append("b")
    assert source.include == ("a",)


def test_it_is_a_value():
    source = Knowledge("docs", path="p", search=Search(top_k=3))
    for twin in (pickle.loads(pickle.dumps(source)), copy.deepcopy(source), copy.copy(source)):
        assert twin == source
        assert twin.given == {"name", "path", "search"}
        assert hash(twin) == hash(source)
    assert repr(source) == "Knowledge(name='docs', path='p', search=Search(top_k=3))"


def test_a_copy_knows_what_was_given():
    source = Knowledge("docs", path="p", max_tokens=3)
    assert replace(source) == source
    assert replace(source, path="q") == Knowledge("docs", path="q", max_tokens=3)
    assert replace(source, max_tokens=UNSET) == Knowledge("docs", path="p")
    assert replace(source, unit="SECTION").given == {"name", "path", "max_tokens", "unit"}
    assert replace(Knowledge("docs", unit="AUTO"), path="q").given == {"name", "path", "unit"}
    graph = Knowledge("graph", type="GRAPH")
    assert replace(graph, name="other") == Knowledge("other", type="GRAPH")
    with pytest.raises(ConfigurationError, match="path: cannot be set"):
        replace(graph, path="p")
    with pytest.raises(ConfigurationError, match="max_tokens"):
        replace(source, max_tokens=0)


def test_a_path_object_is_its_text():  # S61
    assert Knowledge("docs", path=Path("research")) == Knowledge("docs", path="research")
