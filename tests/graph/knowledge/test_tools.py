"""Tools that keep triples (S83)."""

import gc
import json
import threading

import pytest

from octavo import InvalidArgumentError, KnowledgeTools
from octavo.graph.knowledge.tools import live_knowledge_tools


def filled():
    tools = KnowledgeTools()
    tools.kg_add_triple("Auth Service", "writes to", "Redis")
    tools.kg_add_triple("Auth Service", "follows", "RFC 6749")
    tools.kg_add_triple("Redis", "runs on", "東京")
    return tools


def shown(*triple):
    return dict(zip(("subject", "predicate", "object"), triple, strict=True))


def test_triples_are_added_once_and_removed_once():  # S83
    tools = KnowledgeTools()
    assert tools.kg_add_triple("a", "is", "b")
    assert not tools.kg_add_triple(" a ", "is\n", "b")
    assert tools.kg_list() == [shown("a", "is", "b")]
    assert tools.kg_remove_triple("a", "is", "b")
    assert not tools.kg_remove_triple("a", "is", "b")
    assert tools.kg_list() == []
    assert len(tools) == 0


def test_a_list_is_in_the_order_of_addition():  # S83
    tools = filled()
    assert [each["object"] for each in tools.kg_list()] == ["Redis", "RFC 6749", "東京"]
    assert [each["object"] for each in tools.kg_list(limit=2)] == ["Redis", "RFC 6749"]
    many = KnowledgeTools()
    for number in range(150):
        many.kg_add_triple("a", "has", str(number))
    assert len(many.kg_list()) == len(many.kg_query(subject="a")) == KnowledgeTools.DEFAULT_LIMIT
    assert len(many.kg_list(1000)) == 150


@pytest.mark.parametrize(
    ("question", "objects"),
    [
        ({"subject": "auth service"}, ["Redis", "RFC 6749"]),
        ({"subject": "Auth Service", "predicate": "FOLLOWS"}, ["RFC 6749"]),
        ({"object": "東京"}, ["東京"]),
        ({"subject": "nobody"}, []),
        ({"text": "where does redis run?"}, ["Redis", "東京"]),
        ({"text": "Redis writes"}, ["Redis", "東京"]),
        ({"text": "runs on redis"}, ["東京", "Redis"]),
        ({"text": "redis", "subject": "redis"}, ["東京"]),
        ({"text": "東京"}, []),
        ({"text": "redis", "limit": 1}, ["Redis"]),
    ],
)
def test_questions(question, objects):  # S83
    assert [each["object"] for each in filled().kg_query(**question)] == objects


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (None, "expected a string, found NoneType"),
        (5, "expected a string, found int"),
        ("", "expected non-blank Unicode text, found ''"),
        (" \n\u3000", "expected non-blank Unicode text"),
        ("\ud800", "expected non-blank Unicode text"),
        ("x" * 1001, "expected at most 1000 characters, found 1001"),
    ],
)
def test_hostile_parts(part, message):  # S83
    tools = KnowledgeTools()
    for place, name in enumerate(("subject", "predicate", "object")):
        parts = ["a", "is", "b"]
        parts[place] = part
        for change in (tools.kg_add_triple, tools.kg_remove_triple):
            with pytest.raises(InvalidArgumentError, match=f"^{name}: {message}"):
                change(*parts)
        if part is not None:
            with pytest.raises(InvalidArgumentError, match=f"^{name}: {message}"):
                tools.kg_query(**{name: part})
    assert tools.kg_list() == []


def test_hostile_questions():  # S83
    tools = filled()
    with pytest.raises(InvalidArgumentError, match="kg_query: expected a subject"):
        tools.kg_query()
    with pytest.raises(InvalidArgumentError, match="text: expected non-blank"):
        tools.kg_query(text=" ")
    for limit in (0, True, 1.0, "5"):
        with pytest.raises(InvalidArgumentError, match="limit: expected an integer"):
            tools.kg_list(limit)
        with pytest.raises(InvalidArgumentError, match="limit: expected an integer"):
            tools.kg_query(subject="a", limit=limit)
    hostile = '`") MATCH (n) DETACH DELETE n //'
    assert tools.kg_add_triple(hostile, "is", "text")
    assert tools.kg_query(subject=hostile) == [shown(hostile, "is", "text")]


def test_an_agent_calls_them():  # S83
    tools = {tool.name: tool for tool in KnowledgeTools().tools()}
    assert list(tools) == ["kg_add_triple", "kg_query", "kg_remove_triple", "kg_list"]
    fact = shown("a", "is", "b")
    assert tools["kg_add_triple"].call(json.dumps(fact)) == "true"
    assert json.loads(tools["kg_query"].call({"text": "a"})) == [fact]
    assert json.loads(tools["kg_list"].call("{}")) == [fact]
    assert tools["kg_remove_triple"].call(fact) == "true"
    assert tools["kg_list"].call({"limit": 5}) == "[]"
    with pytest.raises(InvalidArgumentError, match="object: expected a string, found int"):
        tools["kg_add_triple"].call({**fact, "object": 5})
    with pytest.raises(InvalidArgumentError, match="kg_add_triple: object: expected, but missing"):
        tools["kg_add_triple"].call({"subject": "a", "predicate": "is"})


def test_instances_are_known_while_they_live():  # S83
    first, second = KnowledgeTools(), KnowledgeTools()
    live = live_knowledge_tools()
    assert live.index(first) < live.index(second)
    del live, first
    gc.collect()
    assert second in live_knowledge_tools()
    kept = second.tools()
    number = id(second)
    del second
    gc.collect()
    assert number in [id(each) for each in live_knowledge_tools()]
    del kept
    gc.collect()
    assert number not in [id(each) for each in live_knowledge_tools()]


def test_threads_add_and_remove_at_once():  # S83
    tools = KnowledgeTools()

    def work(name):
        for number in range(200):
            tools.kg_add_triple(name, "has", str(number))
            tools.kg_query(text="has")
            if number % 2:
                tools.kg_remove_triple(name, "has", str(number))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {(each["subject"], each["object"]) for each in tools.kg_list(10_000)} == {
        (name, str(number)) for name in "abcd" for number in range(0, 200, 2)
    }
