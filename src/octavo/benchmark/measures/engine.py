"""Keyword and vector search beside the bare libraries, filters included."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from octavo.benchmark.bench import DEPTH, STREAM_DEPTH, Bench, hits_by_query
from octavo.benchmark.checks import require_close, require_equal, require_share
from octavo.benchmark.measure import Facts, Measure, Pair, Unit
from octavo.benchmark.peers.faiss_alone import single_threaded
from octavo.benchmark.peers.peer import RECALL, Stream
from octavo.benchmark.synthetic import SELECTIVITIES
from octavo.benchmark.timing import Timed

_SINGLE = 16  # queries asked one by one
_SCANS = 3
_FLAT_QUERIES = 32  # FAISS goes through them one by one, however many there are


def _keyword(bench: Bench, *, depth: int, tier: str | None = None) -> Pair:
    selection = bench.snapshot.select({} if tier is None else {"tier": tier})
    texts, tokens = bench.queries.texts, bench.plain(bench.queries).tokens
    tantivy = bench.tantivy

    def check() -> Facts:
        checked = bench.scale.checked
        hits = bench.snapshot.rank_keyword(texts[:checked], depth, selection)[0]
        theirs = [tantivy.top(each, depth, tier) for each in tokens[:checked]]
        require_equal("rows", hits.rows, np.concatenate([rows for rows, _ in theirs]))
        require_equal("scores", hits.scores, np.concatenate([scores for _, scores in theirs]))
        admitted = None if tier is None else bench.admitted(tier)
        top = bench.exact_keywords.top(tokens[:checked], depth, admitted)
        found = hits_by_query(hits)
        return {"recall": bench.exact_keywords.recall(tokens[:checked], found, top)}

    return Pair(
        Timed(lambda: bench.snapshot.rank_keyword(texts, depth, selection), len(texts)),
        Timed(lambda: [tantivy.top(each, depth, tier) for each in tokens], len(texts)),
        check,
    )


def _keyword_single(bench: Bench) -> Pair:
    selection = bench.snapshot.select({})
    texts = [(text,) for text in bench.queries.texts[:_SINGLE]]
    tokens = bench.plain(bench.queries).tokens[:_SINGLE]
    rank, tantivy = bench.snapshot.rank_keyword, bench.tantivy
    return Pair(
        Timed(lambda: [rank(text, DEPTH, selection) for text in texts], len(texts)),
        Timed(lambda: [tantivy.top(each, DEPTH) for each in tokens], len(tokens)),
    )


def _exact_batch(bench: Bench) -> Pair:
    index, theirs = bench.flat_index, bench.faiss_flat
    queries = bench.plain(bench.queries).vectors

    few = queries[:_FLAT_QUERIES]

    def baseline() -> None:
        with single_threaded():
            theirs.search(few, DEPTH)

    def check() -> Facts:
        checked = queries[: bench.scale.checked]
        top = bench.exact_vectors.top(checked, DEPTH)
        hits = index.search(checked, DEPTH)[0]
        require_close("scores", hits.scores, np.concatenate(top.scores), 1e-6)
        recall = bench.exact_vectors.recall(checked, hits_by_query(hits), top)
        return {"recall": require_share("recall", recall, 1.0)}

    return Pair(
        Timed(lambda: index.search(queries, DEPTH), len(queries)),
        Timed(baseline, len(few)),
        check,
    )


def _exact_single(bench: Bench) -> Pair:
    index, vectors = bench.flat_index, bench.unit
    queries = bench.plain(bench.queries).vectors[:_SCANS]
    return Pair(
        Timed(lambda: [index.search(query[np.newaxis], DEPTH) for query in queries], len(queries)),
        Timed(lambda: [vectors @ query for query in queries], len(queries)),
    )


def _tuned(bench: Bench, *, single: bool) -> Pair:
    everything, snapshot = bench.snapshot.select({}), bench.snapshot
    search = bench.faiss.searches()[Stream.VECTOR]
    queries = bench.plain(bench.queries)
    step = 1 if single else len(queries)
    pieces = [queries[at : at + step] for at in range(0, _SINGLE if single else step, step)]
    items = step * len(pieces)

    def check() -> Facts:
        checked = queries.vectors[: bench.scale.checked]
        hits = snapshot.rank_vector(checked, DEPTH, everything)[0]
        top = bench.exact_vectors.top(checked, DEPTH)
        theirs = search(queries[: bench.scale.checked], DEPTH)
        recall = bench.exact_vectors.recall(checked, hits_by_query(hits), top)
        return {
            "recall": require_share("recall", recall, RECALL - 0.02),
            "baseline recall": bench.exact_vectors.recall(checked, theirs, top),
        }

    return Pair(
        Timed(
            lambda: [snapshot.rank_vector(piece.vectors, DEPTH, everything) for piece in pieces],
            items,
        ),
        Timed(lambda: [search(piece, DEPTH) for piece in pieces], items),
        check,
    )


def _filtered(bench: Bench, *, tier: str) -> Pair:
    selection, snapshot = bench.snapshot.select({"tier": tier}), bench.snapshot
    queries, admitted = bench.plain(bench.queries).vectors, bench.admitted(tier)

    def gathered() -> list[NDArray[np.int64]]:
        rows = np.flatnonzero(admitted)
        scores = queries @ bench.unit[rows].T
        kept = min(DEPTH, len(rows))
        if kept < len(rows):
            best = np.argpartition(-scores, kept, axis=1)[:, :kept]
        else:
            best = np.broadcast_to(np.arange(kept), (len(queries), kept))
        scores = np.take_along_axis(scores, best, axis=1)
        return list(rows[np.take_along_axis(best, np.argsort(-scores, axis=1), axis=1)])

    def check() -> Facts:
        checked = queries[: bench.scale.checked]
        hits = snapshot.rank_vector(checked, DEPTH, selection)[0]
        require_equal("admitted hits", admitted[hits.rows], np.ones(len(hits), np.bool_))
        top = bench.exact_vectors.top(checked, DEPTH, admitted)
        recall = bench.exact_vectors.recall(checked, hits_by_query(hits), top)
        return {"recall": require_share("recall", recall, RECALL - 0.02)}

    return Pair(
        Timed(lambda: snapshot.rank_vector(queries, DEPTH, selection), len(queries)),
        Timed(gathered, len(queries)),
        check,
    )


def _measure(name: str, what: str, baseline: str, prepare: Callable[[Bench], Pair]) -> Measure:
    return Measure(
        name=f"engine.{name}", what=what, unit=Unit.QUERY, baseline=baseline, prepare=prepare
    )


_FULL_SEARCH = "tantivy-py's own full search"
MEASURES = (
    *(
        _measure(
            f"keyword.k{depth}",
            f"keyword search in a batch, k = {depth}",
            _FULL_SEARCH,
            partial(_keyword, depth=depth),
        )
        for depth in (DEPTH, STREAM_DEPTH, 1_000)
    ),
    _measure("keyword.single", "keyword search one by one, k = 10", _FULL_SEARCH, _keyword_single),
    *(
        _measure(
            f"keyword.filtered.{tier}",
            f"keyword search, filter admitting {share:.1%}",
            "tantivy-py, the filter as a term",
            partial(_keyword, depth=DEPTH, tier=tier),
        )
        for tier, share in SELECTIVITIES.items()
    ),
    _measure(
        "vector.exact",
        "exact vector search in a batch, k = 10",
        "IndexFlatIP with its defaults, 1 thread",
        _exact_batch,
    ),
    _measure(
        "vector.exact.single",
        "exact vector search one by one",
        "numpy matrix-vector product",
        _exact_single,
    ),
    _measure(
        "vector.tuned",
        "vector search of the index in a batch, k = 10",
        "FAISS IVF tuned to recall 0.95, 1 thread",
        partial(_tuned, single=False),
    ),
    _measure(
        "vector.tuned.single",
        "vector search of the index one by one, k = 10",
        "FAISS IVF tuned to recall 0.95, 1 thread",
        partial(_tuned, single=True),
    ),
    *(
        _measure(
            f"vector.filtered.{tier}",
            f"vector search, filter admitting {share:.1%}",
            "numpy: gather the admitted, one product",
            partial(_filtered, tier=tier),
        )
        for tier, share in SELECTIVITIES.items()
    ),
)
