"""Names in Cypher are checked and escaped; nodes come back as they were (S84)."""

import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from octavo import ConfigurationError, GraphNode
from octavo.graph.identity import identity_key
from octavo.graph.neo4j.node import node_of, properties_of
from octavo.graph.neo4j.schema import Neo4jSchema, Neo4jStatements
from octavo.graph.neo4j.words import folded_names, full_text_words


def statements(schema):
    return [text for text in vars(Neo4jStatements(schema)).values() if isinstance(text, str)]


@given(st.text(st.sampled_from("``` ab:(){}'\"") | st.characters(codec="utf-8"), min_size=1))
@example("a`b")
@example("```")
@example("\\u0060")
def test_a_name_is_refused_or_stays_inside_its_backticks(name):  # S84
    plain = statements(Neo4jSchema(label="LABEL", id="ID", relation="RELATION"))
    try:
        schema = Neo4jSchema(label=name, id=f"{name} id", relation=f"{name} relation")
    except ConfigurationError:
        assert not name.strip() or "\\" in name or not name.isprintable()
        return
    # Undoing the escapes name by name leaves the statements of harmless names.
    escaped = name.replace("`", "``")
    harmless = [
        text.replace(f"`{escaped} id`", "`ID`")
        .replace(f"`{escaped} relation`", "`RELATION`")
        .replace(f":`{escaped}`", ":`LABEL`")
        for text in statements(schema)
    ]
    assert harmless == plain


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\0b", "\\u0060", "\ud800", "x" * 256, 5])
@pytest.mark.parametrize("field", ["label", "id", "relation", "metadata", "relationships"])
def test_what_is_no_name(field, name):  # S84
    value = [name] if field in {"metadata", "relationships"} else name
    with pytest.raises(ConfigurationError, match=f"neo4j: {field}: expected"):
        Neo4jSchema(**{field: value})


def test_properties_are_distinct_and_lists_are_lists():
    with pytest.raises(ConfigurationError, match="expected distinct properties"):
        Neo4jSchema(id="name", content="name")
    with pytest.raises(ConfigurationError, match="metadata: expected names, found 'tier'"):
        Neo4jSchema(metadata="tier")
    with pytest.raises(ConfigurationError, match="id: expected"):
        Neo4jSchema(id=None)
    assert "`OctavoNode`" not in " ".join(statements(Neo4jSchema(label=None)))


texts = st.text(st.characters(codec="utf-8"), max_size=10)
keys = st.sampled_from(["id", "key", "", "tier", "octavo.metadata.id", "octavo.metadata."]) | texts


@given(
    texts.filter(str.strip), texts, texts, st.dictionaries(keys, texts), st.lists(texts, max_size=3)
)
def test_a_node_comes_back_as_it_was(node_id, content, source, metadata, documents):  # S84
    node = GraphNode(node_id, content, source, metadata, tuple(documents))
    properties = properties_of(node, Neo4jSchema())
    assert node_of(properties, Neo4jSchema()) == node
    assert properties["key"] == identity_key(metadata.get("name") or node_id)


def test_properties_of_others():  # S11 S84
    class Time:
        def iso_format(self):
            return "2024-02-29T12:00:00Z"

    properties = {
        "id": "a", "number": 5, "share": 0.1, "up": True, "down": False, "vector": [1.0],
        "day": dt.date(2024, 2, 29), "time": Time(), "none": None, "documents": ["d", 5],
        "bytes": b"x",
    }  # fmt: skip
    assert node_of(properties, Neo4jSchema()) == GraphNode(
        "a", "a", "neo4j",
        {"day": "2024-02-29", "down": "false", "number": "5", "share": "0.1",
         "time": "2024-02-29T12:00:00Z", "up": "true"},
        ("d",),
    )  # fmt: skip
    assert [node_of({"id": value}, Neo4jSchema()) for value in (None, 5, " ")] == [None] * 3


@given(st.text())
def test_words_have_no_syntax(query):  # S21 S84
    words = full_text_words(query).split()
    assert all(character.isalnum() or character == "_" for word in words for character in word)
    assert not {"AND", "OR", "NOT", "TO"} & set(words)
    assert len(words) == len(set(words)) <= 256


@given(st.lists(st.sampled_from(["red", "fox", "the", "ılık", "Straße", "a"]), max_size=12))
def test_folded_names_are_the_runs_of_words(words):  # S82 S84
    names = folded_names(" ".join(words))
    folded = identity_key(" ".join(words)).split()
    for start in range(len(folded)):
        for stop in range(start + 1, min(start + 8, len(folded)) + 1):
            assert names[" ".join(folded[start:stop])] == (stop - start) / len(folded)
    assert not folded or names[" ".join(folded)] == 1.0  # however many words it has
    assert all(0.0 < score <= 1.0 for score in names.values())


def test_folded_names_where_words_are_not_set_apart():  # S82 S84
    names = folded_names("東京の天気")
    assert names["東京"] == 0.4
    assert names["東京の天気"] == 1.0
    assert folded_names("") == folded_names("?!") == {}
    assert len(folded_names("東" * 100_000 + " x" * 100_000)) < 5000
