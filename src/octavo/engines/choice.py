"""Which structure serves the vectors of a segment: decided by size, recall and memory."""

import math
from dataclasses import dataclass
from enum import StrEnum

from octavo.errors import InvalidArgumentError, real_number, shown

EXACT_ROWS = 50_000
"""Up to here every vector is compared: two or three milliseconds, and nothing to tune (measured)."""

DEFAULT_RECALL = 0.95

_CODE_SLICES = 128  # four bits each: 64 bytes a row, whatever the dimensions
_TRAINED_ROWS_A_LIST = 32
_SMALLEST_LIST = 8


class VectorIndexKind(StrEnum):
    """How vectors are searched."""

    AUTOMATIC = "automatic"
    """Every vector up to 50,000 rows, inverted lists beyond."""
    FLAT = "flat"
    """Every vector is compared: exact."""
    LISTS = "lists"
    """Inverted lists of compact codes; candidates are scored exactly."""
    GRAPH = "graph"
    """A navigable graph (HNSW); candidates are scored exactly. Takes long to build."""


@dataclass(frozen=True, slots=True)
class VectorIndexRequest:
    """What a build or a tuning is asked for.

    Parameters
    ----------
    recall
        The share of the ten nearest that a search shall find on average; 1.0 is exact search.
    kind
        The structure.
    """

    recall: float = DEFAULT_RECALL
    kind: VectorIndexKind = VectorIndexKind.AUTOMATIC

    def kind_for(self, rows: int, dimensions: int, memory: int) -> VectorIndexKind:
        """Return the structure for so many rows: ``FLAT``, ``LISTS`` or ``GRAPH``.

        Parameters
        ----------
        rows, dimensions
            The vectors.
        memory
            Bytes that the building may take. Where a structure needs more, search stays exact.
        """
        if self.recall >= 1.0 or self.kind is VectorIndexKind.FLAT or rows < _SMALLEST_LIST:
            return VectorIndexKind.FLAT
        if self.kind is VectorIndexKind.GRAPH:
            needed = rows * (2 * dimensions + _GRAPH_BYTES)
            return VectorIndexKind.GRAPH if needed <= memory else VectorIndexKind.FLAT
        if self.kind is VectorIndexKind.AUTOMATIC and rows <= EXACT_ROWS:
            return VectorIndexKind.FLAT
        return (
            VectorIndexKind.LISTS
            if list_bytes(rows, dimensions) <= memory
            else (VectorIndexKind.FLAT)
        )


_GRAPH_BYTES = 320  # links of 32 neighbours, and what their building takes


def requested_vector_index(recall: object, kind: object) -> VectorIndexRequest:
    """Return what a caller asked for.

    Raises
    ------
    InvalidArgumentError
        ``recall`` is no number above 0 and up to 1 (booleans, text and NaN are none), or there is
        no such structure.
    """
    number = real_number(recall)
    if number is None or not 0.0 < number <= 1.0:
        raise InvalidArgumentError(
            f"recall: expected a number above 0 and up to 1, found {shown(recall)}"
        )
    try:
        return VectorIndexRequest(number, VectorIndexKind(kind))  # type: ignore[arg-type]
    except ValueError:
        raise InvalidArgumentError(
            f"vector_index: expected one of {', '.join(VectorIndexKind)}, found {shown(kind)}"
        ) from None


def list_count(rows: int) -> int:
    """Return how many lists to make: about twice the square root, a power of two."""
    wanted = 1 << max(0, round(math.log2(2.0 * math.sqrt(max(1, rows)))))
    return max(1, min(wanted, rows // _SMALLEST_LIST))


def training_rows(rows: int) -> int:
    """Return how many vectors to train on: a sample, bounded by the number of lists."""
    return min(rows, max(_TRAINED_ROWS_A_LIST * list_count(rows), 1 << 15))


def slice_width(dimensions: int) -> int:
    """Return how many dimensions one four-bit code stands for; divides ``dimensions``.

    Examples
    --------
    >>> slice_width(128), slice_width(384), slice_width(1536), slice_width(127)
    (1, 3, 12, 1)
    """
    # FAISS computes its tables batch by batch, in a matrix product, from 16 dimensions on.
    for width in range(max(1, math.ceil(dimensions / _CODE_SLICES)), 16):
        if dimensions % width == 0:
            return width
    return 1


def list_bytes(rows: int, dimensions: int) -> int:
    """Return the memory that building inverted lists takes, in bytes."""
    code = math.ceil(dimensions / slice_width(dimensions) / 2)
    # Codes twice while they are packed; ids, the order of rows and its sorting (measured).
    return rows * (2 * code + 40) + training_rows(rows) * dimensions * 8
