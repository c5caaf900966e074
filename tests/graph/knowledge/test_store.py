"""What agents remember, as a graph store (S83)."""

import gc
import threading
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import (
    GraphRAGStrategy,
    InvalidArgumentError,
    KnowledgeTools,
    KnowledgeToolsGraphStore,
)
from octavo.graph.knowledge.triples import words_of
from octavo.spi import GraphEdge
from octavo.testing import GraphStoreContract


def tools_with(*triples):
    tools = KnowledgeTools()
    for triple in triples:
        tools.kg_add_triple(*triple)
    return tools


FACTS = [
    ("Auth Service", "writes to", "Redis"),
    ("Redis", "runs on", "Server 7"),
    ("Auth Service", "follows", "RFC 6749"),
    ("東京", "hosts", "Server 7"),
]


def store_of(*instances):
    return KnowledgeToolsGraphStore(lambda: instances)


class TestContract(GraphStoreContract):  # S24 S83
    def store(self):
        return store_of(tools_with(*FACTS[:2]), tools_with(*FACTS[2:]))

    def queries(self):
        return ["redis service", "who hosts server 7?", "東京", "nothing"]


def strategy(store):
    return GraphRAGStrategy(store.SOURCE_NAME, store, (), 2, 0.85, 1024)


def test_hits_carry_the_name_of_the_source():  # S83
    hits = strategy(store_of(tools_with(*FACTS))).retrieve("auth service")
    assert [hit.metadata["graph.nodeId"] for hit in hits] == [
        "Auth Service", "RFC 6749", "Redis", "Server 7",
    ]  # fmt: skip
    assert {hit.source for hit in hits} == {"knowledge-tools"}
    assert hits[0].content == "Auth Service writes to Redis\nAuth Service follows RFC 6749"


@pytest.mark.parametrize("query", ["", " ", "東京", "ılık ", "!?", "\ud800"])
def test_a_query_without_ascii_letters_or_digits_matches_nothing(query):  # S83
    store = store_of(tools_with(*FACTS, ("ılık", "is", "l k")))
    expected = ["l k", "ılık"] if query == "ılık " else []
    assert sorted(node.id for node, _ in store.seeds(query, 10)) == expected


def test_edges_leave_their_subject():  # S83
    store = store_of(tools_with(*FACTS))
    assert store.edges("Auth Service") == (
        GraphEdge("Auth Service", "writes to", "Redis"),
        GraphEdge("Auth Service", "follows", "RFC 6749"),
    )
    assert store.edges("Server 7") == ()
    assert store.node("Server 7").content == "Redis runs on Server 7\n東京 hosts Server 7"
    assert store.edges("nobody") == ()


def plain_seeds(triples, query):
    words = set(words_of(query))
    found = {}
    for triple in triples:
        for entity in (triple[0], triple[2]):
            told = {word for word in words_of(" ".join(triple)) if word in words}
            found.setdefault(entity, set()).update(told)
    scores = {
        entity: Fraction(len(words & set(words_of(entity))) + len(told), 2 * len(words))
        for entity, told in found.items()
        if told
    }
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


PARTS = st.sampled_from(["a", "b", "a b", "B-c", "東", "東 a"])


@given(
    st.lists(st.tuples(PARTS, PARTS, PARTS), max_size=8),
    st.lists(st.sampled_from(["a", "b", "c", "d", "東"]), max_size=4),
    st.integers(1, 5),
)
def test_seeds_are_scored_by_the_words_that_they_share(triples, words, limit):  # S83
    store = store_of(tools_with(*triples[::2]), tools_with(*triples[1::2]))
    found = store.seeds(" ".join(words), limit)
    assert [(node.id, score) for node, score in found] == [
        (entity, float(score)) for entity, score in plain_seeds(triples, " ".join(words))[:limit]
    ]


def test_limits_are_at_least_one():
    with pytest.raises(InvalidArgumentError, match="limit"):
        store_of().seeds("a", 0)


def test_it_is_read_when_it_is_asked():  # S83
    store = KnowledgeToolsGraphStore()
    bound = strategy(store)
    assert bound.retrieve("zyxuniqueone") == ()
    tools = tools_with(("Zyxuniqueone", "knows", "Zyxuniquetwo"))
    assert len(bound.retrieve("zyxuniqueone")) == 2
    other = tools_with(("Zyxuniquetwo", "knows", "Zyxuniquethree"))
    assert len(bound.retrieve("zyxuniqueone")) == 3
    tools.kg_remove_triple("Zyxuniqueone", "knows", "Zyxuniquetwo")
    assert bound.retrieve("zyxuniqueone") == ()
    assert len(bound.retrieve("zyxuniquetwo")) == 2
    del other
    gc.collect()
    assert bound.retrieve("zyxuniquetwo") == ()
    assert store.edges("Zyxuniquetwo") == ()


def test_the_same_triple_in_two_instances_is_one_edge():  # S83
    store = store_of(tools_with(FACTS[0]), tools_with(FACTS[0], FACTS[2]))
    assert [edge.target for edge in store.edges("Auth Service")] == ["Redis", "RFC 6749"]


def test_nothing_is_remembered():
    for store in (store_of(), store_of(KnowledgeTools())):
        assert store.seeds("anything", 5) == []
        with pytest.raises(KeyError):
            store.node("anything")


def test_threads_add_remove_and_walk_at_once():  # S83
    tools = tools_with(*FACTS)
    bound = strategy(store_of(tools))
    failures = []
    done = threading.Event()

    def change():
        try:
            for number in range(300):
                tools.kg_add_triple("Redis", "feeds", f"Redis {number}")
                tools.kg_remove_triple("Redis", "feeds", f"Redis {number - 3}")
        except Exception as error:  # noqa: BLE001 - whatever it is, the test must say so
            failures.append(error)
        finally:
            done.set()

    def walk():
        try:
            while not done.is_set():
                assert "Redis" in {hit.metadata["graph.nodeId"] for hit in bound.retrieve("redis")}
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=each) for each in (change, walk, walk)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(tools.kg_query(predicate="feeds")) == 3
