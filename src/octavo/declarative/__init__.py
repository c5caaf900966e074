"""Declarative retrieval: classes declare what they know, actions say how it is searched.

Names are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.declarative.declarations.action_specs import ActionSpec, action_spec
    from octavo.declarative.declarations.binding import (
        BoundAction,
        BoundChat,
        BoundDeclarations,
        bind,
        bind_chat,
    )
    from octavo.declarative.declarations.class_specs import (
        AgentSpec,
        RoleSpec,
        agent_spec,
        role_spec,
    )
    from octavo.declarative.declarations.enums import (
        ActionType,
        ChunkContext,
        FailureAction,
        KnowledgeFormat,
        KnowledgeType,
        KnowledgeUnit,
        KnowledgeUse,
        QueryExpansion,
        SearchStrategy,
    )
    from octavo.declarative.declarations.knowledge import Knowledge
    from octavo.declarative.declarations.resolved_search import ResolvedSearch
    from octavo.declarative.declarations.retrieval_config import RetrievalConfig
    from octavo.declarative.declarations.search import Search
    from octavo.declarative.declarations.unset import UNSET, Unset
    from octavo.declarative.runtime.attribution import RequestMetadata
    from octavo.declarative.runtime.dispatch_context import DispatchContext
    from octavo.declarative.runtime.providers import GivenProviders
    from octavo.declarative.runtime.retrieved import Retrieved, SourceGiven
    from octavo.declarative.runtime.runtime import RetrievalRuntime, RoleRagBinding

__all__ = [
    "UNSET",
    "ActionSpec",
    "ActionType",
    "AgentSpec",
    "BoundAction",
    "BoundChat",
    "BoundDeclarations",
    "ChunkContext",
    "DispatchContext",
    "FailureAction",
    "GivenProviders",
    "Knowledge",
    "KnowledgeFormat",
    "KnowledgeType",
    "KnowledgeUnit",
    "KnowledgeUse",
    "QueryExpansion",
    "RequestMetadata",
    "ResolvedSearch",
    "RetrievalConfig",
    "RetrievalRuntime",
    "Retrieved",
    "RoleRagBinding",
    "RoleSpec",
    "Search",
    "SearchStrategy",
    "SourceGiven",
    "Unset",
    "action_spec",
    "agent_spec",
    "bind",
    "bind_chat",
    "role_spec",
]

_NAMES: dict[str, tuple[str, ...]] = {
    "declarations.action_specs": ("ActionSpec", "action_spec"),
    "declarations.binding": ("BoundAction", "BoundChat", "BoundDeclarations", "bind", "bind_chat"),
    "declarations.class_specs": ("AgentSpec", "RoleSpec", "agent_spec", "role_spec"),
    "declarations.enums": (
        "ActionType",
        "ChunkContext",
        "FailureAction",
        "KnowledgeFormat",
        "KnowledgeType",
        "KnowledgeUnit",
        "KnowledgeUse",
        "QueryExpansion",
        "SearchStrategy",
    ),
    "declarations.knowledge": ("Knowledge",),
    "declarations.resolved_search": ("ResolvedSearch",),
    "declarations.retrieval_config": ("RetrievalConfig",),
    "declarations.search": ("Search",),
    "declarations.unset": ("UNSET", "Unset"),
    "runtime.attribution": ("RequestMetadata",),
    "runtime.dispatch_context": ("DispatchContext",),
    "runtime.providers": ("GivenProviders",),
    "runtime.retrieved": ("Retrieved", "SourceGiven"),
    "runtime.runtime": ("RetrievalRuntime", "RoleRagBinding"),
}
_HOMES = {name: f"octavo.declarative.{home}" for home, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'octavo.declarative' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
