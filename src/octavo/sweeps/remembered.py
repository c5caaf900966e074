"""A snapshot that searches once: what its engines found is kept for the next strategy.

Strategies over it are those of the corpus itself, so whatever is swept over runs through the same
kernels and gives the same bits as a search does; only the engines are not asked again.
"""

from collections.abc import Callable, Hashable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.report import SearchReport
from octavo.spi import QueryExpander, QueryExpansion
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.multi_query import Expand

Found = tuple[Hits, SearchReport]


class RememberedSnapshot(Snapshot):
    """An open snapshot whose streams are kept.

    A stream that is a prefix of the one at a greater depth (S12) is cut from that. The streams of
    approximate vector search are not, and kept for each depth.

    Parameters
    ----------
    snapshot
        What is searched; its open files are shared.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        if snapshot.manifest.embedding is not None:
            snapshot.vector_index  # noqa: B018 - made now, it is shared
        self.__dict__.update(snapshot.__dict__)
        self._derived = {}  # what was derived knows the snapshot that it is of
        self._streams: dict[Hashable, _Stream] = {}
        self._vectors: dict[tuple[str, ...], NDArray[np.floating]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return query vectors, the same array for the same texts."""
        key = tuple(texts)
        if key not in self._vectors:
            self._vectors[key] = super().embed(texts)
        return self._vectors[key]

    def rank_keyword(self, texts: Sequence[str], depth: int, selection: Selection) -> Found:
        """Return the ``depth`` best rows of each query by BM25 (S21)."""
        key = ("keyword", tuple(texts), _key_of(selection))
        stream = self._streams.setdefault(key, _Stream(texts))
        search = super().rank_keyword
        return stream.at(depth, lambda: search(texts, depth, selection))

    def rank_vector(self, vectors: NDArray[np.floating], depth: int, selection: Selection) -> Found:
        """Return the ``depth`` best rows of each query vector by cosine (S20)."""
        kind: Hashable = None if self._scans_all() else depth
        key = (
            "vector",
            kind,
            id(vectors),
            _key_of(selection),
        )  # the stream keeps the vectors alive
        stream = self._streams.setdefault(key, _Stream(vectors))
        search = super().rank_vector
        return stream.at(depth, lambda: search(vectors, depth, selection))

    def _scans_all(self) -> bool:
        from octavo.engines.vector.flat import FlatVectorIndex  # noqa: PLC0415 - heavy

        return isinstance(self.vector_index, FlatVectorIndex)


class _Stream:
    """What one search found, at the greatest depth asked for so far."""

    def __init__(self, asked: object) -> None:
        self._asked = asked
        self._depth = 0
        self._found: Found | None = None
        self._cut: dict[int, Found] = {}

    def at(self, depth: int, search: Callable[[], Found]) -> Found:
        """Return the stream at a depth, searching where it was not found as deep."""
        # Threads that come here together may search twice; they find the same.
        if self._found is None or depth > self._depth:
            found = search()
            self._found, self._depth, self._cut = found, depth, {depth: found}
            return found
        hits, report = self._found
        return self._cut.setdefault(depth, (hits.head(depth), report))


def _key_of(selection: Selection) -> Hashable:
    rows = selection.admitted
    digest = None if rows is None else blake2b(rows.tobytes(), digest_size=16).digest()
    return (tuple(sorted(selection.filters.items())), digest)


class RememberedExpander:
    """A query expander that is asked each thing once.

    Parameters
    ----------
    expander
        A :class:`~octavo.QueryExpander` or a function.
    """

    def __init__(self, expander: QueryExpander | Expand) -> None:
        self._expander = expander
        self._answers: dict[tuple[str, QueryExpansion, str, int], Sequence[str]] = {}

    def supports(self, model: str) -> bool:
        """Whether the expander serves a model; a function serves all."""
        return not isinstance(self._expander, QueryExpander) or self._expander.supports(model)

    def expand(
        self, query: str, mode: QueryExpansion, model: str, max_expansions: int
    ) -> Sequence[str]:
        """Return variants of a query."""
        key = (query, mode, model, max_expansions)
        if key not in self._answers:
            ask: Any = self._expander
            ask = ask.expand if isinstance(ask, QueryExpander) else ask
            self._answers[key] = ask(*key)
        return self._answers[key]
