"""Where a walk over a corpus starts: what the corpus's own search finds for a query."""

from collections.abc import Sequence
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.report import SearchReport
from octavo.kernels.rrf import reciprocal_rank_fusion
from octavo.storage.snapshot.snapshot import Snapshot

_RRF_K: Final = 60


class GraphSeeds(Enum):
    """The search that finds the seeds of a corpus's graph.

    Its scores are what decays along the edges.
    """

    KEYWORD = "keyword"
    """BM25 over titles and contents."""
    VECTOR = "vector"
    """Cosines, of documents above 0."""
    HYBRID = "hybrid"
    """Both, fused by reciprocal rank."""


class CorpusSeeds:
    """Ranks the documents of one state of a corpus for queries.

    Parameters
    ----------
    snapshot
        The documents.
    kind
        How. ``None``: by both where the index has real vectors and a query has one too, or can be
        embedded; else by keyword.
    """

    def __init__(self, snapshot: Snapshot, kind: GraphSeeds | None = None) -> None:
        self._snapshot = snapshot
        self._kind = kind

    def rank(
        self,
        texts: Sequence[str],
        limit: int,
        selection: Selection,
        vectors: NDArray[np.floating] | None = None,
    ) -> tuple[Hits, SearchReport]:
        """Return the ``limit`` best admitted rows of each query; every score is above 0.

        Parameters
        ----------
        texts
            The queries.
        limit
            The largest number of hits of a query, at least 1.
        selection
            Which rows may be found.
        vectors
            The queries' own vectors; ``None`` embeds the texts where vectors are needed.

        Raises
        ------
        ConfigurationError
            Vectors are needed, and there are none, or the texts cannot be embedded.
        """
        kind = self._usual(vectors) if self._kind is None else self._kind
        if kind is GraphSeeds.KEYWORD:
            return self._snapshot.rank_keyword(texts, limit, selection)
        nearest, report = self._nearest(texts, limit, selection, vectors)
        if kind is GraphSeeds.VECTOR:
            return nearest, report
        worded, more = self._snapshot.rank_keyword(texts, limit, selection)
        offsets = np.stack((worded.offsets, nearest.offsets + len(worded)))
        rows = np.concatenate((worded.rows, nearest.rows))
        kept, rows, scores, _ = reciprocal_rank_fusion(offsets, rows, k=_RRF_K, limit=limit)
        return Hits(kept, rows, scores), more + report

    def _usual(self, vectors: NDArray[np.floating] | None) -> GraphSeeds:
        embedding = self._snapshot.query_embedding
        real = self._snapshot.manifest.embedding is not None and not embedding.is_hash
        both = real and (vectors is not None or embedding.available)
        return GraphSeeds.HYBRID if both else GraphSeeds.KEYWORD

    def _nearest(
        self,
        texts: Sequence[str],
        limit: int,
        selection: Selection,
        vectors: NDArray[np.floating] | None,
    ) -> tuple[Hits, SearchReport]:
        if vectors is None:
            vectors = self._snapshot.embed(texts)
        hits, report = self._snapshot.rank_vector(vectors, limit, selection)
        # What has nothing in common with a query is no seed; nor is anything for a vector of zeros.
        return hits.keep(hits.scores > 0.0), report
