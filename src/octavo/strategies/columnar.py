"""The base of octavo's own strategies: one columnar ranking behind both ways of asking (S5)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.spi import RAGContext, RetrievedDocument
from octavo.strategies.hit_metadata import hit_metadata
from octavo.strategies.queries import ClockReadings, Queries, Texts
from octavo.strategies.settings import OWN_FORMULA, RunSettings
from octavo.strategies.sources import Documents
from octavo.strategies.table import hits_table, part_columns


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The hits of a batch, the documents that their rows stand for, and what it took."""

    hits: Hits
    documents: Documents
    report: SearchReport = field(default_factory=SearchReport)

    def retrieved(self) -> tuple[RetrievedDocument, ...]:
        """Read the documents of all hits, in order, with what each hit says of itself."""
        stored = self.documents.documents(self.hits.rows)
        described = hit_metadata(self.hits, self.documents)
        return tuple(
            RetrievedDocument(
                document.content, document.source, score, {**document.metadata, **found}
            )
            for document, found, score in zip(
                stored, described, self.hits.scores.tolist(), strict=True
            )
        )

    def part_columns(self) -> "dict[str, pa.Array[Any]]":
        """Return the parts as Arrow columns, null where a hit does not have the value."""
        return part_columns(self.hits, self.documents)

    def table(self, query_ids: pa.StringArray) -> pa.Table:
        """Return one row a hit; see :func:`octavo.strategies.table.hits_table`."""
        return hits_table(self.hits, query_ids, self.documents)


class ColumnarStrategy(ABC):
    """A strategy that ranks a whole batch of queries as arrays.

    A subclass names itself and ranks. ``retrieve`` and ``retrieve_batch`` read the same ranking,
    so they can never disagree.
    """

    name: str

    @abstractmethod
    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Return final hits: filtered, at least ``min_score``, at most ``max_results`` a query."""

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts, as plain JSON values.

        See :data:`octavo.strategies.settings.StageSettings`. A strategy that does not say what it
        is has scores without parts.

        Parameters
        ----------
        clocks
            What the clocks of the batch said.
        """
        del clocks
        return {"strategy": self.name, "formula": OWN_FORMULA}

    def stream(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank as one stream of a fusion.

        The same hits as :meth:`rank`, but for queries that say nothing (an all-zero vector has
        cosine 0 with everything, and no vote: S20) and for the source that documents show (S24).
        """
        return self.rank(queries, context)

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
            ``query`` is no string, or ``context`` no :class:`RAGContext`.
        """
        if not isinstance(query, str):
            raise TypeError(f"query: expected a string, found {type(query).__name__}")
        return self.rank(Queries((query,)), given_context(context)).retrieved()

    def retrieve_batch(
        self, queries: "Texts | Queries", context: RAGContext | None = None
    ) -> pa.Table:
        """Return the hits of many queries as one Arrow table, a row a hit.

        The same hits in the same order with the same scores as a loop over :meth:`retrieve` (S5).
        Columns: ``query_id`` (the query's position, as text), ``rank`` from 1, ``id``, ``score``,
        then the parts that the strategy has. The metadata of the schema says how they were asked
        for (:class:`octavo.strategies.settings.RunSettings`).
        """
        given = given_context(context)
        block = queries if isinstance(queries, Queries) else Queries.of(queries)
        query_ids = pa.array([str(position) for position in range(len(block))], pa.string())
        return ranked_table(self, block, given, query_ids)[0]


def ranked_table(
    strategy: ColumnarStrategy, queries: Queries, context: RAGContext, query_ids: pa.StringArray
) -> tuple[pa.Table, SearchReport]:
    """Return the hits of queries as a table that says how they were asked for, and what it took."""
    ranking = strategy.rank(queries, context)
    settings = RunSettings.of(strategy.settings(queries.clocks), context)
    table = ranking.table(query_ids).replace_schema_metadata(settings.metadata())
    return table, ranking.report


def given_context(context: RAGContext | None) -> RAGContext:
    """Return a caller's context, or a default one where there is none.

    Raises
    ------
    TypeError
        It is something else.
    """
    if context is None:
        return RAGContext()
    if not isinstance(context, RAGContext):
        raise TypeError(f"context: expected a RAGContext, found {type(context).__name__}")
    return context
