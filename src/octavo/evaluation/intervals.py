"""How far a mean over queries would move, had other queries of the kind been asked."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.evaluation.exact_sums import summable

RESAMPLES: Final = 10_000
CONFIDENCE: Final = 0.95
SEED: Final = 0
_BLOCK_VALUES: Final = 1 << 21


def bootstrap_intervals(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return confidence intervals of means, by the percentile bootstrap over queries.

    10,000 times as many queries are drawn, with replacement, as there are, the same at every call
    and for every row, so that intervals of differences are those of paired queries.

    Parameters
    ----------
    values
        Shape ``(rows, queries)``, at least one query.

    Returns
    -------
    NDArray[np.float64]
        Shape ``(rows, 2)``: the bounds between which 95 % of the means lie. One query alone says
        nothing of others: its bounds are its value. A row's bounds depend on the row alone, to the
        last bit and on any machine.

    Notes
    -----
    Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006. O(resamples x queries
    x rows).

    Examples
    --------
    >>> bootstrap_intervals(np.array([[0.5, 0.5, 0.5]])).tolist()
    [[0.5, 0.5]]
    """
    rows, queries = values.shape
    random = np.random.default_rng(SEED)
    # Of equal values the mean is the value; sums of a thousand of them would be a bit beside it.
    centre = values.mean(axis=1, keepdims=True)
    centre = np.where(np.ptp(values, axis=1, keepdims=True) == 0, values[:, :1], centre)
    distances = summable(values - centre, queries)
    means = np.empty((RESAMPLES, rows))
    step = max(1, _BLOCK_VALUES // queries)
    for start in range(0, RESAMPLES, step):
        count = min(step, RESAMPLES - start)
        drawn = random.integers(0, queries, (count, queries))
        drawn += np.arange(count)[:, None] * queries
        times = np.bincount(drawn.ravel(), minlength=count * queries).reshape(count, queries)
        means[start : start + count] = times.astype(np.float64) @ distances.T / queries
    tail = (1 - CONFIDENCE) / 2
    bounds: NDArray[np.float64] = centre + np.quantile(means, [tail, 1 - tail], axis=0).T
    return bounds
