"""Expanders, navigators, rerankers and engines: found once, and chosen by what they serve (S63, S73)."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.ingestion import ChunkContextModel
from octavo.declarative.ingestion.chunk_context import chosen_model
from octavo.declarative.provided import answered
from octavo.errors import (
    ConfigurationError,
    ProviderUnavailableError,
    shown,
)
from octavo.graph.providers import NamedProvider, graph_store_providers
from octavo.importing import installed_points, load_point
from octavo.spi import (
    GraphStoreProvider,
    QueryExpander,
    Reranker,
    RetrievalEngineProvider,
    RetrievalScope,
    SourceLoader,
    TreeNavigator,
)

EXPANDERS: Final = "octavo.query_expanders"
NAVIGATORS: Final = "octavo.tree_navigators"
RERANKERS: Final = "octavo.rerankers"
ENGINES: Final = "octavo.retrieval_engines"

Provider = TypeVar("Provider")
Serving = TypeVar("Serving", QueryExpander, TreeNavigator, Reranker)


@dataclass(frozen=True, slots=True)
class GivenProviders:
    """Providers that the application made in code; they stand beside the installed ones."""

    expanders: Sequence[QueryExpander] = ()
    navigators: Sequence[TreeNavigator] = ()
    rerankers: Sequence[Reranker] = ()
    engines: Sequence[RetrievalEngineProvider] = ()
    graphs: Sequence[GraphStoreProvider] = ()
    loaders: Sequence[SourceLoader] = ()
    context_models: Sequence[ChunkContextModel] = ()


class Providers:
    """Finds each kind of provider when one is first needed, and keeps what it found.

    Parameters
    ----------
    given
        Providers made in code.
    """

    def __init__(self, given: GivenProviders | None = None) -> None:
        self.given = given or GivenProviders()
        self._found: dict[str, tuple[Any, ...]] = {}
        self._graphs: tuple[NamedProvider, ...] | None = None
        self._finding = threading.Lock()

    def expander(self, model: str | None) -> QueryExpander:
        """Return the one expander that serves a model; errors as of :func:`serving`."""
        found = self._all(EXPANDERS, QueryExpander, self.given.expanders)
        return serving("query expander", found, "query_expansion_model", model)

    def navigator(self, model: str | None) -> TreeNavigator:
        """Return the one navigator that serves a model; errors as of :func:`serving`."""
        found = self._all(NAVIGATORS, TreeNavigator, self.given.navigators)
        return serving("tree navigator", found, "navigator_model", model)

    def reranker(self, model: str | None) -> Reranker:
        """Return the one reranker that serves a model; errors as of :func:`serving`."""
        found = self._all(RERANKERS, Reranker, self.given.rerankers)
        return serving("reranker", found, "reranker_model", model)

    def check_context_models(self, sources: Sequence[Knowledge]) -> None:
        """Find who serves the chunk contexts of sources; errors as of :func:`serving`."""
        for source in sources:
            answered(
                "chunk context model",
                lambda source=source: chosen_model(source, self.given.context_models),  # type: ignore[misc]
            )

    def engine(self, scope: RetrievalScope) -> RetrievalEngineProvider | None:
        """Return the engine that claims a scope, ``None`` where octavo's own serves it.

        Raises
        ------
        ConfigurationError
            Several claim it, and order must not decide.
        """
        found = self._all(ENGINES, RetrievalEngineProvider, self.given.engines)
        claiming = [
            each
            for each in found
            if answered("retrieval engine: claims", partial(_says, each.claims, scope), each)
        ]
        if len(claiming) > 1:
            raise ConfigurationError(
                f"retrieval engine of the role {scope.role!r}: expected one that claims it, found "
                f"{_names(claiming)}"
            )
        return claiming[0] if claiming else None

    def graphs(self) -> tuple[NamedProvider, ...]:
        """Return the providers of graph stores, octavo's own among them."""
        with self._finding:
            if self._graphs is None:
                self._graphs = tuple(graph_store_providers(self.given.graphs))
            return self._graphs

    def _all(self, group: str, kind: Any, given: Sequence[Provider]) -> tuple[Provider, ...]:  # noqa: ANN401 - a protocol
        with self._finding:
            if group not in self._found:
                installed = tuple(
                    load_point(f"{group}: {point.name} ({point.value})", point)
                    for point in installed_points(group)
                )
                self._found[group] = _checked(group, kind, (*given, *installed))
            return self._found[group]


def serving(what: str, providers: Sequence[Serving], member: str, model: str | None) -> Serving:
    """Return the one provider that serves a model (S63).

    Raises
    ------
    ConfigurationError
        The model is blank, or several serve it, and order must not decide.
    ProviderUnavailableError
        None does.
    """
    if model is None or not model.strip():
        raise ConfigurationError(f"{member}: expected the name of a model, found {shown(model)}")
    matching = [
        each
        for each in providers
        if answered(f"{what}: supports", partial(_says, each.supports, model), each)
    ]
    if len(matching) > 1:
        raise ConfigurationError(
            f"{what}: expected one that serves the model {model!r}, found {_names(matching)}"
        )
    if not matching:
        raise ProviderUnavailableError(
            f"{what}: none of the {len(providers)} installed serves the model {model!r}"
        )
    return matching[0]


def _says(ask: Callable[[Any], object], about: object) -> bool:
    return bool(ask(about))


def _checked(group: str, kind: type, found: Sequence[object]) -> tuple[Any, ...]:
    for each in found:
        if isinstance(each, type) or not isinstance(each, kind):
            raise ConfigurationError(f"{group}: expected a {kind.__name__}, found {shown(each)}")
    return tuple(found)


def _names(providers: Sequence[object]) -> str:
    return ", ".join(sorted(type(each).__qualname__ for each in providers))
