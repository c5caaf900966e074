"""The one function that answers queries of a batch job, wherever it runs: Arrow in, Arrow out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.batch.stored_block import as_record_batch
from octavo.corpus.blocks import QueryBlock
from octavo.engines.report import SearchReport
from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy, ranked_table
from octavo.strategies.queries import Queries


@dataclass(frozen=True, slots=True, eq=False)
class AnsweredBlock:
    """The hits of one block of queries, and what it took to find them."""

    hits: pa.RecordBatch
    queries: int
    report: SearchReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Everything about a search but the index and the queries; plain values, so it can be sent.

    Parameters
    ----------
    strategy
        Name of a strategy.
    options
        Its options.
    context
        Limits and filters.
    schema
        Schema of the hits.
    """

    strategy: str
    options: Mapping[str, Any]
    context: RAGContext
    schema: pa.Schema


def query_batch(block: QueryBlock) -> pa.RecordBatch:
    """Return a block of queries as columns ``query_id``, ``text`` and, if there is one, ``vector``.

    Examples
    --------
    >>> block = QueryBlock(pa.array(["q1"]), Queries(("red fox",)))
    >>> query_batch(block).to_pylist()
    [{'query_id': 'q1', 'text': 'red fox'}]
    """
    columns: dict[str, pa.Array[Any]] = {
        "query_id": block.ids,
        "text": pa.array(list(block.queries.texts), pa.string()),
    }
    vectors = block.queries.vectors
    if vectors is not None:
        flat = pa.array(np.ascontiguousarray(vectors).ravel())
        columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    return pa.RecordBatch.from_pydict(columns)


def answer(
    strategy: ColumnarStrategy, settings: SearchSettings, queries: pa.RecordBatch
) -> AnsweredBlock:
    """Return the hits of a batch of queries; depends on nothing but what it is given.

    Parameters
    ----------
    strategy
        The strategy that the settings name, over the index.
    settings
        Limits, filters and the schema of the hits.
    queries
        As :func:`query_batch` makes them.
    """
    texts = [text or "" for text in queries["text"].to_pylist()]
    ids = cast("pa.StringArray", queries["query_id"])
    table, report = ranked_table(strategy, Queries(texts, _vectors(queries)), settings.context, ids)
    return AnsweredBlock(as_record_batch(table, settings.schema), queries.num_rows, report)


def _vectors(queries: pa.RecordBatch) -> NDArray[Any] | None:
    if "vector" not in queries.schema.names:
        return None
    column = cast("pa.FixedSizeListArray[Any, Any]", queries["vector"])
    flat: NDArray[Any] = column.flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(queries.num_rows, column.type.list_size)
