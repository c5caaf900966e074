"""What the best of many settings is worth on queries that did not choose it."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError, checked_count


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """A cross-validated estimate.

    Parameters
    ----------
    values
        float64, one a query: that of the point which all other folds chose.
    folds
        The fold of each query, from 0.
    chosen
        The number of the point that was chosen without each fold.
    """

    values: NDArray[np.float64]
    folds: NDArray[np.int64]
    chosen: tuple[int, ...]

    @property
    def value(self) -> float:
        """The mean over all queries."""
        return float(self.values.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of :attr:`value`, over queries; 0 for one query."""
        return standard_error(self.values)


def folds_of(query_ids: list[str], number: int) -> NDArray[np.int64]:
    """Return the fold of each query: equal in size up to one, by the digest of its id.

    The same queries are in the same folds always and everywhere, in whatever order they come.

    Raises
    ------
    InvalidArgumentError
        There are fewer than two folds, or fewer queries than folds.
    """
    checked_count("folds", number, 2)
    if len(query_ids) < number:
        raise InvalidArgumentError(
            f"folds: expected at most the {len(query_ids)} queries, found {number}"
        )
    digests = [blake2b(query.encode("utf-8", "surrogatepass")).digest() for query in query_ids]
    order = sorted(range(len(query_ids)), key=lambda place: (digests[place], query_ids[place]))
    folds = np.empty(len(query_ids), np.int64)
    folds[order] = np.arange(len(query_ids)) % number
    return folds


def cross_validated(values: NDArray[np.float64], folds: NDArray[np.int64]) -> HeldOut:
    """Choose the best point on all folds but one, and look at it on that one, for each fold.

    Parameters
    ----------
    values
        float64, shape ``(points, queries)``.
    folds
        The fold of each query.

    Notes
    -----
    Of equally good points the first is chosen. O(points * queries).
    """
    estimate = np.empty(values.shape[1])
    chosen = []
    for fold in range(int(folds.max()) + 1):
        inside = folds == fold
        best = best_point(values[:, ~inside])
        estimate[inside] = values[best, inside]
        chosen.append(best)
    return HeldOut(estimate, folds, tuple(chosen))


def best_point(values: NDArray[np.float64]) -> int:
    """Return the point with the largest mean over queries, the first of equals."""
    return int(values.mean(axis=1).argmax())


def standard_error(values: NDArray[np.float64]) -> float:
    """Return the standard error of a mean over queries; 0 for one query."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
