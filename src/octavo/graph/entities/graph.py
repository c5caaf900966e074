"""The finished graph of entities: nodes, edges as arrays, and where each edge came from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.graph.node_table import NodeTable
from octavo.spi import GraphEdge


@dataclass(frozen=True, slots=True, eq=False)
class EntityGraph:
    """Entities and their relations; it never changes.

    Parameters
    ----------
    nodes
        One node an entity.
    offsets, targets
        The edges of each row, as a walk takes them; by relation, then by target.
    relations
        int32: the number of each edge's relation among ``relation_names``.
    relation_names
        Distinct names.
    evidence_offsets, evidence
        For each edge the numbers of the chunks that it came from, ascending.
    chunk_ids
        The id of each chunk.
    document_rows
        The row of the document that each chunk is, or is a part of; -1 where its name is blank.
    """

    nodes: NodeTable
    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    relations: NDArray[np.int32]
    relation_names: Sequence[str]
    evidence_offsets: NDArray[np.int64]
    evidence: NDArray[np.int64]
    chunk_ids: Sequence[str]
    document_rows: NDArray[np.int64]

    def edges(self, node_id: str) -> tuple[GraphEdge, ...]:
        """Return the edges that leave a node; the weight is the number of chunks that have it."""
        row = self.nodes.row_of(node_id)
        if row < 0:
            return ()
        edges = range(int(self.offsets[row]), int(self.offsets[row + 1]))
        targets = self.nodes.nodes(self.targets[edges.start : edges.stop].astype(np.int64))
        chunks = np.diff(self.evidence_offsets[edges.start : edges.stop + 1]).tolist()
        return tuple(
            GraphEdge(node_id, self.relation_names[self.relations[edge]], target.id, float(count))
            for edge, target, count in zip(edges, targets, chunks, strict=True)
        )

    def edge_documents(self, edge: GraphEdge) -> tuple[str, ...]:
        """Return the ids of the documents that an edge came from; none for an unknown edge."""
        source, target = self.nodes.row_of(edge.source), self.nodes.row_of(edge.target)
        if source < 0 or target < 0 or edge.relation not in self.relation_names:
            return ()
        start, stop = self.offsets[source : source + 2]
        relation = self.relation_names.index(edge.relation)
        found = np.flatnonzero(
            (self.targets[start:stop] == target) & (self.relations[start:stop] == relation)
        )
        if len(found) == 0:
            return ()
        first, last = self.evidence_offsets[start + found[0] : start + found[0] + 2]
        return tuple(self.chunk_ids[chunk] for chunk in self.evidence[first:last].tolist())
