"""Choosing a way down a tree of documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class NodeView:
    """What a navigator sees of a node: never its content (S28)."""

    id: str
    title: str | None = None
    summary: str | None = None


@runtime_checkable
class TreeNavigator(Protocol):
    """Chooses the branch to descend into, usually by asking a model."""

    def supports(self, model: str) -> bool:
        """Whether this navigator serves the model."""
        ...

    def choose(
        self, query: str, node: NodeView, children: Sequence[NodeView], model: str
    ) -> str | None:
        """Return the id of one of ``children``, or ``None`` where ``node`` answers the query."""
        ...
