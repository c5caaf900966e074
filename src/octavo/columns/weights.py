"""A column of weights: numbers in any layout, or their text."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray, compute, is_string, is_weight_like
from octavo.columns.place import Place
from octavo.columns.text import large_string, plain
from octavo.errors import InvalidArgumentError

_REAL = pa.float64()


def as_weights(column: Array | ChunkedArray, place: Place) -> NDArray[np.float64] | None:
    """Read a column of numbers, or of their text; null is 1.

    Returns
    -------
    NDArray[np.float64] or None
        ``None`` where every weight is 1.

    Raises
    ------
    InvalidArgumentError
        The column holds anything else, or a number that is not finite.

    Examples
    --------
    >>> as_weights(pa.array(["0.5", None]), Place("weight")).tolist()
    [0.5, 1.0]
    """
    array = plain(column, place)
    if not is_weight_like(array.type):
        raise InvalidArgumentError(f"{place}: expected numbers, found {column.type}")
    real = _parsed(large_string(array), place) if is_string(array.type) else _real(array)
    weights: NDArray[np.float64] = compute.fill_null(real, 1.0).to_numpy(zero_copy_only=False)
    infinite = np.flatnonzero(~np.isfinite(weights))
    if len(infinite):
        raise InvalidArgumentError(
            f"{place}: expected finite numbers, found {weights[infinite[0]]} "
            f"in {place.rows(infinite)}"
        )
    return None if bool((weights == 1.0).all()) else weights


def _real(array: Array) -> Array:
    real: Array = compute.cast(array, _REAL, safe=False)  # large integers are rounded
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
