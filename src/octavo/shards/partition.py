"""Cutting documents into shards: one pass over the inputs, one file of Arrow data a shard."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.document_batch import normalise
from octavo.columns.schema import ColumnChoice
from octavo.columns.sources import InputBatch, RowOrigins, Source, TableSource, open_inputs
from octavo.columns.text import movable
from octavo.columns.vector_notes import noted_model, with_note
from octavo.embeddings.vector_model import VectorModel
from octavo.shards.appended_file import AppendedFile
from octavo.shards.assignment import shard_of
from octavo.storage.format.durable import errors_naming

_HELD = 1 << 26
"""Bytes that wait to be written, of all shards together."""


@dataclass(frozen=True, slots=True)
class ShardInput:
    """The documents of one shard, as files.

    Parameters
    ----------
    number
        Of the shard.
    paths
        Arrow streams: a file ends where the schema of the inputs changes.
    position
        The column that holds the position of each document among all.
    vectors
        Whether any document came with a vector.
    origins
        Where all documents came from, by their positions.
    """

    number: int
    paths: tuple[Path, ...]
    position: str
    vectors: bool
    origins: RowOrigins

    def sources(self) -> list[TableSource]:
        """Return the documents, to be read once."""
        name = f"shard {self.number}"
        return [TableSource(name, pa.ipc.open_stream(pa.memory_map(str(p)))) for p in self.paths]

    def positions(self) -> NDArray[np.int64]:
        """Return the position of each document among all, rising."""
        found = [
            batch[self.position].to_numpy(zero_copy_only=False)
            for source in self.sources()
            for batch in source.batches([self.position], 1 << 20)
        ]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def describe_row(self, row: int) -> str:
        """Name the input and the row in it that became row ``row`` of the shard."""
        return self.origins.describe(int(self.positions()[row]))


def partition(
    sources: Sequence[Source],
    choice: ColumnChoice,
    shards: int,
    scratch: Path,
    progress: Callable[[int], None],
) -> list[ShardInput]:
    """Write the documents of each shard to files in ``scratch``, in the order of the inputs.

    Documents are checked on the way, so that what is wrong is named by its own file and row. Memory
    holds one batch of the inputs and up to 64 MiB for the files, which take the size of the columns
    that are indexed.

    Parameters
    ----------
    sources
        The inputs; read once.
    choice
        The columns that play a part.
    shards
        How many.
    scratch
        A directory; its files are the caller's to remove.
    progress
        Told the number of documents done.

    Raises
    ------
    InvalidArgumentError, SourceLoadingError
        A document is not acceptable, vectors are those of several models, or an input is damaged.
    OSError
        The disk is full.
    """
    position = "position"
    while position in choice.columns():
        position = f"_{position}"
    model = None if choice.embedding is None else noted_model(sources, choice.embedding)
    dimensions: int | None = None
    done = 0
    origins = RowOrigins()
    with errors_naming(scratch), ExitStack() as open_files:
        writers = [
            open_files.enter_context(_ShardWriter(scratch, number, position, _HELD // shards))
            for number in range(shards)
        ]
        for batch in open_inputs(sources, columns=choice.columns()):
            origins.add(batch)
            documents = normalise(batch, choice, dimensions)
            present = np.zeros(len(documents), np.bool_)
            if documents.vectors is not None:
                dimensions = documents.vectors.dimensions or dimensions
                present = documents.vectors.present
            owners = shard_of(documents.ids, shards)
            whole = _noting(_complete(batch, choice), choice.embedding, model)
            for number, rows in _rows_of_shards(owners):
                writers[number].write(whole.take(rows), done + rows, present[rows].any())
            done += len(documents)
            progress(done)
        empty = pa.RecordBatch.from_pydict({name: pa.nulls(0) for name in choice.columns()})
        for writer in writers:
            writer.write_if_nothing_else(empty)
    return [writer.finished(origins) for writer in writers]


class _ShardWriter:
    """Writes the documents of one shard; no file stays open."""

    def __init__(self, scratch: Path, number: int, position: str, held: int) -> None:
        self._scratch, self._number, self._position = scratch, number, position
        self._held = held
        self._file: AppendedFile | None = None
        self._paths: list[Path] = []
        self._schema: pa.Schema | None = None
        self._writer: Any = None
        self._vectors = False

    def write(self, batch: pa.RecordBatch, positions: NDArray[np.int64], vectors: object) -> None:
        """Append documents."""
        numbered = batch.append_column(self._position, pa.array(positions, pa.int64()))
        if self._schema != numbered.schema:
            self.close()
            path = self._scratch / f"{self._number:05d}-{len(self._paths):05d}.arrow"
            self._schema = numbered.schema
            self._file = AppendedFile(path, self._held)
            self._writer = pa.ipc.new_stream(pa.PythonFile(self._file, "w"), numbered.schema)
            self._paths.append(path)
        self._writer.write_batch(numbered)
        self._vectors = self._vectors or bool(vectors)

    def write_if_nothing_else(self, empty: pa.RecordBatch) -> None:
        """Leave a file with a schema where no document came."""
        if not self._paths:
            self.write(empty, np.zeros(0, np.int64), vectors=False)

    def finished(self, origins: RowOrigins) -> ShardInput:
        paths = tuple(self._paths)
        return ShardInput(self._number, paths, self._position, self._vectors, origins)

    def close(self) -> None:
        if self._writer is not None and self._file is not None:
            self._writer.close()
            self._file.close()
            self._writer = self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _complete(batch: InputBatch, choice: ColumnChoice) -> pa.RecordBatch:
    """Return all columns of a choice; those that this input lacks are null."""
    given = batch.batch
    columns = {
        name: movable(given[name]) if name in given.schema.names else pa.nulls(given.num_rows)
        for name in choice.columns()
    }
    return pa.RecordBatch.from_pydict(columns)


def _noting(batch: pa.RecordBatch, column: str | None, model: VectorModel | None) -> pa.RecordBatch:
    """Return a batch that says which model made its vectors, as only some inputs may."""
    if column is None or model is None:
        return batch
    schema = with_note(batch.schema, column, model.note())
    return pa.RecordBatch.from_arrays(batch.columns, schema=schema)


def _rows_of_shards(
    owners: NDArray[np.int64],
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each shard that owns rows, and the rows in order."""
    order = np.argsort(owners, kind="stable")
    numbers, starts = np.unique(owners[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(order, starts[1:]), strict=True)
