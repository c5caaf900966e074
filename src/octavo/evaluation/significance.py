"""Whether one system is better than another, or only luckier with these queries."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.evaluation.exact_sums import summable

FLIPS: Final = 100_000
EXACT_QUERIES: Final = 16
SEED: Final = 0
_BLOCK_VALUES: Final = 1 << 22


def paired_p_values(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return two-sided p values by Fisher's paired randomisation test.

    If two systems were alike, each query's difference could as well have the other sign. The test
    statistic is the mean difference; p is how often signs flipped at random give one at least as
    far from zero. With up to 16 queries that differ every flip is tried and p is exact; else 100,000
    are drawn, the same at every call, and p is ``(extreme + 1) / (flips + 1)``.

    Parameters
    ----------
    differences
        Shape ``(comparisons, queries)``: a system's values less another's.

    Returns
    -------
    NDArray[np.float64]
        One p value a comparison; 1 where nothing differs.

    Notes
    -----
    Smucker, Allan and Carterette, "A comparison of statistical significance tests for information
    retrieval evaluation", CIKM 2007. O(flips x queries x comparisons) multiplications.

    Examples
    --------
    >>> paired_p_values(np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])).tolist()
    [0.25, 1.0]
    """
    p_values = np.ones(len(differences))
    varying = np.count_nonzero(differences, axis=1)
    for row in np.flatnonzero((varying > 0) & (varying <= EXACT_QUERIES)):
        p_values[row] = _exact(differences[row][differences[row] != 0])
    drawn = np.flatnonzero(varying > EXACT_QUERIES)
    if len(drawn):
        p_values[drawn] = _drawn(differences[drawn])
    return p_values


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return p values corrected for how many there are, by Holm's step-down method.

    Calling significant what is below 0.05 then errs, over all comparisons together, with a
    probability of at most 0.05, whatever depends on what.

    Notes
    -----
    Holm, "A simple sequentially rejective multiple test procedure", 1979.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return corrected


def _exact(differences: NDArray[np.float64]) -> float:
    sums = np.zeros(1)
    for each in differences:
        sums = np.concatenate([sums + each, sums - each])
    return float(np.count_nonzero(_is_extreme(sums, differences.sum(), differences)) / len(sums))


def _drawn(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    queries = differences.shape[1]
    differences = summable(differences, queries)
    random = np.random.default_rng(SEED)
    observed = differences.sum(axis=1)
    extreme = np.zeros(len(differences), np.int64)
    step = max(1, _BLOCK_VALUES // queries)
    for start in range(0, FLIPS, step):
        count = min(step, FLIPS - start)
        bits = np.unpackbits(np.frombuffer(random.bytes(count * (queries + 7 & ~7) // 8), np.uint8))
        signs = bits.reshape(count, -1)[:, :queries] * 2.0 - 1.0
        sums = signs @ differences.T
        extreme += np.count_nonzero(_is_extreme(sums, observed, differences.T), axis=0)
    p_values: NDArray[np.float64] = (extreme + 1) / (FLIPS + 1)
    return p_values


def _is_extreme(
    sums: NDArray[np.float64],
    observed: NDArray[np.float64] | float,
    differences: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Whether sums are as far from zero as the observed; rounding is no distance."""
    slack = 1e-12 * np.abs(differences).sum(axis=0)
    extreme: NDArray[np.bool_] = np.abs(sums) >= np.abs(observed) - slack
    return extreme
