"""Who is whose parent, as rows: read from documents or from a corpus, and checked (S26)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.columns.arrow_types import ChunkedArray, compute
from octavo.errors import HierarchyError
from octavo.kernels.parents import node_depths
from octavo.spi import HierarchyMetadata, RetrievedDocument
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.document_list import DocumentList

_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class HierarchyLinks:
    """The parent of each row, and the rows that are at fault.

    Parameters
    ----------
    parents
        int64, shape ``(n,)``: the row of each parent; -1 where there is none or none is found, and for
        a row that is no document.
    unnamed
        Rows without an id.
    repeated
        Rows whose id an earlier row has.
    orphans
        Rows whose parent is not there.
    """

    parents: NDArray[np.int64]
    unnamed: NDArray[np.int64]
    repeated: NDArray[np.int64]
    orphans: NDArray[np.int64]


def document_parents(
    documents: Sequence[RetrievedDocument], store: DocumentList
) -> NDArray[np.int64]:
    """Return the row of each document's parent, -1 for a root; linear in the documents.

    A document is known by ``hierarchy.id``, else ``entryId``, and names its parent with
    ``hierarchy.parentId``; an empty value is none.

    Raises
    ------
    HierarchyError
        See :func:`checked_parents`.
    """
    ids = store.identities(np.arange(len(documents)))
    first: dict[str, int] = {}
    for row, identifier in enumerate(ids):
        if identifier:
            first.setdefault(identifier, row)
    named = [each.metadata.get(HierarchyMetadata.PARENT_ID) or None for each in documents]
    links = HierarchyLinks(
        np.array([first.get(name, -1) if name else -1 for name in named], np.int64),
        np.array([row for row, each in enumerate(ids) if not each], np.int64),
        np.array([row for row, each in enumerate(ids) if first.get(each, row) != row], np.int64),
        np.array([row for row, name in enumerate(named) if name and name not in first], np.int64),
    )
    return checked_parents(
        links,
        lambda rows: [ids[row] for row in rows],
        lambda rows: [named[row] or "" for row in rows],
    )


def corpus_parents(corpus: Snapshot) -> NDArray[np.int64]:
    """Return the row of each document's parent in a corpus, -1 for a root and for a deleted row.

    Reads the id and parent columns where they lie; no text is copied. Linear in the rows. A row
    that is deleted is no document: it has no parent, is nobody's parent, and its id may come again.

    Raises
    ------
    HierarchyError
        The corpus has no parent column; or see :func:`checked_parents`.
    CorpusCorruptError
        A column is damaged.
    """
    ids, named = corpus.text_column("id"), corpus.text_column("parent")
    if named is None or ids is None:
        raise HierarchyError(
            f"{corpus.path}: the index has no parent column; name it when you build the index"
        )
    named = compute.if_else(compute.equal(named, ""), None, named)
    live = np.ones(corpus.rows, np.bool_) if corpus.live is None else corpus.live
    rows = np.flatnonzero(live)
    # Each id is known by the first row that has it; its document is its first live row.
    first = _rows_in(ids, ids)[rows]
    document = np.full(corpus.rows, -1, np.int64)
    document[first[::-1]] = rows[::-1]  # where an id is repeated, its first row is written last
    above = _rows_in(ids, named)[rows]
    parents = np.full(corpus.rows, -1, np.int64)
    parents[rows] = np.where(above < 0, -1, document[above])
    links = HierarchyLinks(
        parents,
        np.flatnonzero(compute.equal(ids, "").to_numpy() & live),
        rows[document[first] != rows],
        np.flatnonzero((parents < 0) & named.is_valid().to_numpy() & live),
    )
    return checked_parents(
        links,
        lambda rows: corpus.ids(np.array(rows, np.int64)),
        lambda rows: [name or "" for name in corpus.texts("parent", np.array(rows, np.int64))],
    )


def checked_parents(
    links: HierarchyLinks,
    ids_of: Callable[[Sequence[int]], Sequence[str]],
    parents_of: Callable[[Sequence[int]], Sequence[str]],
) -> NDArray[np.int64]:
    """Return the parents if they make a forest.

    Raises
    ------
    HierarchyError
        Ids are missing or repeated, parents are missing, a document is its own parent, or parents
        form a cycle. Names the first few documents.
    """
    if len(links.unnamed):
        shown = ", ".join(str(row) for row in links.unnamed[:_SHOWN].tolist())
        raise HierarchyError(
            f"hierarchy: expected an id on every document, found none on document {shown}"
            + _more(links.unnamed)
        )
    _refuse(links.repeated, "expected every id once, found again", ids_of)
    _refuse_links(links.orphans, "expected every parent among the documents", ids_of, parents_of)
    loops = np.flatnonzero(links.parents == np.arange(len(links.parents)))
    _refuse(loops, "expected no document to be its own parent, found", ids_of)
    cyclic = np.flatnonzero(node_depths(links.parents) < 0)
    if len(cyclic):
        cycle = _cycle(links.parents, int(cyclic[0]))
        names = [repr(name) for name in ids_of(cycle[: _SHOWN + 1])]
        dots = [] if len(cycle) <= _SHOWN + 1 else ["..."]
        raise HierarchyError(
            f"hierarchy: expected parents without a cycle, found {' under '.join([*names, *dots])}"
        )
    return links.parents


def _refuse(
    rows: NDArray[np.int64], message: str, ids_of: Callable[[Sequence[int]], Sequence[str]]
) -> None:
    if len(rows):
        shown = ", ".join(repr(name) for name in ids_of(rows[:_SHOWN].tolist()))
        raise HierarchyError(f"hierarchy: {message} {shown}{_more(rows)}")


def _refuse_links(
    rows: NDArray[np.int64],
    message: str,
    ids_of: Callable[[Sequence[int]], Sequence[str]],
    parents_of: Callable[[Sequence[int]], Sequence[str]],
) -> None:
    if len(rows):
        first = rows[:_SHOWN].tolist()
        pairs = zip(ids_of(first), parents_of(first), strict=True)
        shown = ", ".join(f"{name!r} under {parent!r}" for name, parent in pairs)
        raise HierarchyError(f"hierarchy: {message}, found {shown}{_more(rows)}")


def _more(rows: NDArray[np.int64]) -> str:
    return f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""


def _cycle(parents: NDArray[np.int64], start: int) -> list[int]:
    """Return the rows of the cycle above ``start``, its first row again at the end."""
    node = start
    met: set[int] = set()
    while node not in met:
        met.add(node)
        node = int(parents[node])
    cycle = [node]
    while len(cycle) == 1 or cycle[-1] != node:
        cycle.append(int(parents[cycle[-1]]))
    return cycle


def _rows_in(ids: ChunkedArray, names: ChunkedArray) -> NDArray[np.int64]:
    """Return the first row of each name among the ids, -1 where it is null or not there."""
    found: ChunkedArray = compute.index_in(names, value_set=ids, skip_nulls=True)
    return compute.fill_null(found, -1).to_numpy().astype(np.int64)  # type: ignore[no-any-return]
