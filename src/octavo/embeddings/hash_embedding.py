"""The built-in embedding: tokens hashed into slots (S40, S45)."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis.analyzer import Analyzer
from octavo.analysis.buffers import ArrowArray, as_large_strings, text_buffers
from octavo.errors import InvalidArgumentError
from octavo.kernels.hash_embedding import embed_rows

SCHEME_VERSION = 1
"""Raised whenever any text would get another vector."""

MINIMUM_DIMENSIONS = 64
MAXIMUM_DIMENSIONS = 16_384


class HashEmbedding:
    """Vectors that measure the overlap of tokens; offline, deterministic, the same everywhere.

    A weak retriever beside a trained model: it knows no meaning, and at few dimensions unrelated
    tokens share slots (``docs/hash-embedding.md`` has figures and the scheme).

    Parameters
    ----------
    dimensions
        Slots of a vector, 64 to 16,384.
    analyzer
        Gives the tokens.

    Raises
    ------
    InvalidArgumentError
        ``dimensions`` is no integer or out of range.

    Examples
    --------
    >>> embed = HashEmbedding()
    >>> a, b = embed("merge sorted lists"), embed("merging of sorted lists")
    >>> a.shape, bool(a @ b > 0.5)
    ((128,), True)
    """

    def __init__(self, dimensions: int = 128, analyzer: Analyzer | None = None) -> None:
        if (
            isinstance(dimensions, bool)
            or not isinstance(dimensions, int | np.integer)
            or not MINIMUM_DIMENSIONS <= dimensions <= MAXIMUM_DIMENSIONS
        ):
            raise InvalidArgumentError(
                f"dimensions: expected an integer from {MINIMUM_DIMENSIONS} to "
                f"{MAXIMUM_DIMENSIONS}, found {dimensions!r}"
            )
        self._dimensions = int(dimensions)
        self._analyzer = Analyzer() if analyzer is None else analyzer

    @property
    def dimensions(self) -> int:
        """Slots of a vector."""
        return self._dimensions

    @property
    def analyzer(self) -> Analyzer:
        """What gives the tokens."""
        return self._analyzer

    @property
    def fingerprint(self) -> str:
        """32 hex digits that differ whenever any text might get another vector."""
        scheme = f"hash:{SCHEME_VERSION}:{self._dimensions}:{self._analyzer.fingerprint}"
        return hashlib.sha256(scheme.encode("ascii")).hexdigest()[:32]

    def __call__(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text: float32[dimensions], unit length or all zero."""
        joined = " ".join(self._analyzer.tokens(text))
        vectors = self.embed_analyzed(pa.array([joined], pa.large_string()))
        return vectors.reshape(self._dimensions)

    def embed_batch(self, texts: Sequence[str] | ArrowArray) -> NDArray[np.float32]:
        """Return the vectors of many texts: float32[n, dimensions], C order.

        Lone surrogates in Python strings separate words; an Arrow null counts as empty.
        """
        if not isinstance(texts, pa.Array | pa.ChunkedArray):
            texts = pa.array([_encoded(text) for text in texts], pa.large_binary())
            texts = texts.cast(pa.large_string())
        return self.embed_analyzed(self._analyzer.analyze_batch(texts))

    def embed_analyzed(self, analyzed: pa.LargeStringArray) -> NDArray[np.float32]:
        """Return the vectors of texts whose tokens are already joined by single spaces.

        Parameters
        ----------
        analyzed
            ``n`` strings as `Analyzer.analyze_batch` gives them.

        Returns
        -------
        numpy.ndarray
            float32[n, dimensions], C order; linear in bytes of text plus output values.
        """
        buffers = text_buffers(as_large_strings(analyzed, "analyzed"))
        vectors = np.empty((len(analyzed), self._dimensions), np.float32)
        counts = np.zeros(self._dimensions, np.int64)
        with np.errstate(over="ignore"):  # the hash wraps around; heard only without compilation
            embed_rows(buffers.data, buffers.offsets, counts, vectors)
        return vectors

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HashEmbedding):
            return NotImplemented
        return (self._dimensions, self._analyzer) == (other._dimensions, other._analyzer)

    def __hash__(self) -> int:
        return hash((self._dimensions, self._analyzer))

    def __repr__(self) -> str:
        return f"HashEmbedding(dimensions={self._dimensions}, analyzer={self._analyzer!r})"


def _encoded(text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"texts: expected strings, found {type(text).__name__}")
    return text.encode("utf-8", "replace")
