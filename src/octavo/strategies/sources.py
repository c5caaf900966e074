"""What a strategy needs of a store: ranked streams over rows, and the documents behind the rows.

A corpus on disk and the stores in memory both answer these, so a strategy never knows which it has.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.engines.report import SearchReport


@runtime_checkable
class DocumentSource(Protocol):
    """Rows that can be selected by metadata and read as documents."""

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the rows that are live and match every filter (S7)."""
        ...

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of ``rows``."""
        ...

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of ``rows``; their metadata dictionaries are the caller's to keep."""
        ...


@runtime_checkable
class KeywordSource(DocumentSource, Protocol):
    """Rows that can be ranked by the words of a query."""

    def rank_keyword(
        self, texts: Sequence[str], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query by BM25 (S21)."""
        ...


@runtime_checkable
class VectorSource(DocumentSource, Protocol):
    """Rows that can be ranked by the cosine of their vectors."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return the query vectors of ``texts``, shape ``(len(texts), dimensions)``."""
        ...

    def rank_vector(
        self, vectors: NDArray[np.floating], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query vector by cosine (S20)."""
        ...
