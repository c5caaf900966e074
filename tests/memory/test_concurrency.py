"""Stores shared by threads: whoever searches sees one state, and all that was added before."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from octavo.errors import DimensionMismatchError
from octavo.memory import BM25Index, VectorMemoryStore
from octavo.spi import RAGContext
from octavo.strategies.hybrid import HybridRAGStrategy
from tests.memory.stores import entry, keyword_store, letters, ranked_by_vector, ranked_by_words

PAIRS = 60


@pytest.fixture(autouse=True)
def _many_thread_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("make", [BM25Index, lambda: VectorMemoryStore(letters)])
def test_readers_see_consistent_states_during_writes(make):
    # Each batch adds or removes a pair, so every state has an even number of rows.
    store = make()
    rank = ranked_by_words if isinstance(store, BM25Index) else ranked_by_vector
    done = threading.Event()

    def write(writer):
        for number in range(PAIRS):
            pair = [entry(f"{writer} {number} {side}", f"a {number}") for side in "lr"]
            store.add(pair)
            snapshot = store.snapshot()
            assert (snapshot.rows_of([each.id for each in pair]) >= 0).all()  # one's own writes

    def read():
        seen = 0
        while not done.is_set():
            snapshot = store.snapshot()
            found = rank(snapshot, "a", 10_000)
            identifiers = {identifier for identifier, _ in found}
            assert len(found) == len(identifiers) == snapshot.rows
            assert {f"{each[:-1]}l" for each in identifiers} <= identifiers
            assert {f"{each[:-1]}r" for each in identifiers} <= identifiers
            assert len(found) >= seen
            seen = len(found)
        return seen

    with ThreadPoolExecutor(4) as threads:
        readers = [threads.submit(read) for _ in range(2)]
        writers = [threads.submit(write, writer) for writer in "xy"]
        try:
            for writer in writers:
                writer.result()
        finally:
            done.set()
        for reader in readers:
            reader.result()
    assert len(store) == len(rank(store, "a", 10_000)) == 4 * PAIRS


def test_strategies_during_replacements_and_removals():
    # No mix of an old filter with a new ranking: every hit is of the tier and has its own text.
    words, vectors = BM25Index(), VectorMemoryStore(letters)
    strategy = HybridRAGStrategy(words, vectors)
    context = RAGContext(20).with_metadata_filters({"tier": "WORKING"})
    done = threading.Event()

    def write():
        for round_number in range(15):
            for store in (words, vectors):
                for number in range(10):
                    store.add(entry(f"id{number}", f"a id{number}" + " b" * round_number))
                store.remove(f"id{round_number % 10}")
        done.set()

    def read():
        while not done.is_set():
            for document in strategy.retrieve("a", context):
                assert document.metadata["entryId"] in document.content.split()
                assert document.metadata["tier"] == "WORKING"

    with ThreadPoolExecutor(3) as threads:
        tasks = [threads.submit(read), threads.submit(read), threads.submit(write)]
        try:
            tasks[2].result()
        finally:
            done.set()
        for task in tasks:
            task.result()


def test_adding_does_not_wait_for_a_snapshot_in_the_making(monkeypatch):
    index = keyword_store([entry("a", "fox")])
    building, go_on = threading.Event(), threading.Event()
    changed = BM25Index._changed

    def slowly(self, *arguments):
        building.set()
        assert go_on.wait(10)
        return changed(self, *arguments)

    monkeypatch.setattr(BM25Index, "_changed", slowly)
    with ThreadPoolExecutor(1) as threads:
        search = threads.submit(ranked_by_words, index, "fox")
        assert building.wait(10)
        index.add(entry("b", "fox"))
        assert index.remove("a")
        assert len(index) == 1
        go_on.set()
        assert {identifier for identifier, _ in search.result()} <= {"a", "b"}
    assert [identifier for identifier, _ in ranked_by_words(index, "fox")] == ["b"]


def test_two_first_vectors_of_different_dimensions():
    # S20: one fixes the dimension, the other is refused
    together = threading.Barrier(2)

    def embedding(text):
        together.wait(10)
        return [1.0] * len(text)

    store = VectorMemoryStore(embedding)

    def add(text):
        try:
            store.add(entry(text, text))
        except DimensionMismatchError:
            return None
        return text

    with ThreadPoolExecutor(2) as threads:
        added = {*threads.map(add, ["x", "yy"])} - {None}
    assert len(added) == 1
    assert {each.id for each in store} == added
    assert store.snapshot().rows == 1
