"""Strategies by name: which exist for a corpus, which options each takes."""

from collections.abc import Callable, Mapping
from typing import Any

from octavo.errors import InvalidArgumentError
from octavo.storage.snapshot import Snapshot
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.hybrid import HybridRAGStrategy
from octavo.strategies.keyword import KeywordRAGStrategy
from octavo.strategies.vector import VectorRAGStrategy


def _keyword(snapshot: Snapshot) -> ColumnarStrategy:
    return KeywordRAGStrategy(snapshot)


def _vector(snapshot: Snapshot) -> ColumnarStrategy:
    return VectorRAGStrategy(snapshot)


def _hybrid(
    snapshot: Snapshot, *, candidate_depth: int = HybridRAGStrategy.DEFAULT_CANDIDATE_DEPTH
) -> ColumnarStrategy:
    return HybridRAGStrategy(snapshot, snapshot, candidate_depth=candidate_depth)


_FACTORIES: Mapping[str, tuple[Callable[..., ColumnarStrategy], frozenset[str]]] = {
    "keyword": (_keyword, frozenset()),
    "vector": (_vector, frozenset()),
    "hybrid": (_hybrid, frozenset({"candidate_depth"})),
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
        No such strategy, or no such option.
    """
    found = _FACTORIES.get(name.lower()) if isinstance(name, str) else None
    if found is None:
        raise InvalidArgumentError(
            f"strategy: expected one of {', '.join(STRATEGY_NAMES)}, found {name!r}"
        )
    factory, allowed = found
    unknown = sorted(set(options) - allowed)
    if unknown:
        known = ", ".join(sorted(allowed)) or "none"
        raise InvalidArgumentError(
            f"strategy {name!r}: no option {', '.join(unknown)}; its options are: {known}"
        )
    return factory(snapshot, **options)
