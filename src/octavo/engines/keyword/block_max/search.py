"""Search batches of analysed queries over the block-max postings of all segments."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.keyword.block_max.files import LARGEST_ROWS, BlockMaxPostings
from octavo.engines.keyword.block_max.stacked import StackedPostings, stack
from octavo.engines.keyword.block_max.statistics import (
    clause_weights,
    length_norms,
    posting_factors,
)
from octavo.engines.keyword.collection import CollectionStatistics, CollectionTotals
from octavo.engines.report import SearchReport
from octavo.errors import CorpusCorruptError
from octavo.kernels.find_postings import find_postings
from octavo.kernels.find_terms import order_clauses
from octavo.kernels.posting_codes import BLOCK
from octavo.kernels.rank_block_max import unpack_hits
from octavo.kernels.rank_segments import rank_segments

MOST_LOOKUP_CLAUSES = 16
"""With more clauses than these, looking rows up costs more than scoring every posting (measured)."""
_MANY_CLAUSES = 8
"""From here on it can cost that much where even the rarest term is frequent."""
_HITS_AT_ONCE = 1 << 22
"""Keys held at a time (32 MiB); a batch that may find more is searched in parts."""


class BlockMaxPlan(StrEnum):
    """How a keyword query was answered from block-max postings."""

    NO_KNOWN_TERM = "keyword: no known term"
    NOTHING_ADMITTED = "keyword: nothing admitted"
    RAREST_FIRST = "keyword: block-max postings"
    WINDOWS = "keyword: accumulated postings"


class BlockMaxSearcher:
    """Ranks as tantivy's full union does: the same rows, and scores of the same bits.

    Read-only; threads may share it, and their searches run side by side.

    Parameters
    ----------
    segments
        The postings of consecutive rows, in order; less than 2**31 rows together.
    """

    def __init__(self, segments: Sequence[BlockMaxPostings]) -> None:
        self._segments = tuple(segments)
        for segment in segments:
            if segment.description.blocks * BLOCK < segment.description.postings:
                raise CorpusCorruptError(f"{segment.directory}: a block of postings has no bounds")
        self.rows = sum(segment.description.rows for segment in segments)
        if self.rows > LARGEST_ROWS:
            raise CorpusCorruptError(f"expected at most {LARGEST_ROWS} rows, found {self.rows}")

    @cached_property
    def _stacks(self) -> list[StackedPostings]:
        return stack(self._segments)

    @cached_property
    def totals(self) -> CollectionTotals:
        """The number of rows and of tokens in them."""
        tokens = sum(segment.description.tokens for segment in self._segments)
        return CollectionTotals(self.rows, tokens)

    def frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return how many rows hold each term."""
        starts, stops, _ = self._find(_Tokens.of([terms]))
        found: NDArray[np.int64] = (stops - starts).sum(axis=0)
        return found

    def search(
        self,
        queries: Sequence[Sequence[str]],
        depth: int,
        selection: Selection,
        statistics: CollectionStatistics | None = None,
    ) -> tuple[Hits, SearchReport]:
        """Return what :meth:`octavo.engines.keyword.index.KeywordIndex.search` returns.

        The counters are ``terms``, ``unknown terms``, ``hits``, ``postings scored``, ``blocks
        skipped`` and ``lookups``.
        """
        totals = self.totals if statistics is None else statistics.totals
        clauses = self._clauses(queries, totals, statistics)
        limit = min(depth, selection.count)
        room = np.minimum(clauses.largest_result(), limit)
        counters = np.zeros(3, np.int64)
        found = [
            self._rank(clauses, part, room[slice(*part)], selection, counters)
            for part in _parts(room)
        ]
        sizes, rows, scores = (np.concatenate(each) for each in zip(*found, strict=True))
        if len(rows) and int(rows.max()) >= self.rows:
            raise CorpusCorruptError(f"{self._segments[0].directory}: a row is out of range")
        hits = Hits(np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes))), rows, scores)
        work = {
            "terms": len(clauses.frequencies),
            "unknown terms": clauses.unknown,
            "hits": len(rows),
            "postings scored": int(counters[0]),
            "blocks skipped": int(counters[1]),
            "lookups": int(counters[2]),
        }
        return hits, SearchReport(_plans(clauses, selection), Counter(work))

    def _find(self, tokens: "_Tokens") -> tuple[NDArray[np.int64], ...]:
        """Return where the postings of each token start and stop in each segment, and its levels."""
        starts, stops, levels = np.empty((3, len(self._segments), tokens.count), np.int64)
        done = 0
        for each in self._stacks:
            own = slice(done, done + each.segments)
            with np.errstate(over="ignore"):
                find_postings(
                    tokens.data, tokens.offsets, each.hashes, each.text_ends, each.text, each.ends,
                    each.frequent, each.segment_ends, starts[own], stops[own], levels[own],
                )  # fmt: skip
            done += each.segments
        return starts, stops, levels

    def _clauses(
        self,
        queries: Sequence[Sequence[str]],
        totals: CollectionTotals,
        statistics: CollectionStatistics | None,
    ) -> "_Clauses":
        """Find the terms of all queries and put them in the order of their clauses."""
        tokens = _Tokens.of(queries)
        starts, stops, levels = self._find(tokens)
        if statistics is None:
            frequencies = (stops - starts).sum(axis=0)
        else:
            frequencies = statistics.frequencies_of(queries)
        query_offsets = _offsets(len(query) for query in queries)
        chosen = np.empty(tokens.count, np.int64)
        repetitions = np.empty(tokens.count, np.int64)
        clause_offsets = np.zeros(len(queries) + 1, np.int64)
        unknown = np.zeros(len(queries), np.int64)
        order_clauses(
            tokens.data, tokens.offsets, frequencies, query_offsets, chosen, repetitions,
            clause_offsets, unknown,
        )  # fmt: skip
        chosen, repetitions = chosen[: clause_offsets[-1]], repetitions[: clause_offsets[-1]]
        return _Clauses(
            clause_offsets,
            frequencies[chosen],
            clause_weights(frequencies[chosen], repetitions, totals.rows),
            np.ascontiguousarray(starts[:, chosen]),
            np.ascontiguousarray(stops[:, chosen]),
            np.ascontiguousarray(levels[:, chosen]),
            int(unknown.sum()),
            _length_factors(totals),
        )

    def _rank(
        self,
        clauses: "_Clauses",
        queries: tuple[int, int],
        room: NDArray[np.int64],
        selection: Selection,
        counters: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Rank a range of the queries; return the number of hits of each, rows and scores."""
        first, last = queries
        heap_offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(room)))
        heap = np.empty(int(heap_offsets[-1]), np.int64)
        sizes = np.zeros(last - first, np.int64)
        admitted = np.zeros(0, np.bool_) if selection.admitted is None else selection.admitted
        accumulated = clauses.accumulated()
        done = 0
        for each in self._stacks:
            own = slice(done, done + each.segments)
            rank_segments(
                each.rows, each.codes, each.large_places, each.large_counts, each.bounds,
                each.levels, clauses.factors.codes, clauses.factors.norms,
                clauses.offsets[first : last + 1], accumulated[first:last], clauses.starts[own],
                clauses.stops[own], clauses.weights, clauses.levels[own], admitted,
                each.segment_ends, each.first_rows, heap, heap_offsets, sizes, counters,
            )  # fmt: skip
            done += each.segments
        found = int(sizes.sum())
        found_rows, scores = np.empty(found, np.int64), np.empty(found, np.float64)
        unpack_hits(heap, heap_offsets, sizes, found_rows, scores)
        return sizes, found_rows, scores


@dataclass(frozen=True, slots=True, eq=False)
class _LengthFactors:
    """The norm of each length code, and the factor of each posting code."""

    norms: NDArray[np.float32]
    codes: NDArray[np.float32]


@lru_cache(maxsize=16)
def _length_factors(totals: CollectionTotals) -> _LengthFactors:
    norms = length_norms(totals.tokens, totals.rows)
    return _LengthFactors(norms, posting_factors(norms))


@dataclass(frozen=True, slots=True, eq=False)
class _Tokens:
    """The tokens of some queries, as bytes one behind the other."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @staticmethod
    def of(queries: Sequence[Sequence[str]]) -> "_Tokens":
        # A lone surrogate becomes bytes that no indexed text holds.
        tokens = [token.encode(errors="surrogatepass") for query in queries for token in query]
        data = np.frombuffer(b"".join(tokens), np.uint8)
        return _Tokens(data, _offsets(len(token) for token in tokens))


@dataclass(frozen=True, slots=True, eq=False)
class _Clauses:
    """The distinct known terms of a batch of queries, each query's in order."""

    offsets: NDArray[np.int64]
    frequencies: NDArray[np.int64]
    weights: NDArray[np.float32]
    starts: NDArray[np.int64]
    """Shape (segments, clauses), the segments in the order of the stacks: where postings start."""
    stops: NDArray[np.int64]
    """Where they stop."""
    levels: NDArray[np.int64]
    """The number of the levels, -1 for none."""
    unknown: int
    factors: "_LengthFactors"

    def largest_result(self) -> NDArray[np.int64]:
        """Return how many rows each query can find at most."""
        totals = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.frequencies)))
        found: NDArray[np.int64] = totals[self.offsets[1:]] - totals[self.offsets[:-1]]
        return found

    def accumulated(self) -> NDArray[np.bool_]:
        """Return for which queries all postings are scored, since lookups would cost more.

        Each posting of the rarest term can mean a lookup in every other term. That is dear where it
        comes to half as many as there are postings in all.
        """
        counts = np.diff(self.offsets)
        rarest = np.zeros(len(counts), np.int64)
        rarest[counts > 0] = self.frequencies[self.offsets[:-1][counts > 0]]
        dense = 2 * rarest * (counts - 1) > self.largest_result()
        found: NDArray[np.bool_] = (counts > MOST_LOOKUP_CLAUSES) | (
            (counts >= _MANY_CLAUSES) & dense
        )
        return found


def _offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    sizes = np.fromiter(lengths, np.int64)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))


def _parts(room: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut queries into ranges that find a bounded number of hits."""
    parts = np.cumsum(room) // _HITS_AT_ONCE
    cuts = np.flatnonzero(np.diff(parts)) + 1
    return list(pairwise([0, *cuts.tolist(), len(room)]))


def _plans(clauses: _Clauses, selection: Selection) -> Counter[str]:
    counts = np.diff(clauses.offsets)
    unknown = int(np.count_nonzero(counts == 0))
    if selection.count == 0:
        plans = {BlockMaxPlan.NO_KNOWN_TERM: unknown}
        plans[BlockMaxPlan.NOTHING_ADMITTED] = len(counts) - unknown
    else:
        many = int(np.count_nonzero(clauses.accumulated()))
        plans = {
            BlockMaxPlan.NO_KNOWN_TERM: unknown,
            BlockMaxPlan.RAREST_FIRST: len(counts) - unknown - many,
            BlockMaxPlan.WINDOWS: many,
        }
    return Counter({plan.value: number for plan, number in plans.items() if number})
