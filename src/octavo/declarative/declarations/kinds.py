"""What a source of each type may set (S61, S63, S74, S80)."""

from typing import TYPE_CHECKING

from octavo.declarative.declarations.enums import (
    ChunkContext,
    KnowledgeType,
    KnowledgeUse,
    SearchStrategy,
)
from octavo.declarative.declarations.unset import UNSET
from octavo.errors import ConfigurationError

if TYPE_CHECKING:
    from octavo.declarative.declarations.knowledge import Knowledge

_LOCATION = ("path", "connection", "query", "format", "include", "exclude")
_CHUNKS = ("unit", "chunk_context", "chunk_context_model", "select", "max_tokens")


def check_kind(knowledge: "Knowledge") -> None:
    """Refuse members that do not go with the type of the source, or with each other.

    Raises
    ------
    ConfigurationError
        Naming the member and the type.
    """
    if knowledge.type is KnowledgeType.GRAPH:
        _check_graph(knowledge)
    elif knowledge.type is KnowledgeType.MEMORY:
        whole = tuple(each for each in _CHUNKS if each != "max_tokens")
        _refuse(
            knowledge, _LOCATION + whole, "a MEMORY source, whose entries the application gives"
        )
        if knowledge.use is KnowledgeUse.SEQUENTIAL:
            raise ConfigurationError("use: a MEMORY source is used by SEARCH or DIRECT")
    if "search" in knowledge.given and knowledge.use is not KnowledgeUse.SEARCH:
        raise ConfigurationError(f"search: only for use SEARCH, found use {knowledge.use}")
    if knowledge.chunk_context is ChunkContext.MODEL and not knowledge.chunk_context_model:
        raise ConfigurationError("chunk_context_model: needed for chunk_context MODEL, and not set")


def _check_graph(knowledge: "Knowledge") -> None:
    _refuse(knowledge, _LOCATION + _CHUNKS, "a GRAPH source, which is a handle of a graph store")
    if knowledge.use is not KnowledgeUse.SEARCH:
        raise ConfigurationError(f"use: a GRAPH source is used by SEARCH, found {knowledge.use}")
    if knowledge.search.strategy not in {UNSET, SearchStrategy.GRAPH}:
        raise ConfigurationError(
            f"search.strategy: a GRAPH source is searched by GRAPH, found {knowledge.search.strategy}"
        )


def _refuse(knowledge: "Knowledge", members: tuple[str, ...], what: str) -> None:
    for name in members:
        if name in knowledge.given:
            raise ConfigurationError(f"{name}: cannot be set for {what}")
