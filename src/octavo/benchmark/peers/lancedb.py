"""LanceDB: full-text and RaBitQ indexes in one table, hybrid by its RRF reranker.

Of its vector indexes IVF_RQ reached the recall fastest, and is among the fastest to build (measured
against IVF_PQ, IVF_SQ, IVF_FLAT and IVF_HNSW_SQ on generated documents).
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from octavo.benchmark.peers.peer import (
    Answers,
    PeerDocuments,
    PeerQueries,
    RecallOf,
    Search,
    Stream,
    tuned,
)
from octavo.benchmark.synthetic import vector_array

_BATCH = 65_536
_CHOICES = [(8, 4), (16, 4), (16, 10), (32, 10), (32, 20), (64, 20), (128, 20), (256, 40)]
"""Partitions probed, and how many times k is scored again from whole vectors."""


class LanceDb:
    """An embedded database; the same tokens, no stemming, no stop words."""

    name: ClassVar[str] = "lancedb"

    def build(self, documents: PeerDocuments) -> None:
        """Write a table, compact it, and index words and vectors."""
        os.environ.setdefault("LANCEDB_LOG", "error")  # else a line of advice for every search
        import lancedb  # noqa: PLC0415 - a peer
        from lancedb.index import FTS, IvfRq  # noqa: PLC0415
        from lancedb.rerankers import RRFReranker  # noqa: PLC0415

        connection = lancedb.connect(str(documents.directory))
        batches = _batches(documents)
        self._table = connection.create_table("documents", pa.Table.from_batches([next(batches)]))
        for batch in batches:
            self._table.add(pa.Table.from_batches([batch]))
        self._table.optimize()
        words = FTS(
            base_tokenizer="whitespace",
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        )
        self._table.create_index("text", config=words)
        self._table.create_index("vector", config=IvfRq(distance_type="dot"))
        self._reranker = RRFReranker()
        self._version = lancedb.__version__
        self._width = _CHOICES[0]

    def tune(self, recall_of: RecallOf) -> None:
        """Choose how many partitions to probe and how much to score again."""
        self._width = tuned(_CHOICES, self._vector, recall_of)

    def searches(self) -> Mapping[Stream, Search]:
        """Return all three searches."""
        return {
            Stream.KEYWORD: self._keyword,
            Stream.VECTOR: self._vector(self._width),
            Stream.HYBRID: self._hybrid,
        }

    def settings(self) -> str:
        """Return the version and how widely vectors are searched."""
        probes, refine = self._width
        return (
            f"lancedb {self._version}, IVF_RQ, nprobes {probes}, refine_factor {refine}, every core"
        )

    def _keyword(self, queries: PeerQueries, k: int) -> Answers:
        return [
            _rows(self._table.search(" ".join(tokens), query_type="fts").limit(k))
            for tokens in queries.tokens
        ]

    def _vector(self, width: tuple[int, int]) -> Search:
        probes, refine = width

        def search(queries: PeerQueries, k: int) -> Answers:
            return [
                _rows(self._table.search(vector).limit(k).nprobes(probes).refine_factor(refine))
                for vector in queries.vectors
            ]

        return search

    def _hybrid(self, queries: PeerQueries, k: int) -> Answers:
        probes, refine = self._width
        answers = []
        for tokens, vector in zip(queries.tokens, queries.vectors, strict=True):
            query = self._table.search(query_type="hybrid").vector(vector).text(" ".join(tokens))
            query = query.nprobes(probes).refine_factor(refine).rerank(self._reranker)
            answers.append(_rows(query.limit(k)))
        return answers


def _rows(query: Any) -> Any:  # noqa: ANN401 - the peer's types
    return np.asarray(query.select(["row"]).to_arrow()["row"], np.int64)


def _batches(documents: PeerDocuments) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(documents.analyzed), _BATCH):
        texts = documents.analyzed.slice(start, _BATCH).cast(pa.string())
        rows = pa.array(np.arange(start, start + len(texts)))
        vectors = vector_array(documents.vectors[start : start + len(texts)])
        yield pa.RecordBatch.from_arrays([rows, texts, vectors], names=["row", "text", "vector"])
