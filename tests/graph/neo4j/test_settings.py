"""Where the server is (S84)."""

import pytest

from octavo import ConfigurationError, InvalidArgumentError
from octavo.graph.neo4j.settings import Neo4jSettings, neo4j_settings

ENVIRONMENT = {
    "TNSAI_GRAPH_NEO4J_URI": " neo4j+s://there:7687 ",
    "TNSAI_GRAPH_NEO4J_USER": "ann",
    "TNSAI_GRAPH_NEO4J_PASSWORD": " secret ",
}


def test_the_environment_and_what_wins_over_it():  # S84
    assert neo4j_settings(environment=ENVIRONMENT) == Neo4jSettings(
        "neo4j+s://there:7687", "ann", " secret "
    )
    given = neo4j_settings("bolt://here", password="other", environment=ENVIRONMENT)
    assert given == Neo4jSettings("bolt://here", "ann", "other")
    assert neo4j_settings(user="", environment=ENVIRONMENT).user == ""


def test_the_process_environment_is_read_each_time(monkeypatch):  # S84
    monkeypatch.delenv("TNSAI_GRAPH_NEO4J_URI", raising=False)
    assert neo4j_settings() is None
    monkeypatch.setenv("TNSAI_GRAPH_NEO4J_URI", "bolt://now")
    assert neo4j_settings().uri == "bolt://now"


@pytest.mark.parametrize("uri", [None, "", "  "])
def test_without_an_address_there_are_none(uri):  # S84
    assert neo4j_settings(uri, "ann", "secret", environment={}) is None


@pytest.mark.parametrize(
    "uri",
    [
        "localhost", "http://localhost", "bolt://", "bolt://:7687", "bolt://host:0", "BOLT:host",
        "bolt://host:port", "bolt://[::1", "bolt://ann:hidden@host", "://hidden", 5, None, b"bolt://x",
    ],
)  # fmt: skip
def test_what_is_no_address(uri):  # S84
    with pytest.raises(ConfigurationError, match="neo4j: uri: expected") as raised:
        Neo4jSettings(uri)
    assert "hidden" not in str(raised.value) or "://hidden" in str(uri)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user", None), ("password", 5), ("database", ""), ("database", 3), ("timeout", 0),
        ("timeout", float("nan")), ("timeout", float("inf")), ("timeout", True),
        ("connect_timeout", "5"), ("retry_time", -1),
    ],
)  # fmt: skip
def test_what_is_no_setting(field, value):
    with pytest.raises(ConfigurationError, match=f"neo4j: {field}: expected"):
        Neo4jSettings("bolt://host", **{field: value})
    with pytest.raises(InvalidArgumentError, match="pool_size"):
        Neo4jSettings("bolt://host", pool_size=0)


def test_the_password_is_not_shown():  # S84
    settings = Neo4jSettings("bolt://host", "ann", "hidden")
    assert "hidden" not in f"{settings} {settings!r}"
