"""Names for Arrow things, and questions about Arrow types that are asked in several places."""

from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute

if TYPE_CHECKING:
    Array: TypeAlias = pa.Array[Any]
    ChunkedArray: TypeAlias = pa.ChunkedArray[Any]
else:
    Array = pa.Array
    ChunkedArray = pa.ChunkedArray

compute: Any = pyarrow.compute
"""``pyarrow.compute`` without its stubs, which know fewer types than the kernels take."""


def is_string(dtype: pa.DataType) -> bool:
    """Whether values are UTF-8 text in any layout without a dictionary."""
    return bool(
        pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or _is_string_view(dtype)
    )


def is_text_like(dtype: pa.DataType) -> bool:
    """Whether a column can be read as text: strings, dictionaries of strings, or only nulls."""
    dtype = value_type(dtype)
    return is_string(dtype) or bool(pa.types.is_null(dtype))


def is_id_like(dtype: pa.DataType) -> bool:
    """Whether a column can be read as ids: text or integers."""
    return is_text_like(dtype) or bool(pa.types.is_integer(value_type(dtype)))


def is_weight_like(dtype: pa.DataType) -> bool:
    """Whether a column can be read as weights: numbers, text of numbers, or only nulls."""
    plain = value_type(dtype)
    return is_text_like(plain) or bool(
        pa.types.is_integer(plain) or pa.types.is_floating(plain) or pa.types.is_decimal(plain)
    )


def is_vector_like(dtype: pa.DataType) -> bool:
    """Whether a column can be read as vectors: lists of floats in any layout, or only nulls."""
    plain = value_type(dtype)
    return bool(pa.types.is_null(plain)) or is_float_list(plain)


def is_float_list(dtype: Any) -> bool:  # noqa: ANN401 - likewise
    """Whether values are lists of floats, or lists of only nulls."""
    return is_list(dtype) and bool(
        pa.types.is_floating(dtype.value_type) or pa.types.is_null(dtype.value_type)
    )


def is_time_like(dtype: pa.DataType) -> bool:
    """Whether a column can be read as instants: timestamps, dates or text."""
    plain = value_type(dtype)
    return is_text_like(plain) or bool(pa.types.is_timestamp(plain) or pa.types.is_date(plain))


def has_canonical_text(dtype: pa.DataType) -> bool:
    """Whether values can be metadata: text, booleans, numbers, dates, times (S11)."""
    plain = value_type(dtype)
    return is_time_like(plain) or bool(
        pa.types.is_boolean(plain)
        or pa.types.is_integer(plain)
        or pa.types.is_floating(plain)
        or pa.types.is_decimal(plain)
        or pa.types.is_time(plain)
    )


def is_list(dtype: pa.DataType) -> bool:
    """Whether values are lists in any layout."""
    return bool(
        pa.types.is_list(dtype)
        or pa.types.is_large_list(dtype)
        or pa.types.is_fixed_size_list(dtype)
        or pa.types.is_list_view(dtype)
        or pa.types.is_large_list_view(dtype)
    )


def value_type(dtype: Any) -> Any:  # noqa: ANN401 - the stubs hide value_type
    """Return the type of the values under extension, dictionary and run-end encoding."""
    while True:
        if isinstance(dtype, pa.BaseExtensionType):
            dtype = dtype.storage_type
        elif pa.types.is_dictionary(dtype) or pa.types.is_run_end_encoded(dtype):
            dtype = dtype.value_type
        else:
            return dtype


def _is_string_view(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(dtype))
