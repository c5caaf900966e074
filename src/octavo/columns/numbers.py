"""A column of numbers in any layout, or of their text."""

import numpy as np
import pyarrow as pa

from octavo.columns.arrow_types import Array, ChunkedArray, compute, is_string, is_weight_like
from octavo.columns.place import Place
from octavo.columns.text import large_string, plain
from octavo.errors import InvalidArgumentError

_REAL = pa.float64()
_WHOLE = pa.int64()
_EXACT = 2**53
"""Up to it float64 tells all integers apart."""


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


def as_whole_numbers(column: Array | ChunkedArray, place: Place) -> Array:
    """Read a column of whole numbers, or of their text, as int64 without rounding; nulls stay.

    Raises
    ------
    InvalidArgumentError
        The column holds anything else: a fraction, an integer beyond int64, or a float so large
        that it may have been another integer.

    Examples
    --------
    >>> as_whole_numbers(pa.array(["9007199254740993", None]), Place("rank")).to_pylist()
    [9007199254740993, None]
    """
    array = plain(column, place)
    try:
        if is_string(array.type) or pa.types.is_integer(array.type):
            exact: Array = compute.cast(array, _WHOLE)
            return exact
    except pa.ArrowInvalid:
        pass  # such as 1.0, or what is no number, which is told below
    real = as_numbers(array, place)
    values = compute.fill_null(real, 0.0).to_numpy(zero_copy_only=False)
    wrong = np.flatnonzero((values != np.rint(values)) | (np.abs(values) > _EXACT))
    if len(wrong):
        raise InvalidArgumentError(
            f"{place}: expected whole numbers that fit 64 bits (as floats, 53), found "
            f"{array[int(wrong[0])].as_py()} in {place.rows(wrong)}"
        )
    whole: Array = compute.cast(real, _WHOLE)
    return whole


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
