"""Which rows match metadata filters: booleans from dictionary codes, cached (S7, S11)."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Final, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import compute
from octavo.columns.selection import Selection

ENTRY_ID: Final = "entryId"
DEFAULT_CACHE_BYTES: Final = 64 << 20


class FilterSegment(Protocol):
    """What a segment must tell; :class:`octavo.columns.documents.DocumentColumns` does."""

    rows: int

    @property
    def keys(self) -> tuple[str, ...]:
        """The metadata keys."""
        ...

    def codes(self, key: str) -> Sequence[NDArray[np.int32]]:
        """Return the codes of a key for all rows, in pieces; -1 is missing."""
        ...

    def dictionary(self, key: str) -> pa.LargeStringArray:
        """Return the values of a key in code order."""
        ...


class FilterIndex:
    """Turns filters into the rows they admit; safe to share between threads.

    Parameters
    ----------
    segments
        The segments in row order.
    rows_of_id
        Gives the live rows whose document has an id: none, or one. Serves the key ``entryId``.
    live
        One boolean a row, which nobody changes; ``None`` where every row is live.
    cache_bytes
        The largest total size of the remembered results; one costs a byte a row. The least
        recently used go first.
    """

    def __init__(
        self,
        segments: Sequence[FilterSegment],
        rows_of_id: Callable[[str], Sequence[int]],
        *,
        live: NDArray[np.bool_] | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> None:
        self._segments = tuple(segments)
        self._rows_of_id = rows_of_id
        self._live = live
        self.rows = sum(segment.rows for segment in self._segments)
        self._capacity = cache_bytes // max(1, self.rows)
        self._cache: OrderedDict[tuple[tuple[str, str], ...], Selection] = OrderedDict()
        self._lock = Lock()

    @cached_property
    def _unfiltered(self) -> Selection:
        if self._live is None:
            return Selection.everything(self.rows)
        return Selection.of(self._live)

    def selection(self, filters: Mapping[str, str]) -> Selection:
        """Return the live rows that match every filter.

        Equality is exact and case-sensitive; an unknown key or value admits nothing. A first call
        is linear in the number of rows; the booleans are read-only and shared.

        Parameters
        ----------
        filters
            Values by metadata key or ``entryId``.
        """
        if not filters:
            return self._unfiltered
        key = tuple(sorted(filters.items()))
        matching = self._remembered(key)
        if matching is None:
            matching = self._matching(key)
            self._remember(key, matching)
        return matching

    def _matching(self, filters: tuple[tuple[str, str], ...]) -> Selection:
        admitted = np.ones(self.rows, np.bool_) if self._live is None else self._live.copy()
        for key, value in filters:
            if key == ENTRY_ID:
                only = np.zeros(self.rows, np.bool_)
                only[np.asarray(self._rows_of_id(value), np.int64)] = True
                admitted &= only
            else:
                self._restrict(admitted, key, value)
        admitted.flags.writeable = False  # shared by every search that asks for it
        return Selection.of(admitted, dict(filters))

    def _restrict(self, admitted: NDArray[np.bool_], key: str, value: str) -> None:
        start = 0
        for segment in self._segments:
            code = _code(segment, key, value)
            if code < 0:
                admitted[start : start + segment.rows] = False
                start += segment.rows
                continue
            for codes in segment.codes(key):
                admitted[start : start + len(codes)] &= codes == code
                start += len(codes)

    def _remembered(self, key: tuple[tuple[str, str], ...]) -> Selection | None:
        with self._lock:
            found = self._cache.get(key)
            if found is not None:
                self._cache.move_to_end(key)
            return found

    def _remember(self, key: tuple[tuple[str, str], ...], selection: Selection) -> None:
        with self._lock:
            self._cache[key] = selection
            self._cache.move_to_end(key)
            while len(self._cache) > self._capacity:
                self._cache.popitem(last=False)


def _code(segment: FilterSegment, key: str, value: str) -> int:
    """Return the code of a value, -1 where the segment does not have it."""
    if key not in segment.keys:
        return -1
    try:
        wanted = pa.scalar(value, pa.large_string())
    except UnicodeEncodeError:  # a lone surrogate: no stored text holds one
        return -1
    return int(compute.index(segment.dictionary(key), wanted).as_py())
