"""What a strategy needs of a store: ranked streams over rows, and the documents behind the rows.

A corpus on disk and the stores in memory both answer these, so a strategy never knows which it has.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.engines.report import SearchReport
from octavo.errors import ConfigurationError

Source = TypeVar("Source")


def at_present(source: Source) -> Source:
    """Return a store as it is now, for one call of a strategy.

    A store that can change while a strategy reads it has ``snapshot()``, which gives a store of the
    same kind that does not; any other store is returned as it is.
    """
    snapshot: Any = getattr(source, "snapshot", None)
    return source if snapshot is None else cast("Source", snapshot())


class Documents(Protocol):
    """Documents behind the rows of a ranking."""

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of ``rows``, as results show them."""
        ...

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return what an index knows the documents by: the hierarchy id, else the entry id.

        Empty text where a document has neither.
        """
        ...

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of ``rows``; their metadata dictionaries are the caller's to keep."""
        ...


@runtime_checkable
class DocumentSource(Documents, Protocol):
    """A store: a fixed number of rows that can be selected, found by identity and read."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        ...

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the rows that are live and match every filter (S7)."""
        ...

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which rows come from an allowed source; ``None`` where nothing is fenced out."""
        ...

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each identity, -1 where there is none."""
        ...


@runtime_checkable
class KeywordSource(DocumentSource, Protocol):
    """Rows that can be ranked by the words of a query.

    Hybrid retrieval over many rows may ask from another thread than the caller's.
    """

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


def checked_source(name: str, source: Source, kind: type) -> Source:
    """Return a store if it has the methods of ``kind``, one of the protocols of this file.

    Properties are not looked at: ``isinstance`` reads them in Python 3.11, and to know its rows a
    store in memory has to write what changed.

    Raises
    ------
    ConfigurationError
        Naming the argument, the methods expected and what came.
    """
    methods = _methods(kind)
    missing = [method for method in methods if not callable(getattr(source, method, None))]
    if missing or isinstance(source, type):
        raise ConfigurationError(
            f"{name}: expected a {kind.__name__} (an object with {', '.join(methods)}), "
            f"found {type(source).__name__}"
        )
    return source


@cache
def _methods(kind: type) -> tuple[str, ...]:
    """Return the names of a protocol's public methods."""
    return tuple(
        member
        for member in dir(kind)
        if not member.startswith("_") and callable(getattr(kind, member))
    )
