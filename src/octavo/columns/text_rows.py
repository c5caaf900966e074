"""Single values of large_string columns, straight from their buffers.

Building Python strings from a memory view costs a fraction of a microsecond; ``Table.take`` on
chunked strings concatenates first and costs milliseconds (measured.md 8).
"""

from collections.abc import Sequence

import pyarrow as pa

from octavo.columns.arrow_types import Array
from octavo.columns.buffers import RowPlaces

_NOTHING = memoryview(b"")
_SMALL_DICTIONARY = 65_536


class TextRows:
    """Row access to a column that is stored in batches.

    Parameters
    ----------
    arrays
        large_string arrays without an offset.

    Raises
    ------
    ValueError
        A buffer is shorter than the number of rows needs.

    Examples
    --------
    >>> TextRows([pa.array(["a", None], pa.large_string())]).values([1, 0])
    [None, 'a']
    """

    __slots__ = ("_parts", "_places")

    def __init__(self, arrays: Sequence[Array]) -> None:
        self._places = RowPlaces([len(array) for array in arrays])
        self._parts = [_views(array) for array in arrays]

    def values(self, rows: Sequence[int]) -> list[str | None]:
        """Return the values at ``rows``; undecodable bytes become U+FFFD.

        Raises
        ------
        IndexError
            A row is not in ``0 <= row < number of rows``.
        """
        return self.at(self._places.located(rows))

    def at(self, places: Sequence[tuple[int, int]]) -> list[str | None]:
        """Return the values at places, each a batch that exists and a place within it."""
        parts = self._parts
        found: list[str | None] = []
        for batch, place in places:
            offsets, data, validity = parts[batch]
            if validity is None or validity[place >> 3] >> (place & 7) & 1:
                found.append(str(data[offsets[place] : offsets[place + 1]], "utf-8", "replace"))
            else:
                found.append(None)
        return found


class DictionaryRows:
    """The values of a dictionary by code; a small dictionary is decoded once.

    Parameters
    ----------
    values
        The large_string dictionary.

    Raises
    ------
    ValueError
        A buffer is shorter than the number of values needs.

    Examples
    --------
    >>> DictionaryRows(pa.array(["a", "b"], pa.large_string())).values([1, -1, 7])
    ['b', None, None]
    """

    __slots__ = ("_count", "_text", "_words")

    def __init__(self, values: pa.LargeStringArray) -> None:
        self._count = len(values)
        self._text = TextRows([values])
        self._words: dict[int, str | None] | None = None

    def values(self, codes: Sequence[int]) -> list[str | None]:
        """Return the value of each code, ``None`` for a code that does not exist."""
        if self._count > _SMALL_DICTIONARY:
            known = [code for code in codes if 0 <= code < self._count]
            words = dict(zip(known, self._text.values(known), strict=True))
        elif self._words is None:
            words = self._words = dict(enumerate(self._text.values(range(self._count))))
        else:
            words = self._words
        return [words.get(code) for code in codes]


def _views(array: Array) -> tuple[memoryview, memoryview, memoryview | None]:
    """Return offsets, data and validity of a large_string array as memory views."""
    validity, offsets, data = array.buffers()
    length = len(array)
    if array.offset:
        raise ValueError("expected an array without an offset")
    if offsets is None or offsets.size < (length + 1) * 8:
        if length:
            raise ValueError(f"expected {length + 1} offsets, found a shorter buffer")
        return _NOTHING, _NOTHING, None
    if validity is not None and validity.size < (length + 7) // 8:
        raise ValueError(f"expected {length} validity bits, found a shorter buffer")
    return (
        memoryview(offsets)[: (length + 1) * 8].cast("q"),
        _NOTHING if data is None else memoryview(data),
        None if validity is None or array.null_count == 0 else memoryview(validity).cast("B"),
    )
