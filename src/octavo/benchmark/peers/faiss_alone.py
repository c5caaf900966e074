"""FAISS by itself: an inverted file tuned to the recall, or a flat index; one thread."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from octavo.benchmark.peers.peer import (
    Answers,
    PeerDocuments,
    PeerQueries,
    RecallOf,
    Search,
    Stream,
    tuned,
)

_TRAINED_PER_LIST = 64
PROBES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024)


class FaissAlone:
    """An IVF index with whole vectors in its lists, probed as the recall needs."""

    name: ClassVar[str] = "faiss"

    def build(self, documents: PeerDocuments) -> None:
        """Train and add."""
        self.index = inverted_file(documents.vectors)

    def tune(self, recall_of: RecallOf) -> None:
        """Choose the number of lists to probe."""
        probes = [probe for probe in PROBES if probe <= self.index.nlist] or [1]
        self.probes = tuned(probes, lambda probe: probing(self.index, probe), recall_of)

    def searches(self) -> Mapping[Stream, Search]:
        """Return the vector search."""
        return {Stream.VECTOR: probing(self.index, self.probes)}

    def settings(self) -> str:
        """Return the version, the number of lists and how many are probed."""
        import faiss  # noqa: PLC0415 - heavy

        lists = self.index.nlist
        return f"faiss {faiss.__version__}, IVF{lists},Flat, nprobe {self.probes}, one thread"


def inverted_file(vectors: NDArray[np.float32]) -> Any:  # noqa: ANN401 - FAISS has no types
    """Return an IVF index of about ``4 sqrt(n)`` lists by inner product."""
    import faiss  # noqa: PLC0415 - heavy

    lists = max(1, min(round(4 * len(vectors) ** 0.5), len(vectors) // 39))
    quantizer = faiss.IndexFlatIP(vectors.shape[1])
    index = faiss.IndexIVFFlat(quantizer, vectors.shape[1], lists, faiss.METRIC_INNER_PRODUCT)
    step = max(1, len(vectors) // (_TRAINED_PER_LIST * lists))
    index.train(np.ascontiguousarray(vectors[::step]))
    index.add(vectors)
    return index


def probing(index: Any, probes: int) -> Search:  # noqa: ANN401
    """Return a search of ``probes`` lists."""
    import faiss  # noqa: PLC0415 - heavy

    parameters = faiss.SearchParametersIVF(nprobe=probes)  # type: ignore[call-arg]

    def search(queries: PeerQueries, k: int) -> Answers:
        with single_threaded():
            return list(index.search(queries.vectors, k, params=parameters)[1])

    return search


def flat(vectors: NDArray[np.float32]) -> Any:  # noqa: ANN401
    """Return FAISS's own exact index, with its defaults."""
    import faiss  # noqa: PLC0415 - heavy

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index


@contextmanager
def single_threaded() -> Iterator[None]:
    """Let FAISS use the calling thread only (the number belongs to the thread), then restore it."""
    import faiss  # noqa: PLC0415 - heavy

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)
