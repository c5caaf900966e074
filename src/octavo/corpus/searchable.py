"""What can be asked of a corpus: searches by any strategy, and what the index is made of."""

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
from numpy.typing import ArrayLike

from octavo.analysis import Analyzer
from octavo.columns.filters import ENTRY_ID
from octavo.corpus.blocks import search_blocks, split_queries
from octavo.corpus.options import default_strategy, make_strategy
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.embeddings.vector_model import VectorModel
from octavo.graph.corpus_graph import CorpusGraph
from octavo.parallel import checked_threads
from octavo.spi import RAGContext, RetrievedDocument
from octavo.storage.format.manifest import Manifest
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.queries import Queries, Texts


def state_fingerprint(manifest: Manifest) -> str:
    """Return a digest of what a manifest says, the checksums of all files among it."""
    content = json.dumps(asdict(manifest), sort_keys=True)
    return blake2b(content.encode(), digest_size=16).hexdigest()


class SearchableCorpus:
    """One state of an index, searched; see :class:`octavo.Corpus`."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._moving = threading.Lock()

    @property
    def path(self) -> Path:
        """The directory of the index."""
        return self._snapshot.path

    @property
    def analyzer(self) -> Analyzer:
        """The analyser that documents and queries go through."""
        return self._snapshot.analyzer

    @property
    def dimensions(self) -> int | None:
        """The dimensions of the vectors; ``None`` where there are none."""
        entry = self._snapshot.manifest.embedding
        return None if entry is None else entry.dimensions

    @property
    def vector_model(self) -> VectorModel | None:
        """Which model made the vectors, as far as the index knows; only a name, nothing is loaded."""
        entry = self._snapshot.manifest.embedding
        return None if entry is None else entry.made_by

    @property
    def fingerprint(self) -> str:
        """A digest of the state: equal where every file of the index is, whatever its path."""
        return state_fingerprint(self._snapshot.manifest)

    @property
    def embedding_function(self) -> EmbeddingFunction | None:
        """The caller's own function for query texts; ``None`` where the index names its own."""
        return self._snapshot.function

    def pinned(self) -> Self:
        """Return a corpus that stays in the present state, whatever this one is refreshed to."""
        return type(self)(self._snapshot)

    def with_store(self, store: Snapshot) -> Self:
        """Return this corpus answered by another store of the same documents.

        Such as one that remembers what it has found.
        """
        return type(self)(store)

    @property
    def keyword_index(self) -> Snapshot:
        """The keyword source of the corpus, for strategies built by hand."""
        return self._snapshot

    @property
    def vector_store(self) -> Snapshot:
        """The vector source of the corpus, for strategies built by hand."""
        return self._snapshot

    @property
    def graph(self) -> CorpusGraph:
        """The graph that the index was built with, over its present documents.

        Raises
        ------
        GraphCapabilityError
            The index was built without edges.
        """
        return CorpusGraph(self._snapshot)

    @property
    def filter_keys(self) -> tuple[str, ...]:
        """The metadata keys that filters can name."""
        return (ENTRY_ID, *self._snapshot.manifest.columns.metadata)

    @property
    def embeds_queries(self) -> bool:
        """Whether query texts can be embedded, so that vector and hybrid search need no vectors."""
        return self._snapshot.embeds_queries

    @property
    def default_strategy(self) -> str:
        """``hybrid`` where there are real vectors; ``keyword`` where only hashes, or none."""
        return default_strategy(self._snapshot)

    def strategy(self, name: str | None = None, **options: Any) -> ColumnarStrategy:  # noqa: ANN401
        """Return a strategy over this corpus by name.

        Parameters
        ----------
        name
            ``vector``, ``keyword``, ``hybrid``, ``graph``, ``multi-query``, ``hierarchical``,
            ``temporal`` or ``reasoning``; by default :attr:`default_strategy`.
        **options
            Parameters of the strategy; an unknown one is refused with the known ones. ``child``
            takes a strategy or a name; ``half_life`` also text such as ``"30d"``; ``navigator``
            also ``"lexical"`` or ``"MODULE:ATTR"``; ``expander`` also ``"table:FILE"``. ``graph``
            of hybrid is ``True`` for the index's own graph, a graph store or a graph strategy.
        """
        snapshot = self._snapshot  # once: another thread may refresh
        return make_strategy(snapshot, name or default_strategy(snapshot), options)

    def search(
        self,
        query: str,
        *,
        strategy: str | None = None,
        max_results: int = 10,
        min_score: float = 0.0,
        filters: Mapping[str, str] | None = None,
        query_vector: ArrayLike | None = None,
        **options: Any,  # noqa: ANN401
    ) -> tuple[RetrievedDocument, ...]:
        """Return the best documents for one query, best first.

        Parameters
        ----------
        query
            Any text; no query language, nothing to escape.
        strategy
            By default :attr:`default_strategy`.
        max_results, min_score, filters
            As in :class:`RAGContext`.
        query_vector
            The query's own vector, in place of embedding its text.
        **options
            Options of the strategy.
        """
        if not isinstance(query, str):
            raise TypeError(f"query: expected a string, found {type(query).__name__}")
        chosen = self.strategy(strategy, **options)
        context = RAGContext(max_results, min_score, filters or {})
        return chosen.rank(Queries.one(query, query_vector), context).retrieved()

    def search_batch(
        self,
        queries: Texts,
        *,
        strategy: str | None = None,
        max_results: int = 10,
        min_score: float = 0.0,
        filters: Mapping[str, str] | None = None,
        query_vectors: ArrayLike | None = None,
        threads: int | None = None,
        **options: Any,  # noqa: ANN401
    ) -> pa.Table:
        """Return the hits of many queries as one Arrow table, a row a hit.

        The same hits, order and scores as :meth:`search` query by query, for any number of
        threads. Columns: ``query_id`` (the query's position, as text), ``rank`` from 1, ``id``,
        ``score``, then the parts that the strategy has.

        Parameters
        ----------
        queries
            Texts: a sequence of strings, or an Arrow string array.
        strategy, max_results, min_score, filters, **options
            As in :meth:`search`.
        query_vectors
            Float array of shape ``(queries, dimensions)``.
        threads
            By default one for each processor.
        """
        block = Queries.of(queries, query_vectors)
        ids = pa.array([str(position) for position in range(len(block))], pa.string())
        chosen = self.strategy(strategy, **options)
        context = RAGContext(max_results, min_score, filters or {})
        if len(block) == 0:
            return chosen.retrieve_batch(block, context)
        found = search_blocks(
            chosen, split_queries(ids, block), context, threads=checked_threads(threads)
        )
        return pa.concat_tables([result.table for result in found]).combine_chunks()

    def __len__(self) -> int:
        return self._snapshot.count

    def __repr__(self) -> str:
        return f"Corpus({str(self.path)!r}, documents={len(self)})"
