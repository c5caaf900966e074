"""Ranked rows for a batch of queries, as flat arrays: what every stage takes and gives.

Inside octavo a document is an int64 row number. ``Hits`` is ragged by offsets, strictly ordered
within each query by (score descending, row ascending) (S6), and holds no padding (S13). Each stage
leaves what it knew about a hit as a named part, so that a final score can be recomputed from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One named column beside the hits, such as the rank in a stream.

    Parameters
    ----------
    values
        One value a hit.
    present
        Where the hit has the value; ``None`` means everywhere.
    key
        The metadata key under which a :class:`~octavo.RetrievedDocument` shows the value; ``None``
        where it does not.
    """

    values: NDArray[Any]
    present: NDArray[np.bool_] | None = None
    key: str | None = None

    def take(self, positions: NDArray[Any]) -> Self:
        """Return the part for the hits at ``positions`` (indices or a mask)."""
        present = None if self.present is None else self.present[positions]
        return replace(self, values=self.values[positions], present=present)

    def has(self, position: int) -> bool:
        """Whether the hit at ``position`` has the value."""
        return self.present is None or bool(self.present[position])


class RowPart(Part):
    """A part whose values are rows, which leave octavo as the ids of their documents."""

    __slots__ = ()


class ListPart(Part):
    """A part whose values are short lists of counts, such as the rank in each variant of a query.

    ``values`` has one int32 line a hit: a count from 1, 0 where the list holds nothing at that
    place (a null), and -1 beyond its end.
    """

    __slots__ = ()

    def lengths(self) -> NDArray[np.int64]:
        """Return the length of each list."""
        lengths: NDArray[np.int64] = (self.values >= 0).sum(axis=1, dtype=np.int64)
        return lengths

    def widened(self, width: int) -> Self:
        """Return the same lists in lines of ``width`` values."""
        wider = np.full((len(self.values), width), -1, np.int32)
        wider[:, : self.values.shape[1]] = self.values
        return replace(self, values=wider)


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Hits of ``q`` queries: query ``i`` owns positions ``offsets[i]`` to ``offsets[i + 1]``.

    Parameters
    ----------
    offsets
        int64, shape ``(q + 1,)``, starting at 0 and never falling.
    rows
        int64, shape ``(n,)``: row numbers in the corpus.
    scores
        float64, shape ``(n,)``: never NaN.
    parts
        Named columns of ``n`` values each.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    parts: Mapping[str, Part] = field(default_factory=dict)

    @property
    def queries(self) -> int:
        """The number of queries."""
        return len(self.offsets) - 1

    def __len__(self) -> int:
        return len(self.rows)

    def counts(self) -> NDArray[np.int64]:
        """Return the number of hits of each query."""
        return np.diff(self.offsets)

    def ranks(self) -> NDArray[np.int64]:
        """Return the rank of each hit within its query, from 1."""
        return np.arange(1, len(self.rows) + 1) - np.repeat(self.offsets[:-1], self.counts())

    def query_of(self) -> NDArray[np.int64]:
        """Return for each hit the number of its query."""
        return np.repeat(np.arange(self.queries), self.counts())

    def keep(self, mask: NDArray[np.bool_]) -> "Hits":
        """Return only the hits where ``mask`` holds, in the same order."""
        kept = np.concatenate(([0], np.cumsum(mask, dtype=np.int64)))
        return Hits(
            kept[self.offsets],
            self.rows[mask],
            self.scores[mask],
            {name: part.take(mask) for name, part in self.parts.items()},
        )

    def head(self, limit: int) -> "Hits":
        """Return the first ``limit`` hits of each query."""
        if len(self.rows) == 0 or int(self.counts().max()) <= limit:
            return self
        return self.keep(self.ranks() <= limit)

    def at_least(self, min_score: float) -> "Hits":
        """Return the hits with a score of at least ``min_score`` (S10: inclusive)."""
        mask = self.scores >= min_score
        return self if bool(mask.all()) else self.keep(mask)

    def with_parts(self, **parts: Part) -> "Hits":
        """Return the same hits with further parts."""
        return Hits(self.offsets, self.rows, self.scores, {**self.parts, **parts})

    @staticmethod
    def empty(queries: int) -> "Hits":
        """Return no hits for ``queries`` queries."""
        return Hits(np.zeros(queries + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float64))

    @staticmethod
    def concatenate(blocks: "list[Hits]") -> "Hits":
        """Join the hits of consecutive blocks of queries; each block has the same parts."""
        if len(blocks) == 1:
            return blocks[0]
        if not blocks:
            return Hits.empty(0)
        counts = np.concatenate([block.counts() for block in blocks])
        names = blocks[0].parts.keys()
        return Hits(
            np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
            np.concatenate([block.rows for block in blocks]),
            np.concatenate([block.scores for block in blocks]),
            {name: _joined([block.parts[name] for block in blocks]) for name in names},
        )


def _joined(parts: list[Part]) -> Part:
    width = max(part.values.shape[1] if isinstance(part, ListPart) else 0 for part in parts)
    parts = [part.widened(width) if isinstance(part, ListPart) else part for part in parts]
    values = np.concatenate([part.values for part in parts])
    if all(part.present is None for part in parts):
        return replace(parts[0], values=values)
    present = [
        np.ones(len(part.values), np.bool_) if part.present is None else part.present
        for part in parts
    ]
    return replace(parts[0], values=values, present=np.concatenate(present))
