"""A block of queries: texts and, where the caller has them, vectors."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from octavo.errors import InvalidArgumentError
from octavo.spi import CancellationToken

Texts: TypeAlias = "Iterable[str] | pa.Array[Any] | pa.ChunkedArray[Any]"


class ClockReadings:
    """Reads each clock once: all blocks of one batch share the moment in which it was asked."""

    def __init__(self) -> None:
        self._readings: dict[Callable[[], datetime], datetime] = {}
        self._lock = threading.Lock()

    def once(self, clock: Callable[[], datetime]) -> datetime:
        """Return what ``clock`` said when it was first read for this batch."""
        with self._lock:
            if clock not in self._readings:
                self._readings[clock] = clock()
            return self._readings[clock]


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """Queries of one batch, in order.

    Parameters
    ----------
    texts
        One text a query; blank is legal (S2).
    vectors
        Float array of shape ``(queries, dimensions)`` that stands in for embedding the texts.
    clocks
        The moment of the batch; shared by the pieces that it is cut into.
    cancellation
        Looked at between the calls of an application's own strategy.

    Raises
    ------
    TypeError
        A query is no string (S2).
    InvalidArgumentError
        The numbers of texts and vectors differ.
    """

    texts: Sequence[str]
    vectors: NDArray[np.floating] | None = None
    clocks: ClockReadings = field(default_factory=ClockReadings)
    cancellation: CancellationToken | None = None

    @staticmethod
    def of(texts: Texts, vectors: ArrayLike | None = None) -> "Queries":
        """Take texts and vectors as a caller has them."""
        if isinstance(texts, str):
            raise TypeError("queries: expected a sequence of strings, found one string")
        plain: Iterable[Any] = texts
        if isinstance(texts, pa.Array | pa.ChunkedArray):
            plain = texts.to_pylist()
        return Queries(tuple(plain), None if vectors is None else query_array(vectors))

    @staticmethod
    def one(text: str, vector: ArrayLike | None = None) -> "Queries":
        """Take one query and, where it has one, its vector."""
        vectors: Any = None if vector is None else [vector]
        return Queries.of([text], vectors)

    def __post_init__(self) -> None:
        for position, text in enumerate(self.texts):
            if not isinstance(text, str):
                raise TypeError(f"query {position}: expected a string, found {type(text).__name__}")
        if self.vectors is not None and (
            self.vectors.ndim != 2 or len(self.vectors) != len(self.texts)
        ):
            raise InvalidArgumentError(
                f"query vectors: expected shape ({len(self.texts)}, dimensions), "
                f"found {self.vectors.shape}"
            )

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, positions: slice) -> "Queries":
        vectors = None if self.vectors is None else self.vectors[positions]
        return Queries(self.texts[positions], vectors, self.clocks, self.cancellation)


def query_array(vectors: ArrayLike) -> NDArray[Any]:
    """Return vectors as a caller has them as an array, integers as floats.

    Raises
    ------
    InvalidArgumentError
        They are no array, such as lists of different lengths.
    """
    try:
        array: NDArray[Any] = np.asarray(vectors)
    except ValueError as error:
        raise InvalidArgumentError(
            f"query vectors: expected an array of numbers, found {error}"
        ) from error
    return array.astype(np.float64) if array.dtype.kind in "iu" else array
