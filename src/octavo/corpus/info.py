"""What an index is made of, for people and programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from octavo.corpus.compaction import compaction_reason
from octavo.graph.corpus_graph import CorpusGraph
from octavo.storage.format import layout
from octavo.storage.format.layout import BLOCK_MAX, FORMAT_VERSION
from octavo.storage.format.manifest import (
    ColumnsEntry,
    EmbeddingEntry,
    Manifest,
    SegmentEntry,
    VectorSearchEntry,
)
from octavo.storage.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class VectorSearchInfo:
    """How the vectors of a segment are searched.

    Parameters
    ----------
    measured
        What was chosen, and the recall and latency measured when it was.
    stored_bytes
        The original vectors, memory-mapped.
    structure_bytes
        The structure's files, memory-mapped; 0 where all vectors are compared.
    unused_bytes
        Files of structures that searches do not use, kept for the next tuning.
    """

    measured: VectorSearchEntry
    stored_bytes: int
    structure_bytes: int
    unused_bytes: int = 0


@dataclass(frozen=True, slots=True)
class GraphInfo:
    """The graph of an index.

    Parameters
    ----------
    nodes
        Ids that edges name.
    dangling_nodes
        Those of them that are no document's.
    edges
        All edges.
    dangling_edges
        Those from or to an id that is no document's.
    relations
        The distinct names of edges.
    """

    nodes: int
    dangling_nodes: int
    edges: int
    dangling_edges: int
    relations: int


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """A description of an index; sizes in bytes.

    Of deleted documents nothing is told but how many rows they still take.

    Parameters
    ----------
    documents
        Those that a search can find.
    empty_texts, null_vectors
        How many of them have no words, and how many no vector.
    deleted_rows
        Rows of deleted or replaced documents, which take room until they are merged away.
    compaction
        Why the index should be compacted; ``None`` where it need not be.
    block_max_size
        Of the block-max postings; 0 where there are none.
    vector_search
        One for each segment with vectors, in row order.
    graph
        ``None`` where the index was built without edges.
    shards
        How many indexes it is spread over; 0 where it is a single one.
    """

    path: Path
    format_version: int
    created_by: str
    generation: int
    documents: int
    empty_texts: int
    null_vectors: int
    segments: int
    keyword_segments: int
    size: int
    block_max_size: int
    columns: ColumnsEntry
    analyzer: Mapping[str, Any]
    embedding: EmbeddingEntry | None
    default_strategy: str
    vector_search: tuple[VectorSearchInfo, ...] = ()
    deleted_rows: int = 0
    compaction: str | None = None
    graph: GraphInfo | None = None
    shards: int = 0

    @property
    def deleted_share(self) -> float:
        """Deleted rows as a share of all rows, 0 to 1."""
        return self.deleted_rows / max(1, self.documents + self.deleted_rows)


def describe(snapshot: Snapshot, default_strategy: str) -> CorpusInfo:
    """Describe a snapshot from its manifest, and its graph, where there is one, from all edges."""
    found = describe_state(snapshot.path, snapshot.manifest, default_strategy)
    return replace(found, graph=_graph(snapshot))


def describe_state(path: Path, manifest: Manifest, default_strategy: str) -> CorpusInfo:
    """Describe what a manifest says; of a graph only that its files take room."""
    segments = manifest.segments
    graphs = () if manifest.graph is None else (manifest.graph,)
    return CorpusInfo(
        path=path,
        format_version=FORMAT_VERSION,
        created_by=manifest.created_by,
        generation=manifest.generation,
        documents=manifest.documents,
        empty_texts=sum(segment.empty_texts for segment in segments),
        null_vectors=sum(segment.null_vectors for segment in segments),
        segments=len(segments),
        keyword_segments=sum(len(segment.keyword) for segment in segments),
        size=sum(entry.size for part in (*segments, *graphs) for entry in part.files.values()),
        block_max_size=sum(
            entry.size
            for segment in segments
            for name, entry in segment.files.items()
            if name.startswith(f"{BLOCK_MAX}/")
        ),
        columns=manifest.columns,
        analyzer=manifest.analyzer,
        embedding=manifest.embedding,
        default_strategy=default_strategy,
        vector_search=tuple(
            _vector_search(segment, manifest.embedding.dimensions)
            for segment in segments
            if manifest.embedding is not None and layout.VECTORS in segment.files
        ),
        deleted_rows=manifest.rows - manifest.documents,
        compaction=compaction_reason(manifest.documents, manifest.rows, len(segments)),
    )


def describe_together(path: Path, parts: Sequence[CorpusInfo]) -> CorpusInfo:
    """Describe an index in shards by the descriptions of all of them.

    Parameters
    ----------
    path
        The directory of the whole.
    parts
        At least one.
    """
    with_vectors = [part for part in parts if part.embedding is not None]
    without = [part for part in parts if part.embedding is None] if with_vectors else []
    return replace(
        (with_vectors or parts)[0],
        path=path,
        documents=sum(part.documents for part in parts),
        empty_texts=sum(part.empty_texts for part in parts),
        # A shard to which no vector came does not count the lack of them.
        null_vectors=sum(part.null_vectors for part in with_vectors)
        + sum(part.documents for part in without),
        segments=sum(part.segments for part in parts),
        keyword_segments=sum(part.keyword_segments for part in parts),
        size=sum(part.size for part in parts),
        block_max_size=sum(part.block_max_size for part in parts),
        vector_search=tuple(entry for part in parts for entry in part.vector_search),
        compaction=None,
        shards=len(parts),
    )


def _graph(snapshot: Snapshot) -> GraphInfo | None:
    if snapshot.graph is None:
        return None
    graph, columns = CorpusGraph(snapshot), snapshot.graph.columns
    return GraphInfo(
        nodes=columns.nodes,
        dangling_nodes=graph.dangling_nodes,
        edges=columns.edges,
        dangling_edges=graph.dangling_edges,
        relations=len(columns.relation_names),
    )


def _vector_search(segment: SegmentEntry, dimensions: int) -> VectorSearchInfo:
    used = {
        "lists": (layout.VECTOR_LISTS, layout.LIST_OF_ROW),
        "graph": (layout.VECTOR_GRAPH,),
    }
    measured = segment.vector_search or VectorSearchEntry("flat", 1.0)
    files = used.get(measured.kind, ())
    others = {name for names in used.values() for name in names} & set(segment.files) - set(files)
    return VectorSearchInfo(
        measured,
        stored_bytes=4 * dimensions * segment.rows,
        structure_bytes=sum(segment.files[name].size for name in files),
        unused_bytes=sum(segment.files[name].size for name in others),
    )
