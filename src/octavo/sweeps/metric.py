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
        return _KINDS[self.kind](gains, ranks[kept], queries[kept], judged, self.cutoff)


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


def _sums(
    values: NDArray[np.number | np.bool_], queries: NDArray[np.int64], judged: Judged
) -> Values:
    return np.bincount(queries, values, len(judged.offsets) - 1).astype(np.float64)


def _ratio(found: Values, possible: Values | NDArray[np.int64]) -> Values:
    return np.divide(found, possible, out=np.zeros(len(found)), where=possible > 0)


def _relevant(judged: Judged) -> NDArray[np.int64]:
    queries = _ranks(judged.ideal_offsets)[1]
    return np.bincount(queries, judged.ideal_grades > 0, len(judged.offsets) - 1).astype(np.int64)


def _ndcg(
    gains: NDArray[np.int64],
    ranks: NDArray[np.int64],
    queries: NDArray[np.int64],
    judged: Judged,
    cutoff: int | None,
) -> Values:
    """Jarvelin and Kekalainen, TOIS 2002: gain is the grade, discount ``log2(rank + 1)``."""
    ideal_ranks, ideal_queries = _ranks(judged.ideal_offsets)
    within = np.ones(len(ideal_ranks), np.bool_) if cutoff is None else ideal_ranks <= cutoff
    ideal = np.maximum(judged.ideal_grades[within], 0) / np.log2(ideal_ranks[within] + 1)
    found = _sums(gains / np.log2(ranks + 1), queries, judged)
    return _ratio(found, _sums(ideal, ideal_queries[within], judged))


def _average_precision(
    gains: NDArray[np.int64],
    ranks: NDArray[np.int64],
    queries: NDArray[np.int64],
    judged: Judged,
    cutoff: int | None,
) -> Values:
    del cutoff
    relevant = gains > 0
    so_far = np.cumsum(relevant)
    firsts = np.flatnonzero(ranks == 1)
    before = np.zeros(len(judged.offsets) - 1, np.int64)
    before[queries[firsts]] = so_far[firsts] - relevant[firsts]
    precision = (so_far - before[queries]) / ranks * relevant
    return _ratio(_sums(precision, queries, judged), _relevant(judged))


def _reciprocal_rank(
    gains: NDArray[np.int64],
    ranks: NDArray[np.int64],
    queries: NDArray[np.int64],
    judged: Judged,
    cutoff: int | None,
) -> Values:
    del cutoff
    best = np.zeros(len(judged.offsets) - 1)
    np.maximum.at(best, queries, (gains > 0) / ranks)
    return best


def _precision(
    gains: NDArray[np.int64],
    ranks: NDArray[np.int64],
    queries: NDArray[np.int64],
    judged: Judged,
    cutoff: int | None,
) -> Values:
    del ranks
    return _sums(gains > 0, queries, judged) / (cutoff or 1)


def _recall(
    gains: NDArray[np.int64],
    ranks: NDArray[np.int64],
    queries: NDArray[np.int64],
    judged: Judged,
    cutoff: int | None,
) -> Values:
    del ranks, cutoff
    return _ratio(_sums(gains > 0, queries, judged), _relevant(judged))


def _success(
    gains: NDArray[np.int64],
    ranks: NDArray[np.int64],
    queries: NDArray[np.int64],
    judged: Judged,
    cutoff: int | None,
) -> Values:
    del ranks, cutoff
    return (_sums(gains > 0, queries, judged) > 0).astype(np.float64)


_KINDS: Mapping[
    str,
    Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Judged, int | None], Values],
] = {
    "nDCG": _ndcg,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "P": _precision,
    "R": _recall,
    "Success": _success,
}
