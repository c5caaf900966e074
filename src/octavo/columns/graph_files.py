"""A graph on disk: two uncompressed Arrow IPC files of one record batch each, opened by memory map.

``nodes.arrow`` has a row for each node, by the UTF-8 bytes of the ids: ``id``, and ``end``, where
the node's edges end, which are those from the end of the node before it. ``edges.arrow`` has a row
for each edge: ``target``, the row of the node to which it leads, ``relation``, and ``weight``,
unless each is 1.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_file import damage_named, mapped_batches
from octavo.columns.arrow_types import Array
from octavo.columns.buffers import number_views
from octavo.columns.graph_columns import GraphColumns

NODES: Final = "nodes.arrow"
EDGES: Final = "edges.arrow"

_RELATION: Final = pa.dictionary(pa.int32(), pa.large_string())
_NODE_FIELDS: "list[pa.Field[Any]]" = [
    pa.field("id", pa.large_string(), nullable=False),
    pa.field("end", pa.int64(), nullable=False),
]
_NODES: Final = pa.schema(_NODE_FIELDS)
_WEIGHTED: Final = pa.schema(
    [
        pa.field("target", pa.int32(), nullable=False),
        pa.field("relation", _RELATION, nullable=False),
        pa.field("weight", pa.float64(), nullable=False),
    ]
)
_UNWEIGHTED: Final = _WEIGHTED.remove(2)


def write_graph(directory: Path, graph: GraphColumns) -> None:
    """Write a graph into a directory, which is made where it is missing. Nothing is flushed.

    Raises
    ------
    OSError
        The disk is full, or a file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    _write(directory / NODES, _NODES, [graph.node_ids, pa.array(graph.offsets[1:])])
    codes: Any = pa.array(graph.relations)
    relations = pa.DictionaryArray.from_arrays(codes, graph.relation_names, safe=False)
    edges: list[Array] = [pa.array(graph.targets), relations]
    if graph.weights is None:
        _write(directory / EDGES, _UNWEIGHTED, edges)
    else:
        _write(directory / EDGES, _WEIGHTED, [*edges, pa.array(graph.weights)])


def open_graph(directory: Path) -> GraphColumns:
    """Map a graph; reads no edges, and of the nodes where their edges end.

    An id, target or relation that is damaged may change a result, and is found by
    :func:`octavo.columns.graph_check.check_graph`.

    Raises
    ------
    CorpusCorruptError
        A file is missing, is no such file, or the two do not fit each other.
    """
    path = directory / EDGES
    with damage_named(str(path)):
        edges = _one_batch(path, (_UNWEIGHTED, _WEIGHTED))
        relations: Any = edges.column(1)
        targets = _numbers(edges.column(0), np.int32)
        codes = _numbers(relations.indices, np.int32)
        weights = _numbers(edges.column(2), np.float64) if edges.num_columns > 2 else None
        relation_names = relations.dictionary
        _check_texts(relation_names)
    path = directory / NODES
    with damage_named(str(path)):
        nodes = _one_batch(path, (_NODES,))
        node_ids: Any = nodes.column(0)
        _check_texts(node_ids)
        ends = _numbers(nodes.column(1), np.int64)
        offsets = np.concatenate((np.zeros(1, np.int64), ends))
        # Whoever follows the edges of a node trusts this.
        if bool((offsets[1:] < offsets[:-1]).any()) or int(offsets[-1]) != len(targets):
            raise ValueError(f"end: expected to rise to {len(targets)}, the number of edges")
    return GraphColumns(node_ids, offsets, targets, codes, relation_names, weights)


def _write(path: Path, schema: pa.Schema, columns: Sequence[Array]) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(list(columns), schema=schema))


def _one_batch(path: Path, schemas: Sequence[pa.Schema]) -> pa.RecordBatch:
    schema, batches = mapped_batches(str(path))
    if not any(schema.equals(expected) for expected in schemas):
        raise ValueError(f"expected {schemas[-1]}, found {schema}")
    if len(batches) != 1:
        raise ValueError(f"expected one record batch, found {len(batches)}")
    batches[0].validate()
    return batches[0]


def _numbers(array: Array, dtype: type[np.generic]) -> NDArray[Any]:
    values, validity = number_views(array, dtype)
    if validity is not None:
        raise ValueError("expected no nulls")
    return values


def _check_texts(texts: pa.LargeStringArray) -> None:
    if texts.buffers()[0] is not None:
        raise ValueError("expected no nulls")
    texts.validate()
