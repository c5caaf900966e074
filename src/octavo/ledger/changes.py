"""The hits of the same queries in two results, and what became of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.ledger.attribution import Attribution
from octavo.ledger.hit_columns import HitColumns
from octavo.ledger.matching import Matched, matched
from octavo.ledger.pairing import Pair


class Move(StrEnum):
    """What became of a hit."""

    ENTERED = "entered"
    LEFT = "left"
    UP = "up"
    DOWN = "down"
    RESCORED = "rescored"
    """Another score at the same rank."""


class HitChange(NamedTuple):
    """One hit that is not as it was.

    Parameters
    ----------
    id
        The document.
    move
        What became of it.
    rank_before, rank_after, score_before, score_after
        ``None`` where the result does not have the hit.
    moved_by
        The part or setting that moved it, by the rule of :mod:`octavo.ledger.attribution`.
    """

    id: str
    move: Move
    rank_before: int | None
    rank_after: int | None
    score_before: float | None
    score_after: float | None
    moved_by: str


@dataclass(frozen=True, slots=True)
class QueryChange:
    """A query whose hits are not as they were: those that changed, by rank."""

    query_id: str
    hits: tuple[HitChange, ...]


class _Side(NamedTuple):
    """The hits of one result in a pair, as plain columns."""

    hits: HitColumns
    ids: list[str]
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]


class _Placed(NamedTuple):
    """A change and where it is told: by query, what was lost last, by rank."""

    query: int
    lost: bool
    rank: int
    change: HitChange


def changes_of(
    pair: Pair, attribution: Attribution, *, ignore_scores: bool
) -> Iterator[QueryChange]:
    """Yield the queries of a pair that changed, in order.

    Parameters
    ----------
    pair
        All hits of some queries, before and after.
    attribution
        Says what moved a hit.
    ignore_scores
        Whether another score at the same rank is no change.
    """
    if _equal(pair):
        return
    found = matched(pair)
    before, after = _side(pair.before), _side(pair.after)
    placed = [
        *_moved(before, after, found, attribution, ignore_scores=ignore_scores),
        *_alone(after, found.entered, found.queries[1], attribution, Move.ENTERED),
        *_alone(before, found.left, found.queries[0], attribution, Move.LEFT),
    ]
    placed.sort(key=lambda each: each[:3])
    for query, of_query in groupby(placed, key=lambda each: each.query):
        yield QueryChange(pair.queries[query], tuple(each.change for each in of_query))


def _side(hits: HitColumns) -> _Side:
    if len(hits) == 0:  # and perhaps without columns
        return _Side(hits, [], np.zeros(0, np.int64), np.zeros(0))
    ids = [str(text) for text in hits.texts("id").to_pylist()]
    return _Side(hits, ids, hits.all_counts("rank", 1), hits.all_numbers("score"))


def _equal(pair: Pair) -> bool:
    """Whether both say the same of every hit, in the same order: the usual case, told quickly."""
    if len(pair.before) != len(pair.after):
        return False
    return all(
        np.array_equal(pair.before.all_numbers(name), pair.after.all_numbers(name))
        for name in ("rank", "score")
    ) and all(pair.before.texts(name).equals(pair.after.texts(name)) for name in ("query_id", "id"))


def _moved(
    before: _Side,
    after: _Side,
    found: Matched,
    attribution: Attribution,
    *,
    ignore_scores: bool,
) -> Iterator[_Placed]:
    first, second = found.both
    rises = before.ranks[first] - after.ranks[second]
    one, other = before.scores[first], after.scores[second]
    gains = (other > one).astype(np.int64) - (other < one)
    changed = np.flatnonzero((rises != 0) if ignore_scores else (rises != 0) | (gains != 0))
    if len(changed) == 0:
        return
    first, second, rises, gains = first[changed], second[changed], rises[changed], gains[changed]
    reasons = attribution.moved(before.hits.take(first), after.hits.take(second), gains, rises)
    columns = (
        *(found.queries[1][second], rises, before.ranks[first], after.ranks[second]),
        *(before.scores[first], after.scores[second]),
    )
    rows = zip(second.tolist(), *(each.tolist() for each in columns), reasons, strict=True)
    for place, query, rise, old_rank, rank, old_score, score, reason in rows:
        move = Move.UP if rise > 0 else Move.DOWN if rise < 0 else Move.RESCORED
        change = HitChange(after.ids[place], move, old_rank, rank, old_score, score, reason)
        yield _Placed(query, False, rank, change)  # noqa: FBT003 - a field of a tuple


def _alone(
    side: _Side,
    places: NDArray[np.int64],
    queries: NDArray[np.int64],
    attribution: Attribution,
    move: Move,
) -> Iterator[_Placed]:
    if len(places) == 0:
        return
    entered = move is Move.ENTERED
    scores = side.scores[places]
    reasons = attribution.alone(side.hits.take(places), scores, entered=entered)
    rows = zip(
        places.tolist(), queries[places].tolist(), side.ranks[places].tolist(), scores.tolist(),
        reasons, strict=True,
    )  # fmt: skip
    for place, query, rank, score, reason in rows:
        if entered:
            change = HitChange(side.ids[place], move, None, rank, None, score, reason)
        else:
            change = HitChange(side.ids[place], move, rank, None, score, None, reason)
        yield _Placed(query, not entered, rank, change)
