"""One turn of a conversation: retrieval, rendering, and whoever answers."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from octavo.declarative.actions.action_context import ActionContext, entered
from octavo.declarative.actions.arguments import cleaned
from octavo.declarative.actions.asked import Asked
from octavo.declarative.actions.carrying_out import Dispatch
from octavo.declarative.actions.executors import ActionCall, AnyExecutor
from octavo.declarative.actions.observed import observed_rendering
from octavo.declarative.actions.supplied import checked_executors, checked_method
from octavo.declarative.chat.executor import MESSAGE, LLMChatExecutor
from octavo.declarative.chat.knowledge_binding import CHAT, ChatKnowledgeBinding, chat_events
from octavo.declarative.chat.responses import AsyncChatStream, ChatResponse, ChatStream
from octavo.declarative.declarations.described import declared_name, description_of
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.rendering.grounding import Grounding
from octavo.declarative.rendering.tokens import TokenCounter
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.events import Event, Events
from octavo.errors import ConfigurationError, InvalidArgumentError, plain_text, shown

if TYPE_CHECKING:
    from octavo.declarative.actions.agent import Agent


@dataclass(frozen=True, slots=True)
class ChatTurns:
    """Answers messages.

    Parameters
    ----------
    agent_name
        Stands in contexts that name none.
    instructions
        What the system prompt says about the agent.
    knowledge
        What grounds turns; ``None``: they go on without retrieval (S73).
    counter
        Counts tokens.
    executor
        Who answers.
    """

    agent_name: str
    instructions: tuple[str, ...]
    knowledge: ChatKnowledgeBinding | None
    counter: TokenCounter
    executor: AnyExecutor

    def answer(self, message: str, context: DispatchContext) -> ChatResponse:
        """Answer a message."""
        done = self._asked(message, context).execute()
        return ChatResponse(str(done.value), done.context)

    async def answer_async(self, message: str, context: DispatchContext) -> ChatResponse:
        """Answer a message without holding up the event loop."""
        done = await self._asked(message, context).execute_async()
        return ChatResponse(str(done.value), done.context)

    def stream(self, message: str, context: DispatchContext) -> ChatStream:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        return ChatStream(CHAT, *self._asked(message, context).stream())

    async def stream_async(self, message: str, context: DispatchContext) -> AsyncChatStream:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        return AsyncChatStream(CHAT, *await self._asked(message, context).stream_async())

    def _asked(self, message: object, context: DispatchContext) -> Asked:
        context = context.filled(agent=self.agent_name)
        events = chat_events(self.agent_name, context)
        return Asked(str(ActionType.LLM), context, events, partial(self._rendered, message, events))

    def _rendered(
        self, message: object, events: Events, context: DispatchContext, event: Event
    ) -> Dispatch:
        text = _checked(message)
        # Whatever ran before, or runs around this, leaves nothing behind for the retrieval to see.
        with entered(ActionContext(dispatch=context)):
            context.check()
            grounding = None
            if self.knowledge is not None:
                retrieved = self.knowledge.retrieve(text, context)
                sources = self.knowledge.knowledge
                if sources:
                    grounding = observed_rendering(
                        events, event, lambda: Grounding.of(retrieved, sources, self.counter)
                    )
        call = ActionCall(
            CHAT,
            ActionType.LLM,
            "",
            {MESSAGE: text},
            ActionContext(None if grounding is None else grounding.context, context),
            self.instructions,
        )
        return Dispatch(None, call, self.executor, events, grounding)


def turns_of(agent: "Agent") -> ChatTurns:
    """Return what answers an agent's messages; everything is asked of it once.

    An executor of LLM actions that stands in for the bundled one answers turns too.
    """
    cls = type(agent)
    knowledge = agent.get_chat_knowledge()
    if knowledge is not None and not isinstance(knowledge, ChatKnowledgeBinding):
        raise ConfigurationError(
            f"get_chat_knowledge: expected a ChatKnowledgeBinding, found {shown(knowledge)}"
        )
    own = checked_executors(agent.get_executors()).get(ActionType.LLM)
    executor = LLMChatExecutor(agent.get_llm()) if own is None else own
    counter = checked_method("get_token_counter", agent.get_token_counter())
    return ChatTurns(declared_name(cls), (description_of(cls),), knowledge, counter, executor)


def _checked(message: object) -> str:
    text = plain_text(message)
    if text is None:
        raise InvalidArgumentError(f"message: expected a text, found {shown(message)}")
    text = str(cleaned(MESSAGE, text))
    if not text.strip():
        raise InvalidArgumentError(f"message: expected a text that is not blank, found {text!r}")
    return text
