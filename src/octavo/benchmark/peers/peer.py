"""What the suite asks of another library: build from the same data, answer the same queries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray

Answers = Sequence[NDArray[np.int64]]
"""The rows found for each query, best first."""


class Stream(StrEnum):
    """What a search ranks by."""

    KEYWORD = "keyword"
    VECTOR = "vector"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True, eq=False)
class PeerDocuments:
    """What every peer indexes.

    Parameters
    ----------
    analyzed
        Tokens joined by single spaces, so that all search the same words.
    vectors
        Unit length, float32[n, d].
    tiers
        One metadata value a document.
    directory
        An empty directory of the peer's own.
    """

    analyzed: Array
    vectors: NDArray[np.float32]
    tiers: ChunkedArray
    directory: Path


@dataclass(frozen=True, slots=True, eq=False)
class PeerQueries:
    """Queries as tokens and as vectors of unit length."""

    tokens: Sequence[Sequence[str]]
    vectors: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, piece: slice) -> "PeerQueries":
        return PeerQueries(self.tokens[piece], self.vectors[piece])


Search = Callable[[PeerQueries, int], Answers]
RecallOf = Callable[[Search], float]
"""Recall at 10 of a vector search on queries that are not measured, by brute force."""


class Peer(Protocol):
    """An adapter; importing its module imports nothing of the library."""

    name: ClassVar[str]
    """As people know it; also the name of its requirements file, in lower case."""

    def build(self, documents: PeerDocuments) -> None:
        """Index the documents.

        Raises
        ------
        ImportError
            The library is not installed.
        """
        ...

    def tune(self, recall_of: RecallOf) -> None:
        """Choose how widely to search, for a recall of 0.95, where vector search is approximate."""
        ...

    def searches(self) -> Mapping[Stream, Search]:
        """Return what it can search by, ready to run."""
        ...

    def settings(self) -> str:
        """Return the library's version and what was chosen, for the report."""
        ...


RECALL = 0.95


def tuned(choices: Sequence[Any], search_with: Callable[[Any], Search], recall_of: RecallOf) -> Any:  # noqa: ANN401 - any setting
    """Return the first of ``choices``, cheapest first, that reaches :data:`RECALL`, or the last."""
    for choice in choices:
        if recall_of(search_with(choice)) >= RECALL:
            return choice
    return choices[-1]
