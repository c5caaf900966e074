"""String columns in every Arrow layout, brought to one: large_string without a dictionary."""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray, compute, is_string
from octavo.columns.place import Place
from octavo.errors import InvalidArgumentError

# White space as ``str.isspace`` has it; RE2's \s knows only ASCII.
_BLANK: Final = (
    "^[\\t-\\r\\x{1c}-\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}"
    "\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}]*$"
)


def plain(column: Array | ChunkedArray, place: Place) -> Array:
    """Return the column as one validated array without extension, dictionary or run-end encoding.

    The full validation also finds invalid UTF-8 and keeps damaged input files from crashing the
    process later. Linear in the size of the column.

    Raises
    ------
    InvalidArgumentError
        The array is not valid Arrow data, such as text that is not UTF-8.
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InvalidArgumentError(f"{place}: expected valid Arrow data, found: {error}") from error
    return _decoded(array)


def _decoded(array: Array) -> Array:
    if isinstance(array, pa.ExtensionArray):
        return _decoded(array.storage)
    if isinstance(array, pa.DictionaryArray):
        # Taking from string_view is not implemented, so the dictionary is decoded first.
        values = _decoded(array.dictionary)
        if is_string(values.type):
            values = values.cast(pa.large_string())
        return values.take(array.indices)
    if isinstance(array, pa.RunEndEncodedArray):
        return _decoded(compute.run_end_decode(array))
    return array


def movable(array: Array) -> Array:
    """Return the array in a layout that rows can be taken from, which not all have in Arrow.

    Examples
    --------
    >>> movable(pa.array(["a", "b"], pa.string_view())).take(pa.array([1])).to_pylist()
    ['b']
    """
    found = _decoded(array)
    return large_string(found) if is_string(found.type) else found


def large_string(array: Array) -> pa.LargeStringArray:
    """Return the array cast to large_string."""
    text: pa.LargeStringArray = compute.cast(array, pa.large_string())
    return text


def as_text(column: Array | ChunkedArray, place: Place) -> pa.LargeStringArray:
    """Read a column of strings, dictionaries of strings or nulls; nulls stay.

    Raises
    ------
    InvalidArgumentError
        The column holds anything else, or text that is not valid UTF-8.

    Examples
    --------
    >>> as_text(pa.array(["a", None]).dictionary_encode(), Place("text")).to_pylist()
    ['a', None]
    """
    array = plain(column, place)
    if is_string(array.type) or pa.types.is_null(array.type):
        return large_string(array)
    raise InvalidArgumentError(f"{place}: expected strings, found {column.type}")


def as_ids(column: Array | ChunkedArray, place: Place) -> pa.LargeStringArray:
    """Read a column of strings or integers as text; an integer becomes its decimal digits.

    Raises
    ------
    InvalidArgumentError
        The column holds anything else, or text that is not valid UTF-8.

    Examples
    --------
    >>> as_ids(pa.array([7, None, -1]), Place("id")).to_pylist()
    ['7', None, '-1']
    """
    array = plain(column, place)
    if is_string(array.type) or pa.types.is_null(array.type) or pa.types.is_integer(array.type):
        return large_string(array)
    raise InvalidArgumentError(f"{place}: expected strings or integers, found {column.type}")


def blank_rows(texts: pa.LargeStringArray) -> NDArray[np.uint64]:
    """Return the rows whose text is empty or white space.

    Examples
    --------
    >>> blank_rows(pa.array(["a", " ", None, ""], pa.large_string())).tolist()
    [1, 3]
    """
    rows: NDArray[np.uint64] = compute.indices_nonzero(
        compute.match_substring_regex(texts, _BLANK)
    ).to_numpy()
    return rows
