"""Strategies that follow links between documents, which lie on different shards."""

from collections.abc import Mapping
from typing import Any

from octavo.errors import ConfigurationError

STRATEGIES = ("keyword", "vector", "hybrid", "multi-query", "temporal")
"""What ranks documents one by one."""
LINKED = ("graph", "hierarchical", "reasoning")


def check_linked(name: str | None, options: Mapping[str, Any]) -> None:
    """Refuse a strategy that follows links, or has another one or a graph inside that does.

    Raises
    ------
    ConfigurationError
        It does.
    """
    for each in (name, options.get("child")):
        if isinstance(each, str) and each.lower() in LINKED:
            raise ConfigurationError(_refusal(f"strategy {each!r}"))
    if options.get("graph"):
        raise ConfigurationError(_refusal("the graph of 'hybrid'"))


def _refusal(what: str) -> str:
    return (
        f"{what}: not over a sharded index, since it follows links between documents, which lie on "
        f"different shards; expected one of {', '.join(STRATEGIES)}, or a single index"
    )
