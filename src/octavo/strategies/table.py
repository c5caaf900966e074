"""Hits as an Arrow table: the form in which results leave octavo in bulk."""

from typing import Any

import numpy as np
import pyarrow as pa

from octavo.columns.hits import Hits, ListPart, Part, RowPart
from octavo.strategies.sources import Documents


def hits_table(hits: Hits, query_ids: pa.StringArray, documents: Documents) -> pa.Table:
    """Return one row a hit: ``query_id``, ``rank``, ``id``, ``score``, then every part.

    Parameters
    ----------
    hits
        Hits of as many queries as there are ids.
    query_ids
        String array, one id a query.
    documents
        What knows the ids of the rows.
    """
    columns: dict[str, pa.Array[Any]] = {
        "query_id": query_ids.take(pa.array(hits.query_of(), pa.int64())),
        "rank": pa.array(hits.ranks().astype(np.int32)),
        "id": pa.array(documents.ids(hits.rows), pa.string()),
        "score": pa.array(hits.scores, pa.float64()),
    }
    return pa.table({**columns, **part_columns(hits, documents)})


def part_columns(hits: Hits, documents: Documents) -> "dict[str, pa.Array[Any]]":
    """Return the parts as Arrow columns, null where a hit does not have the value."""
    return {name: _column(part, documents) for name, part in hits.parts.items()}


def _column(part: Part, documents: Documents) -> "pa.Array[Any]":
    if isinstance(part, RowPart):
        return _ids(part, documents)
    if isinstance(part, ListPart):
        return _lists(part)
    mask = None if part.present is None else np.logical_not(part.present)
    text = part.values.dtype == np.object_
    array: pa.Array[Any] = pa.array(part.values, pa.string() if text else None, mask=mask)
    return array


def _ids(part: RowPart, documents: Documents) -> "pa.Array[Any]":
    if part.present is None:
        return pa.array(documents.ids(part.values), pa.string())
    ids = np.full(len(part.values), None, np.object_)
    ids[part.present] = documents.ids(part.values[part.present])
    return pa.array(ids, pa.string())


def _lists(part: ListPart) -> "pa.Array[Any]":
    offsets = pa.array(np.concatenate(([0], np.cumsum(part.lengths()))), pa.int32())
    flat = part.values[part.values >= 0]
    elements = pa.array(flat, pa.int32(), mask=flat == 0)
    missing = None if part.present is None else np.logical_not(part.present)
    lists: pa.Array[Any] = pa.ListArray.from_arrays(
        offsets, elements, mask=None if missing is None else pa.array(missing)
    )
    return lists
