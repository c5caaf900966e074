"""Arrow text as flat NumPy buffers, and back, without copying."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError

if TYPE_CHECKING:  # pyarrow's classes take parameters in their stubs only
    ArrowArray: TypeAlias = pa.Array[Any] | pa.ChunkedArray[Any]
else:
    ArrowArray: TypeAlias = pa.Array | pa.ChunkedArray


@dataclass(frozen=True, slots=True, eq=False)
class TextBuffers:
    """Rows of UTF-8 text in one buffer.

    Parameters
    ----------
    data
        uint8: the bytes of all rows.
    offsets
        int64[n + 1]: where each of ``n`` rows begins in ``data``.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]


def text_buffers(texts: pa.LargeStringArray) -> TextBuffers:
    """Return the buffers of an array without nulls; slices are honoured, nothing is copied."""
    rows = len(texts)
    if rows == 0:
        return TextBuffers(np.empty(0, np.uint8), np.zeros(1, np.int64))
    _, offsets_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(memoryview(offsets_buffer), np.int64, rows + 1, 8 * texts.offset)  # type: ignore[arg-type]
    if data_buffer is None or data_buffer.size == 0:
        return TextBuffers(np.empty(0, np.uint8), offsets)
    return TextBuffers(np.frombuffer(memoryview(data_buffer), np.uint8), offsets)


def text_array(buffers: TextBuffers) -> pa.LargeStringArray:
    """Return the rows as an Arrow array over the same memory."""
    rows = buffers.offsets.shape[0] - 1
    memory = [None, pa.py_buffer(buffers.offsets), pa.py_buffer(buffers.data)]  # type: ignore[arg-type]
    return cast("pa.LargeStringArray", pa.Array.from_buffers(pa.large_string(), rows, memory))


def as_large_strings(texts: ArrowArray, what: str = "texts") -> pa.LargeStringArray:
    """Return any Arrow text as one large_string array without nulls (null becomes empty).

    Raises
    ------
    InvalidArgumentError
        The values are no strings.
    """
    value_type = texts.type.value_type if pa.types.is_dictionary(texts.type) else texts.type
    textual = (
        pa.types.is_string(value_type)
        or pa.types.is_large_string(value_type)
        or pa.types.is_string_view(value_type)
        or pa.types.is_null(value_type)
    )
    if not textual:
        raise InvalidArgumentError(
            f"{what}: expected an Arrow array of strings, found {texts.type}"
        )
    large = texts.cast(pa.large_string())
    if isinstance(large, pa.ChunkedArray):
        large = pa.concat_arrays(large.chunks) if large.num_chunks else pa.array([], large.type)
    filled = pc.fill_null(large, pa.scalar("", pa.large_string())) if large.null_count else large
    return cast("pa.LargeStringArray", filled)
