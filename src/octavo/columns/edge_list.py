"""Edge lists to a graph: read in batches, ends and relations numbered, sorted by head."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import compute
from octavo.columns.edge_batch import EdgeBatch, edge_batch
from octavo.columns.edge_columns import RELATION_NAMES, WEIGHT, EdgeColumns, choose_edge_columns
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.sources import Input, Source, TableSource, open_inputs, resolve_inputs
from octavo.columns.text import blank_rows
from octavo.columns.text_numbers import TextNumbers
from octavo.errors import InvalidArgumentError
from octavo.kernels.compressed_rows import count_heads, place_edges

LARGEST: Final = 2**31 - 1
"""The largest number of nodes, and of edges, of a graph."""

BATCH_ROWS: Final = 131_072

_NO_WEIGHTS: Final = np.zeros(0, np.float64)


def read_edges(
    inputs: Input | Sequence[Input],
    columns: EdgeColumns | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    batch_rows: int = BATCH_ROWS,
) -> GraphColumns:
    """Read a graph from edge lists.

    Parameters
    ----------
    inputs
        As for documents (:func:`octavo.columns.sources.resolve_inputs`); several are one list. Each
        has its own columns. Self-loops and parallel edges are kept.
    columns
        Their names, where they are not the common ones.
    progress
        Told the number of edges read so far.
    batch_rows
        The largest number of edges read at once; no result depends on it.

    Raises
    ------
    InvalidArgumentError
        A column is missing, ambiguous or of a wrong type; an end or a relation is null, an end is
        blank, a weight is not finite; or there are more than :data:`LARGEST` nodes or edges.
    SourceLoadingError
        A file is missing or damaged.

    Notes
    -----
    O(edges + nodes log nodes) time. Memory: the distinct ids, about 50 bytes for each, and 20 bytes
    an edge, or 36 where there are weights.

    Examples
    --------
    >>> graph = read_edges(pa.table({"head": ["b", "a", "b"], "tail": ["a", "c", "b"]}))
    >>> graph.node_ids.to_pylist(), graph.offsets.tolist(), graph.targets.tolist()
    (['a', 'b', 'c'], [0, 1, 3, 3], [2, 0, 1])
    """
    requested = EdgeColumns() if columns is None else columns
    edges = _Edges()
    for source in resolve_inputs(inputs, "edges"):
        origin = f"{source.origin} of edges" if isinstance(source, TableSource) else source.origin
        for batch in _batches(source, origin, requested, batch_rows):
            edges.add(batch)
            if progress is not None:
                progress(edges.count)
    return edges.graph()


def _batches(
    source: Source, origin: str, requested: EdgeColumns, batch_rows: int
) -> Iterator[EdgeBatch]:
    """Yield the edges of one input, checked."""
    choice = choose_edge_columns(source.schema(requested.named()), requested, origin)
    # Lines of JSON may come to weights, and to relations, later than where columns are looked for.
    choice = replace(choice, weight=choice.weight or WEIGHT)
    late = () if choice.relation else RELATION_NAMES
    names = dict.fromkeys((*choice.columns(), *late))
    read = open_inputs([source], columns=tuple(names), batch_rows=batch_rows)
    return (edge_batch(replace(batch, origin=origin), choice) for batch in read)


class _Edges:
    """The edges read so far, in their order; ends and relations by number."""

    def __init__(self) -> None:
        self.count = 0
        self._ids = TextNumbers()
        self._relations = TextNumbers()
        self._parts: list[_Part] = []

    def add(self, batch: EdgeBatch) -> None:
        """Append edges."""
        known = len(self._ids)
        heads, tails = self._ids.add(batch.heads), self._ids.add(batch.tails)
        if len(blank_rows(self._ids.texts(known))):
            batch.refuse_blank()
        relations = self._relations.add(batch.relations)
        self.count += len(heads)
        for what, found in (("nodes", len(self._ids)), ("edges", self.count)):
            if found > LARGEST:
                raise InvalidArgumentError(f"edges: expected at most {LARGEST} {what}")
        self._parts.append(_Part(heads, tails, relations, batch.weights))

    def graph(self) -> GraphColumns:
        """Return the graph; the edges are given away."""
        # The tables that told texts apart are as large as the ids, and no longer needed.
        ids, self._ids = self._ids.texts(), TextNumbers()
        names, self._relations = self._relations.texts(), TextNumbers()
        node_ids, nodes = _in_order(ids)
        relation_names, relation_codes = _in_order(names)
        del ids, names
        offsets = np.zeros(len(node_ids) + 1, np.int64)
        places = np.zeros(len(node_ids), np.int64)
        for part in self._parts:
            count_heads(part.heads, places)
        offsets[nodes + 1] = places
        np.cumsum(offsets, out=offsets)
        places = offsets[nodes]
        weighted = any(part.weights is not None for part in self._parts)
        targets = np.empty(self.count, np.int32)
        relations = np.empty(self.count, np.int32)
        weights = np.empty(self.count if weighted else 0, np.float64)
        self._parts.reverse()
        while self._parts:
            part = self._parts.pop()
            place_edges(
                part.heads,
                part.tails,
                part.relations,
                _NO_WEIGHTS if part.weights is None else part.weights,
                nodes,
                relation_codes,
                places,
                targets,
                relations,
                weights,
            )
        return GraphColumns(
            node_ids, offsets, targets, relations, relation_names, weights if weighted else None
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Consecutive edges."""

    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    relations: NDArray[np.int32]
    weights: NDArray[np.float64] | None


def _in_order(texts: pa.LargeStringArray) -> tuple[pa.LargeStringArray, NDArray[np.int32]]:
    """Return texts by their UTF-8 bytes, and the place of each among them."""
    order = compute.sort_indices(texts)
    ranks = np.empty(len(texts), np.int32)
    ranks[order.to_numpy()] = np.arange(len(texts), dtype=np.int32)
    return texts.take(order), ranks
