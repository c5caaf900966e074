"""Temporal retrieval: what another strategy finds, weighed by freshness (S27)."""

from collections.abc import Callable, Collection, Hashable
from datetime import timedelta
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits, Part
from octavo.columns.ranking import rank_hits
from octavo.errors import InvalidArgumentError, TemporalError, checked_fraction
from octavo.kernels.temporal_decay import temporal_decay
from octavo.spi import RAGContext, RAGStrategy, TemporalMetadata
from octavo.strategies.clock import (
    Clock,
    instant_text,
    microseconds,
    read_clock,
    system_clock,
    whole_microseconds,
)
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.inner import candidate_depth as depth_of
from octavo.strategies.inner import carried, checked_depth, checked_sources, inner_context
from octavo.strategies.provided import own_sources
from octavo.strategies.queries import ClockReadings, Queries
from octavo.strategies.returned import as_columnar
from octavo.strategies.sources import Documents
from octavo.strategies.temporal_index import TemporalIndex

_LATEST: Final = np.iinfo(np.int64).max


class TemporalRAGStrategy(ColumnarStrategy):
    """Weigh the hits of a child strategy by how fresh their documents are.

    Parameters
    ----------
    child
        Any strategy; its ``candidate_depth`` best hits are weighed.
    index
        When documents are from. What it does not know, or has no date for, gets the floor.
    allowed_sources
        Where documents may come from; empty allows every source.
    clock
        Gives the present instant, with a zone; read once a call.
    half_life
        The age at which half of what is above the floor is gone; above zero.
    relevance_floor
        The multiplier of what is infinitely old or undated, from 0 to 1; 1 changes nothing.
    max_future_skew
        How far a timestamp may lie in the future; until then it counts as now.
    candidate_depth
        How many hits of the child are weighed, 100 by default; ``max_results`` are always taken.

    Raises
    ------
    InvalidArgumentError
        A parameter is out of range.

    Notes
    -----
    ``score = child_score * multiplier``, where ``multiplier = floor + (1 - floor) * 2^(-age /
    half_life)`` and ``age = max(0, now - timestamp)``. A negative child score is multiplied by
    ``1 + floor - multiplier``, so that of two equal child scores the fresher never scores lower.
    Parts: ``child_score``, ``multiplier``, ``age_seconds``, and those of the child.
    """

    name = "temporal"
    DEFAULT_HALF_LIFE: Final = timedelta(days=30)
    DEFAULT_RELEVANCE_FLOOR: Final = 0.8
    DEFAULT_MAX_FUTURE_SKEW: Final = timedelta(minutes=5)

    def __init__(  # noqa: PLR0917 - the names and order of the public interface
        self,
        child: RAGStrategy,
        index: TemporalIndex,
        allowed_sources: Collection[str] = (),
        clock: Clock = system_clock,
        half_life: timedelta = DEFAULT_HALF_LIFE,
        relevance_floor: float = DEFAULT_RELEVANCE_FLOOR,
        max_future_skew: timedelta = DEFAULT_MAX_FUTURE_SKEW,
        *,
        candidate_depth: int | None = None,
    ) -> None:
        self._child = as_columnar(child)
        self._index = index
        self._allowed_sources = checked_sources(allowed_sources)
        self._fence = index.store.fence(self._allowed_sources)
        self._clock = clock if isinstance(clock, Hashable) else partial(clock)
        self._half_life = _checked_duration("half_life", half_life, timedelta(microseconds=1))
        self._floor = checked_fraction("relevance_floor", relevance_floor)
        self._skew = _checked_duration("max_future_skew", max_future_skew, timedelta(0))
        self._depth = checked_depth(candidate_depth)

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts."""
        now = microseconds(read_clock(partial(clocks.once, self._clock)))
        return {
            **super().settings(clocks),
            "formula": "temporal",
            "allowed_sources": sorted(self._allowed_sources),
            "now": instant_text(now),
            "half_life_seconds": self._half_life.total_seconds(),
            "floor": self._floor,
            "max_future_skew_seconds": self._skew.total_seconds(),
            "candidate_depth": self._depth,
            "child": self._child.settings(clocks),
        }

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch: one call of the child, then one pass over its hits.

        Raises
        ------
        TemporalError
            A candidate is dated later than now and the allowed skew, or the clock has no zone.
        """
        return self._weighed(self._child.rank, queries, context)

    def stream(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank as one stream of a fusion, as the child does."""
        return self._weighed(self._child.stream, queries, context)

    def _weighed(
        self,
        child: Callable[[Queries, RAGContext], Ranking],
        queries: Queries,
        context: RAGContext,
    ) -> Ranking:
        now = microseconds(read_clock(partial(queries.clocks.once, self._clock)))
        inner = child(queries, inner_context(context, depth_of(context, self._depth)))
        rows = self._known_rows(inner.hits.rows, inner.documents)
        hits = inner.hits
        inside = self._inside(hits.rows, rows, inner.documents)
        if inside is not None:
            hits, rows = hits.keep(inside), rows[inside]
        ticks, present = self._index.timestamps(rows)
        self._check_future(ticks, present, now, hits, inner.documents)
        scores, multipliers, ages = temporal_decay(
            hits.scores,
            ticks,
            present,
            now=now,
            half_life=self._half_life.total_seconds(),
            floor=self._floor,
        )
        parts = {
            "child_score": Part(hits.scores, key=TemporalMetadata.CHILD_SCORE),
            "multiplier": Part(multipliers, key=TemporalMetadata.MULTIPLIER),
            "age_seconds": Part(ages, present, TemporalMetadata.AGE_SECONDS),
        }
        weighed = Hits(
            hits.offsets, hits.rows, scores, carried(hits.parts, self._child.name, parts)
        )
        best = rank_hits(weighed, context.max_results).at_least(context.min_score)
        return Ranking(best, inner.documents, inner.report)

    def _known_rows(self, rows: NDArray[np.int64], documents: Documents) -> NDArray[np.int64]:
        """Return the rows of the index's store, -1 for documents that it does not know."""
        store = self._index.store
        return rows if documents is store else store.rows_of(documents.identities(rows))

    def _inside(
        self, rows: NDArray[np.int64], known_rows: NDArray[np.int64], documents: Documents
    ) -> NDArray[np.bool_] | None:
        """Return which hits come from an allowed source: the index's word, else their own."""
        if self._fence is None:
            return None
        known = known_rows >= 0
        inside = np.zeros(len(rows), np.bool_)
        inside[known] = self._fence[known_rows[known]]
        sources = own_sources(documents, rows[~known])
        inside[~known] = [source in self._allowed_sources for source in sources]
        return inside

    def _check_future(
        self,
        ticks: NDArray[np.int64],
        present: NDArray[np.bool_],
        now: int,
        hits: Hits,
        documents: Documents,
    ) -> None:
        latest = min(now + whole_microseconds(self._skew), _LATEST)
        late = np.flatnonzero(present & (ticks > latest))
        if len(late):
            first = late[:1]
            raise TemporalError(
                f"document {documents.ids(hits.rows[first])[0]!r}: expected a timestamp of at most "
                f"{self._skew} after {instant_text(now)}, found {instant_text(int(ticks[first][0]))}"
            )


def _checked_duration(name: str, value: object, lowest: timedelta) -> timedelta:
    if isinstance(value, timedelta) and value >= lowest:
        return value
    bound = "above zero" if lowest else "of at least zero"
    raise InvalidArgumentError(f"{name}: expected a timedelta {bound}, found {value!r}")
