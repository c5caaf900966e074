"""How a segment is built."""

from collections.abc import Callable
from dataclasses import dataclass

from octavo.analysis import Analyzer
from octavo.columns.documents_file import DocumentLayout
from octavo.columns.graph_columns import GraphColumns
from octavo.storage.snapshot.vector_stage import VectorStage


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """Analyser, vectors (if any), columns, threads and memory of a build."""

    analyzer: Analyzer
    vector_stage: VectorStage | None
    layout: DocumentLayout
    threads: int
    heap_bytes: Callable[[int], int]
    """Memory for postings, given the number of writers."""
    progress: Callable[[str, int], None]
    """Called with the stage and the number of rows that it has done."""
    describe_row: Callable[[int], str]
    """Says where in the input a row came from, for messages."""
    block_max: bool = True
    """Whether block-max postings are written beside tantivy's."""
    dimensions: int | None = None
    """Of the vectors, where that is known before the first; then rows without one are zeros too."""
    graph: GraphColumns | None = None
    """Whose nodes rows are, where the index has a graph."""
