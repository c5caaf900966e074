"""The graph of an index on disk: written once, and which of its nodes the rows of a segment are."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from octavo.columns.documents import DocumentColumns
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.graph_files import EDGES, NODES, open_graph, write_graph
from octavo.columns.node_numbers import node_numbers
from octavo.errors import CorpusCorruptError
from octavo.storage.format import layout
from octavo.storage.format.durable import make_directory, sync_directory
from octavo.storage.format.files import check_sizes, sync_and_list
from octavo.storage.format.manifest import GraphEntry

if TYPE_CHECKING:
    import pyarrow as pa


def write_graph_columns(index: Path, graph: GraphColumns) -> GraphEntry:
    """Write a graph beside the others of an index, whose writer's lock the caller holds, and flush it.

    Raises
    ------
    OSError
        The disk is full.
    """
    directory = layout.graph_directory(index, layout.next_graph_name(index))
    make_directory(directory)
    write_graph(directory, graph)
    files = sync_and_list(directory)
    sync_directory(directory.parent)
    return GraphEntry(directory.name, graph.nodes, graph.edges, files)


def open_graph_columns(index: Path, entry: GraphEntry | None) -> GraphColumns | None:
    """Map the graph that a manifest names; reads footers only.

    Raises
    ------
    CorpusCorruptError
        A file is missing, or does not hold what the manifest promises.
    """
    if entry is None:
        return None
    directory = layout.graph_directory(index, entry.name)
    for name in (NODES, EDGES):
        if name not in entry.files:
            raise CorpusCorruptError(f"{directory / name}: the manifest does not name this file")
    check_sizes(index, directory, entry.files)
    graph = open_graph(directory)
    if (graph.nodes, graph.edges) != (entry.nodes, entry.edges):
        raise CorpusCorruptError(
            f"{directory}: expected {entry.nodes} nodes and {entry.edges} edges, "
            f"found {graph.nodes} and {graph.edges}"
        )
    return graph


def nodes_of_rows(columns: DocumentColumns, graph: GraphColumns) -> NDArray[np.int32]:
    """Return the node of each row's id, int32, -1 where the graph has none of this id."""
    ids = cast("Sequence[pa.LargeStringArray]", columns.column("id").chunks)
    found = [node_numbers(graph, chunk) for chunk in ids]
    return np.concatenate([np.zeros(0, np.int32), *found])
