"""octavo beside another library: the same data, the same k, the same queries, in turn."""

import shutil
import time
from collections.abc import Sequence
from functools import partial

from octavo.benchmark.bench import DEPTH, STREAM_DEPTH, Bench, hits_by_query
from octavo.benchmark.fusion import fused_by_hand
from octavo.benchmark.measure import Facts, Measure, Pair, Unit
from octavo.benchmark.peers.peer import Answers, Peer, PeerQueries, Search, Stream
from octavo.benchmark.timing import Observed, Timed
from octavo.spi import RAGContext
from octavo.strategies.queries import Queries

_LONGEST = 2.0  # seconds that a peer's sample may take
_SLOWEST_CHECK = 20.0
_CONTEXT = RAGContext(DEPTH)


class BuiltPeer:
    """A peer with its index, and what building it took beside octavo's own build.

    Raises
    ------
    ImportError
        The library is not installed.
    """

    def __init__(self, peer: Peer, bench: Bench) -> None:
        self.peer = peer
        documents = bench.documents_for(peer.name)
        started = time.perf_counter()
        peer.build(documents)
        self.seconds = time.perf_counter() - started
        peer.tune(bench.recall_of)
        started = time.perf_counter()
        bench.build("peers-octavo")
        self.own_seconds = time.perf_counter() - started
        shutil.rmtree(bench.directory / "peers-octavo")
        self.searches = dict(peer.searches())
        self.settings = peer.settings()

    def measures(self) -> tuple[Measure, ...]:
        """Return a measure of the build and, of each stream, one by one and in a batch."""
        name = self.peer.name
        found = [
            Measure(
                name=f"peer.{name}.build",
                what="octavo: documents to a ready index",
                unit=Unit.DOCUMENT,
                baseline=name,
                prepare=self._build,
                rounds=1,
            )
        ]
        for stream, search in self.searches.items():
            for single in (True, False):
                how = "one by one" if single else "in a batch"
                found.append(
                    Measure(
                        name=f"peer.{name}.{stream}.{'single' if single else 'batch'}",
                        what=f"octavo: {stream} search {how}, k = 10, 1 thread",
                        unit=Unit.QUERY,
                        baseline=name,
                        prepare=partial(_search, stream=stream, search=search, single=single),
                    )
                )
        return tuple(found)

    def _build(self, bench: Bench) -> Pair:
        documents = bench.collection.documents
        return Pair(
            Observed(lambda: self.own_seconds / documents),
            Observed(lambda: self.seconds / documents),
        )


def measure_names(peer: str) -> list[str]:
    """Return the names that measures of a peer can have, known before it is built.

    Examples
    --------
    >>> measure_names("faiss")[:3]
    ['peer.faiss.build', 'peer.faiss.keyword.single', 'peer.faiss.keyword.batch']
    """
    searches = [f"{stream}.{how}" for stream in Stream for how in ("single", "batch")]
    return [f"peer.{peer}.{what}" for what in ("build", *searches)]


def _search(bench: Bench, *, stream: Stream, search: Search, single: bool) -> Pair:
    strategy, block = bench.corpus.strategy(stream.value), bench.block
    if stream is Stream.KEYWORD:
        block = Queries(block.texts)
    queries = bench.plain(bench.queries)
    each = _seconds_a_query(search, queries)
    asked = max(1, min(len(queries), round(_LONGEST / each)))
    theirs, ours = queries[:asked], block[:asked] if single else block
    step = 1 if single else len(block)

    def subject() -> None:
        for at in range(0, len(ours), step):
            strategy.rank(ours[at : at + step], _CONTEXT)

    def baseline() -> None:
        for at in range(0, asked, step):
            search(theirs[at : at + step], DEPTH)

    def check() -> Facts:
        number = max(1, min(bench.scale.checked, round(_SLOWEST_CHECK / each)))
        checked = queries[:number]
        hits = hits_by_query(strategy.rank(block[:number], _CONTEXT).hits)
        return {
            "recall": recall(bench, stream, checked, hits),
            "baseline recall": recall(bench, stream, checked, search(checked, DEPTH)),
        }

    return Pair(Timed(subject, len(ours)), Timed(baseline, asked), check)


def _seconds_a_query(search: Search, queries: PeerQueries) -> float:
    search(queries[:1], DEPTH)
    started = time.perf_counter()
    search(queries[1:2], DEPTH)
    return max(time.perf_counter() - started, 1e-9)


def recall(bench: Bench, stream: Stream, queries: PeerQueries, found: Answers) -> float:
    """Return the share of the right answers that was found; RRF of exact streams for hybrid."""
    words, vectors = bench.exact_keywords, bench.exact_vectors
    if stream is Stream.KEYWORD:
        return words.recall(queries.tokens, found, words.top(queries.tokens, DEPTH))
    if stream is Stream.VECTOR:
        top = vectors.top(queries.vectors, DEPTH)
        return vectors.recall(queries.vectors, found, top)
    streams = zip(
        words.top(queries.tokens, STREAM_DEPTH).rows,
        vectors.top(queries.vectors, STREAM_DEPTH).rows,
        strict=True,
    )
    expected = [[row for row, _ in fused_by_hand(each, DEPTH)] for each in streams]
    return _overlap(expected, found)


def _overlap(expected: Sequence[Sequence[int]], found: Answers) -> float:
    right = sum(
        len(set(rows) & set(hits.tolist())) for rows, hits in zip(expected, found, strict=True)
    )
    return right / max(1, sum(map(len, expected)))
