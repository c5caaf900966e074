"""What an approximate structure answers: rows that are likely to be near, to be scored exactly."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import faiss
import numpy as np
from numpy.typing import NDArray

from octavo.engines.choice import VectorIndexKind

FaissObject: TypeAlias = Any
"""An object of FAISS, whose type stubs know a part of its attributes only."""


class Admitted:
    """The rows of one segment that may be hits, in the form that FAISS reads: one bit a row.

    Parameters
    ----------
    flags
        One boolean a row.

    Notes
    -----
    FAISS reads the bits through a plain pointer, so this object must outlive a search with it.
    """

    def __init__(self, flags: NDArray[np.bool_]) -> None:
        self.flags = flags
        self.count = int(np.count_nonzero(flags))
        self._bits = np.packbits(flags, bitorder="little")
        self.held: NDArray[np.int64] | None = None
        """The number of admitted rows in each list, where somebody counted them."""
        self.selector = faiss.IDSelectorBitmap(len(self._bits), faiss.swig_ptr(self._bits))


@dataclass(frozen=True, slots=True, eq=False)
class Nominations:
    """Candidates of a batch of queries.

    Parameters
    ----------
    rows
        int64, shape ``(queries, nominees)``, most likely first; -1 where there were no more.
    probed
        The lists read, over all queries; 0 where there are no lists.
    compared
        The vectors compared, over all queries, as far as it is known.
    """

    rows: NDArray[np.int64]
    probed: int
    compared: int


class Nominator(Protocol):
    """An approximate structure over the vectors of one segment; never changes when searched."""

    kind: VectorIndexKind

    @property
    def largest_effort(self) -> int:
        """The effort beyond which more changes nothing."""
        ...

    def cost(self, effort: int, admitted: int) -> float:
        """Return the expected work of one query, in vectors compared by an exact scan."""
        ...

    def nominate(
        self,
        queries: NDArray[np.float32],
        effort: int,
        nominees: int,
        admitted: Admitted | None = None,
    ) -> Nominations:
        """Return candidates for each query.

        Parameters
        ----------
        queries
            Unit-length float32 vectors, C-contiguous.
        effort
            How much to look at: lists to probe, or the breadth of the walk through a graph.
        nominees
            The number of candidates wanted.
        admitted
            The rows that may be candidates; ``None``: all.
        """
        ...
