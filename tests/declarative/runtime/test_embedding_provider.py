"""What is asked of an embedding provider (S40-S43)."""

import threading

import numpy as np
import pytest

from octavo.declarative.runtime.embedding_provider import EmbeddingProvider, ProcessEmbedding
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    FailureReason,
    RetrievalTimeoutError,
)
from octavo.spi import CancellationToken


def provider(function):
    return EmbeddingProvider(function, "test")


@pytest.mark.parametrize(
    "returned",
    [
        None,
        [],
        np.zeros(0),
        [0.0] * 16_385,
        [1.0, float("nan")],
        [float("inf"), 1.0],
        [1e39, 0.0],  # infinite as float32
        "vector",
        ["a", "b"],
        [[1.0, 2.0]],
        7,
        pytest.param(iter([1.0]), id="iterator"),
    ],
    ids=repr,
)
def test_a_vector_that_is_none_fails_as_an_execution(returned):  # S42
    with pytest.raises(ExecutionError, match="embedding provider") as caught:
        provider(lambda _: returned)("text")
    assert caught.value.reason is FailureReason.EXECUTION


def test_the_widest_and_the_narrowest_vector():  # S42
    assert provider(lambda _: [1.0] * 16_384)("text").shape == (16_384,)
    assert provider(lambda _: np.array([1], np.int64))("text").tolist() == [1.0]


def test_the_dimension_is_stable():  # S42
    widths = iter([3, 2, 3])
    embed = provider(lambda _: [1.0] * next(widths))
    embed("a")
    with pytest.raises(ExecutionError, match="3 dimensions"):
        embed("b")
    assert embed("c").shape == (3,)


def test_a_vector_that_is_refused_for_its_values_fixes_the_dimension():  # S42
    answers = iter([[float("nan"), 1.0], [1.0, 2.0, 3.0], [1.0, 2.0]])
    embed = provider(lambda _: next(answers))
    with pytest.raises(ExecutionError, match="finite"):
        embed("a")
    assert embed.dimensions == 2
    with pytest.raises(ExecutionError, match="2 dimensions"):
        embed("b")
    assert embed("c").tolist() == [1.0, 2.0]


def test_a_vector_that_is_refused_for_its_length_fixes_nothing():  # S42
    answers = iter([[], [0.0] * 16_385, [1.0]])
    embed = provider(lambda _: next(answers))
    for text in "ab":
        with pytest.raises(ExecutionError):
            embed(text)
    assert embed("c").tolist() == [1.0]


def test_a_buffer_that_is_reused_does_not_show_through():  # S42
    buffer = np.zeros(2, np.float32)

    def reusing(text):
        buffer[:] = len(text)
        return buffer

    embed = provider(reusing)
    first = embed("a")
    second = embed("bbb")
    buffer[:] = np.nan
    assert first.tolist() == [1.0, 1.0]
    assert second.tolist() == [3.0, 3.0]
    assert embed.embed(["a", "bb"]).tolist() == [[1.0, 1.0], [2.0, 2.0]]


class Restless(list):
    """A vector whose values change with every look at them."""

    looks = 0

    def __array__(self, dtype=None, copy=None):
        Restless.looks += 1
        return np.full(len(self), np.nan if Restless.looks > 2 else 1.0, dtype)


def test_what_is_checked_is_what_is_returned():  # S42
    assert np.isfinite(provider(lambda _: Restless([1.0, 2.0]))("text")).all()


def test_a_call_while_another_runs_fails_at_once():  # S41
    inside, go_on = threading.Event(), threading.Event()

    def blocking(_):
        inside.set()
        assert go_on.wait(5)
        return [1.0]

    embed = provider(blocking)
    found = []
    thread = threading.Thread(target=lambda: found.append(embed("slow")))
    thread.start()
    assert inside.wait(10)
    with pytest.raises(ExecutionError, match="one at a time"):
        embed("second")
    go_on.set()
    thread.join()
    assert found[0].tolist() == [1.0]
    assert embed("third").tolist() == [1.0]


def test_a_provider_that_calls_itself_fails_and_does_not_hang():  # S41
    embed = provider(lambda text: embed(text))  # noqa: PLW0108 - bound below
    with pytest.raises(ExecutionError, match="one at a time"):
        embed("text")


def test_ingestion_waits_for_its_turn():  # S42
    inside, go_on = threading.Event(), threading.Event()

    def function(text):
        if text == "slow":
            inside.set()
            assert go_on.wait(5)
        return [float(len(text))]

    embed = provider(function)
    slow = threading.Thread(target=lambda: embed("slow"))
    slow.start()
    assert inside.wait(10)
    found = []
    ingest = embed.for_ingestion(CancellationToken())
    waiting = threading.Thread(target=lambda: found.append(ingest.embed_batch(["a", "bb"])))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    go_on.set()
    waiting.join(10)
    slow.join()
    assert found[0].tolist() == [[1.0], [2.0]]


def test_ingestion_uses_the_batch_form_and_checks_it():  # S42
    class Batched:
        answer = ((1.0, 2.0),)

        def __call__(self, text):
            raise AssertionError(text)

        def embed_batch(self, texts):
            return self.answer

    embed = provider(Batched())
    ingest = embed.for_ingestion(CancellationToken())
    assert ingest.embed_batch(["a"]).tolist() == [[1.0, 2.0]]
    for wrong in (None, [[1.0, 2.0], [1.0, 2.0]], [[1.0]], [[np.nan, 1.0]]):
        Batched.answer = wrong
        with pytest.raises(ExecutionError):
            ingest.embed_batch(["a"])


def test_a_retrieval_error_keeps_its_type_and_all_else_is_an_execution():  # S43
    def raising(error):
        def embed(_):
            raise error

        return provider(embed)

    own = RetrievalTimeoutError("the backend took too long")
    with pytest.raises(RetrievalTimeoutError) as caught:
        raising(own)("text")
    assert caught.value is own
    assert caught.value.reason is FailureReason.TIMEOUT
    for error in (ValueError("no"), ConfigurationError("no"), MemoryError()):
        with pytest.raises(ExecutionError) as caught:
            raising(error)("text")
        assert caught.value.__cause__ is error
        assert caught.value.reason is FailureReason.EXECUTION


def test_initialising_from_two_threads_fails_at_once(monkeypatch):  # S41
    inside, go_on = threading.Event(), threading.Event()

    def slow_discovery():
        inside.set()
        assert go_on.wait(5)
        return provider(lambda _: [1.0])

    monkeypatch.setattr("octavo.declarative.runtime.embedding_provider._discovered", slow_discovery)
    points = ["one"]
    monkeypatch.setattr(
        "octavo.declarative.runtime.embedding_provider.installed_points", lambda _: points
    )
    process = ProcessEmbedding()
    found = []
    thread = threading.Thread(target=lambda: found.append(process.get()))
    thread.start()
    assert inside.wait(10)
    with pytest.raises(ExecutionError, match="initialises"):
        process.get()
    points.clear()
    assert isinstance(process.get(), HashEmbedding)  # S42: the fallback runs concurrently
    go_on.set()
    thread.join()
    assert process.get() is found[0]


def test_queries_are_asked_for_by_the_form_for_them():  # S42
    class Asymmetric:
        def __call__(self, text):
            return [1.0, 0.0]

        def embed_queries(self, texts):
            return [[0.0, float("nan") if text == "bad" else 1.0] for text in texts]

    asked = provider(Asymmetric())
    assert asked.embed(["a"]).tolist() == [[1.0, 0.0]]
    assert asked.embed_queries(["a", "b"]).tolist() == [[0.0, 1.0]] * 2
    with pytest.raises(ExecutionError, match="finite"):
        asked.embed_queries(["bad"])
    assert provider(lambda text: [3.0]).embed_queries(["a"]).tolist() == [[3.0]]
