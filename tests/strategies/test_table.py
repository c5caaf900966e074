"""Parts as Arrow columns and as metadata."""

import numpy as np
import pyarrow as pa

from octavo.columns.hits import Hits, ListPart
from octavo.strategies.hit_metadata import hit_metadata
from octavo.strategies.table import part_columns


def hits_with(part):
    count = len(part.values)
    return Hits(np.array([0, count]), np.arange(count), np.ones(count), {"lists": part})


def test_lists(corpus):
    values = np.array([[1, 0, -1], [0, 2, 3], [-1, -1, -1], [5, -1, -1]], np.int32)
    present = np.array([True, True, True, False])
    hits = hits_with(ListPart(values, present, "multiQuery.ranks"))
    column = part_columns(hits, corpus.keyword_index)["lists"]
    assert column.type == pa.list_(pa.int32())
    assert column.to_pylist() == [[1, None], [None, 2, 3], [], None]
    column.validate(full=True)
    shown = [each.get("multiQuery.ranks") for each in hit_metadata(hits, corpus.keyword_index)]
    assert shown == ["[1, null]", "[null, 2, 3]", "[]", None]


def test_no_lists(corpus):
    column = part_columns(hits_with(ListPart(np.zeros((0, 2), np.int32))), corpus.keyword_index)[
        "lists"
    ]
    assert (column.type, len(column)) == (pa.list_(pa.int32()), 0)
