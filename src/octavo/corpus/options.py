"""Strategies by name: which exist for a corpus, and which options each takes.

Options come as objects from code and as text from the command line; both are accepted.
"""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from octavo.corpus.option_values import (
    duration,
    expander,
    fixed_clock,
    graph_seeds,
    navigator,
    stream_weights,
)
from octavo.errors import ConfigurationError, InvalidArgumentError, checked_fraction
from octavo.graph.corpus_graph import CorpusGraph
from octavo.graph.corpus_seeds import GraphSeeds
from octavo.spi import CancellationToken, GraphStore, QueryExpander, QueryExpansion, RAGStrategy
from octavo.spi.navigation import TreeNavigator
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.clock import system_clock
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hierarchical import HierarchicalRAGStrategy
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.hybrid import HybridRAGStrategy
from octavo.strategies.keyword import KeywordRAGStrategy
from octavo.strategies.multi_query import MultiQueryRAGStrategy
from octavo.strategies.reasoning import ReasoningRAGStrategy
from octavo.strategies.synonym_expander import SynonymExpander
from octavo.strategies.temporal import TemporalRAGStrategy
from octavo.strategies.temporal_index import TemporalIndex
from octavo.strategies.vector import VectorRAGStrategy

Child = RAGStrategy | str | None


def default_strategy(snapshot: Snapshot) -> str:
    """Return ``hybrid`` where there are real vectors; ``keyword`` where only hashes, or none."""
    entry = snapshot.manifest.embedding
    return "keyword" if entry is None or entry.is_hash else "hybrid"


def _keyword(snapshot: Snapshot) -> ColumnarStrategy:
    return KeywordRAGStrategy(snapshot)


def _vector(snapshot: Snapshot) -> ColumnarStrategy:
    return VectorRAGStrategy(snapshot)


def _hybrid(
    snapshot: Snapshot,
    *,
    graph: GraphRAGStrategy | GraphStore | bool | None = None,
    max_depth: int | None = None,
    decay: float | None = None,
    seeds: GraphSeeds | str | None = None,
    candidate_depth: int | None = None,
    rrf_k: int | None = None,
    weights: Mapping[str, float] | str | None = None,
) -> ColumnarStrategy:
    walk = {"max_depth": max_depth, "decay": decay, "seeds": seeds}
    given: dict[str, Any] = {name: value for name, value in walk.items() if value is not None}
    if graph is True or isinstance(graph, GraphStore):
        store = None if graph is True else graph
        graph = _graph(snapshot, store=store, candidate_depth=candidate_depth, **given)
    elif given:
        raise InvalidArgumentError(
            f"strategy 'hybrid': {', '.join(given)}: expected graph=True (--graph) or a graph "
            "store beside it; a graph strategy has its own"
        )
    elif graph is not None and graph is not False and not isinstance(graph, GraphRAGStrategy):
        raise ConfigurationError(
            "strategy 'hybrid': graph: expected True, a graph store (seeds, edges, node) or a "
            f"GraphRAGStrategy, found {type(graph).__name__}"
        )
    third = None if graph is False else graph
    return HybridRAGStrategy(
        snapshot,
        snapshot,
        third,
        candidate_depth=candidate_depth,
        rrf_k=rrf_k,
        weights=stream_weights(weights),
    )


def _graph(
    snapshot: Snapshot,
    *,
    store: GraphStore | None = None,
    provider_name: str = "corpus",
    allowed_sources: Collection[str] = (),
    max_depth: int = GraphRAGStrategy.DEFAULT_MAX_DEPTH,
    decay: float = GraphRAGStrategy.DEFAULT_DEPTH_DECAY,
    max_visited_nodes: int = GraphRAGStrategy.DEFAULT_MAX_VISITED_NODES,
    seeds: GraphSeeds | str | None = None,
    candidate_depth: int | None = None,
) -> GraphRAGStrategy:
    if store is not None and seeds is not None:
        raise InvalidArgumentError("seeds: expected no store beside it; a store finds its own")
    decay = checked_fraction("decay", decay)  # by the name that it has here
    return GraphRAGStrategy(
        provider_name,
        CorpusGraph(snapshot, graph_seeds(seeds)) if store is None else store,
        allowed_sources,
        max_depth,
        decay,
        max_visited_nodes,
        documents=snapshot,
        candidate_depth=candidate_depth,
    )


def _multi_query(
    snapshot: Snapshot,
    *,
    expander: QueryExpander | str,
    model: str,
    mode: QueryExpansion | str | None = None,
    max_expansions: int = 3,
    child: Child = None,
    cancellation: CancellationToken | None = None,
    candidate_depth: int | None = None,
) -> ColumnarStrategy:
    return MultiQueryRAGStrategy(
        _child(snapshot, child),
        _expander(expander),
        expansion_mode(expander, mode),
        model,
        max_expansions,
        cancellation,
        candidate_depth=candidate_depth,
    )


def expansion_mode(
    expander: QueryExpander | str, mode: QueryExpansion | str | None
) -> QueryExpansion:
    """Return what was asked for; unset, synonyms of a table and variations of anything else."""
    if mode is None:
        table = isinstance(expander, SynonymExpander) or str(expander).startswith("table:")
        return QueryExpansion.SYNONYM if table else QueryExpansion.MULTI_QUERY
    try:
        return QueryExpansion(mode)
    except ValueError:
        raise InvalidArgumentError(
            f"mode: expected one of {', '.join(QueryExpansion)}, found {mode!r}"
        ) from None


def _hierarchical(
    snapshot: Snapshot,
    *,
    child: Child = None,
    allowed_sources: Collection[str] = (),
    max_depth: int = HierarchicalRAGStrategy.DEFAULT_MAX_DEPTH,
    decay: float = HierarchicalRAGStrategy.DEFAULT_DECAY,
    candidate_depth: int | None = None,
) -> ColumnarStrategy:
    return HierarchicalRAGStrategy(
        _child(snapshot, child),
        _hierarchy(snapshot),
        allowed_sources,
        max_depth,
        decay,
        candidate_depth=candidate_depth,
    )


def _temporal(
    snapshot: Snapshot,
    *,
    child: Child = None,
    allowed_sources: Collection[str] = (),
    now: datetime | str | None = None,
    half_life: timedelta | str = TemporalRAGStrategy.DEFAULT_HALF_LIFE,
    floor: float = TemporalRAGStrategy.DEFAULT_RELEVANCE_FLOOR,
    max_future_skew: timedelta | str = TemporalRAGStrategy.DEFAULT_MAX_FUTURE_SKEW,
    candidate_depth: int | None = None,
) -> ColumnarStrategy:
    return TemporalRAGStrategy(
        _child(snapshot, child),
        snapshot.derived("times", lambda: TemporalIndex.of_corpus(snapshot)),
        allowed_sources,
        clock=system_clock if now is None else fixed_clock(now),
        half_life=duration("half_life", half_life),
        relevance_floor=floor,
        max_future_skew=duration("max_future_skew", max_future_skew),
        candidate_depth=candidate_depth,
    )


def _reasoning(
    snapshot: Snapshot,
    *,
    navigator: TreeNavigator | str,
    model: str,
    allowed_sources: Collection[str] = (),
    max_nodes_visited: int = ReasoningRAGStrategy.DEFAULT_MAX_NODES_VISITED,
    max_depth: int = ReasoningRAGStrategy.DEFAULT_MAX_DEPTH,
) -> ColumnarStrategy:
    return ReasoningRAGStrategy(
        _hierarchy(snapshot),
        _navigator(navigator),
        model,
        allowed_sources,
        max_nodes_visited,
        max_depth,
    )


_expander, _navigator = expander, navigator  # the parameters above have the same names

_FACTORIES: Mapping[str, Callable[..., ColumnarStrategy]] = {
    "vector": _vector,
    "keyword": _keyword,
    "hybrid": _hybrid,
    "graph": _graph,
    "multi-query": _multi_query,
    "hierarchical": _hierarchical,
    "temporal": _temporal,
    "reasoning": _reasoning,
}

STRATEGY_NAMES = tuple(_FACTORIES)


def make_strategy(snapshot: Snapshot, name: str, options: Mapping[str, Any]) -> ColumnarStrategy:
    """Return the named strategy over a snapshot.

    Parameters
    ----------
    snapshot
        The documents.
    name
        A strategy's name, without regard to case (S1).
    options
        Parameters of that strategy; an option of another one is refused.

    Raises
    ------
    InvalidArgumentError
        No such strategy, no such option, or a required option is missing.
    """
    factory = _factory(name)
    known = _options(factory)
    unknown = sorted(set(options) - known.keys())
    if unknown:
        raise InvalidArgumentError(
            f"strategy {name!r}: no option {', '.join(unknown)}; "
            f"its options are: {', '.join(sorted(known)) or 'none'}{_owners(unknown)}"
        )
    required = {option for option, default in known.items() if default is inspect.Parameter.empty}
    missing = sorted(required - options.keys())
    if missing:
        raise InvalidArgumentError(f"strategy {name!r}: expected the option {', '.join(missing)}")
    return factory(snapshot, **options)


def has_option(name: str, option: str) -> bool:
    """Whether the named strategy takes an option."""
    return option in _options(_factory(name))


def _factory(name: str) -> Callable[..., ColumnarStrategy]:
    found = _FACTORIES.get(name.lower()) if isinstance(name, str) else None
    if found is None:
        raise InvalidArgumentError(
            f"strategy: expected one of {', '.join(STRATEGY_NAMES)}, found {name!r}"
        )
    return found


def _owners(options: Sequence[str]) -> str:
    """Say which strategies have the options that another one refused."""
    found = {
        option: [name for name in STRATEGY_NAMES if has_option(name, option)] for option in options
    }
    told = [f"{option} of {', '.join(names)}" for option, names in found.items() if names]
    return f" ({'; '.join(told)})" if told else ""


@cache
def _options(factory: Callable[..., ColumnarStrategy]) -> dict[str, Any]:
    parameters = inspect.signature(factory).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}


def _hierarchy(snapshot: Snapshot) -> HierarchyIndex:
    """Return the corpus's hierarchy, checked once."""
    return snapshot.derived("hierarchy", lambda: HierarchyIndex.of_corpus(snapshot))


def _child(snapshot: Snapshot, child: Child) -> RAGStrategy:
    if child is None:
        return make_strategy(snapshot, default_strategy(snapshot), {})
    return make_strategy(snapshot, child, {}) if isinstance(child, str) else child
