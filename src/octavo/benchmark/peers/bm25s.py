"""bm25s with its numba backend: scores every posting, exactly."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from octavo.benchmark.peers.peer import (
    Answers,
    PeerDocuments,
    PeerQueries,
    RecallOf,
    Search,
    Stream,
)
from octavo.benchmark.truth import split_words
from octavo.columns.arrow_types import Array


class Bm25s:
    """Lucene's formula with k1 = 1.2 and b = 0.75, as octavo has."""

    name: ClassVar[str] = "bm25s"

    def build(self, documents: PeerDocuments) -> None:
        """Index token ids."""
        import bm25s  # noqa: PLC0415 - a peer

        self._retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numba")
        corpus = _token_ids(bm25s, documents.analyzed)
        self._retriever.index(corpus, show_progress=False, leave_progress=False)
        self._version = bm25s.__version__

    def tune(self, recall_of: RecallOf) -> None:
        """Do nothing: keyword search is exact."""

    def searches(self) -> Mapping[Stream, Search]:
        """Return the keyword search."""
        return {Stream.KEYWORD: self._keyword}

    def settings(self) -> str:
        """Return the version and the backend."""
        return f"bm25s {self._version}, numba backend, one thread"

    def _keyword(self, queries: PeerQueries, k: int) -> Answers:
        tokens = [list(query) for query in queries.tokens]
        rows, scores = self._retriever.retrieve(tokens, k=k, show_progress=False, n_threads=1)
        # It fills up with documents that match nothing, at score 0.
        return [
            np.asarray(found[score > 0], np.int64)
            for found, score in zip(rows, scores, strict=True)
        ]


def _token_ids(library: Any, analyzed: Array) -> Any:  # noqa: ANN401 - the peer's types
    words = split_words(analyzed)
    encoded = words.flatten().dictionary_encode()
    vocabulary = {word: code for code, word in enumerate(encoded.dictionary.to_pylist())}
    codes, bounds = np.asarray(encoded.indices), np.asarray(words.offsets)
    ids = [piece.tolist() for piece in np.split(codes, bounds[1:-1])]
    return library.tokenization.Tokenized(ids=ids, vocab=vocabulary)
