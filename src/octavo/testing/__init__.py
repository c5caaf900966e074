"""Checks, generators and fakes for whoever implements what octavo asks of an application.

A contract is a class of checks that a test class inherits; see ``docs/testing.md``. The generators
need hypothesis, which ``pip install octavo[testing]`` brings.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.testing.expander_contract import QueryExpanderContract
    from octavo.testing.fakes import FakeEmbedding, FakeExpander, FakeGraphStore, FakeNavigator
    from octavo.testing.generators import (
        contexts,
        document_lists,
        documents,
        metadata_filters,
        ranked_streams,
    )
    from octavo.testing.graph_store_contract import GraphStoreContract
    from octavo.testing.navigator_contract import TreeNavigatorContract
    from octavo.testing.strategy_contract import RAGStrategyContract
    from octavo.testing.violation import ContractViolationError, check_names, violations

__all__ = [
    "ContractViolationError",
    "FakeEmbedding",
    "FakeExpander",
    "FakeGraphStore",
    "FakeNavigator",
    "GraphStoreContract",
    "QueryExpanderContract",
    "RAGStrategyContract",
    "TreeNavigatorContract",
    "check_names",
    "contexts",
    "document_lists",
    "documents",
    "metadata_filters",
    "ranked_streams",
    "violations",
]

_NAMES: dict[str, tuple[str, ...]] = {
    "fakes": ("FakeEmbedding", "FakeExpander", "FakeGraphStore", "FakeNavigator"),
    "generators": (
        "contexts",
        "document_lists",
        "documents",
        "metadata_filters",
        "ranked_streams",
    ),
    "graph_store_contract": ("GraphStoreContract",),
    "navigator_contract": ("TreeNavigatorContract",),
    "expander_contract": ("QueryExpanderContract",),
    "strategy_contract": ("RAGStrategyContract",),
    "violation": ("ContractViolationError", "check_names", "violations"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
_EXTRA = ("hypothesis", "pytest")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'octavo.testing' has no attribute {name!r}")
    try:
        value = getattr(import_module(f"octavo.testing.{home}"), name)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        raise ImportError(
            f"octavo.testing.{name} needs {error.name}: pip install 'octavo[testing]'",
            name=error.name,
        ) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
