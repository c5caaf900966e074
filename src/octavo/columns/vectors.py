"""Vector columns in every Arrow list layout, as one dense array."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray, is_float_list
from octavo.columns.place import Place
from octavo.columns.text import plain
from octavo.errors import DimensionMismatchError, InvalidArgumentError, NonFiniteVectorError

MAX_DIMENSIONS: Final = 16_384


@dataclass(frozen=True, slots=True, eq=False)
class VectorBatch:
    """The vectors of one batch, as they came.

    Parameters
    ----------
    values
        Shape ``(n, d)``, C-order, finite; float32 from float16 and float32, float64 from float64,
        so that huge or tiny float64 values keep their direction until they are normalised. ``d``
        is 0 where every row is null and nothing tells the dimension.
    present
        bool, shape ``(n,)``; rows without a vector are zeros in ``values``.
    """

    values: NDArray[np.float32] | NDArray[np.float64]
    present: NDArray[np.bool_]

    @property
    def dimensions(self) -> int:
        """The number of dimensions, 0 where it is not known yet."""
        return int(self.values.shape[1])

    def __len__(self) -> int:
        return len(self.present)

    def take(self, positions: NDArray[np.int64]) -> "VectorBatch":
        """Return the vectors at some positions."""
        return VectorBatch(self.values[positions], self.present[positions])


def as_vectors(
    column: Array | ChunkedArray, place: Place, expected_dimensions: int | None = None
) -> VectorBatch:
    """Read fixed-size lists, lists, large lists or list views of float16/32/64; nulls stay.

    Raises
    ------
    InvalidArgumentError
        The column holds anything else, vectors of different lengths, of length 0 or above 16,384,
        or null inside a vector.
    NonFiniteVectorError
        A vector holds NaN or an infinity.
    DimensionMismatchError
        The vectors do not have ``expected_dimensions``.

    Examples
    --------
    >>> batch = as_vectors(pa.array([[1.0, 2.0], None]), Place("vector"))
    >>> batch.values.tolist(), batch.present.tolist()
    ([[1.0, 2.0], [0.0, 0.0]], [True, False])
    """
    array: Any = plain(column, place)
    rows = len(array)
    if pa.types.is_null(array.type):
        return VectorBatch(
            np.zeros((rows, expected_dimensions or 0), np.float32), np.zeros(rows, np.bool_)
        )
    if not is_float_list(array.type):
        raise InvalidArgumentError(
            f"{place}: expected vectors as lists of float16, float32 or float64, "
            f"found {column.type}"
        )
    present = array.is_valid().to_numpy(zero_copy_only=False)
    starts, lengths = _extents(array)
    dimensions = _dimensions(array.type, lengths, present, place, expected_dimensions)
    dtype = np.float64 if pa.types.is_float64(array.type.value_type) else np.float32
    values: NDArray[Any] = np.zeros((rows, dimensions), dtype)
    if dimensions and present.any():
        values[present] = _gathered(array.values, starts[present], dimensions, present, place)
    _check_finite(values, place)
    return VectorBatch(values, present)


def _extents(array: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # noqa: ANN401 - five kinds of list
    """Return start and length of each list within ``array.values``."""
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        starts = (np.arange(len(array), dtype=np.int64) + array.offset) * size
        return starts, np.full(len(array), size, np.int64)
    offsets = array.offsets.to_numpy().astype(np.int64)
    if pa.types.is_list_view(array.type) or pa.types.is_large_list_view(array.type):
        return offsets, array.sizes.to_numpy().astype(np.int64)
    return offsets[:-1], np.diff(offsets)


def _dimensions(
    dtype: pa.DataType,
    lengths: NDArray[np.int64],
    present: NDArray[np.bool_],
    place: Place,
    expected: int | None,
) -> int:
    fixed = dtype.list_size if pa.types.is_fixed_size_list(dtype) else None
    if fixed is None and not present.any():
        return expected or 0
    first = fixed if fixed is not None else int(lengths[present.argmax()])
    if not 1 <= first <= MAX_DIMENSIONS:
        where = place.rows([int(present.argmax())]) if fixed is None else f"{dtype}"
        raise InvalidArgumentError(
            f"{place}: expected vectors of 1 to {MAX_DIMENSIONS:,} dimensions, "
            f"found {first} ({where})"
        )
    ragged = np.flatnonzero(present & (lengths != first))
    if len(ragged):
        raise InvalidArgumentError(
            f"{place}: expected vectors of one length, found {first} values in "
            f"{place.rows([int(present.argmax())])} and {int(lengths[ragged[0]])} in "
            f"{place.rows(ragged[:1])}"
        )
    if expected is not None and first != expected:
        raise DimensionMismatchError(str(place), expected, first)
    return first


def _gathered(
    values: Array,
    starts: NDArray[np.int64],
    dimensions: int,
    present: NDArray[np.bool_],
    place: Place,
) -> NDArray[Any]:
    """Return the lists that begin at ``starts``, each of ``dimensions`` values, as rows."""
    count = len(starts)
    first, end = int(starts.min()), int(starts.max()) + dimensions
    places, odd = np.divmod(starts - first, dimensions)
    if odd.any():
        # Lists that overlap or leave gaps: possible with views and with values under nulls.
        inner = values.take(pa.array((starts[:, None] + np.arange(dimensions)).ravel()))
        places = np.arange(count)
    else:
        inner = values.slice(first, end - first)
    if inner.null_count:
        inside = inner.is_null().to_numpy(zero_copy_only=False).reshape(-1, dimensions)
        bad = np.flatnonzero(present)[inside[places].any(axis=1)]
        if len(bad):
            raise InvalidArgumentError(
                f"{place}: expected numbers inside vectors, found null in {place.rows(bad)}"
            )
    numbers: NDArray[Any] = inner.to_numpy(zero_copy_only=False)
    return numbers.reshape(-1, dimensions)[places]


def _check_finite(values: NDArray[Any], place: Place) -> None:
    # A sum is finite only if every term is, bar overflow; so the exact test is rarely needed.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise NonFiniteVectorError(
            f"{place}: expected finite vectors, found NaN or infinity in {place.rows(bad)}"
        )
