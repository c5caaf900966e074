"""The documents and queries of a run, on disk: generated ones, or a file's own."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from octavo.benchmark.synthetic import QuerySet, SyntheticCorpus, row_columns, vector_array
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.errors import CorpusFormatError, InvalidArgumentError

_BATCH = 16_384
_SAMPLED = 20_000


@dataclass(frozen=True)
class Collection:
    """Documents in an Arrow file, and queries for them.

    Parameters
    ----------
    name
        What the documents are, for people.
    path
        The file, with the columns of :attr:`SyntheticCorpus.schema` (``topic`` may be missing).
    queries
        Queries, in a fixed order.
    """

    name: str
    path: Path
    queries: QuerySet

    @cached_property
    def table(self) -> pa.Table:
        """The documents, memory-mapped."""
        return pa.ipc.open_file(pa.memory_map(str(self.path))).read_all()

    @property
    def documents(self) -> int:
        """How many."""
        return self.table.num_rows

    @property
    def vectors(self) -> NDArray[np.float32]:
        """A copy of all vectors, float32[n, dimensions], as given."""
        column: Any = self.table["vector"]
        parts = [np.asarray(part.flatten()).reshape(len(part), -1) for part in column.chunks]
        return np.concatenate(parts)

    @property
    def dimensions(self) -> int:
        """Values of a vector."""
        width: int = self.table.schema.field("vector").type.list_size
        return width

    @property
    def bytes(self) -> int:
        """Bytes of texts and vectors."""
        columns = (self.table[name] for name in ("text", "vector"))
        return sum(column.nbytes for column in columns)


def generated(corpus: SyntheticCorpus, directory: Path, queries: int) -> Collection:
    """Write generated documents into ``directory``, batch by batch."""
    path = directory / f"documents-{corpus.documents}.arrow"
    if not path.exists():
        _write(path, corpus.schema, corpus.batches())
    name = f"{corpus.documents:,} generated documents (seed {corpus.seed})"
    return Collection(name, path, corpus.queries(queries))


def from_parquet(source: Path, text: str, directory: Path, queries: int) -> Collection:
    """Take real documents; what a measure needs beside their texts is made up.

    Vectors are the hash embedding's of 128 dimensions; families, times, sources and tiers are those
    of generated documents. Queries are 2 to 6 words of a document, always the same ones.

    Raises
    ------
    CorpusFormatError
        No parquet file.
    InvalidArgumentError
        There is no such text column, or no text of two words.
    """
    try:
        file = pq.ParquetFile(source, memory_map=True)
    except pa.ArrowInvalid as error:
        raise CorpusFormatError(f"{source}: expected a parquet file: {error}") from error
    names = file.schema_arrow.names
    if text not in names:
        raise InvalidArgumentError(
            f"--text: expected a column of {source}, one of {', '.join(names)}, found {text!r}"
        )
    path = directory / "documents.arrow"
    schema = SyntheticCorpus(1).schema.remove(SyntheticCorpus(1).schema.get_field_index("topic"))
    _write(path, schema, _real_batches(file, text, schema))
    texts = _sampled_queries(pa.ipc.open_file(pa.memory_map(str(path))).read_all()["text"], queries)
    name = f"{file.metadata.num_rows:,} documents of {source.name}"
    return Collection(name, path, QuerySet(texts, HashEmbedding().embed_batch(texts)))


def _real_batches(file: pq.ParquetFile, text: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    embedding, start = HashEmbedding(), 0
    for batch in file.iter_batches(_BATCH, columns=[text]):
        texts = batch.column(0).cast(pa.string())
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((0, start))))
        ids, *rest = row_columns(rng, start, len(texts))
        vectors = vector_array(embedding.embed_batch(texts))
        yield pa.RecordBatch.from_arrays([ids, texts, vectors, *rest], schema=schema)
        start += len(texts)


def _sampled_queries(texts: "pa.ChunkedArray[Any]", number: int) -> tuple[str, ...]:
    """Return queries of words of random documents, so that every query has an answer."""
    rng = np.random.Generator(np.random.PCG64(7))
    queries: list[str] = []
    for row in rng.integers(0, max(1, len(texts)), _SAMPLED + 4 * number).tolist():
        words = (texts[row].as_py() or "").split() if len(texts) else []
        if len(queries) < number and len(words) >= 2:
            size = min(len(words), int(rng.integers(2, 7)))
            queries.append(" ".join(words[at] for at in rng.permutation(len(words))[:size]))
    if len(queries) < number:
        raise InvalidArgumentError(
            f"--corpus: expected texts of two words or more for {number} queries, "
            f"found {len(queries)} in {len(texts)} documents"
        )
    return tuple(queries)


def _write(path: Path, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
    unfinished = path.with_suffix(".unfinished")
    with pa.ipc.new_file(str(unfinished), schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    unfinished.replace(path)
