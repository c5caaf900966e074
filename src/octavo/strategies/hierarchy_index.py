"""The tree that documents form through their parents: built once, checked when built (S26, S28)."""

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from octavo.errors import HierarchyError
from octavo.kernels.parents import children_of
from octavo.spi import HierarchyMetadata, NodeView, RetrievedDocument
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.document_list import DocumentList
from octavo.strategies.hierarchy_links import corpus_parents, document_parents
from octavo.strategies.sources import DocumentSource

ReadViews: TypeAlias = Callable[[NDArray[np.int64]], list[NodeView]]

# Metadata of a corpus is declared by the user, who may not use a name under `hierarchy.` (S11).
_SUMMARY = "summary"


class HierarchyIndex:
    """Documents and the parent of each, known to be a forest.

    Parameters
    ----------
    documents
        Documents with metadata: ``hierarchy.id``, else ``entryId``, names the document,
        ``hierarchy.parentId`` its parent, if it has one; ``hierarchy.title`` and
        ``hierarchy.summary`` are shown to navigators. Kept, not copied. Or a snapshot, as for
        :meth:`of_corpus`.

    Attributes
    ----------
    store
        The documents by row.
    parents
        int64, shape ``(n,)``, read-only: for each row of the store the row of its document's
        parent, -1 for a root and for a row whose document is deleted.

    Raises
    ------
    HierarchyError
        Ids are missing or repeated, parents are missing, a document is its own parent, or parents
        form a cycle. Names the first few documents.

    Examples
    --------
    >>> index = HierarchyIndex(
    ...     [
    ...         RetrievedDocument("All of it.", "guide.md", 0.0, {"hierarchy.id": "guide"}),
    ...         RetrievedDocument(
    ...             "A part.", "guide.md", 0.0,
    ...             {"hierarchy.id": "guide/1", "hierarchy.parentId": "guide"},
    ...         ),
    ...     ]
    ... )  # fmt: skip
    >>> index.parents.tolist(), index.roots.tolist(), index.children(0).tolist()
    ([-1, 0], [0], [1])
    """

    store: DocumentSource
    parents: NDArray[np.int64]

    def __init__(self, documents: Iterable[RetrievedDocument] | Snapshot) -> None:
        if isinstance(documents, Snapshot):
            self.store = documents
            self.parents = corpus_parents(documents)
            self._live = documents.live
            self._read_views: ReadViews = partial(_corpus_views, documents)
        else:
            kept = tuple(documents)
            self.store = store = DocumentList(kept)
            self.parents = document_parents(kept, store)
            self._live = None
            self._read_views = partial(_document_views, kept, store)
        self.parents.flags.writeable = False

    @classmethod
    def of_corpus(cls, corpus: Snapshot) -> Self:
        """Return the hierarchy of a corpus, from its parent column; no text is copied.

        Nodes are known by the documents' ids; their titles are the title column, their summaries
        the metadata column ``summary``, where the corpus has one.

        Parameters
        ----------
        corpus
            A snapshot, such as ``corpus.keyword_index``, built with a parent column.

        Raises
        ------
        HierarchyError
            There is no parent column, or the index is in shards, over which parents would lie
            elsewhere; or as for the constructor.
        """
        if not isinstance(corpus, Snapshot):
            raise HierarchyError(
                "corpus: expected that of a single index (corpus.keyword_index), found "
                f"{type(corpus).__name__}"
            )
        return cls(corpus)

    @cached_property
    def roots(self) -> NDArray[np.int64]:
        """The rows of documents without a parent, ascending."""
        alone = self.parents < 0
        return np.flatnonzero(alone if self._live is None else alone & self._live)

    def children(self, row: int) -> NDArray[np.int64]:
        """Return the rows whose parent is ``row``, ascending."""
        offsets, children = self._children
        return children[offsets[row] : offsets[row + 1]]

    def views(self, rows: NDArray[np.int64]) -> list[NodeView]:
        """Return what a navigator sees of ``rows``: ids, titles and summaries."""
        return self._read_views(rows)

    def __len__(self) -> int:
        return len(self.parents) if self._live is None else int(np.count_nonzero(self._live))

    @cached_property
    def _children(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return children_of(self.parents)


def _document_views(
    documents: tuple[RetrievedDocument, ...], store: DocumentList, rows: NDArray[np.int64]
) -> list[NodeView]:
    return [
        NodeView(
            identifier,
            documents[row].metadata.get(HierarchyMetadata.NODE_TITLE),
            documents[row].metadata.get(HierarchyMetadata.NODE_SUMMARY),
        )
        for identifier, row in zip(store.identities(rows), rows.tolist(), strict=True)
    ]


def _corpus_views(corpus: Snapshot, rows: NDArray[np.int64]) -> list[NodeView]:
    titles = corpus.texts("title", rows)
    summaries = corpus.metadata(_SUMMARY, rows)
    return list(map(NodeView, corpus.ids(rows), titles, summaries))
