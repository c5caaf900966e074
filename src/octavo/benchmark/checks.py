"""What a measure says when its results are wrong: a fast wrong answer is no figure."""

import numpy as np
from numpy.typing import ArrayLike

from octavo.errors import OctavoError


class IncorrectResultError(OctavoError):
    """A measured function returned something else than what the harness worked out itself."""


def require_equal(what: str, found: ArrayLike, expected: ArrayLike) -> None:
    """Check that two arrays hold the same values.

    Raises
    ------
    IncorrectResultError
        They do not.
    """
    if not np.array_equal(np.asarray(found), np.asarray(expected)):
        raise IncorrectResultError(f"{what}: differs from what the harness works out")


def require_close(what: str, found: ArrayLike, expected: ArrayLike, tolerance: float) -> None:
    """Check that two arrays hold the same values up to a relative and absolute tolerance.

    Raises
    ------
    IncorrectResultError
        They do not, or their shapes differ.
    """
    left, right = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if left.shape != right.shape or not np.allclose(left, right, rtol=tolerance, atol=tolerance):
        raise IncorrectResultError(
            f"{what}: differs by more than {tolerance:g} from what the harness works out"
        )


def require_share(what: str, share: float, least: float) -> float:
    """Return ``share`` where it is at least ``least``.

    Raises
    ------
    IncorrectResultError
        It is not.
    """
    if not share >= least:
        raise IncorrectResultError(f"{what}: expected at least {least:g}, found {share:.4f}")
    return share
