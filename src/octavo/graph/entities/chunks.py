"""The documents that a graph is made of: chunks, and the names by which texts know them."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from octavo.columns.document_batch import DocumentBatch
from octavo.columns.encodable import encodable
from octavo.errors import InvalidArgumentError, shown
from octavo.graph.identity import identity_key
from octavo.spi import HierarchyMetadata
from octavo.spi.metadata import ENTRY_ID

_REFERENCE = re.compile(r"([A-Za-z]{2,10})[-_ #]*0*(\d{1,7})(?:\.\w{1,5})?")
_PLACE = re.compile(r"[^\s/]*/\S*|\S+\.\w{1,5}")  # a path, an address, a file


class Chunk(NamedTuple):
    """One document, or one part of one, as the graph sees it."""

    id: str
    content: str
    source: str | None
    title: str | None

    @property
    def name(self) -> str:
        """The name of the document: its title, else where it lies, else its id."""
        if self.title:
            return self.title
        return self.place or self.id

    @property
    def place(self) -> str | None:
        """The source, where it is a file or an address and no mere category."""
        return self.source if self.source and _PLACE.fullmatch(self.source) else None


def read_chunks(documents: Iterable[object]) -> Iterator[Chunk]:
    """Yield the chunks of documents, or of batches of documents.

    Parameters
    ----------
    documents
        Objects with ``content``, ``source`` and, if they have one, ``id`` and ``title``; without an
        id, ``metadata`` names one (``hierarchy.id``, else ``entryId``), or the place in the
        sequence does. Or :class:`~octavo.columns.document_batch.DocumentBatch` objects.

    Raises
    ------
    InvalidArgumentError
        Something is no document, has a field that is no text, or repeats an id.
    """
    if not isinstance(documents, Iterable) or isinstance(documents, str):
        raise InvalidArgumentError(
            f"documents: expected a sequence of documents, found {type(documents).__name__}"
        )
    seen: set[str] = set()
    for each in documents:
        for chunk in (
            _of_batch(each) if isinstance(each, DocumentBatch) else (_of(each, len(seen)),)
        ):
            if chunk.id in seen:
                raise InvalidArgumentError(
                    f"documents: expected distinct ids, found {chunk.id!r} more than once"
                )
            seen.add(chunk.id)
            yield chunk


def _of_batch(batch: DocumentBatch) -> Iterator[Chunk]:
    nothing = [None] * len(batch)
    sources = nothing if batch.source is None else batch.source.to_pylist()
    titles = nothing if batch.title is None else batch.title.to_pylist()
    columns = (batch.ids.to_pylist(), batch.content.to_pylist(), sources, titles)
    yield from map(Chunk._make, zip(*columns, strict=True))


def _of(document: Any, position: int) -> Chunk:  # noqa: ANN401 - whatever the application gave
    if not hasattr(document, "content"):
        raise InvalidArgumentError(
            f"document {position}: expected an object with `content` and `source`, such as a "
            f"RetrievedDocument, found {type(document).__name__}"
        )
    content = document.content
    source, title = getattr(document, "source", None), getattr(document, "title", None)
    if not isinstance(content, str):
        raise InvalidArgumentError(
            f"document {position}: content: expected a string, found {shown(content)}"
        )
    for field, value in (("source", source), ("title", title)):
        if value is not None and not isinstance(value, str):
            raise InvalidArgumentError(
                f"document {position}: {field}: expected a string, found {shown(value)}"
            )
    metadata = getattr(document, "metadata", None) or {}
    if not isinstance(metadata, Mapping):
        raise InvalidArgumentError(
            f"document {position}: metadata: expected a mapping, found {shown(metadata)}"
        )
    identity = getattr(document, "id", None) or metadata.get(HierarchyMetadata.ID)
    identity = identity or metadata.get(ENTRY_ID) or str(position)
    if not isinstance(identity, str) or not encodable(identity):
        raise InvalidArgumentError(
            f"document {position}: id: expected a string of Unicode text, found {shown(identity)}"
        )
    title = encodable_text(title or "").strip()
    return Chunk(
        identity, encodable_text(content), encodable_text(source or "") or None, title or None
    )


def encodable_text(text: str) -> str:
    """Return a text with a question mark for each lone surrogate, which no file can hold."""
    return text if encodable(text) else text.encode("utf-8", "replace").decode()


class DocumentNames(NamedTuple):
    """How documents are known.

    Parameters
    ----------
    names
        For each chunk the name of its document.
    references
        For each chunk the reference that its id or its file looks like (``pep-0008``: ``PEP 8``),
        blank where neither looks like one.
    aliases
        The identity key of the document that the key of another name stands for.
    """

    names: list[str]
    references: list[str]
    aliases: dict[str, str]


def document_names(chunks: Sequence[Chunk]) -> DocumentNames:
    """Return how documents are known.

    A title that documents at several places share names none of them: such a document is known by
    its reference, else by its place, else by its id. Ids, places and references are other names; one
    that could stand for two documents stands for neither.
    """
    references = [
        reference_name(chunk.id) or reference_name(posixpath.basename(chunk.place or ""))
        for chunk in chunks
    ]
    key_of = cache(identity_key)  # most names come up several times
    places: dict[str, set[str]] = {}
    for chunk in chunks:
        places.setdefault(key_of(chunk.name), set()).add(chunk.source or chunk.id)
    names = [
        chunk.name
        if chunk.name == chunk.place or len(places[key_of(chunk.name)]) < 2
        else reference or chunk.place or chunk.id
        for chunk, reference in zip(chunks, references, strict=True)
    ]
    named = {key_of(name) for name in names}
    claims: dict[str, set[str]] = {}
    for chunk, name, reference in zip(chunks, names, references, strict=True):
        for other in (chunk.id, chunk.place or "", reference):
            key = key_of(other)
            if key and key not in named:
                claims.setdefault(key, set()).add(key_of(name))
    aliases = {key: min(names) for key, names in claims.items() if len(names) == 1}
    return DocumentNames(names, references, aliases)


def reference_name(text: str) -> str:
    """Return the reference that an id or a file's name looks like, blank if it looks like none.

    Examples
    --------
    >>> reference_name("pep-0008.rst"), reference_name("guide.md")
    ('PEP 8', '')
    """
    match = _REFERENCE.fullmatch(text)
    return f"{match[1].upper()} {int(match[2])}" if match else ""


def link_names(target: str, place: str | None) -> list[str]:
    """Return the names under which the target of a link may be known, the likeliest first.

    Parameters
    ----------
    target
        An address, a path, an id, or any other name.
    place
        Where the document lies that has the link; a path may be relative to it.
    """
    address = target.partition("#")[0].partition("?")[0].strip() or target
    if " " in address or not ("/" in address or "." in address):
        return [target]
    names = [address]
    if "://" not in address:
        folder = posixpath.dirname(place or "")
        names.insert(0, posixpath.normpath(posixpath.join(folder, address)))
    last = reference_name(posixpath.basename(address.rstrip("/")))
    return [*names, last] if last else names
