"""Checks on what a vector search is given, all made before native code runs."""

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.errors import DimensionMismatchError, InvalidArgumentError, NonFiniteVectorError
from octavo.kernels.unit_length import unit_length


def unit_queries(queries: NDArray[np.floating], dimensions: int) -> NDArray[np.float32]:
    """Return the queries at unit length, as stored vectors are; a zero query stays zero.

    Raises
    ------
    InvalidArgumentError
        ``queries`` is no two-dimensional array of float16, float32 or float64.
    DimensionMismatchError
        The queries have another number of dimensions than the index.
    NonFiniteVectorError
        A query holds NaN or an infinity.
    """
    if not isinstance(queries, np.ndarray) or queries.dtype.kind != "f" or queries.ndim != 2:
        found = (
            f"shape {queries.shape} of {queries.dtype}"
            if isinstance(queries, np.ndarray)
            else type(queries).__name__
        )
        raise InvalidArgumentError(
            f"query vectors: expected a float array of shape (queries, {dimensions}), found {found}"
        )
    if queries.dtype.itemsize > 8:
        raise InvalidArgumentError(
            f"query vectors: expected float16, float32 or float64, found {queries.dtype}"
        )
    if queries.shape[1] != dimensions:
        raise DimensionMismatchError("query vectors", dimensions, queries.shape[1])
    finite = np.isfinite(queries)
    if not finite.all():
        query, column = (int(index) for index in np.argwhere(~finite)[0])
        raise NonFiniteVectorError(
            f"query vectors: expected finite values, found {queries[query, column]} "
            f"in query {query}, dimension {column}"
        )
    return unit_length(queries)


def admitted_rows(selection: Selection | None, rows: int) -> NDArray[np.bool_] | None:
    """Return one boolean a row, or ``None`` where every row is admitted.

    Raises
    ------
    InvalidArgumentError
        The selection was made for another number of rows.
    """
    if selection is None or selection.admitted is None:
        return None
    if selection.admitted.shape != (rows,) or selection.admitted.dtype != np.bool_:
        raise InvalidArgumentError(
            f"selection: expected {rows} booleans, found shape {selection.admitted.shape} "
            f"of {selection.admitted.dtype}"
        )
    return selection.admitted
