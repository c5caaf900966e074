"""Which provider serves a graph: discovery, and the rules of selection (S81, S85)."""

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import EntryPoint
from typing import Final, NamedTuple, TypeVar

from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    GraphCapabilityError,
    OctavoError,
    plain_text,
    told,
)
from octavo.graph.default_providers import (
    InMemoryGraphStoreProvider,
    KnowledgeToolsGraphStoreProvider,
)
from octavo.graph.neo4j.provider import Neo4jGraphStoreProvider
from octavo.importing import installed_points, load_point
from octavo.spi import GraphScope, GraphStore, GraphStoreProvider

ENTRY_POINT_GROUP: Final = "octavo.graph_store_providers"

Answer = TypeVar("Answer")


class NamedProvider(NamedTuple):
    """A provider, and the source of what its store finds."""

    name: str
    provider: GraphStoreProvider


class OpenedGraph(NamedTuple):
    """The store that serves a scope, and its provider's name."""

    name: str
    store: GraphStore


def graph_store_providers(given: Iterable[GraphStoreProvider] = ()) -> list[NamedProvider]:
    """Return octavo's own providers, installed ones, and those given in code.

    Parameters
    ----------
    given
        Providers made in code, perhaps with settings; each takes the place of those of its class.

    Raises
    ------
    ConfigurationError
        Something given or installed is no provider, or cannot be loaded.
    """
    own = [_named(each, "given provider") for each in given]
    classes = {type(each.provider) for each in own}
    built_in = (
        InMemoryGraphStoreProvider,
        KnowledgeToolsGraphStoreProvider,
        Neo4jGraphStoreProvider,
    )
    own += [_named(kind(), kind.__name__) for kind in built_in if kind not in classes]
    classes.update(built_in)
    installed = map(_installed, installed_points(ENTRY_POINT_GROUP))
    return own + [each for each in installed if type(each.provider) not in classes]


def claiming_provider(
    scope: GraphScope, providers: Sequence[NamedProvider] | None = None
) -> NamedProvider | None:
    """Return the one provider that serves a scope, ``None`` where none does (S81).

    A claiming provider that is no default drops the defaults.

    Parameters
    ----------
    scope
        For whom.
    providers
        Whom to ask; all of :func:`graph_store_providers` by default.

    Raises
    ------
    ConfigurationError
        Several claim the scope, whose order must not decide.
    ExecutionError
        A provider raised something that is no OctavoError.
    """
    asked = graph_store_providers() if providers is None else providers
    claimants = [
        each
        for each in asked
        if _answered(f"{each.name}: claims", lambda each=each: bool(each.provider.claims(scope)))  # type: ignore[misc]
    ]
    chosen = [each for each in claimants if not each.provider.is_default] or claimants
    if len(chosen) > 1:
        names = ", ".join(sorted(repr(each.name) for each in chosen))
        kind = "default" if chosen[0].provider.is_default else "non-default"
        raise ConfigurationError(
            f"graph of the role {scope.role!r}: expected one claiming provider, found the {kind} "
            f"providers {names}"
        )
    return chosen[0] if chosen else None


def open_graph_store(
    scope: GraphScope, providers: Sequence[NamedProvider] | None = None
) -> OpenedGraph:
    """Return the store of the provider that claims a scope.

    Raises
    ------
    GraphCapabilityError
        None does. Graph retrieval never falls back to something else.
    ConfigurationError
        Several do, or the provider gave something that is no store.
    """
    claimant = claiming_provider(scope, providers)
    if claimant is None:
        raise GraphCapabilityError(
            f"graph of the role {scope.role!r}: no provider serves it: there is neither FILE "
            "knowledge, nor a live KnowledgeTools, nor a graph database that is configured"
        )
    name, provider = claimant
    store = _answered(f"{name}: open", lambda: provider.open(scope))
    if not isinstance(store, GraphStore):
        raise ConfigurationError(
            f"graph store provider {name}: expected a graph store (seeds, edges, node), "
            f"found {type(store).__name__}"
        )
    return OpenedGraph(name, store)


def _installed(point: EntryPoint) -> NamedProvider:
    what = f"graph store provider {point.name} ({point.value})"
    return _named(load_point(what, point), what, point.name)


def _named(provider: object, what: str, name: str | None = None) -> NamedProvider:
    if not isinstance(provider, GraphStoreProvider) or not isinstance(provider.is_default, bool):
        raise ConfigurationError(
            f"{what}: expected is_default (a boolean), claims and open, "
            f"found {type(provider).__name__}"
        )
    own = plain_text(getattr(provider, "name", None)) or ""
    return NamedProvider(own.strip() or name or type(provider).__name__, provider)


def _answered(what: str, call: Callable[[], Answer]) -> Answer:
    """Ask a provider; what it raises becomes an execution failure (S43)."""
    try:
        return call()
    except OctavoError:  # all of them: it may come from the scope's documents, which are octavo's
        raise
    except Exception as error:
        raise ExecutionError(f"graph store provider {what} raised {told(error)}") from error
