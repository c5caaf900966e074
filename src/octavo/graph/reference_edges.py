"""From the graph of what documents speak of to the edges between the documents themselves."""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError
from octavo.graph.entities.graph import EntityGraph
from octavo.graph.in_memory_graph_store import InMemoryGraphStore
from octavo.graph.text.relations import LINKS_TO, REFERS_TO

REFERENCES: Final = (LINKS_TO, REFERS_TO)
EDGE_SCHEMA: Final = pa.schema({name: pa.large_string() for name in ("head", "relation", "tail")})


def reference_edges(store: InMemoryGraphStore) -> pa.Table:
    """Return which documents refer and link to which: an edge list for the graph of an index.

    A document in several parts (of one name) is stood for by the first of them, by id; each part
    keeps its own references. What is referred to and is no document of the store is left out.

    Parameters
    ----------
    store
        Its graph is built if it was not.

    Returns
    -------
    pyarrow.Table
        Columns ``head``, ``relation`` and ``tail``, each large_string, in ascending order, without
        repetition. Heads and tails are the documents' ids; relations are ``refers to`` and
        ``links to``. Never more rows than documents have references; O(edges of the store).

    Raises
    ------
    InvalidArgumentError, ExecutionError
        The graph cannot be built; see :class:`InMemoryGraphStore`.

    Examples
    --------
    >>> from octavo.spi import RetrievedDocument
    >>> texts = {"pep-0008": "How to write Python.", "pep-0257": "See PEP 8 and PEP 999."}
    >>> store = InMemoryGraphStore(
    ...     [RetrievedDocument(text, name, 0.0, {"entryId": name}) for name, text in texts.items()]
    ... )
    >>> reference_edges(store).to_pylist()
    [{'head': 'pep-0257', 'relation': 'refers to', 'tail': 'pep-0008'}]
    """
    if not isinstance(store, InMemoryGraphStore):
        raise InvalidArgumentError(
            f"store: expected an InMemoryGraphStore, found {type(store).__name__}"
        )
    graph = store.entity_graph()
    ids = pa.array(graph.chunk_ids, pa.large_string())
    names = pa.array(graph.relation_names, pa.large_string())
    # The chunks come in the order of their ids: the first of a node is the least.
    first = np.full(graph.nodes.rows, -1, np.int64)
    named, chunks = np.unique(graph.document_rows, return_index=True)
    first[named[named >= 0]] = chunks[named >= 0]
    edges, heads = _references(graph)
    tails = first[graph.targets[edges]]
    kept = tails >= 0
    table = pa.table(
        [
            ids.take(heads[kept]),
            names.take(graph.relations[edges[kept]]),
            ids.take(tails[kept]),
        ],
        schema=EDGE_SCHEMA,
    )
    return table.sort_by([(name, "ascending") for name in table.column_names])


def _references(graph: EntityGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each edge that is a reference, once for each chunk that is its source, and the chunk."""
    edges = np.repeat(np.arange(len(graph.targets)), np.diff(graph.evidence_offsets))
    sources = np.repeat(np.arange(graph.nodes.rows), np.diff(graph.offsets))
    wanted = [place for place, name in enumerate(graph.relation_names) if name in REFERENCES]
    kept = np.isin(graph.relations[edges], wanted)
    # An extractor may say that something else refers to a document.
    kept &= graph.document_rows[graph.evidence] == sources[edges]
    return edges[kept], graph.evidence[kept]
