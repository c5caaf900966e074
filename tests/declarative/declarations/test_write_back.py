"""Switching write-back on: explicitly, for a chat that KEYWORD searches, within bounds (S76)."""

import pytest

from octavo.declarative import AgentSpec, Knowledge, Search, WriteBack, agent_spec, bind_chat
from octavo.errors import ConfigurationError

NOTES = Knowledge("notes", path="notes", search=Search(strategy=Search.Strategy.KEYWORD))


def test_it_is_off_unless_it_is_switched_on():  # S76
    assert bind_chat(agent_spec(knowledge=NOTES)(type("Off", (), {}))).write_back is None
    spec = agent_spec(knowledge=NOTES, write_back=WriteBack(max_entries=3))
    assert bind_chat(spec(type("On", (), {}))).write_back == WriteBack(max_entries=3)


@pytest.mark.parametrize("name", ["max_entries", "max_tokens", "max_scopes"])
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "3", None, [3]])
def test_bounds_are_checked(name, value):  # S76 S29
    with pytest.raises(ConfigurationError, match=f"{name}: expected an integer"):
        WriteBack(**{name: value})


@pytest.mark.parametrize("value", [True, 3, "on", {"max_entries": 3}])
def test_it_is_a_setting_of_its_own_type(value):  # S76
    with pytest.raises(ConfigurationError, match="write_back: expected a WriteBack"):
        agent_spec(knowledge=NOTES, write_back=value)


@pytest.mark.parametrize(
    ("knowledge", "found"),
    [
        ((), "no source that is searched"),
        (Knowledge("notes", path="notes", use="DIRECT"), "no source that is searched"),
        (Knowledge("notes", path="notes"), "the strategy SEMANTIC"),
        (Knowledge("notes", path="notes", search=Search(strategy="HYBRID")), "HYBRID"),
        (Knowledge("write-back", path="n", search=NOTES.search), "needs another name"),
    ],
)
def test_where_it_would_never_be_found_it_is_an_error(knowledge, found):  # S76
    with pytest.raises(ConfigurationError, match=f"Subject: write_back: .*{found}"):
        agent_spec(knowledge=knowledge, write_back=WriteBack())(type("Subject", (), {}))


def test_from_a_mapping():  # S76 S60
    settings = {
        "knowledge": {"name": "notes", "path": "notes", "search": {"strategy": "keyword"}},
        "writeBack": {"maxEntries": 7, "max_tokens": 90},
    }
    spec = AgentSpec.from_mapping(settings)
    assert spec.write_back == WriteBack(max_entries=7, max_tokens=90)
    with pytest.raises(ConfigurationError, match="write_back: there is no member 'max_entry'"):
        AgentSpec.from_mapping({"write_back": {"max_entry": 7}})
