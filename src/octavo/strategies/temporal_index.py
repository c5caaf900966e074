"""When documents are from, by identity: what temporal retrieval needs to know (S27)."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array
from octavo.columns.place import Place
from octavo.columns.timestamps import as_timestamps
from octavo.errors import InvalidArgumentError, TemporalError
from octavo.spi import RetrievedDocument, TemporalMetadata
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.clock import instant_text
from octavo.strategies.document_list import DocumentList
from octavo.strategies.sources import DocumentSource

Times: TypeAlias = tuple[NDArray[np.int64], NDArray[np.bool_]]
"""Microseconds since 1970 UTC, and where there are any."""

_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # the years 1 to 9999
_EXPECTED = (
    "an ISO-8601 instant with a zone between the years 1 and 9999, such as 2024-01-31T09:30:00Z"
)


class TemporalIndex:
    """The timestamps of documents, validated when the index is built.

    Parameters
    ----------
    documents
        Documents whose metadata may hold ``temporal.timestamp``: an ISO-8601 instant with ``Z`` or
        an offset. A document without one is undated. A document is known by its ``hierarchy.id``,
        else by its ``entryId``.

    Raises
    ------
    TemporalError
        A timestamp is no such instant (blank, without a zone, a leap second, an impossible date,
        ...), a document has no id, or one id has two timestamps; names the document.

    Examples
    --------
    >>> dated = {"entryId": "a", "temporal.timestamp": "2024-01-31T09:30:00Z"}
    >>> documents = [
    ...     RetrievedDocument("news", "wire", 0.0, dated),
    ...     RetrievedDocument("proverb", "wire", 0.0, {"entryId": "b"}),
    ... ]
    >>> ticks, present = TemporalIndex(documents).timestamps(np.array([0, 1]))
    >>> present.tolist()
    [True, False]
    """

    def __init__(self, documents: Iterable[RetrievedDocument]) -> None:
        listed = tuple(documents)
        store = DocumentList(listed)
        ticks, present = _read(listed, store)
        self._set(store, lambda rows: (ticks[rows], present[rows]))

    @classmethod
    def of_corpus(cls, snapshot: Snapshot) -> "TemporalIndex":
        """Return the timestamps of a corpus, read in place where they are asked for.

        Parameters
        ----------
        snapshot
            A corpus with a timestamp column (``corpus.keyword_index``).

        Raises
        ------
        TemporalError
            There is no timestamp column, or a value in it is damaged.

        Notes
        -----
        O(rows) to check that every timestamp is one; nothing of the size of the corpus is kept.
        """
        if not snapshot.has_timestamps:
            raise TemporalError(
                f"{snapshot.path}: the corpus has no timestamps; build it with timestamp= or "
                "--timestamp"
            )
        wrong = snapshot.timestamp_outside(_FIRST, _LAST)
        if wrong is not None:
            raise TemporalError(
                f"document {wrong!r}: expected a timestamp between the years 1 and 9999; the index "
                "is damaged"
            )
        index = cls.__new__(cls)
        index._set(snapshot, snapshot.timestamps)  # noqa: SLF001 - its own
        return index

    def _set(self, store: DocumentSource, read: Callable[[NDArray[np.int64]], Times]) -> None:
        self._store = store
        self._timestamps = read

    @property
    def store(self) -> DocumentSource:
        """The documents whose timestamps these are."""
        return self._store

    def timestamps(self, rows: NDArray[np.int64]) -> Times:
        """Return microseconds since 1970 UTC of rows of the store, and where there are any.

        Parameters
        ----------
        rows
            int64, shape ``(n,)``; -1 is a document that the index does not know, so undated.
        """
        known = rows >= 0
        if bool(known.all()):
            return self._timestamps(rows)
        ticks = np.zeros(len(rows), np.int64)
        present = np.zeros(len(rows), np.bool_)
        ticks[known], present[known] = self._timestamps(rows[known])
        return ticks, present


def _read(documents: Sequence[RetrievedDocument], store: DocumentList) -> Times:
    rows = np.arange(len(documents))
    identities = store.identities(rows)
    if "" in identities:
        raise TemporalError(
            f"document {identities.index('')} of the list: expected an entryId or a hierarchy.id "
            "in its metadata, found neither"
        )
    texts = [document.metadata.get(TemporalMetadata.TIMESTAMP) for document in documents]
    instants = _parsed(texts, identities)
    ticks = instants.fill_null(0).view(pa.int64()).to_numpy().astype(np.int64)
    present = instants.is_valid().to_numpy(zero_copy_only=False)
    last = store.rows_of(identities)
    again = np.flatnonzero((ticks[last] != ticks) | (present[last] != present))
    if len(again):
        first = int(again[0])
        found = [
            instant_text(int(ticks[row])) if present[row] else "none"
            for row in (first, last[first])
        ]
        raise TemporalError(
            f"document {identities[first]!r}: expected one timestamp, found {' and '.join(found)}"
        )
    return ticks, present


def _parsed(texts: Sequence[str | None], identities: Sequence[str]) -> Array:
    instants = _instants(texts)
    if isinstance(instants, pa.Array):
        return instants
    # Halve until one is left: values are read independently of each other.
    low, high = 0, len(texts)
    reason = instants
    while high - low > 1:
        middle = (low + high) // 2
        found = _instants(texts[low:middle])
        if isinstance(found, pa.Array):
            low = middle
        else:
            high, reason = middle, found
    raise TemporalError(
        f"document {identities[low]!r}: expected {TemporalMetadata.TIMESTAMP} to be {_EXPECTED}, "
        f"found {texts[low]!r}"
    ) from reason


def _instants(texts: Sequence[str | None]) -> Array | Exception:
    if not all(text is None or isinstance(text, str) for text in texts):
        return TypeError("expected strings")
    try:
        return as_timestamps(pa.array(texts, pa.large_string()), Place(TemporalMetadata.TIMESTAMP))
    except (InvalidArgumentError, UnicodeEncodeError) as error:
        return error
