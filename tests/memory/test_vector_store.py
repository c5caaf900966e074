"""The vector store against a cosine in plain Python, and against itself built afresh."""

import math

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from octavo.errors import (
    DimensionMismatchError,
    ExecutionError,
    InvalidArgumentError,
    NonFiniteVectorError,
    RetrievalTimeoutError,
)
from octavo.memory import VectorMemoryStore
from octavo.strategies.sources import VectorSource
from tests.memory.stores import TIERS, entry, letters, ranked_by_vector, vector_store

TEXTS = st.text("abcde x", max_size=8)
IDS = st.sampled_from([f"id{number}" for number in range(12)])


def cosine(a, b):
    lengths = math.hypot(*a) * math.hypot(*b)
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


class VectorStoreMachine(RuleBasedStateMachine):
    """Whatever happens to a store, it answers as one that was just made of what it holds."""

    @initialize()
    def begin(self):
        self.store = VectorMemoryStore(letters)
        self.model = {}

    @rule(identifier=IDS, text=TEXTS, tier=st.sampled_from(TIERS))
    def add(self, identifier, text, tier):
        self.model[identifier] = entry(identifier, text, tier)
        self.store.add(self.model[identifier])

    @rule(batch=st.lists(st.tuples(IDS, TEXTS), max_size=8))
    def add_many(self, batch):
        entries = [entry(identifier, text) for identifier, text in batch]
        self.store.add(entries)
        self.model.update({each.id: each for each in entries})

    @rule(identifier=IDS)
    def remove(self, identifier):
        assert self.store.remove(identifier) == (self.model.pop(identifier, None) is not None)

    @rule(query=TEXTS, depth=st.integers(1, 15), tier=st.sampled_from([None, *TIERS]))
    def search(self, query, depth, tier):
        filters = {"tier": tier.name} if tier else {}
        found = ranked_by_vector(self.store, query, depth, filters)
        fresh = vector_store(self.model.values())
        assert found == ranked_by_vector(fresh, query, depth, filters)
        # S8, S20
        exact = {
            each.id: cosine(letters(query), letters(each.content))
            for each in self.model.values()
            if tier in (None, each.tier)
        }
        best = sorted(exact.values(), reverse=True)[:depth]
        assert [score for _, score in found] == pytest.approx(best, abs=1e-6)
        for identifier, score in found:
            assert score == pytest.approx(exact[identifier], abs=1e-6)

    @invariant()
    def holds_what_a_dictionary_holds(self):
        # S31
        assert len(self.store) == len(self.model)
        assert list(self.store) == list(self.model.values())


TestVectorStoreMachine = VectorStoreMachine.TestCase
TestVectorStoreMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_it_is_a_vector_source():
    assert isinstance(VectorMemoryStore(letters), VectorSource)
    assert isinstance(VectorMemoryStore(letters).snapshot(), VectorSource)


def test_zero_vectors_are_legal_and_ties_in_the_order_of_the_entries():
    # S6, S20
    store = vector_store([entry("z", "?"), entry("b", "a"), entry("a", "aa"), entry("y", "!")])
    assert ranked_by_vector(store, "a") == [("b", 1.0), ("a", 1.0), ("z", 0.0), ("y", 0.0)]
    assert [identifier for identifier, _ in ranked_by_vector(store, "?", 2)] == ["z", "b"]


def test_empty_stores_answer():
    store = VectorMemoryStore(letters)
    assert ranked_by_vector(store, "a") == []
    store.add(entry("a", "a"))
    store.remove("a")
    assert ranked_by_vector(store, "a") == []
    store.add(entry("b", "a"))
    assert ranked_by_vector(store, "a") == [("b", 1.0)]


def test_a_snapshot_outlives_what_happens_to_the_store():
    store = vector_store([entry("a", "a"), entry("b", "ab")])
    held = store.snapshot()
    before = ranked_by_vector(held, "ab")
    for number in range(50):
        store.add(entry(f"more {number}", "abc"))
        ranked_by_vector(store, "a", 1)
    store.add(entry("a", "c"))
    store.remove("b")
    assert len(ranked_by_vector(store, "c", 100)) == 51
    assert ranked_by_vector(held, "ab") == before


@pytest.mark.parametrize("change", ["replace", "remove", "replace and remove", "add"])
def test_a_held_snapshot_never_changes(change):
    store = vector_store([entry("a", "a"), entry("b", "ab"), entry("c", "abc")])
    store.snapshot()
    store.add(entry("d", "b"))  # leaves free places behind the rows
    held = store.snapshot()
    before = ranked_by_vector(held, "ab"), held.vectors.copy()
    if "replace" in change:
        store.add(entry("a", "c"))
    if "remove" in change:
        store.remove("b")
    if change == "add":
        store.add(entry("e", "ab"))
    store.snapshot()
    store.add(entry("f", "ab"))
    assert ranked_by_vector(store, "ab") != before[0]
    assert ranked_by_vector(held, "ab") == before[0]
    assert np.array_equal(held.vectors, before[1])


def test_the_length_of_a_vector_does_not_matter():
    # S20: cosine, also where an inner product would nominate others
    vectors = {
        "long": [70.0, 70.0],
        "short": [1e-6, 0.0],
        "near": [9e20, 1e20],
        "query": [3.0, 0.0],
    }
    store = VectorMemoryStore(vectors.__getitem__)
    store.add([entry(f"long {number}", "long") for number in range(300)])
    store.add([entry("short", "short"), entry("near", "near")])
    assert [each for each, _ in ranked_by_vector(store, "query", 2)] == ["short", "near"]


def test_the_function_is_called_at_add():
    # S44
    asked = []

    def embedding(text):
        asked.append(text)
        return [1.0]

    store = VectorMemoryStore(embedding)
    store.add([entry("a", "first"), entry("b", "second")])
    assert asked == ["first", "second"]
    store.snapshot()
    assert asked == ["first", "second"]
    store.embed(["query"])
    assert asked == ["first", "second", "query"]


def test_a_batch_function_is_called_once():
    class Embedding:
        calls = 0

        def __call__(self, text):
            raise AssertionError

        def embed_batch(self, texts):
            self.calls += 1
            return np.array([letters(text) for text in texts], np.float64)

    embedding = Embedding()
    store = VectorMemoryStore(embedding)
    store.add([entry("a", "a"), entry("b", "b")])
    assert embedding.calls == 1
    assert ranked_by_vector(store, "b", 1) == [("b", 1.0)]


def test_a_reused_buffer_is_copied():
    buffer = np.zeros(2)

    def embedding(text):
        buffer[:] = (1, 0) if text == "x" else (0, 1)
        return buffer

    store = VectorMemoryStore(embedding)
    store.add(entry("x", "x"))
    store.add([entry("y", "y"), entry("x2", "x")])
    assert [each for each, _ in ranked_by_vector(store, "x")] == ["x", "x2", "y"]


@pytest.mark.parametrize(
    ("vector", "error", "message"),
    [
        ([1.0, math.nan], NonFiniteVectorError, "finite"),
        ([math.inf, 0.0], NonFiniteVectorError, "finite"),
        ([1e300, 0.0], NonFiniteVectorError, "finite"),
        ([1.0], DimensionMismatchError, "expected vectors of 2 dimensions, found 1"),
        ([1.0, 2.0, 3.0], DimensionMismatchError, "expected vectors of 2 dimensions, found 3"),
        ([], InvalidArgumentError, "found 0"),
        (None, InvalidArgumentError, "NoneType"),
        ("ab", InvalidArgumentError, "str"),
        ([[1.0, 2.0]], InvalidArgumentError, "axes"),
    ],
)
def test_bad_vectors_are_refused_and_nothing_is_half_added(vector, error, message):
    # S20: at ingest and in a query
    store = VectorMemoryStore(lambda text: vector if text == "bad" else [1.0, 0.0])
    store.add(entry("first", "good"))
    for bad in (entry("x", "bad"), [entry("x", "good"), entry("first", "bad")]):
        with pytest.raises(error, match=message):
            store.add(bad)
    assert [each.content for each in store] == ["good"]
    assert ranked_by_vector(store, "good") == [("first", 1.0)]
    with pytest.raises(error, match=message):
        store.embed(["bad"])


def test_a_rejected_first_vector_fixes_nothing():
    vectors = {"bad": [math.nan, 1.0], "good": [1.0]}
    store = VectorMemoryStore(vectors.__getitem__)
    with pytest.raises(NonFiniteVectorError):
        store.add(entry("x", "bad"))
    store.add(entry("x", "good"))
    assert ranked_by_vector(store, "good") == [("x", 1.0)]


def test_the_dimension_stays_when_all_entries_go():
    # S20: the first vector fixes it
    store = VectorMemoryStore(lambda text: [1.0] * len(text))
    store.add(entry("x", "ab"))
    store.remove("x")
    for _ in range(2):
        with pytest.raises(DimensionMismatchError, match="of 2 dimensions, found 3"):
            store.add(entry("x", "abc"))
        assert ranked_by_vector(store, "ab") == []


def test_errors_of_the_function_keep_their_type_or_become_execution_failures():
    # S43
    def broken(text):
        raise KeyError(text)

    def late(text):
        raise RetrievalTimeoutError("late")

    with pytest.raises(ExecutionError, match="broken.*KeyError") as raised:
        VectorMemoryStore(broken).add(entry("a", "text"))
    assert isinstance(raised.value.__cause__, KeyError)
    with pytest.raises(RetrievalTimeoutError, match="late"):
        VectorMemoryStore(late).add(entry("a", "text"))


@pytest.mark.parametrize("function", [None, "hash", [1.0]])
def test_what_cannot_be_called_is_refused(function):
    with pytest.raises(InvalidArgumentError, match="embedding_function: expected a function"):
        VectorMemoryStore(function)
