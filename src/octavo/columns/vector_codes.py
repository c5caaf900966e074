"""8-bit codes of stored vectors, which a scan reads instead of the vectors themselves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BOUND_VALUES = 2  # the scale of a vector, and the length of its rest
_CHUNK = 64  # codes are padded to whole registers
_MOST_DIMENSIONS = 16_384  # for which the bounds are proven


@dataclass(frozen=True, slots=True, eq=False)
class VectorCodes:
    """Codes of consecutive vectors, with a proven bound on what each has lost.

    Parameters
    ----------
    codes
        uint8, shape ``(n, code_width(dimensions))``, C-contiguous.
    bounds
        float32, shape ``(n, 2)``: scale and length of the rest of each vector, as
        :func:`octavo.kernels.vector_codes.encode_vectors` makes them.

    Notes
    -----
    Codes only nominate. Damage can hide a hit, but it never invents one or changes a score.
    """

    codes: NDArray[np.uint8]
    bounds: NDArray[np.float32]


def code_width(dimensions: int) -> int:
    """Return how many bytes the code of a vector takes."""
    return -(-dimensions // _CHUNK) * _CHUNK


def worth_coding(dimensions: int) -> bool:
    """Whether codes are proven for so many dimensions, and at most half the size of the vectors."""
    return 2 * (code_width(dimensions) + 4 * BOUND_VALUES) <= 4 * dimensions <= 4 * _MOST_DIMENSIONS
