"""Generated documents and queries of any number, the same bytes for the same seed everywhere.

Documents have topics, which show in their words *and* in their vectors, each imperfectly, so that
fusing the two finds more of a topic than either. They come in families of ten (the first is the
parent), with times, sources and a metadata key whose values admit 50, 10, 1 and 0.1 percent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.benchmark.words import (
    TOPICS,
    TopicPair,
    draw_lengths,
    draw_texts,
    draw_topic_words,
    draw_topics,
)
from octavo.errors import checked_count

BATCH = 16_384
FAMILY = 10
SOURCES = 100
NEWEST = 1_767_225_600_000_000
"""2026-01-01 UTC, in microseconds; the oldest document is ten years older."""
SELECTIVITIES = {"half": 0.5, "tenth": 0.1, "hundredth": 0.01, "thousandth": 0.001}
"""Share of the documents by value of the key ``tier``; the others have ``rest``."""

_TEN_YEARS = 10 * 365 * 86_400_000_000
_LATENT = 8  # few directions: as hard for an inverted file as real embeddings (measured)
_MAIN_WEIGHT, _SECOND_WEIGHT, _OWN_WEIGHT = (np.float32(weight) for weight in (3, 2, 2))
_SCALE = np.float32(2.0**-13)
_TOPIC_STREAM, _QUERY_STREAM, _FIRST_BATCH_STREAM = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class QuerySet:
    """Queries: texts, vectors of shape ``(n, dimensions)``, and topics where they are known."""

    texts: tuple[str, ...]
    vectors: NDArray[np.float32]
    topics: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, piece: slice) -> "QuerySet":
        topics = None if self.topics is None else self.topics[piece]
        return QuerySet(self.texts[piece], self.vectors[piece], topics)


@dataclass(frozen=True)
class SyntheticCorpus:
    """Documents by number, dimensions and seed; a larger corpus begins with the smaller one.

    Parameters
    ----------
    documents
        How many.
    dimensions
        Values of a vector.
    seed
        Another seed gives other documents, words of topics and queries.

    Examples
    --------
    >>> corpus = SyntheticCorpus(3, dimensions=8)
    >>> batch = next(corpus.batches())
    >>> batch.num_rows, batch.schema.names
    (3, ['id', 'text', 'vector', 'time', 'parent', 'source', 'tier', 'topic'])
    """

    documents: int
    dimensions: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count("documents", self.documents)
        checked_count("dimensions", self.dimensions)
        checked_count("seed", self.seed, 0)

    @property
    def schema(self) -> pa.Schema:
        """The columns of :meth:`batches`."""
        return pa.schema(
            {
                "id": pa.string(),
                "text": pa.string(),
                "vector": pa.list_(pa.float32(), self.dimensions),
                "time": pa.timestamp("us", "UTC"),
                "parent": pa.string(),
                "source": pa.string(),
                "tier": pa.string(),
                "topic": pa.int64(),
            }
        )

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents, 16,384 at a time; memory does not grow with their number."""
        for number, start in enumerate(range(0, self.documents, BATCH)):
            rng = self._stream(_FIRST_BATCH_STREAM + number)
            topics = draw_topics(rng, BATCH)
            texts = draw_texts(rng, topics, draw_lengths(rng, BATCH), self._topic_words)
            vectors = self._vectors(rng, topics)
            columns = [texts, vector_array(vectors), *row_columns(rng, start, BATCH)]
            ids, *rest = columns[2:]
            batch = pa.RecordBatch.from_arrays(
                [ids, *columns[:2], *rest, pa.array(topics.main)], schema=self.schema
            )
            yield batch.slice(0, min(BATCH, self.documents - start))

    def queries(self, number: int) -> QuerySet:
        """Return queries of 2 to 5 words of a topic, with its vector; more only add to the end."""
        blocks = [
            self._query_block(block)[: number - block * BATCH]
            for block in range(-(-number // BATCH))
        ]
        return QuerySet(
            tuple(text for block in blocks for text in block.texts),
            np.concatenate([block.vectors for block in blocks]),
            np.concatenate([block.topics for block in blocks if block.topics is not None]),
        )

    def _query_block(self, block: int) -> QuerySet:
        rng = self._stream(_QUERY_STREAM, block)
        topics = draw_topics(rng, BATCH)
        lengths = rng.integers(2, 6, BATCH)
        texts = draw_texts(rng, topics, lengths, self._topic_words, main=144, second=32)
        return QuerySet(tuple(map(str, texts.to_pylist())), self._vectors(rng, topics), topics.main)

    def _vectors(self, rng: np.random.Generator, topics: TopicPair) -> NDArray[np.float32]:
        """Return the sum of both topics' vectors and what is each text's own.

        All values are whole numbers below 2**24 until the last product, by a power of two: sums are
        exact in any order.
        """
        vectors = _noise(rng, len(topics.main), _LATENT) @ self._mixing
        vectors *= _OWN_WEIGHT
        vectors += _MAIN_WEIGHT * self._topic_vectors[topics.main]
        vectors += _SECOND_WEIGHT * self._topic_vectors[topics.second]
        vectors *= _SCALE
        return vectors

    def _stream(self, *place: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence((self.seed, *place))))

    @cached_property
    def _topic_words(self) -> NDArray[np.int64]:
        return draw_topic_words(self._stream(_TOPIC_STREAM, 0))

    @cached_property
    def _topic_vectors(self) -> NDArray[np.float32]:
        return _noise(self._stream(_TOPIC_STREAM, 1), TOPICS, self.dimensions)

    @cached_property
    def _mixing(self) -> NDArray[np.float32]:
        signs = self._stream(_TOPIC_STREAM, 2).integers(0, 2, (_LATENT, self.dimensions))
        return (2 * signs - 1).astype(np.float32)


def row_columns(rng: np.random.Generator, start: int, rows: int) -> "list[pa.Array[Any]]":
    """Return the columns id, time, parent, source and tier of ``rows`` documents from ``start``."""
    numbers = np.arange(start, start + rows)
    ids = pa.array([f"d{number}" for number in numbers.tolist()])
    parents = pa.array(
        [f"d{number - number % FAMILY}" if number % FAMILY else None for number in numbers.tolist()]
    )
    ticks = NEWEST - rng.integers(0, _TEN_YEARS, rows)
    sources = pa.array([f"source-{source}" for source in range(SOURCES)])
    bounds = np.cumsum(list(SELECTIVITIES.values()))
    tiers = pa.array([*SELECTIVITIES, "rest"])
    return [
        ids,
        pa.array(ticks, pa.timestamp("us", "UTC")),
        parents,
        sources.take(np.minimum(*rng.integers(0, SOURCES, (2, rows)))),
        tiers.take(np.searchsorted(bounds, rng.random(rows), side="right")),
    ]


def vector_array(vectors: NDArray[np.float32]) -> "pa.Array[Any]":
    """Return a matrix as an Arrow column of fixed-size lists."""
    return pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])


def _noise(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float32]:
    """Return whole numbers from -255 to 255 around 0: the difference of two random bytes."""
    drawn = np.frombuffer(rng.bytes(2 * rows * columns), np.uint8).reshape(2, rows, columns)
    noise: NDArray[np.float32] = np.subtract(drawn[0], drawn[1], dtype=np.float32)
    return noise
