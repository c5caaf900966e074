"""Whether a run is slower than an earlier one, by ratios and beyond their noise."""

import math
from dataclasses import dataclass

from octavo.benchmark.report import Report, Result

LEAST_CHANGE = 0.10
"""A ratio that grows by less than this share is never a regression."""
_DEVIATIONS = 3.0
_RECALL_LOST = 0.01


@dataclass(frozen=True, slots=True)
class Change:
    """How one figure of a measure moved.

    Parameters
    ----------
    name
        The measure.
    figure
        ``ratio``, or a fact such as ``recall``.
    old, new
        Its two values.
    allowed
        The worst new value that is no regression.
    regressed
        Whether the new one is worse than that.
    """

    name: str
    figure: str
    old: float
    new: float
    allowed: float
    regressed: bool


def compare(old: Report, new: Report) -> tuple[Change, ...]:
    """Return how the measures that both runs have moved.

    Times of different runs are never compared: a ratio has its baseline from the same moment of
    the same run. It may grow by three standard deviations of a round, of both runs together, and
    by a tenth in any case. Recall may fall by 0.01.

    Notes
    -----
    Runs on collections of different sizes have different ratios; measures are compared only where
    the collection is the same.
    """
    if old.collection != new.collection or old.dimensions != new.dimensions:
        return ()
    changes = []
    for result in new.results:
        before = old.find(result.name)
        if before is not None:
            changes.append(_ratio_change(before, result))
            changes += _recall_changes(before, result)
    return tuple(changes)


def _ratio_change(old: Result, new: Result) -> Change:
    noise = _DEVIATIONS * math.hypot(old.noise, new.noise)
    allowed = old.ratio * (1 + max(LEAST_CHANGE, noise))
    return Change(new.name, "ratio", old.ratio, new.ratio, allowed, new.ratio > allowed)


def _recall_changes(old: Result, new: Result) -> list[Change]:
    if "recall" not in old.facts or "recall" not in new.facts:
        return []
    before, after = old.facts["recall"], new.facts["recall"]
    allowed = before - _RECALL_LOST
    return [Change(new.name, "recall", before, after, allowed, after < allowed)]
