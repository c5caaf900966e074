"""A column of weights: numbers in any layout, or their text."""

import numpy as np
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray, compute
from octavo.columns.numbers import as_numbers
from octavo.columns.place import Place


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
    >>> import pyarrow as pa
    >>> as_weights(pa.array(["0.5", None]), Place("weight")).tolist()
    [0.5, 1.0]
    """
    real = as_numbers(column, place)
    weights: NDArray[np.float64] = compute.fill_null(real, 1.0).to_numpy(zero_copy_only=False)
    return None if bool((weights == 1.0).all()) else weights
