"""One turn of a conversation: retrieval, rendering, and whoever answers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from octavo.declarative.actions.action_context import ActionContext, entered
from octavo.declarative.actions.arguments import cleaned
from octavo.declarative.actions.carrying_out import (
    Dispatch,
    carried_out,
    carried_out_async,
    pieces,
    pieces_async,
)
from octavo.declarative.actions.executors import ActionCall, AnyExecutor
from octavo.declarative.actions.preparing import prepared_in_thread
from octavo.declarative.chat.executor import MESSAGE, LLMChatExecutor
from octavo.declarative.chat.knowledge_binding import ChatKnowledgeBinding
from octavo.declarative.chat.responses import AsyncChatStream, ChatResponse, ChatStream
from octavo.declarative.declarations.described import declared_name, description_of
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.rendering.rendered_context import rendered
from octavo.declarative.rendering.tokens import TokenCounter
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import InvalidArgumentError, plain_text, shown

if TYPE_CHECKING:
    from octavo.declarative.actions.agent import Agent

CHAT: Final = "chat"
"""How a turn is called where actions have a name."""


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
        turn = self._prepared(message, context)
        with entered(turn.call.context):
            return ChatResponse(str(carried_out(turn)), turn.call.context)

    async def answer_async(self, message: str, context: DispatchContext) -> ChatResponse:
        """Answer a message without holding up the event loop."""
        turn = await self._prepared_async(message, context)
        with entered(turn.call.context):
            return ChatResponse(str(await carried_out_async(turn)), turn.call.context)

    def stream(self, message: str, context: DispatchContext) -> ChatStream:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        turn = self._prepared(message, context)
        return ChatStream(CHAT, turn.call.context, pieces(turn))

    async def stream_async(self, message: str, context: DispatchContext) -> AsyncChatStream:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        turn = await self._prepared_async(message, context)
        return AsyncChatStream(CHAT, turn.call.context, pieces_async(turn))

    async def _prepared_async(self, message: str, context: DispatchContext) -> Dispatch:
        return await prepared_in_thread(lambda asked: self._prepared(message, asked), context)

    def _prepared(self, message: str, context: DispatchContext) -> Dispatch:
        context = context.filled(agent=self.agent_name)
        text = _checked(message)
        # Whatever ran before, or runs around this, leaves nothing behind for the retrieval to see.
        with entered(ActionContext(dispatch=context)):
            context.check()
            grounded = None
            if self.knowledge is not None:
                retrieved = self.knowledge.retrieve(text, context)
                if self.knowledge.knowledge:
                    grounded = rendered(retrieved, self.knowledge.knowledge, self.counter)
        call = ActionCall(
            CHAT,
            ActionType.LLM,
            "",
            {MESSAGE: text},
            ActionContext(grounded, context),
            self.instructions,
        )
        return Dispatch(None, call, self.executor)


def turns_of(agent: "Agent") -> ChatTurns:
    """Return what answers an agent's messages; everything is asked of it once.

    An executor of LLM actions that stands in for the bundled one answers turns too.
    """
    cls = type(agent)
    knowledge = agent.get_chat_knowledge()
    own = agent.get_executors().get(ActionType.LLM)
    executor = LLMChatExecutor(agent.get_llm()) if own is None else own
    counter = agent.get_token_counter()
    return ChatTurns(declared_name(cls), (description_of(cls),), knowledge, counter, executor)


def _checked(message: object) -> str:
    text = plain_text(message)
    if text is None:
        raise InvalidArgumentError(f"message: expected a text, found {shown(message)}")
    text = str(cleaned(MESSAGE, text))
    if not text.strip():
        raise InvalidArgumentError(f"message: expected a text that is not blank, found {text!r}")
    return text
