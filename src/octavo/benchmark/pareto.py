"""Recall against latency of vector search: octavo, FAISS by itself at many settings, and peers."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.benchmark.bench import DEPTH, Bench, hits_by_query
from octavo.benchmark.peers.faiss_alone import PROBES, probing, single_threaded
from octavo.benchmark.peers.peer import Answers, PeerQueries, Search
from octavo.benchmark.report import ParetoPoint
from octavo.corpus import Corpus
from octavo.engines.choice import VectorIndexKind

_ROUNDS, _TIMED = 3, 32
_RECALLS = (0.8, 0.9, 0.99, 0.95)  # the index is left as a build makes it
_LARGEST_GRAPH = 200_000  # documents; more take minutes to build
_LINKS, _EFFORTS = 32, (16, 32, 64, 128, 256, 512)


def pareto_points(bench: Bench) -> Iterator[ParetoPoint]:
    """Measure each setting one query at a time, on one thread, in one run."""
    yield _point(bench, "octavo", "exact", _exact(bench))
    yield _point(bench, "octavo", "as built", _stored(bench.corpus))
    for recall, corpus in _tuned(bench.corpus):
        yield _point(bench, "octavo", f"tuned to {recall}", _stored(corpus))
    inverted = bench.faiss
    for probes in PROBES:
        if probes <= inverted.index.nlist:
            search = probing(inverted.index, probes)
            yield _point(bench, "FAISS IVF", f"nprobe {probes}", search)
    if bench.collection.documents <= _LARGEST_GRAPH:
        for effort, search in _graphs(bench.unit):
            yield _point(bench, "FAISS HNSW", f"efSearch {effort}", search)


def search_point(bench: Bench, engine: str, setting: str, search: Search) -> ParetoPoint:
    """Return the point of one more search, such as a peer's."""
    return _point(bench, engine, setting, search)


def _point(bench: Bench, engine: str, setting: str, search: Search) -> ParetoPoint:
    queries = bench.plain(bench.checked)
    top = bench.exact_vectors.top(queries.vectors, DEPTH)
    found = search(queries, DEPTH)
    recall = bench.exact_vectors.recall(queries.vectors, found, top)
    pieces = [queries[at : at + 1] for at in range(min(_TIMED, len(queries)))]
    return ParetoPoint(engine, setting, recall, _seconds(search, pieces))


def _seconds(search: Search, pieces: Sequence[PeerQueries]) -> float:
    rounds = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        for piece in pieces:
            search(piece, DEPTH)
        rounds.append((time.perf_counter() - started) / len(pieces))
    return statistics.median(rounds)


def _exact(bench: Bench) -> Search:
    return lambda queries, k: hits_by_query(bench.flat_index.search(queries.vectors, k)[0])


def _stored(corpus: Corpus) -> Search:
    snapshot = corpus.vector_store
    everything = snapshot.select({})
    return lambda queries, k: hits_by_query(snapshot.rank_vector(queries.vectors, k, everything)[0])


def _tuned(corpus: Corpus) -> Iterator[tuple[float, Corpus]]:
    """Tune inverted lists to several recalls; the corpus stays the snapshot it is."""
    for recall in _RECALLS:
        yield recall, corpus.tune(recall, vector_index=VectorIndexKind.LISTS)


def _graphs(vectors: NDArray[np.float32]) -> Iterator[tuple[int, Search]]:
    import faiss  # noqa: PLC0415 - heavy

    index = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
    index.add(vectors)

    def at(effort: int) -> Callable[[PeerQueries, int], Answers]:
        parameters = faiss.SearchParametersHNSW(efSearch=effort)  # type: ignore[attr-defined]

        def search(queries: PeerQueries, k: int) -> Answers:
            with single_threaded():
                return list(index.search(queries.vectors, k, params=parameters)[1])

        return search

    for effort in _EFFORTS:
        yield effort, at(effort)
