"""The queries of a batch job as a stream of equal blocks."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.batch.query_columns import QueryColumns
from octavo.batch.seen_ids import SeenIds
from octavo.columns.place import Place
from octavo.columns.sources import InputBatch, Source, open_inputs
from octavo.columns.text import as_ids, as_text
from octavo.columns.vectors import as_vectors
from octavo.corpus.blocks import BLOCK_QUERIES, QueryBlock
from octavo.errors import InvalidArgumentError
from octavo.strategies.queries import Queries

READ_ROWS = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class QueryStream:
    """Queries read from inputs, checked, and cut into blocks.

    Blocks hold :data:`BLOCK_QUERIES` queries whatever the sizes of the batches they came in, so the
    blocks depend on nothing but the queries.

    Parameters
    ----------
    sources
        Where the queries are; read once.
    columns
        Which columns to read.
    dimensions
        Dimensions that query vectors must have; ``None`` accepts any.
    """

    sources: Sequence[Source]
    columns: QueryColumns
    dimensions: int | None

    def blocks(self, scratch: Path) -> Iterator[QueryBlock]:
        """Yield the blocks in order, in memory that does not depend on the number of queries.

        Parameters
        ----------
        scratch
            A directory for temporary files; they are the owner's to remove.

        Raises
        ------
        InvalidArgumentError, SourceLoadingError
            A query id is null or repeated, a query vector is null or malformed, or an input is
            damaged; the message names the rows.
        """
        pending: list[QueryBlock] = []
        held = 0
        for block in self._read(SeenIds(scratch)):
            pending.append(block)
            held += len(block.queries)
            if held >= BLOCK_QUERIES:
                joined = _joined(pending)
                whole = held - held % BLOCK_QUERIES
                for start in range(0, whole, BLOCK_QUERIES):
                    yield _cut(joined, start, start + BLOCK_QUERIES)
                pending = [_cut(joined, whole, held)] if held > whole else []
                held -= whole
        if pending:
            yield _joined(pending)

    def queries(self) -> Queries:
        """Return all queries at once, for when there are few."""
        with tempfile.TemporaryDirectory() as scratch:
            blocks = list(self._read(SeenIds(Path(scratch))))
        return _joined(blocks).queries if blocks else Queries(())

    def _read(self, seen: SeenIds) -> Iterator[QueryBlock]:
        position = 0
        batches = open_inputs(self.sources, columns=self.columns.columns(), batch_rows=READ_ROWS)
        for batch in batches:
            ids = self._ids(batch, position, seen)
            yield QueryBlock(ids, Queries(self._texts(batch), self._vectors(batch, ids)))
            position += batch.batch.num_rows

    def _ids(self, batch: InputBatch, position: int, seen: SeenIds) -> pa.StringArray:
        rows = batch.batch.num_rows
        if self.columns.id is None:
            return pa.array([str(row) for row in range(position, position + rows)], pa.string())
        place = _place(batch, self.columns.id)
        ids = as_ids(_column(batch, self.columns.id), place)
        if ids.null_count:
            missing = np.flatnonzero(ids.is_null().to_numpy(zero_copy_only=False))
            raise InvalidArgumentError(
                f"{place}: expected an id for each query, found null in {place.rows(missing)}"
            )
        texts = [str(identifier) for identifier in ids.to_pylist()]
        repeated = seen.add(texts)
        if repeated is not None:
            raise InvalidArgumentError(
                f"{place}: expected distinct query ids, found {texts[repeated]!r} again in "
                f"{place.rows([repeated])}"
            )
        return pa.array(texts, pa.string())

    def _texts(self, batch: InputBatch) -> list[str]:
        if self.columns.text is None or self.columns.text not in batch.batch.schema.names:
            return [""] * batch.batch.num_rows
        texts = as_text(batch.batch[self.columns.text], _place(batch, self.columns.text))
        return [text or "" for text in texts.to_pylist()]

    def _vectors(self, batch: InputBatch, ids: pa.StringArray) -> NDArray[np.floating] | None:
        if self.columns.vector is None:
            return None
        place = _place(batch, self.columns.vector)
        vectors = as_vectors(_column(batch, self.columns.vector), place, self.dimensions)
        if not vectors.present.all():
            missing = np.flatnonzero(~vectors.present)
            raise InvalidArgumentError(
                f"{place}: expected a vector for each query, found null for query "
                f"{ids[int(missing[0])].as_py()!r} in {place.rows(missing)}"
            )
        return vectors.values


def _place(batch: InputBatch, column: str) -> Place:
    return Place(column, batch.origin, batch.first_row)


def _column(batch: InputBatch, name: str) -> "pa.Array[Any]":
    if name not in batch.batch.schema.names:
        raise InvalidArgumentError(
            f"{batch.origin}: expected a column {name!r} as the other inputs have, found none"
        )
    return batch.batch[name]


def _joined(blocks: list[QueryBlock]) -> QueryBlock:
    if len(blocks) == 1:
        return blocks[0]
    texts = [text for block in blocks for text in block.queries.texts]
    vectors = [block.queries.vectors for block in blocks if block.queries.vectors is not None]
    return QueryBlock(
        pa.concat_arrays([block.ids for block in blocks]),
        Queries(texts, np.concatenate(vectors) if vectors else None),
    )


def _cut(block: QueryBlock, start: int, stop: int) -> QueryBlock:
    return QueryBlock(block.ids.slice(start, stop - start), block.queries[start:stop])
