"""How many of the live rows of a segment have no words or no vector, as rows die."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis import Analyzer
from octavo.columns.document_batch import DocumentBatch, searchable_text
from octavo.storage.format import layout
from octavo.storage.format.manifest import SegmentEntry
from octavo.storage.snapshot.segment import Segment

_ROWS_AT_ONCE = 16_384


def without_rows(segment: Segment, dead: NDArray[np.int64], analyzer: Analyzer) -> SegmentEntry:
    """Return the entry of a segment with the counts that are left when rows die.

    Linear in the dead rows; texts are looked at only where the segment has empty ones.
    """
    entry = segment.entry
    return replace(
        entry,
        null_vectors=entry.null_vectors - _missing_vectors(segment, dead),
        empty_texts=entry.empty_texts - _empty_texts(segment, dead, analyzer),
    )


def _missing_vectors(segment: Segment, dead: NDArray[np.int64]) -> int:
    if not segment.entry.null_vectors:
        return 0
    if layout.VECTORS not in segment.entry.files:
        return len(dead)  # it never had one
    present = segment.vector_present
    return 0 if present is None else int(np.count_nonzero(~present[dead]))


def _empty_texts(segment: Segment, dead: NDArray[np.int64], analyzer: Analyzer) -> int:
    if not segment.entry.empty_texts:
        return 0
    if segment.entry.empty_texts == segment.entry.live_rows:
        return len(dead)
    empty = 0
    if segment.only_parents is not None:  # they have no words, whatever they say
        parents = segment.only_parents[dead]
        empty, dead = int(np.count_nonzero(parents)), dead[~parents]
    for start in range(0, len(dead), _ROWS_AT_ONCE):
        rows = dead[start : start + _ROWS_AT_ONCE]
        texts = {
            name: pa.array(segment.columns.texts(name, rows), pa.large_string())
            for name in ("id", "content", "title")
        }
        documents = DocumentBatch(texts["id"], texts["content"], texts["title"])
        analyzed = analyzer.analyze_batch(searchable_text(documents))
        silent = np.array([not text for text in analyzed.to_pylist()], np.bool_)
        if segment.only_parents is not None:
            silent |= segment.only_parents[rows]
        empty += int(np.count_nonzero(silent))
    return empty
