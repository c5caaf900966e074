"""Small keyword indexes for tests."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from octavo.engines.keyword.documents import FilterColumn
from octavo.engines.keyword.index import KeywordIndex
from octavo.engines.keyword.writer import write_segment

Documents = Sequence[Sequence[str]]
Metadata = Mapping[str, Sequence[str | None]]


def filter_columns(metadata: Metadata, start: int, stop: int) -> list[FilterColumn]:
    columns = []
    for key, values in metadata.items():
        distinct = sorted({value for value in values if value is not None})
        codes = [-1 if value is None else distinct.index(value) for value in values[start:stop]]
        columns.append(FilterColumn(key, np.array(codes, np.int32), distinct))
    return columns


def write_segments(
    directory: Path,
    documents: Documents,
    cuts: Sequence[int] = (),
    metadata: Metadata | None = None,
) -> list[Path]:
    """Write one segment directory for each range of rows between the cuts."""
    edges = [0, *sorted(cuts), len(documents)]
    paths = []
    for number, (start, stop) in enumerate(pairwise(edges)):
        texts = pa.array([" ".join(tokens) for tokens in documents[start:stop]], pa.large_string())
        path = directory / f"segment-{number}"
        write_segment(path, [texts], start, filter_columns(metadata or {}, start, stop))
        paths.append(path)
    return paths


def build(
    directory: Path,
    documents: Documents,
    cuts: Sequence[int] = (),
    metadata: Metadata | None = None,
) -> KeywordIndex:
    return KeywordIndex.open(write_segments(directory, documents, cuts, metadata), len(documents))
