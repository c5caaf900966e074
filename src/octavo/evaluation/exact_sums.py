"""Sums that are the same whoever adds them up: values rounded until no sum of them rounds."""

import numpy as np
from numpy.typing import NDArray

_BITS = 52
"""Of the 53 that a float64 has; one is left for what rounding adds."""


def summable(values: NDArray[np.float64], terms: int) -> NDArray[np.float64]:
    """Round values so that float64 adds them up exactly, in whatever order.

    A library of matrices adds in an order that depends on the processor, so its sums differ in
    their last bits from one machine to another. Sums of what this gives do not.

    Parameters
    ----------
    values
        Shape ``(rows, values)``; each row is rounded on its own.
    terms
        How many values of a row are added at most, each as often as it is taken, with either sign.

    Returns
    -------
    NDArray[np.float64]
        Multiples of a power of two, the largest for which ``terms`` of the largest value are below
        2**52 of it: a value moves by less than ``terms * largest / 2**51``.

    Examples
    --------
    >>> one, two, three = summable(np.array([[0.1, 0.2, 0.3]]), 3)[0].tolist()
    >>> 0.1 + 0.2 + 0.3 == 0.1 + (0.2 + 0.3), one + two + three == one + (two + three)
    (False, True)
    """
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    exponents = np.frexp(largest * terms)[1]
    units = np.maximum(np.ldexp(1.0, exponents - _BITS), np.finfo(np.float64).smallest_subnormal)
    rounded: NDArray[np.float64] = np.rint(values / units) * units
    return rounded
