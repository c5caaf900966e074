"""One shard, opened: an index whose rows are known by the positions of their documents among all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import open_array
from octavo.columns.hits import Hits
from octavo.columns.stored_document import StoredDocument
from octavo.corpus.searchable import state_fingerprint
from octavo.engines.keyword.collection import CollectionStatistics, CollectionTotals
from octavo.engines.report import SearchReport
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.shards import layout
from octavo.shards.contents import contents_digest
from octavo.storage.format.manifest import Manifest
from octavo.storage.snapshot.snapshot import Snapshot, open_snapshot


class Shard:
    """Searches a shard.

    A row of a sharded index is ``position * shards + number``, where ``position`` is that of the
    document among all and ``number`` that of its shard. So rows of all shards sort as the rows of
    a single index would, and each tells its shard.

    Parameters
    ----------
    snapshot
        The shard's index.
    positions
        The position of each of its rows, rising.
    number, shards
        Which shard this is, and of how many.
    """

    def __init__(
        self, snapshot: Snapshot, positions: NDArray[np.int64], number: int, shards: int
    ) -> None:
        self._snapshot, self._positions = snapshot, positions
        self.number, self._shards = number, shards

    def totals(self) -> CollectionTotals:
        """Return the number of rows and tokens."""
        return self._snapshot.keyword_index.totals

    def frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return how many documents of the shard hold each term."""
        return self._snapshot.keyword_index.frequencies(terms)

    def rank_keyword(
        self,
        queries: Sequence[Sequence[str]],
        depth: int,
        filters: Mapping[str, str],
        statistics: CollectionStatistics,
    ) -> tuple[Hits, SearchReport]:
        """Return the best rows of each analysed query, scored by the statistics of all shards."""
        selection = self._snapshot.select(filters)
        hits, report = self._snapshot.keyword_index.search(queries, depth, selection, statistics)
        return self._shown(hits), report

    def rank_vector(
        self, vectors: NDArray[np.floating], depth: int, filters: Mapping[str, str]
    ) -> tuple[Hits, SearchReport]:
        """Return the best rows of each query vector."""
        if self._snapshot.manifest.embedding is None:
            return Hits.empty(len(vectors)), SearchReport()
        selection = self._snapshot.select(filters)
        hits, report = self._snapshot.rank_vector(vectors, depth, selection)
        return self._shown(hits), report

    @property
    def scans_all_vectors(self) -> bool:
        """Whether vector search compares all vectors; so it does where there are none."""
        return self._snapshot.scans_all_vectors

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of rows of this shard."""
        return self._snapshot.ids(self._local(rows))

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of rows of this shard."""
        return self._snapshot.documents(self._local(rows))

    def timestamps(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return microseconds since 1970 UTC at rows of this shard, and where there are any."""
        return self._snapshot.timestamps(self._local(rows))

    def timestamp_outside(self, first: int, last: int) -> str | None:
        """Return the id of a document whose timestamp is out of range, if there is one."""
        return self._snapshot.timestamp_outside(first, last)

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each id, -1 where it is not in this shard."""
        local = self._snapshot.rows_of(identities)
        found = local >= 0
        rows = np.full(len(local), -1, np.int64)
        rows[found] = self._positions[local[found]] * self._shards + self.number
        return rows

    def _shown(self, hits: Hits) -> Hits:
        rows = self._positions[hits.rows] * self._shards + self.number
        return Hits(hits.offsets, rows, hits.scores)

    def _local(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self._positions, rows // self._shards)


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """Where a shard lies; what another process needs to open it.

    Parameters
    ----------
    generation
        The directory of all shards.
    number, shards
        Which shard this is, and of how many.
    state
        The fingerprint of its index, so that all processes search it in one state.
    """

    generation: Path
    number: int
    shards: int
    state: str

    def check(self, manifest: Manifest, contents: str) -> None:
        """Refuse a shard that is not as it was built.

        Parameters
        ----------
        manifest
            What the shard says of itself.
        contents
            The digest of what it was built of.

        Raises
        ------
        CorpusCorruptError
            It holds other documents, or is analysed or embedded otherwise.
        """
        if contents_digest(manifest) != contents or manifest.documents != manifest.rows:
            raise CorpusCorruptError(
                f"{layout.shard_directory(self.generation, self.number)}: expected a shard as it was "
                "built, found it changed by itself; build the sharded index again"
            )

    def snapshot(self) -> Snapshot:
        """Open the shard's index."""
        return open_snapshot(layout.shard_directory(self.generation, self.number))

    def open(self) -> Shard:
        """Open the shard.

        Raises
        ------
        CorpusCorruptError, CorpusFormatError
            It is missing, damaged, or is in another state by now.
        """
        snapshot = self.snapshot()
        if state_fingerprint(snapshot.manifest) != self.state:
            raise CorpusFormatError(
                f"{snapshot.path}: changed since the sharded index was opened; open that again"
            )
        return self.shard(snapshot)

    def shard(self, snapshot: Snapshot) -> Shard:
        """Return the shard whose index was opened."""
        path = layout.positions_file(self.generation, self.number)
        positions = open_array(path, np.int64, (snapshot.rows,))
        return Shard(snapshot, positions, self.number, self.shards)
