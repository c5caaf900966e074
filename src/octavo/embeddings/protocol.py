"""What an embedding function is, and the checks on what it returns (S42)."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis.buffers import ArrowArray
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.errors import (
    DimensionMismatchError,
    ExecutionError,
    InvalidArgumentError,
    NonFiniteVectorError,
    OctavoError,
    told,
)

MAXIMUM_VALUES = 16_384
"""The most values a vector may have."""


@runtime_checkable
class EmbeddingFunction(Protocol):
    """Turns a text into a vector; a plain function is one.

    It may also have ``embed_batch(texts: list[str])``, which gives ``n`` vectors in one call, and
    ``embed_queries(texts: list[str])``, which does for queries, where those are embedded otherwise.
    """

    def __call__(self, text: str, /) -> Sequence[float] | NDArray[np.floating]:
        """Return the vector of one text, always of the same number of dimensions."""
        ...


def embed_texts(
    function: EmbeddingFunction, texts: Sequence[str] | ArrowArray, *, dimensions: int | None = None
) -> NDArray[np.float32]:
    """Embed many texts, with ``embed_batch`` where the function has it, and check the vectors.

    Parameters
    ----------
    function
        Called with one text at a time, or once with all.
    texts
        ``n`` strings; a null in an Arrow array counts as an empty string.
    dimensions
        What every vector must have; ``None`` lets the first vector decide.

    Returns
    -------
    numpy.ndarray
        float32[n, d], C order, a copy of what the function returned; ``d`` is ``dimensions`` or 0
        where there is no text.

    Raises
    ------
    InvalidArgumentError
        A vector is missing, empty, too long or no sequence of numbers.
    DimensionMismatchError
        The vectors differ in length, or from ``dimensions``.
    NonFiniteVectorError
        A value is NaN or infinite, or becomes infinite as float32.
    ExecutionError
        The function raised something that is no `OctavoError`.

    Examples
    --------
    >>> embed_texts(lambda text: [len(text), 1.0], ["a", "bcd"]).tolist()
    [[1.0, 1.0], [3.0, 1.0]]
    """
    if isinstance(function, HashEmbedding):
        vectors = function.embed_batch(texts)
        _check_dimensions(vectors.shape[1], dimensions)
        return vectors
    if not callable(function):
        raise InvalidArgumentError(
            f"embedding: expected a function of one text, found {type(function).__name__}"
        )
    return _embedded(function, getattr(function, "embed_batch", None), texts, dimensions)


def embed_queries(
    function: EmbeddingFunction, texts: Sequence[str] | ArrowArray, *, dimensions: int | None = None
) -> NDArray[np.float32]:
    """Embed many queries, with ``embed_queries`` where the function has it, and check the vectors.

    A function without it embeds queries as it does documents. See :func:`embed_texts`.
    """
    batch = getattr(function, "embed_queries", None)
    if batch is None:
        return embed_texts(function, texts, dimensions=dimensions)
    return _embedded(function, batch, texts, dimensions)


def embed_blocks(
    function: EmbeddingFunction,
    blocks: Iterable[Sequence[str] | ArrowArray],
    *,
    queries: bool,
    dimensions: int | None = None,
) -> Iterator[NDArray[np.float32]]:
    """Yield the vectors of each block of texts, in order; see :func:`embed_texts`.

    A function that asks a server has ``embed_blocks(blocks, *, queries)``, which takes blocks ahead
    to keep its requests under way; of others one block is asked for after the other, in the
    caller's thread.

    Errors that concern texts say which (``texts``), counted from the first text of all.

    Parameters
    ----------
    function
        What embeds.
    blocks
        Texts, taken as they are needed.
    queries
        Whether they are queries.
    dimensions
        What every vector must have.

    Examples
    --------
    >>> blocks = [["a"], [], ["b", "cd"]]
    >>> found = embed_blocks(lambda text: [len(text), 1.0], blocks, queries=False)
    >>> [len(vectors) for vectors in found]
    [1, 0, 2]
    """
    ahead = getattr(function, "embed_blocks", None)
    done = 0
    if ahead is None:
        embed = embed_queries if queries else embed_texts
        for block in blocks:
            with _counted_from(done, len(block)):
                vectors = embed(function, block, dimensions=dimensions)
            done += len(block)
            yield vectors
        return
    rows: deque[int] = deque()

    def strings() -> Iterator[list[str]]:
        for block in blocks:
            texts = _strings(block)
            rows.append(len(texts))
            yield texts

    for found in ahead(strings(), queries=queries):
        expected = rows.popleft()
        with _counted_from(done, expected):
            empty = np.empty((0, dimensions or 0), np.float32)
            vectors = _checked(found, expected, dimensions) if expected else empty
        done += expected
        yield vectors


@contextmanager
def _counted_from(first: int, count: int) -> Iterator[None]:
    """Let errors say which of all texts they concern, where these are so many of them."""
    try:
        yield
    except (InvalidArgumentError, ExecutionError) as error:
        about = error.texts or range(count)
        error.texts = range(first + about.start, first + about.stop)
        raise


def _embedded(
    function: EmbeddingFunction,
    batch: Callable[[list[str]], object] | None,
    texts: Sequence[str] | ArrowArray,
    dimensions: int | None,
) -> NDArray[np.float32]:
    strings = _strings(texts)
    if not strings:
        return np.empty((0, dimensions or 0), np.float32)
    try:
        found: object = _one_by_one(function, strings) if batch is None else batch(strings)
    except OctavoError:
        raise
    except Exception as error:
        raise _raised(function, error) from error
    return _checked(found, len(strings), dimensions)


def _strings(texts: Sequence[str] | ArrowArray) -> list[str]:
    if isinstance(texts, pa.Array | pa.ChunkedArray):
        return [text or "" for text in texts.to_pylist()]
    return list(texts)


def _one_by_one(function: EmbeddingFunction, texts: list[str]) -> list[NDArray[np.float32]]:
    # Each vector is copied before the next call, which may reuse its buffer.
    return [_numbers(_asked(function, text, row), f"text {row}") for row, text in enumerate(texts)]


def _asked(function: EmbeddingFunction, text: str, row: int) -> object:
    try:
        return function(text)
    except OctavoError:
        raise
    except Exception as error:
        failure = _raised(function, error)
        failure.texts = range(row, row + 1)
        raise failure from error


def _raised(function: object, error: Exception) -> ExecutionError:
    return ExecutionError(f"embedding {_name(function)}: raised {told(error)}")


def _checked(found: object, rows: int, dimensions: int | None) -> NDArray[np.float32]:
    if isinstance(found, np.ndarray) and found.ndim == 2:
        vectors = _numbers(found, "all texts")
    else:
        vectors = _stacked(found, rows, dimensions)
    if vectors.shape[0] != rows:
        raise InvalidArgumentError(f"embedding: expected {rows} vectors, found {vectors.shape[0]}")
    _check_dimensions(vectors.shape[1], dimensions)
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        failure = NonFiniteVectorError(
            f"embedding of text {row}: expected finite float32 values, found NaN or infinity"
        )
        failure.texts = range(row, row + 1)
        raise failure
    return vectors


def _stacked(found: object, rows: int, dimensions: int | None) -> NDArray[np.float32]:
    if not isinstance(found, Sequence | np.ndarray) or len(found) != rows:
        size = len(found) if isinstance(found, Sequence | np.ndarray) else type(found).__name__
        raise InvalidArgumentError(f"embedding: expected {rows} vectors, found {size}")
    vectors = []
    for row, vector in enumerate(found):
        numbers = _numbers(vector, f"text {row}")
        if numbers.ndim != 1:
            raise InvalidArgumentError(
                f"embedding of text {row}: expected one row of numbers, found {numbers.ndim} axes"
            )
        _check_dimensions(numbers.shape[0], dimensions)
        dimensions = numbers.shape[0]
        vectors.append(numbers)
    return np.stack(vectors)


def _numbers(vector: object, what: str) -> NDArray[np.float32]:
    """Copy a vector, or a matrix of them, as float32; what is too large becomes infinite."""
    try:
        if vector is None or np.asarray(vector).dtype.kind not in "fiu":
            raise TypeError("no numbers")  # noqa: TRY301 - said once, below
        with np.errstate(over="ignore"):
            return np.array(vector, dtype=np.float32, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgumentError(
            f"embedding of {what}: expected numbers, found {type(vector).__name__} ({error})"
        ) from error


def _check_dimensions(found: int, expected: int | None) -> None:
    if not 1 <= found <= MAXIMUM_VALUES:
        raise InvalidArgumentError(
            f"embedding: expected vectors of 1 to {MAXIMUM_VALUES} values, found {found}"
        )
    if expected is not None and found != expected:
        raise DimensionMismatchError("embedding", expected, found)


def _name(function: object) -> str:
    return str(getattr(function, "__qualname__", type(function).__qualname__))
