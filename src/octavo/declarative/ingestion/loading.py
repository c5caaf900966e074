"""The documents of a declared source, whoever brings them."""

from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import EntryPoint
from typing import Final

from octavo.declarative.ingestion.chunk_context import (
    ChunkContextModel,
    chosen_model,
    with_context,
)
from octavo.declarative.ingestion.declared import DeclaredSource, source_type
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.url_loader import UrlLoader
from octavo.declarative.provided import answered
from octavo.errors import ConfigurationError, ExecutionError, shown
from octavo.importing import installed_points, load_point
from octavo.spi import CancellationToken
from octavo.spi.source_document import SourceDocument
from octavo.spi.source_loader import SourceLoader

ENTRY_POINT_GROUP: Final = "octavo.source_loaders"


def load_documents(
    knowledge: DeclaredSource,
    loaders: Sequence[SourceLoader] = (),
    *,
    context_models: Sequence[ChunkContextModel] = (),
    cancellation: CancellationToken | None = None,
) -> Iterator[SourceDocument]:
    r"""Yield the documents of a source, one by one.

    Parameters
    ----------
    knowledge
        The declaration.
    loaders
        Loaders made in code, besides installed ones; one that supports the declaration takes the
        place of a bundled loader, and one of a bundled class stands in for it (to set its limits).
    context_models
        Who serves ``chunk_context_model``.
    cancellation
        Looked at before each document.

    Raises
    ------
    ConfigurationError
        No loader or several support the declaration, or a member of it is invalid.
    SourceLoadingError
        The source is missing, unreadable or damaged.
    ExecutionError
        An application's loader raised something else, or gave what is no document (S43).
    ProviderUnavailableError
        Nothing serves the model that the chunk context asks for.
    CancelledError
        The token was cancelled.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from types import SimpleNamespace
    >>> knowledge = SimpleNamespace(
    ...     name="notes", type="FILE", format="AUTO", include=(), exclude=(), select=(),
    ...     unit="AUTO", chunk_context="NONE", chunk_context_model=None,
    ... )  # fmt: skip
    >>> with tempfile.TemporaryDirectory() as knowledge.path:
    ...     _ = Path(knowledge.path, "fox.md").write_text("# Foxes\nFoxes are red.")
    ...     [(document.id, document.content) for document in load_documents(knowledge)]
    [('notes/fox.md', '# Foxes\nFoxes are red.')]
    """
    model = chosen_model(knowledge, context_models)
    documents = _loaded(knowledge, loader_for(knowledge, loaders), cancellation)
    if model is None:
        yield from documents
    else:
        yield from with_context(documents, model, str(knowledge.chunk_context_model))


def _loaded(
    knowledge: DeclaredSource, loader: SourceLoader, cancellation: CancellationToken | None
) -> Iterator[SourceDocument]:
    what = f"source {knowledge.name!r}"
    asked = f"{what}: its loader"
    heeding = isinstance(loader, UrlLoader) and type(loader).load is UrlLoader.load
    load = partial(loader.load_until, cancellation=cancellation) if heeding else loader.load  # type: ignore[attr-defined]
    documents = answered(asked, lambda: iter(load(knowledge)), loader)
    bundled = isinstance(loader, FileLoader | UrlLoader)
    while True:
        if cancellation is not None:
            cancellation.raise_if_cancelled()
        document = answered(asked, lambda: next(documents, None), loader)
        if document is None:
            return
        yield document if bundled else _checked(what, document)


def loader_for(knowledge: DeclaredSource, loaders: Sequence[SourceLoader] = ()) -> SourceLoader:
    """Return the one loader that brings a source.

    Raises
    ------
    ConfigurationError
        There is none, or there are several, whose order must not decide.
    """
    what = f"source {knowledge.name!r}"
    given = [*loaders, *source_loaders()]
    bundled: list[SourceLoader] = [
        kind()
        for kind in (FileLoader, UrlLoader)
        if not any(isinstance(each, kind) for each in given)
    ]
    own = [each for each in given if _supports(what, each, knowledge)]
    chosen = own or [each for each in bundled if each.supports(knowledge)]
    if len(chosen) > 1:
        names = ", ".join(sorted(type(each).__name__ for each in chosen))
        raise ConfigurationError(f"{what}: expected one loader that supports it, found {names}")
    if not chosen:
        raise ConfigurationError(
            f"{what}: no loader supports the type {source_type(knowledge)}; give one, or install "
            f"one as an entry point of {ENTRY_POINT_GROUP}"
        )
    return chosen[0]


def source_loaders() -> list[SourceLoader]:
    """Return the installed loaders, in the order of their names.

    Raises
    ------
    ConfigurationError
        One cannot be loaded, or is no loader.
    """
    return [_installed(point) for point in installed_points(ENTRY_POINT_GROUP)]


def _installed(point: EntryPoint) -> SourceLoader:
    what = f"source loader {point.name} ({point.value})"
    loader = load_point(what, point)
    if not isinstance(loader, SourceLoader):
        raise ConfigurationError(f"{what}: expected supports and load, found {shown(loader)}")
    return loader


def _supports(what: str, loader: SourceLoader, knowledge: DeclaredSource) -> bool:
    if not isinstance(loader, SourceLoader):
        raise ConfigurationError(f"loaders: expected supports and load, found {shown(loader)}")
    return answered(f"{what}: its loader", lambda: bool(loader.supports(knowledge)), loader)


def _checked(what: str, document: object) -> SourceDocument:
    if not isinstance(document, SourceDocument):
        raise ExecutionError(f"{what}: expected documents from its loader, found {shown(document)}")
    texts = (document.id, document.content, *document.metadata, *document.metadata.values())
    if not document.id or not all(isinstance(each, str) for each in texts):
        raise ExecutionError(
            f"{what}: expected an id, a content and metadata of texts, found {shown(document)[:300]}"
        )
    return document
