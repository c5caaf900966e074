"""What a damaged graph breaks."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import compute
from octavo.columns.graph_columns import GraphColumns

_AT_ONCE = 1 << 20


def check_graph(graph: GraphColumns) -> list[str]:
    """Return what is wrong with a graph, in sentences; nothing where it is whole.

    Looks at every value, in O(nodes + edges) and bounded memory.
    """
    return [*_problems(graph)]


def _problems(graph: GraphColumns) -> Iterator[str]:
    yield from _check_texts("node ids", graph.node_ids)
    yield from _check_texts("relations", graph.relation_names)
    nodes, edges = graph.nodes, graph.edges
    offsets = graph.offsets
    if len(offsets) != nodes + 1 or offsets[0] != 0 or offsets[-1] != edges:
        yield f"expected the edges of {nodes} nodes to be those from 0 to {edges}"
    elif bool((offsets[1:] < offsets[:-1]).any()):
        yield "expected the edges of a node to begin where those of the node before it end"
    for what, numbers, limit in (
        ("targets", graph.targets, nodes),
        ("relations", graph.relations, len(graph.relation_names)),
    ):
        if len(numbers) != edges:
            yield f"{what}: expected one for each of {edges} edges, found {len(numbers)}"
        if any(int(part.min()) < 0 or int(part.max()) >= limit for part in _parts(numbers)):
            yield f"{what}: expected numbers below {limit}"
    if graph.weights is not None:
        if len(graph.weights) != edges:
            yield f"weights: expected one for each of {edges} edges, found {len(graph.weights)}"
        if not all(bool(np.isfinite(part).all()) for part in _parts(graph.weights)):
            yield "weights: expected finite numbers"


def _check_texts(what: str, texts: pa.LargeStringArray) -> Iterator[str]:
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid as error:
        yield f"{what}: {error}"
        return
    if texts.null_count:
        yield f"{what}: expected no nulls"
    elif len(texts) > 1 and not compute.all(compute.less(texts[:-1], texts[1:])).as_py():
        yield f"{what}: expected distinct texts in the order of their UTF-8 bytes"


def _parts(values: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
