"""The graph in an index as a store: its nodes are the documents."""

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.encodable import encodable
from octavo.columns.hits import Hits
from octavo.columns.node_numbers import node_numbers
from octavo.columns.selection import Selection
from octavo.columns.text_rows import TextRows
from octavo.engines.report import SearchReport
from octavo.errors import CorpusCorruptError, GraphCapabilityError
from octavo.graph.array_graph import ArrayGraph
from octavo.graph.corpus_nodes import CorpusNodes
from octavo.graph.corpus_seeds import CorpusSeeds, GraphSeeds
from octavo.graph.corpus_space import CorpusSpace
from octavo.graph.fence import Fence
from octavo.spi import GraphEdge
from octavo.storage.snapshot.snapshot import Snapshot


class CorpusGraph(ArrayGraph):
    """The graph that an index was built with, over one state of its documents.

    Nodes are the live documents, also those without edges. An id that edges name and no live
    document has is no node: nothing walks through it, and what leads there is counted in
    :attr:`dangling_edges`. When a document of this id is added, it is the node.

    Parameters
    ----------
    snapshot
        The documents: ``corpus.keyword_index``.
    seeds
        How the nodes are found at which a walk starts. By default by keyword and vector together
        where the index has real vectors and a query has one too, or can be embedded; else by
        keyword.

    Raises
    ------
    GraphCapabilityError
        The index has no graph.
    CorpusCorruptError
        The graph does not fit the documents.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> from octavo import Corpus
    >>> documents = pa.table({"id": ["auth", "users"], "text": ["Signing in.", "Who there is."]})
    >>> edges = pa.table({"head": ["auth"], "relation": ["reads"], "tail": ["users"]})
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     index = directory + "/index"
    ...     graph = Corpus.build(documents, index, edges=edges, embedding="none").graph
    ...     [edge.target for edge in graph.edges("auth")], graph.node("users").content
    (['users'], 'Who there is.')
    """

    def __init__(self, snapshot: Snapshot, seeds: GraphSeeds | None = None) -> None:
        graph = snapshot.graph
        if graph is None:
            raise GraphCapabilityError(
                f"{snapshot.path}: the index has no graph; build it with edges= "
                "(octavo index --edges LINKS), or give a graph store of your own (store=)"
            )
        # Arrays alone are kept there: an object that knew the snapshot would keep it for ever.
        self._snapshot = snapshot
        try:
            space = snapshot.derived("graph", lambda: CorpusSpace.of(graph, snapshot.live))
        except IndexError as error:
            raise self._corrupt() from error
        self._columns = graph.columns
        self._space = space
        self._nodes = CorpusNodes(snapshot, space)
        self._seeds = CorpusSeeds(snapshot, seeds)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the edges of each row begin and end in :attr:`targets`."""
        return self._space.offsets

    @property
    def targets(self) -> NDArray[np.int32]:
        """The row to which each edge leads, memory-mapped."""
        return self._columns.targets

    @property
    def nodes(self) -> CorpusNodes:
        """The nodes by row: those with edges by id, then other documents; dangling ones between."""
        return self._nodes

    @property
    def dangling_nodes(self) -> int:
        """The number of ids that edges name and no live document has."""
        present = self._space.present
        return 0 if present is None else int(np.count_nonzero(~present))

    @cached_property
    def dangling_edges(self) -> int:
        """The number of edges from or to an id that no live document has; O(edges)."""
        if self._space.present is None:
            return 0
        present = self._space.present[: self._columns.nodes]
        starting = np.repeat(present, np.diff(self._columns.offsets))
        try:
            return int(np.count_nonzero(~(starting & present[self.targets])))
        except IndexError as error:
            raise self._corrupt() from error

    def edges(self, node_id: str) -> Sequence[GraphEdge]:
        """Return the edges that leave a node in the order given, dangling ones included."""
        columns, node = self._columns, self._number(node_id)
        if node < 0:
            return ()
        edges = np.arange(*columns.offsets[node : node + 2].tolist(), dtype=np.int64)
        targets = self._texts(columns.node_ids, columns.targets[edges])
        weights = np.ones(len(edges)) if columns.weights is None else columns.weights[edges]
        return tuple(
            GraphEdge(node_id, relation, target, weight)
            for relation, target, weight in zip(
                self.relations_of(edges), targets, weights.tolist(), strict=True
            )
        )

    def relations_of(self, edges: NDArray[np.int64]) -> list[str]:
        """Return the relations of edges, which are given by their places in :attr:`targets`."""
        return self._texts(self._columns.relation_names, self._columns.relations[edges])

    def fence(self, allowed_sources: Collection[str]) -> Fence:
        """Return which nodes a walk may visit; linear in the documents where sources are named."""
        inside = self._snapshot.fence(allowed_sources)
        if inside is None:
            return Fence(self._space.present, self._snapshot.select({}))
        return Fence(self._nodes.within(inside), Selection.of(inside))

    def rank_seeds(
        self,
        texts: Sequence[str],
        limit: int,
        fence: Fence | None = None,
        vectors: NDArray[np.floating] | None = None,
    ) -> tuple[Hits, SearchReport]:
        """Return the best seeds of many queries as rows, by the corpus's own search.

        Parameters
        ----------
        texts
            The queries.
        limit
            The largest number of seeds of a query, at least 1.
        fence
            One that :meth:`fence` made; ``None`` for all.
        vectors
            Float array of shape ``(queries, dimensions)`` that stands in for embedding the texts.

        Raises
        ------
        ConfigurationError
            Seeds are found by vectors, and there are none, or the texts cannot be embedded.
        """
        selection = (self.fence(()) if fence is None else fence).documents
        if selection is None:
            raise TypeError("fence: expected one that this graph made")
        hits, report = self._seeds.rank(texts, limit, selection, vectors)
        return Hits(hits.offsets, self._nodes.rows_at(hits.rows), hits.scores), report

    def _number(self, node_id: str) -> int:
        """Return a node's number among those that edges name, -1 where they do not."""
        if not isinstance(node_id, str) or not encodable(node_id):
            return -1
        return int(node_numbers(self._columns, pa.array([node_id], pa.large_string()))[0])

    def _texts(self, texts: pa.LargeStringArray, numbers: NDArray[np.int32]) -> list[str]:
        try:  # not by Arrow's kernels, which trust the offsets of a damaged file
            return [str(text) for text in TextRows([texts]).values(numbers.tolist())]
        except IndexError as error:
            raise self._corrupt() from error

    def _corrupt(self) -> CorpusCorruptError:
        return CorpusCorruptError(f"{self._snapshot.path}: the graph is damaged; see octavo verify")
