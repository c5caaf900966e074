"""Measures of rankings as arrays: one value a query, for all queries of a point at once.

The definitions are those of trec_eval, so the values are those that ir-measures gives.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError

Values = NDArray[np.float64]

_NAME: Final = re.compile(r"([A-Za-z]+)(?:@([1-9][0-9]{0,8}))?")
_ALIASES: Final = {"map": "AP", "mrr": "RR", "recall": "R", "precision": "P", "hit": "Success"}
_DEPTH: Final = 100
"""How many results of a query are looked at where a measure has no cutoff."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The grades of ranked documents, ragged by offsets, and of all judged documents.

    Parameters
    ----------
    offsets
        Query ``q`` owns the ranked documents ``offsets[q]:offsets[q + 1]``, best first.
    grades
        Of the ranked documents; 0 where nobody judged one.
    ideal_offsets, ideal_grades
        The same for all judged documents of each query, the best grades first.
    """

    offsets: NDArray[np.int64]
    grades: NDArray[np.int64]
    ideal_offsets: NDArray[np.int64]
    ideal_grades: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RankMetric:
    """A measure, such as ``nDCG@10``.

    Parameters
    ----------
    kind
        nDCG, AP, RR, P, R or Success.
    cutoff
        How many results of a query count; ``None`` counts all that there are.
    """

    kind: str
    cutoff: int | None

    @property
    def depth(self) -> int:
        """How many results of a query are needed."""
        return self.cutoff or _DEPTH

    def __str__(self) -> str:
        return self.kind if self.cutoff is None else f"{self.kind}@{self.cutoff}"

    def values(self, judged: Judged) -> Values:
        """Return the value of each query, 0 where it has no relevant document or no hit."""
        ranks, queries = _ranks(judged.offsets)
        kept = np.ones(len(ranks), np.bool_) if self.cutoff is None else ranks <= self.cutoff
        gains = np.maximum(judged.grades[kept], 0)
        return _KINDS[self.kind](_Counted(judged, gains, ranks[kept], queries[kept], self.cutoff))


def parse_metric(name: object) -> RankMetric:
    """Return the measure of a name.

    Raises
    ------
    InvalidArgumentError
        It is none of ``nDCG``, ``AP`` (``MAP``), ``RR`` (``MRR``), ``R``, each with or without
        ``@N``, or ``P@N`` and ``Success@N``.

    Examples
    --------
    >>> str(parse_metric("ndcg@10")), str(parse_metric("MAP"))
    ('nDCG@10', 'AP')
    """
    match = _NAME.fullmatch(name.strip()) if isinstance(name, str) else None
    known = {kind.lower(): kind for kind in _KINDS} | _ALIASES
    kind = known.get(match[1].lower()) if match else None
    cutoff = int(match[2]) if match and match[2] else None
    if kind is None or (cutoff is None and kind in ("P", "Success")):
        raise InvalidArgumentError(
            "metric: expected nDCG, AP, RR or R, or with a cutoff such as nDCG@10, P@5 or "
            f"Success@1, found {name!r}"
        )
    return RankMetric(kind, cutoff)


def _ranks(offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rank from 1 and the query of each position."""
    counts = np.diff(offsets)
    ranks = np.arange(1, int(offsets[-1]) + 1) - np.repeat(offsets[:-1], counts)
    return ranks, np.repeat(np.arange(len(counts)), counts)


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The ranked documents that count, each with its gain, its rank from 1 and its query."""

    judged: Judged
    gains: NDArray[np.int64]
    ranks: NDArray[np.int64]
    queries: NDArray[np.int64]
    cutoff: int | None

    def sums(self, values: NDArray[np.number | np.bool_]) -> Values:
        """Add up a value of each document for each query."""
        return _sums(values, self.queries, self.judged)

    @property
    def relevant(self) -> Values:
        """How many documents of each query are relevant, ranked or not."""
        return _sums(
            self.judged.ideal_grades > 0, _ranks(self.judged.ideal_offsets)[1], self.judged
        )


def _sums(
    values: NDArray[np.number | np.bool_], queries: NDArray[np.int64], judged: Judged
) -> Values:
    return np.bincount(queries, values, len(judged.offsets) - 1).astype(np.float64)


def _ratio(found: Values, possible: Values) -> Values:
    return np.divide(found, possible, out=np.zeros(len(found)), where=possible > 0)


def _ndcg(counted: _Counted) -> Values:
    """Jarvelin and Kekalainen, TOIS 2002: gain is the grade, discount ``log2(rank + 1)``."""
    judged, cutoff = counted.judged, counted.cutoff
    ranks, queries = _ranks(judged.ideal_offsets)
    within = np.ones(len(ranks), np.bool_) if cutoff is None else ranks <= cutoff
    ideal = np.maximum(judged.ideal_grades[within], 0) / np.log2(ranks[within] + 1)
    found = counted.sums(counted.gains / np.log2(counted.ranks + 1))
    return _ratio(found, _sums(ideal, queries[within], judged))


def _average_precision(counted: _Counted) -> Values:
    relevant = counted.gains > 0
    so_far = np.cumsum(relevant)
    firsts = np.flatnonzero(counted.ranks == 1)
    before = np.zeros(len(counted.judged.offsets) - 1, np.int64)
    before[counted.queries[firsts]] = so_far[firsts] - relevant[firsts]
    precision = (so_far - before[counted.queries]) / counted.ranks * relevant
    return _ratio(counted.sums(precision), counted.relevant)


def _reciprocal_rank(counted: _Counted) -> Values:
    best = np.zeros(len(counted.judged.offsets) - 1)
    np.maximum.at(best, counted.queries, (counted.gains > 0) / counted.ranks)
    return best


def _precision(counted: _Counted) -> Values:
    return counted.sums(counted.gains > 0) / (counted.cutoff or 1)


def _recall(counted: _Counted) -> Values:
    return _ratio(counted.sums(counted.gains > 0), counted.relevant)


def _success(counted: _Counted) -> Values:
    return (counted.sums(counted.gains > 0) > 0).astype(np.float64)


_KINDS: Mapping[str, Callable[[_Counted], Values]] = {
    "nDCG": _ndcg,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "P": _precision,
    "R": _recall,
    "Success": _success,
}
