"""Metadata values as canonical text (S11), and their dictionary codes."""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray, compute, has_canonical_text, is_string
from octavo.columns.place import Place
from octavo.columns.text import large_string, plain
from octavo.errors import InvalidArgumentError

_MAX_CODES = 2**31 - 1

_LARGEST_EXACT: Final = float(2**53)
"""Up to here a float64 holds every whole number, as an integer column would."""


def canonical_text(column: Array | ChunkedArray, place: Place) -> pa.LargeStringArray:
    """Return the text by which metadata values are shown and filtered (S11).

    - strings as they are, blank ones too (no filter can name them, S4)
    - ``true`` and ``false``; integers in decimal digits; decimals with the digits of their scale
    - floats by the shortest text that reads back as the same number in their width: float32 0.1 is
      ``0.1``; a whole number has no point, and up to 2**53 no exponent, so 2023.0 equals the
      integer 2023; ``-0`` is ``0``; infinities are ``inf`` and ``-inf``
    - dates and times in ISO 8601; timestamps as ``2024-01-31T09:30:00.25Z``, in UTC with ``Z``
      where the column has a zone, without a suffix where it has none; no zeros at the end of a
      fraction
    - null, and NaN, which pandas writes for a missing number, is a missing key (null)

    Raises
    ------
    InvalidArgumentError
        The column holds lists, structs or another type without canonical text.
    """
    array = plain(column, place)
    dtype = array.type
    if is_string(dtype) or pa.types.is_null(dtype):
        return large_string(array)
    if pa.types.is_floating(dtype):
        return _float_text(array)
    if pa.types.is_timestamp(dtype):
        return _timestamp_text(array)
    if pa.types.is_time(dtype):
        return _without_end_zeros(large_string(array))
    if has_canonical_text(dtype):
        return large_string(array)
    raise InvalidArgumentError(
        f"{place}: expected metadata of strings, numbers, booleans or dates, found {column.type}"
    )


def _float_text(array: Array) -> pa.LargeStringArray:
    if pa.types.is_float16(array.type):
        return _half_text(array)
    nothing = pa.scalar(None, pa.large_string())
    text = large_string(array)  # Arrow prints the shortest text of float32 and float64
    # But whole numbers from 1e10 on with an exponent, and those of float32 with zeros for digits.
    exact = compute.less_equal(compute.abs(array), _LARGEST_EXACT)
    whole = compute.and_(exact, compute.equal(compute.floor(array), array))
    digits = large_string(compute.if_else(whole, array, 0.0).cast(pa.int64()))
    text = compute.if_else(whole, digits, text)
    text = compute.if_else(compute.equal(text, "-0"), pa.scalar("0", pa.large_string()), text)
    numbers: pa.LargeStringArray = compute.if_else(compute.is_nan(array), nothing, text)
    return numbers


def _half_text(array: Array) -> pa.LargeStringArray:
    # Arrow widens float16 before it prints, which is not the shortest text of a float16.
    bits, inverse = np.unique(
        compute.fill_null(array.cast(pa.float32()), np.nan)
        .to_numpy(zero_copy_only=False)
        .astype(np.float16),
        return_inverse=True,
    )
    texts = pa.array([_half(value) for value in bits], pa.large_string())
    return texts.take(pa.array(inverse, pa.int64()))


def _half(value: np.float16) -> str | None:
    number = float(value)
    if number != number:  # noqa: PLR0124 - NaN
        return None
    return str(int(number)) if number.is_integer() else str(value)


def _timestamp_text(array: Array) -> pa.LargeStringArray:
    if array.type.tz is not None:
        array = array.cast(pa.timestamp(array.type.unit, "UTC"))
    text = large_string(array)
    return _without_end_zeros(compute.replace_substring(text, " ", "T", max_replacements=1))


def _without_end_zeros(text: pa.LargeStringArray) -> pa.LargeStringArray:
    trimmed: pa.LargeStringArray = compute.replace_substring_regex(
        text, r"(?:\.0+|(\.\d*[1-9])0+)(Z?)$", r"\1\2"
    )
    return trimmed


class DictionaryEncoder:
    """Gives each distinct value of a column one int32 code, over many batches.

    Codes count from 0 in order of first appearance. Only the distinct values of a batch pass
    through Python. Memory grows with the number of distinct values.

    Examples
    --------
    >>> encoder = DictionaryEncoder()
    >>> encoder.encode(pa.array(["a", None, "b"], pa.large_string())).tolist()
    [0, -1, 1]
    >>> encoder.encode(pa.array(["b", "c"], pa.large_string())).tolist()
    [1, 2]
    >>> encoder.dictionary().to_pylist()
    ['a', 'b', 'c']
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    def encode(self, values: pa.LargeStringArray) -> NDArray[np.int32]:
        """Return the code of each value, -1 where it is null.

        Raises
        ------
        InvalidArgumentError
            There are more than 2**31 - 1 distinct values.
        """
        encoded = compute.dictionary_encode(values)
        codes = self._codes
        seen = [codes.setdefault(value, len(codes)) for value in encoded.dictionary.to_pylist()]
        if len(codes) > _MAX_CODES:
            raise InvalidArgumentError(
                f"metadata: expected at most {_MAX_CODES} distinct values in a column"
            )
        seen.append(-1)
        positions = compute.fill_null(encoded.indices, len(seen) - 1).to_numpy(zero_copy_only=False)
        result: NDArray[np.int32] = np.asarray(seen, np.int32)[positions]
        return result

    def code(self, value: str) -> int:
        """Return the code of a value; -1 where it has none."""
        return self._codes.get(value, -1)

    def dictionary(self) -> pa.LargeStringArray:
        """Return the values in the order of their codes."""
        return pa.array(self._codes, pa.large_string())
