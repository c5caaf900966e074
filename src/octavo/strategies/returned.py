"""A user's own strategy as a stage: what it returns becomes hits (S15).

octavo trusts nothing about it but the two members of the contract: its documents are filtered
again, put in order, and repeats keep their best score.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.stored_document import StoredDocument
from octavo.engines.report import SearchReport
from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    OctavoError,
    plain_text,
    shown,
    told,
)
from octavo.spi import HierarchyMetadata, RAGContext, RAGStrategy, RetrievedDocument
from octavo.spi.metadata import ENTRY_ID
from octavo.strategies.columnar import ColumnarStrategy, Ranking, given_context
from octavo.strategies.queries import Queries
from octavo.strategies.returned_check import checked_documents

_NOTHING = object()


class ReturnedDocuments:
    """Documents that a strategy returned, by the position in which they came."""

    def __init__(self, documents: Sequence[RetrievedDocument]) -> None:
        self._documents = documents

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the entry ids, else the hierarchy ids, else empty text."""
        return [
            metadata.get(ENTRY_ID) or metadata.get(HierarchyMetadata.ID) or ""
            for metadata in self._metadata(rows)
        ]

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the hierarchy ids, else the entry ids, else empty text."""
        return [
            metadata.get(HierarchyMetadata.ID) or metadata.get(ENTRY_ID) or ""
            for metadata in self._metadata(rows)
        ]

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents as they came, their metadata copied."""
        found = [self._documents[row] for row in rows.tolist()]
        return [
            StoredDocument(identifier, document.content, document.source, dict(document.metadata))
            for identifier, document in zip(self.ids(rows), found, strict=True)
        ]

    def keys(self) -> list[object]:
        """Return what makes each document the same as another; never its text alone."""
        return [identity_of(document) for document in self._documents]

    def _metadata(self, rows: NDArray[np.int64]) -> list[Mapping[str, str]]:
        return [self._documents[row].metadata for row in rows.tolist()]


def identity_of(document: RetrievedDocument) -> object:
    """Return the entry id, then the hierarchy id, then source, content and metadata (S15)."""
    for key in (ENTRY_ID, HierarchyMetadata.ID):
        if document.metadata.get(key):
            return (key, document.metadata[key])
    return (document.source, document.content, tuple(sorted(document.metadata.items())))


class ReturnedStrategy(ColumnarStrategy):
    """Any strategy with ``name`` and ``retrieve``, as one that ranks batches.

    Parameters
    ----------
    strategy
        Called once a query.
    name
        Its name.
    """

    def __init__(self, strategy: RAGStrategy, name: str) -> None:
        self._strategy = strategy
        self.name = name

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Ask the strategy query by query, and put in order what it returns."""
        documents: list[RetrievedDocument] = []
        counts = [0]
        scores: list[float] = []
        rows: list[int] = []
        for query in queries.texts:
            if queries.cancellation is not None:
                queries.cancellation.raise_if_cancelled()
            best = self._ordered(self._asked(query, context), context)
            first = len(documents)
            documents.extend(document for _, document in best)
            rows.extend(range(first, len(documents)))
            scores.extend(score for score, _ in best)
            counts.append(len(rows))
        hits = Hits(
            np.array(counts, np.int64), np.array(rows, np.int64), np.array(scores, np.float64)
        )
        report = SearchReport()
        report.counters[f"calls of {self.name}"] += len(queries)
        return Ranking(hits, ReturnedDocuments(documents), report)

    def retrieve(
        self, query: str, context: RAGContext | None = None
    ) -> tuple[RetrievedDocument, ...]:
        """Return the very documents that the strategy returned, put in order."""
        if not isinstance(query, str):
            raise TypeError(f"query: expected a string, found {type(query).__name__}")
        context = given_context(context)
        return tuple(
            document for _, document in self._ordered(self._asked(query, context), context)
        )

    def _asked(self, query: str, context: RAGContext) -> Sequence[RetrievedDocument]:
        try:
            return checked_documents(self.name, self._strategy.retrieve(query, context))
        except OctavoError:
            raise
        except Exception as error:
            raise ExecutionError(f"strategy {self.name!r}: raised {told(error)}") from error

    def _ordered(
        self, documents: Sequence[RetrievedDocument], context: RAGContext
    ) -> list[tuple[float, RetrievedDocument]]:
        """Return the admissible documents, best first, each once, at most ``max_results``."""
        scored = [(float(document.score), document) for document in documents]
        if any(score != score for score, _ in scored):  # noqa: PLR0124 - NaN alone is unlike itself
            raise ExecutionError(f"strategy {self.name!r}: returned a document with score NaN")
        best: dict[object, tuple[float, RetrievedDocument]] = {}
        for score, document in sorted(scored, key=lambda pair: -pair[0]):
            if score >= context.min_score and _matches(document, context):
                best.setdefault(identity_of(document), (score, document))
        return list(best.values())[: context.max_results]


def as_columnar(strategy: RAGStrategy) -> ColumnarStrategy:
    """Return octavo's own strategies as they are, and any other as a :class:`ReturnedStrategy`.

    Raises
    ------
    ConfigurationError
        It is no strategy: an object with ``name``, a string, and ``retrieve``.
    ExecutionError
        Reading its name raised.
    """
    if isinstance(strategy, ColumnarStrategy):
        return strategy
    return ReturnedStrategy(strategy, _name_of(strategy))


def _name_of(strategy: object) -> str:
    """Return the name; read once, and no protocol is asked, which would read it unprotected."""
    try:
        name = getattr(strategy, "name", _NOTHING)
        complete = name is not _NOTHING and callable(getattr(strategy, "retrieve", None))
    except OctavoError:
        raise
    except Exception as error:
        raise ExecutionError(
            f"strategy {type(strategy).__name__}: reading its name raised {told(error)}"
        ) from error
    if isinstance(strategy, type) or not complete:
        raise ConfigurationError(
            "strategy: expected an object with name and retrieve(query, context), "
            f"found {shown(strategy) if isinstance(strategy, type) else type(strategy).__name__}"
        )
    text = plain_text(name)
    if text is None:
        raise ConfigurationError(f"strategy: expected a name that is a string, found {shown(name)}")
    return text


def _matches(document: RetrievedDocument, context: RAGContext) -> bool:
    return all(
        document.metadata.get(key) == value for key, value in context.metadata_filters.items()
    )
