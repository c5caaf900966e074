"""A column of numbers in any layout, or of their text."""

import numpy as np
import pyarrow as pa

from octavo.columns.arrow_types import Array, ChunkedArray, compute, is_string, is_weight_like
from octavo.columns.place import Place
from octavo.columns.text import large_string, plain
from octavo.errors import InvalidArgumentError

_REAL = pa.float64()


def as_numbers(column: Array | ChunkedArray, place: Place) -> Array:
    """Read a column of numbers, or of their text, as float64; nulls stay.

    Large integers and decimals are rounded.

    Raises
    ------
    InvalidArgumentError
        The column holds anything else, or a number that is not finite.

    Examples
    --------
    >>> as_numbers(pa.array(["0.5", None]), Place("weight")).to_pylist()
    [0.5, None]
    """
    array = plain(column, place)
    if not is_weight_like(array.type):
        raise InvalidArgumentError(f"{place}: expected numbers, found {column.type}")
    real = _parsed(large_string(array), place) if is_string(array.type) else _real(array)
    values = compute.fill_null(real, 0.0).to_numpy(zero_copy_only=False)
    infinite = np.flatnonzero(~np.isfinite(values))
    if len(infinite):
        raise InvalidArgumentError(
            f"{place}: expected finite numbers, found {values[infinite[0]]} in {place.rows(infinite)}"
        )
    return real


def _real(array: Array) -> Array:
    real: Array = compute.cast(array, _REAL, safe=False)
    return real


def _parsed(texts: pa.LargeStringArray, place: Place) -> Array:
    try:
        real: Array = compute.cast(texts, _REAL)
    except pa.ArrowInvalid as error:
        wrong = [row for row, text in enumerate(texts.to_pylist()) if not _is_number(text)]
        shown = repr(texts[wrong[0]].as_py()) if wrong else str(error)
        raise InvalidArgumentError(
            f"{place}: expected numbers, found {shown} in {place.rows(wrong)}"
        ) from error
    return real


def _is_number(text: str | None) -> bool:
    try:
        compute.cast(pa.scalar(text, pa.large_string()), _REAL)
    except pa.ArrowInvalid:
        return False
    return True
