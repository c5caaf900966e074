"""A graph made of documents: what they name, and how it is connected (S82)."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from octavo.columns.document_batch import DocumentBatch
from octavo.columns.hits import Hits
from octavo.columns.read_batches import read_batches
from octavo.columns.sources import is_input
from octavo.engines.report import SearchReport
from octavo.errors import ConfigurationError, ExecutionError, OctavoError, told
from octavo.graph.array_graph import ArrayGraph
from octavo.graph.entities.build import build_entity_graph
from octavo.graph.entities.chunks import Chunk, document_names, read_chunks
from octavo.graph.entities.graph import EntityGraph
from octavo.graph.entities.nodes import SHARED_SOURCE
from octavo.graph.entities.records import EntityRecords
from octavo.graph.fence import Fence
from octavo.graph.identity import identity_key
from octavo.graph.node_keywords import NodeKeywords
from octavo.graph.node_table import NodeTable
from octavo.graph.text.extractor import TextExtractor
from octavo.spi import EntityExtractor, EntityMention, EntityRelation, GraphEdge

_WAIT: Final = 0.05
ExtractFunction = Callable[[str], Iterable[EntityMention | EntityRelation]]
Documents = Iterable[Any] | DocumentBatch


class InMemoryGraphStore(ArrayGraph):
    """A graph store over the entities that documents speak of.

    Names that fold to one :meth:`identity_key` are one node. A node links to the documents that it
    occurs in; its content is its name and the sentence that tells most of it. Edges come from what
    a sentence names together, from references and links, and from headings. The graph depends on
    the documents and their ids only, not on their order, and is built when it is first asked.

    Parameters
    ----------
    documents
        Objects with ``content``, ``source`` and, where they have one, ``id`` and ``title``, such as
        :class:`~octavo.RetrievedDocument` with an ``entryId``; or document batches; or what
        :meth:`octavo.Corpus.build` takes: a file, directory or glob, or anything that speaks Arrow,
        with its columns of ids, texts and titles (sources are not guessed); or a function that
        returns one of these when the graph is built. Kept until then.
    extractor
        What finds entities and relations in a text: an
        :class:`~octavo.spi.extraction.EntityExtractor`, or a function of a text.
    check
        Called before each document while the graph is built, and while another thread builds it; what
        it raises is raised, and the graph is built when it is next asked for.

    Raises
    ------
    ConfigurationError
        ``extractor`` is neither.
    InvalidArgumentError
        When the graph is built: something is no document, or ids repeat.
    ExecutionError
        When the graph is built: the documents could not be read, or the extractor failed or gave
        what the protocol does not know.

    Notes
    -----
    Bounds keep the number of edges linear in the text: an entity is linked to the
    :data:`~octavo.graph.entities.build.WINDOW` that follow it in its sentence; a node keeps
    the :data:`~octavo.graph.entities.build.MOST_NEIGHBOURS` strongest such edges; what occurs
    in more than 64 documents and more than one in sixteen is linked by references and links only.

    Examples
    --------
    >>> from octavo.spi import RetrievedDocument
    >>> store = InMemoryGraphStore(
    ...     [
    ...         RetrievedDocument(
    ...             "The Auth Service writes to Redis.", "a.md", 0.0, {"entryId": "1"}
    ...         ),
    ...         RetrievedDocument(
    ...             "Redis runs the auth-service too.", "b.md", 0.0, {"entryId": "2"}
    ...         ),
    ...     ]
    ... )
    >>> [edge.target for edge in store.edges("auth service")]
    ['redis']
    >>> store.node("redis").documents
    ('1', '2')
    """

    SOURCE_NAME: Final = SHARED_SOURCE
    identity_key = staticmethod(identity_key)

    def __init__(
        self,
        documents: Documents | Callable[[], Documents],
        extractor: EntityExtractor | ExtractFunction | None = None,
        *,
        check: Callable[[], None] | None = None,
    ) -> None:
        if isinstance(documents, Iterator) and not is_input(documents):
            documents = tuple(documents)  # so that a failure can be tried again
        self._documents: Documents | Callable[[], Documents] = documents
        self._extractor = _as_extractor(extractor)
        self._check = check or _go_on
        self._building = threading.RLock()
        self._in_work = False
        self._graph: EntityGraph | None = None
        self._keywords: NodeKeywords | None = None

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the edges of each row begin and end in :attr:`targets`."""
        return self._built().offsets

    @property
    def targets(self) -> NDArray[np.int32]:
        """The row to which each edge leads."""
        return self._built().targets

    @property
    def nodes(self) -> NodeTable:
        """The nodes by row, in the order of their ids."""
        return self._built().nodes

    def edges(self, node_id: str) -> Sequence[GraphEdge]:
        """Return the edges that leave a node; the weight is the number of documents that have it."""
        return self._built().edges(node_id)

    def edge_documents(self, edge: GraphEdge) -> Sequence[str]:
        """Return the ids of the documents that an edge came from; none for an unknown edge."""
        return self._built().edge_documents(edge)

    def rank_seeds(
        self,
        texts: Sequence[str],
        limit: int,
        fence: Fence | None = None,
        vectors: NDArray[np.floating] | None = None,
    ) -> tuple[Hits, SearchReport]:
        """Return the best seeds of many queries as rows, by BM25; vectors count for nothing."""
        del vectors
        nodes = self.nodes
        if nodes.rows == 0:
            return Hits.empty(len(texts)), SearchReport()
        with self._alone():
            keywords = self._keywords = self._keywords or NodeKeywords(nodes)
        return keywords.rank(texts, limit, None if fence is None else fence.nodes)

    def entity_graph(self) -> EntityGraph:
        """Return the graph itself, built if it was not."""
        return self._built()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        while not self._building.acquire(timeout=_WAIT):
            self._check()
        try:
            yield
        finally:
            self._building.release()

    def _built(self) -> EntityGraph:
        with self._alone():
            if self._in_work:  # the lock is this thread's own
                raise ExecutionError(
                    "the graph is being built: what it is made of cannot ask it already"
                )
            if self._graph is None:
                self._in_work = True
                try:
                    self._graph = self._build()
                finally:
                    self._in_work = False
                self._documents = ()
            return self._graph

    def _build(self) -> EntityGraph:
        chunks = self._chunks()
        names = document_names(chunks)
        records = EntityRecords()
        for number, chunk in enumerate(chunks):
            self._check()
            records.add(number, chunk, self._extractor)
        if isinstance(self._extractor, TextExtractor):
            records.add_known(chunks, names.names)
        self._check()
        return build_entity_graph(chunks, names, records)

    def _chunks(self) -> list[Chunk]:
        try:
            documents = self._documents() if callable(self._documents) else self._documents
            if is_input(documents):
                documents = read_batches(documents)
            if isinstance(documents, DocumentBatch):
                documents = (documents,)
            return sorted(self._heeded(read_chunks(documents)), key=lambda chunk: chunk.id)
        except OctavoError:
            raise
        except Exception as error:
            raise ExecutionError(f"documents: reading them raised {told(error)}") from error

    def _heeded(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            self._check()
            yield chunk


def _go_on() -> None: ...


class _Function:
    def __init__(self, extract: ExtractFunction) -> None:
        self.extract = extract


def _as_extractor(extractor: object) -> EntityExtractor:
    if extractor is None:
        return TextExtractor()
    if isinstance(extractor, EntityExtractor):
        return extractor
    if callable(extractor):
        return _Function(extractor)
    raise ConfigurationError(
        f"extractor: expected an object with `extract`, or a function of a text, "
        f"found {type(extractor).__name__}"
    )
