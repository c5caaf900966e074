"""Hits as an Arrow table: the form in which results leave octavo in bulk."""

from typing import Any

import numpy as np
import pyarrow as pa

from octavo.columns.hits import Hits, Part
from octavo.strategies.sources import DocumentSource


def hits_table(hits: Hits, query_ids: pa.StringArray, documents: DocumentSource) -> pa.Table:
    """Return one row a hit: ``query_id``, ``rank``, ``id``, ``score``, then every part.

    Parameters
    ----------
    hits
        Hits of as many queries as there are ids.
    query_ids
        String array, one id a query.
    documents
        The store that knows the ids of the rows.
    """
    columns = {
        "query_id": query_ids.take(pa.array(hits.query_of(), pa.int64())),
        "rank": pa.array(hits.ranks().astype(np.int32)),
        "id": pa.array(documents.ids(hits.rows), pa.string()),
        "score": pa.array(hits.scores, pa.float64()),
    }
    for name, part in hits.parts.items():
        columns[name] = _arrow(part)
    return pa.table(columns)


def _arrow(part: Part) -> "pa.Array[Any]":
    mask = None if part.present is None else np.logical_not(part.present)
    array: pa.Array[Any] = pa.array(part.values, mask=mask)
    return array
