"""What the measures of one run share: each thing is made once, when it is first asked for."""

from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.benchmark.collection import Collection, generated
from octavo.benchmark.peers.faiss_alone import FaissAlone, flat
from octavo.benchmark.peers.peer import PeerDocuments, PeerQueries, Search
from octavo.benchmark.peers.tantivy_alone import TantivyAlone
from octavo.benchmark.scale import Scale
from octavo.benchmark.synthetic import QuerySet, SyntheticCorpus
from octavo.benchmark.truth import ExactKeywords, ExactVectors, unit
from octavo.columns.arrow_types import Array
from octavo.columns.hits import Hits
from octavo.columns.vector_codes import VectorCodes, code_width, worth_coding
from octavo.corpus import Corpus
from octavo.engines.vector import FlatVectorIndex
from octavo.kernels.vector_codes import encode_vectors
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.queries import Queries

DEPTH = 10
STREAM_DEPTH = 100
COLUMNS: dict[str, Any] = {
    "text": "text",
    "id": "id",
    "source": "source",
    "timestamp": "time",
    "parent": "parent",
    "metadata": ["tier"],
    "embedding": "column:vector",
}


class Bench:
    """Documents, queries, indexes and right answers.

    Parameters
    ----------
    collection
        What is searched.
    directory
        Where indexes are made; the caller removes it.
    scale
        How much is done.
    """

    def __init__(self, collection: Collection, directory: Path, scale: Scale) -> None:
        self.collection = collection
        self.directory = directory
        self.scale = scale

    @cached_property
    def corpus(self) -> Corpus:
        """The documents as an octavo index."""
        return self.build("index")

    def build(self, name: str) -> Corpus:
        """Index the documents into a directory of that name, in place of what was there."""
        return Corpus.build(self.collection.path, self.directory / name, overwrite=True, **COLUMNS)

    @property
    def snapshot(self) -> Snapshot:
        """The engines of the corpus, as strategies call them."""
        return self.corpus.keyword_index

    @cached_property
    def analyzed(self) -> Array:
        """The texts as octavo analyses them: tokens joined by spaces."""
        return self.corpus.analyzer.analyze_batch(self.collection.table["text"])

    @cached_property
    def unit(self) -> NDArray[np.float32]:
        """The vectors at unit length."""
        return unit(self.collection.vectors)

    @cached_property
    def flat_index(self) -> FlatVectorIndex:
        """Octavo's exact vector engine over all vectors, with codes where an index stores them."""
        width = self.unit.shape[1]
        if not worth_coding(width):
            return FlatVectorIndex([self.unit])
        codes = VectorCodes(*encode_vectors(self.unit, code_width(width)))
        return FlatVectorIndex([self.unit], None, [codes])

    @property
    def queries(self) -> QuerySet:
        """One block of queries."""
        return self.collection.queries[: self.scale.block]

    @property
    def checked(self) -> QuerySet:
        """The queries whose results are worked out by brute force, the first of the block."""
        return self.collection.queries[: self.scale.checked]

    @property
    def block(self) -> Queries:
        """One block of queries, as strategies take them."""
        return Queries(self.queries.texts, self.queries.vectors)

    def plain(self, queries: QuerySet) -> PeerQueries:
        """Return queries as tokens and unit vectors, as other libraries take them."""
        tokens = [self.corpus.analyzer.tokens(text) for text in queries.texts]
        return PeerQueries(tokens, unit(queries.vectors))

    @cached_property
    def exact_vectors(self) -> ExactVectors:
        """Right answers by vectors."""
        return ExactVectors(self.unit)

    @cached_property
    def exact_keywords(self) -> ExactKeywords:
        """Right answers by words, for the checked queries."""
        return ExactKeywords(self.analyzed, self.plain(self.checked).tokens)

    def admitted(self, tier: str) -> NDArray[np.bool_]:
        """Return which documents have a tier, by comparing texts."""
        admitted: NDArray[np.bool_] = np.array(self.collection.table["tier"].to_pylist()) == tier
        return admitted

    def recall_of(self, search: Search) -> float:
        """Return a vector search's recall at 10 on the last queries, which are not measured."""
        queries, top = self._held_back
        return self.exact_vectors.recall(queries.vectors, search(queries, DEPTH), top)

    @cached_property
    def _held_back(self) -> Any:  # noqa: ANN401 - queries and their ExactTop
        queries = self.plain(self.collection.queries[-self.scale.checked :])
        return queries, self.exact_vectors.top(queries.vectors, DEPTH)

    def documents_for(self, peer: str) -> PeerDocuments:
        """Return what a peer indexes, with an empty directory of its own."""
        directory = Path(mkdtemp(prefix=f"{peer}-", dir=self.directory))
        return PeerDocuments(self.analyzed, self.unit, self.collection.table["tier"], directory)

    @cached_property
    def tantivy(self) -> TantivyAlone:
        """The same words in tantivy by itself."""
        peer = TantivyAlone()
        peer.build(self.documents_for(peer.name))
        return peer

    @cached_property
    def faiss(self) -> FaissAlone:
        """The same vectors in FAISS by itself, tuned to the recall."""
        peer = FaissAlone()
        peer.build(self.documents_for(peer.name))
        peer.tune(self.recall_of)
        return peer

    @cached_property
    def faiss_flat(self) -> Any:  # noqa: ANN401 - FAISS has no types
        """FAISS's own exact index."""
        return flat(self.unit)

    def of_size(self, documents: int) -> "Bench":
        """Return the same for another number of generated documents."""
        if documents == self.collection.documents:
            return self
        if documents not in self._sizes:
            self._sizes[documents] = self._of_size(documents)
        return self._sizes[documents]

    @cached_property
    def _sizes(self) -> "dict[int, Bench]":
        return {}

    def _of_size(self, documents: int) -> "Bench":
        directory = self.directory / f"documents-{documents}"
        directory.mkdir(exist_ok=True)
        corpus = SyntheticCorpus(documents, self.collection.dimensions)
        queries = len(self.collection.queries)
        return Bench(generated(corpus, directory, queries), directory, self.scale)


def hits_by_query(hits: Hits) -> list[NDArray[np.int64]]:
    """Return the rows of each query."""
    return np.split(hits.rows, hits.offsets[1:-1])
