"""What is asked of shards, as values: the same for shards of this process and of others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.stored_document import StoredDocument
from octavo.engines.keyword.collection import CollectionStatistics, CollectionTotals
from octavo.engines.report import SearchReport
from octavo.shards.shard import Shard

Answer_co = TypeVar("Answer_co", covariant=True)


class Question(Protocol[Answer_co]):
    """Something that one shard answers."""

    def __call__(self, shard: Shard) -> Answer_co:
        """Return the answer."""
        ...


@dataclass(frozen=True, slots=True)
class Totals:
    """How many rows and tokens there are."""

    def __call__(self, shard: Shard) -> CollectionTotals:
        """Return them."""
        return shard.totals()


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How many documents hold each term."""

    terms: Sequence[str]

    def __call__(self, shard: Shard) -> NDArray[np.int64]:
        """Return a number for each term."""
        return shard.frequencies(self.terms)


@dataclass(frozen=True, slots=True, eq=False)
class RankKeyword:
    """The best rows by words."""

    queries: Sequence[Sequence[str]]
    depth: int
    filters: Mapping[str, str]
    statistics: CollectionStatistics

    def __call__(self, shard: Shard) -> tuple[Hits, SearchReport]:
        """Return them."""
        return shard.rank_keyword(self.queries, self.depth, self.filters, self.statistics)


@dataclass(frozen=True, slots=True, eq=False)
class RankVector:
    """The best rows by vectors."""

    vectors: NDArray[np.floating]
    depth: int
    filters: Mapping[str, str]

    def __call__(self, shard: Shard) -> tuple[Hits, SearchReport]:
        """Return them."""
        return shard.rank_vector(self.vectors, self.depth, self.filters)


@dataclass(frozen=True, slots=True)
class ScansAllVectors:
    """Whether vector search compares all vectors."""

    def __call__(self, shard: Shard) -> bool:
        """Return that."""
        return shard.scans_all_vectors


@dataclass(frozen=True, slots=True, eq=False)
class Ids:
    """The ids of rows."""

    rows: NDArray[np.int64]

    def __call__(self, shard: Shard) -> list[str]:
        """Return one for each row."""
        return shard.ids(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """The documents of rows."""

    rows: NDArray[np.int64]

    def __call__(self, shard: Shard) -> list[StoredDocument]:
        """Return one for each row."""
        return shard.documents(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Timestamps:
    """The timestamps of rows."""

    rows: NDArray[np.int64]

    def __call__(self, shard: Shard) -> list[tuple[int, bool]]:
        """Return microseconds since 1970 UTC, and whether there is one, for each row."""
        ticks, present = shard.timestamps(self.rows)
        return list(zip(ticks.tolist(), present.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class TimestampOutside:
    """A document whose timestamp is out of range."""

    first: int
    last: int

    def __call__(self, shard: Shard) -> str | None:
        """Return its id, if there is one."""
        return shard.timestamp_outside(self.first, self.last)


@dataclass(frozen=True, slots=True)
class RowsOf:
    """The rows of ids."""

    identities: Sequence[str]

    def __call__(self, shard: Shard) -> NDArray[np.int64]:
        """Return one for each id, -1 where the shard does not have it."""
        return shard.rows_of(self.identities)
