import numpy as np
import pyarrow as pa
import pytest

from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.protocol import MAXIMUM_VALUES, EmbeddingFunction, embed_texts
from octavo.errors import (
    DimensionMismatchError,
    ExecutionError,
    InvalidArgumentError,
    NonFiniteVectorError,
    ProviderUnavailableError,
)


class Batched:
    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[list[str]] = []

    def __call__(self, text: str) -> list[float]:
        raise AssertionError("one call for all was possible")

    def embed_batch(self, texts: list[str]) -> object:
        self.asked.append(texts)
        return self.answer


def test_one_call_a_text_or_one_for_all() -> None:
    plain = embed_texts(lambda text: [len(text), 0.5], ["a", "bc"])
    assert plain.dtype == np.float32
    assert plain.flags.c_contiguous
    assert plain.tolist() == [[1.0, 0.5], [2.0, 0.5]]
    batched = Batched(np.array([[1, 0.5], [2, 0.5]], np.float64))
    assert embed_texts(batched, pa.array(["a", None])).tolist() == plain.tolist()
    assert batched.asked == [["a", ""]]


@pytest.mark.parametrize("answer", [[[1.0, 2.0]], (np.array([1.0, 2.0], np.float16),), [(1, 2)]])
def test_sequences_of_sequences(answer: object) -> None:
    assert embed_texts(Batched(answer), ["x"]).tolist() == [[1.0, 2.0]]


def test_hash_embedding_is_one() -> None:
    embedding = HashEmbedding(64)
    assert isinstance(embedding, EmbeddingFunction)
    assert embed_texts(embedding, ["a b"]).tobytes() == embedding("a b").tobytes()
    with pytest.raises(DimensionMismatchError):
        embed_texts(embedding, ["a"], dimensions=128)


def test_no_texts() -> None:
    assert embed_texts(Batched(None), []).shape == (0, 0)
    assert embed_texts(Batched(None), [], dimensions=7).shape == (0, 7)


# S42
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "expected 1 vectors, found NoneType"),
        ([None], "expected numbers, found NoneType"),
        ([[]], "expected vectors of 1 to 16384 values, found 0"),
        (np.empty((1, 0)), "expected vectors of 1 to 16384 values, found 0"),
        ([[0.0] * (MAXIMUM_VALUES + 1)], "expected vectors of 1 to 16384 values, found 16385"),
        ([[1.0], [2.0]], "expected 1 vectors, found 2"),
        (np.ones((2, 3)), "expected 1 vectors, found 2"),
        ([["a"]], "expected numbers, found list"),
        ([[[1.0]]], "expected one row of numbers, found 2 axes"),
        ([1.0], "expected one row of numbers, found 0 axes"),
        (np.ones((1, 1, 1)), "expected one row of numbers, found 2 axes"),
    ],
)
def test_what_is_no_vector_is_refused(answer: object, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        embed_texts(Batched(answer), ["x"])


# S42
def test_the_dimension_is_stable() -> None:
    with pytest.raises(DimensionMismatchError, match=r"expected vectors of 1 .* found 2"):
        embed_texts(lambda text: [1.0] * len(text), ["a", "bb"])
    with pytest.raises(DimensionMismatchError) as raised:
        embed_texts(lambda _: [1.0], ["a"], dimensions=3)
    assert (raised.value.expected, raised.value.found) == (3, 1)


# S42
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e39])
@pytest.mark.parametrize("batched", [False, True])
def test_values_are_finite(value: float, batched: bool) -> None:
    answer = [[1.0, 0.0], [0.0, value]]
    function = Batched(np.array(answer)) if batched else lambda text: answer[int(text)]
    with pytest.raises(NonFiniteVectorError, match="text 1: expected finite"):
        embed_texts(function, ["0", "1"])


# S42: the buffer is copied
def test_a_reused_buffer_is_copied() -> None:
    buffer = np.zeros(2)

    def function(text: str) -> np.ndarray:
        buffer[:] = float(text)
        return buffer

    assert embed_texts(function, ["1", "2"]).tolist() == [[1.0, 1.0], [2.0, 2.0]]
    assert embed_texts(Batched(found := np.ones((1, 2), np.float32)), ["x"]) is not found


# S43
def test_errors_of_the_function() -> None:
    def broken(text: str) -> list[float]:
        raise KeyError(text)

    with pytest.raises(ExecutionError, match="broken: raised KeyError: 'x'") as raised:
        embed_texts(broken, ["x"])
    assert isinstance(raised.value.__cause__, KeyError)

    def unavailable(text: str) -> list[float]:
        raise ProviderUnavailableError(text)

    with pytest.raises(ProviderUnavailableError):
        embed_texts(unavailable, ["x"])


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="expected a function of one text, found int"):
        embed_texts(3, ["x"])  # type: ignore[arg-type]
