"""Declarative retrieval: classes declare what they know, actions say how it is searched.

Names are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.declarative.actions.action_context import ActionContext, current_context
    from octavo.declarative.actions.agent import Agent, Role
    from octavo.declarative.actions.dispatcher import Retrieval
    from octavo.declarative.actions.executors import (
        ActionCall,
        ActionExecutor,
        AsyncActionExecutor,
        AsyncStreamingExecutor,
        StreamingExecutor,
    )
    from octavo.declarative.actions.llm_executor import LLMActionExecutor
    from octavo.declarative.actions.openai_client import OpenAIClient
    from octavo.declarative.actions.requests import ActionRequest, ActionResponse, ActionResult
    from octavo.declarative.actions.streams import ActionStream, AsyncActionStream
    from octavo.declarative.chat.executor import LLMChatExecutor
    from octavo.declarative.chat.knowledge_binding import ChatKnowledgeBinding, ChatRetrieval
    from octavo.declarative.chat.responses import AsyncChatStream, ChatResponse, ChatStream
    from octavo.declarative.declarations.action_specs import ActionSpec, action_spec
    from octavo.declarative.declarations.agent_specs import AgentSpec, agent_spec
    from octavo.declarative.declarations.binding import (
        BoundAction,
        BoundChat,
        BoundDeclarations,
        bind,
        bind_chat,
    )
    from octavo.declarative.declarations.class_specs import RoleSpec, role_spec
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
    from octavo.declarative.declarations.write_back import WriteBack
    from octavo.declarative.rendering.fence import DISCLOSURE
    from octavo.declarative.rendering.grounding import Grounding
    from octavo.declarative.rendering.prompt import Prompt, action_prompt, chat_prompt
    from octavo.declarative.rendering.rendered_context import RenderedContext
    from octavo.declarative.rendering.tokens import TokenCounter, estimated_tokens
    from octavo.declarative.rendering.usage import KnowledgeUsage
    from octavo.declarative.runtime.attribution import RequestMetadata
    from octavo.declarative.runtime.dispatch_context import DispatchContext
    from octavo.declarative.runtime.providers import GivenProviders
    from octavo.declarative.runtime.retrieved import Retrieved, SourceGiven
    from octavo.declarative.runtime.runtime import RetrievalRuntime, RoleRagBinding

__all__ = [
    "DISCLOSURE",
    "UNSET",
    "ActionCall",
    "ActionContext",
    "ActionExecutor",
    "ActionRequest",
    "ActionResponse",
    "ActionResult",
    "ActionSpec",
    "ActionStream",
    "ActionType",
    "Agent",
    "AgentSpec",
    "AsyncActionExecutor",
    "AsyncActionStream",
    "AsyncChatStream",
    "AsyncStreamingExecutor",
    "BoundAction",
    "BoundChat",
    "BoundDeclarations",
    "ChatKnowledgeBinding",
    "ChatResponse",
    "ChatRetrieval",
    "ChatStream",
    "ChunkContext",
    "DispatchContext",
    "FailureAction",
    "GivenProviders",
    "Grounding",
    "Knowledge",
    "KnowledgeFormat",
    "KnowledgeType",
    "KnowledgeUnit",
    "KnowledgeUsage",
    "KnowledgeUse",
    "LLMActionExecutor",
    "LLMChatExecutor",
    "OpenAIClient",
    "Prompt",
    "QueryExpansion",
    "RenderedContext",
    "RequestMetadata",
    "ResolvedSearch",
    "Retrieval",
    "RetrievalConfig",
    "RetrievalRuntime",
    "Retrieved",
    "Role",
    "RoleRagBinding",
    "RoleSpec",
    "Search",
    "SearchStrategy",
    "SourceGiven",
    "StreamingExecutor",
    "TokenCounter",
    "Unset",
    "WriteBack",
    "action_prompt",
    "action_spec",
    "agent_spec",
    "bind",
    "bind_chat",
    "chat_prompt",
    "current_context",
    "estimated_tokens",
    "role_spec",
]

_NAMES: dict[str, tuple[str, ...]] = {
    "actions.action_context": ("ActionContext", "current_context"),
    "actions.agent": ("Agent", "Role"),
    "actions.dispatcher": ("Retrieval",),
    "actions.executors": (
        "ActionCall",
        "ActionExecutor",
        "AsyncActionExecutor",
        "AsyncStreamingExecutor",
        "StreamingExecutor",
    ),
    "actions.llm_executor": ("LLMActionExecutor",),
    "actions.openai_client": ("OpenAIClient",),
    "actions.requests": ("ActionRequest", "ActionResponse", "ActionResult"),
    "actions.streams": ("ActionStream", "AsyncActionStream"),
    "chat.executor": ("LLMChatExecutor",),
    "chat.knowledge_binding": ("ChatKnowledgeBinding", "ChatRetrieval"),
    "chat.responses": ("AsyncChatStream", "ChatResponse", "ChatStream"),
    "rendering.fence": ("DISCLOSURE",),
    "rendering.grounding": ("Grounding",),
    "rendering.prompt": ("Prompt", "action_prompt", "chat_prompt"),
    "rendering.rendered_context": ("RenderedContext",),
    "rendering.tokens": ("TokenCounter", "estimated_tokens"),
    "rendering.usage": ("KnowledgeUsage",),
    "runtime.dispatch_context": ("DispatchContext",),
    "declarations.action_specs": ("ActionSpec", "action_spec"),
    "declarations.binding": ("BoundAction", "BoundChat", "BoundDeclarations", "bind", "bind_chat"),
    "declarations.agent_specs": ("AgentSpec", "agent_spec"),
    "declarations.class_specs": ("RoleSpec", "role_spec"),
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
    "declarations.write_back": ("WriteBack",),
    "runtime.attribution": ("RequestMetadata",),
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
