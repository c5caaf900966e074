"""The base of octavo's own strategies: one columnar ranking behind both ways of asking (S5)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import pyarrow as pa

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.spi import RAGContext, RetrievedDocument
from octavo.strategies.queries import Queries, Texts
from octavo.strategies.sources import DocumentSource
from octavo.strategies.table import hits_table


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The hits of a batch, and what it took to find them."""

    hits: Hits
    report: SearchReport = field(default_factory=SearchReport)


class ColumnarStrategy(ABC):
    """A strategy that ranks a whole batch of queries as arrays.

    A subclass names itself, says which store its rows belong to, and ranks. ``retrieve`` and
    ``retrieve_batch`` read the same ranking, so they can never disagree.
    """

    name: str

    @property
    @abstractmethod
    def documents(self) -> DocumentSource:
        """The store that the rows of the ranking belong to."""

    @abstractmethod
    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Return final hits: filtered, at least ``min_score``, at most ``max_results`` a query."""

    def hit_metadata(self, hits: Hits, position: int) -> dict[str, str]:  # noqa: ARG002
        """Return metadata keys that describe how this one hit was found (S11: not filterable)."""
        return {}

    def retrieve(
        self, query: str, context: RAGContext | None = None
    ) -> tuple[RetrievedDocument, ...]:
        """Return documents for one query, best first.

        Parameters
        ----------
        query
            Any text; blank is legal.
        context
            Limits and filters; a default :class:`RAGContext` when absent.

        Raises
        ------
        TypeError
            ``query`` is no string.
        """
        if not isinstance(query, str):
            raise TypeError(f"query: expected a string, found {type(query).__name__}")
        hits = self.rank(Queries((query,)), context or RAGContext()).hits
        return self.materialise(hits)

    def materialise(self, hits: Hits) -> tuple[RetrievedDocument, ...]:
        """Read the documents of all hits, in order, with what each hit says of itself."""
        stored = self.documents.documents(hits.rows)
        return tuple(
            RetrievedDocument(
                document.content,
                document.source,
                score,
                {**document.metadata, **self.hit_metadata(hits, position)},
            )
            for position, (document, score) in enumerate(
                zip(stored, hits.scores.tolist(), strict=True)
            )
        )

    def retrieve_batch(
        self, queries: "Texts | Queries", context: RAGContext | None = None
    ) -> pa.Table:
        """Return the hits of many queries as one Arrow table, a row a hit.

        The same hits in the same order with the same scores as a loop over :meth:`retrieve` (S5).
        Columns: ``query_id`` (the query's position, as text), ``rank`` from 1, ``id``, ``score``,
        then the parts that the strategy has.
        """
        block = queries if isinstance(queries, Queries) else Queries.of(queries)
        ranking = self.rank(block, context or RAGContext())
        query_ids = pa.array([str(position) for position in range(len(block))], pa.string())
        return hits_table(ranking.hits, query_ids, self.documents)
