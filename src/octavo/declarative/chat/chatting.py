"""The four ways to send an agent a message."""

from typing import TYPE_CHECKING

from octavo.declarative.actions.failures import in_thread
from octavo.declarative.actions.requests import request_context
from octavo.declarative.runtime.dispatch_context import DispatchContext

if TYPE_CHECKING:
    from octavo.declarative.chat.responses import AsyncChatStream, ChatResponse, ChatStream
    from octavo.declarative.chat.turns import ChatTurns


class Chatting:
    """Answers messages, grounded by what an agent's own class declares (S72).

    A turn stands alone: the model sees the agent's description, what was retrieved, and the message.
    Where earlier messages matter, put them into ``message`` and the new one alone into the context's
    ``turn_message``: that is what is searched.
    """

    def _turns(self) -> "ChatTurns":
        """Return what answers, made when it is first needed."""
        raise NotImplementedError

    def chat(self, message: str, context: DispatchContext | None = None) -> "ChatResponse":
        """Answer a message.

        Parameters
        ----------
        message
            What the model gets, and what is searched where the context has no ``turn_message``.
        context
            Scope, deadline, cancellation, filters and turn of this request; nothing that was cached or
            remembered for another tenant reaches it.

        Returns
        -------
        ChatResponse
            The answer, and what grounded it.

        Raises
        ------
        ConfigurationError
            A declaration cannot work, there is no model, or the chat's knowledge was closed.
        InvalidArgumentError
            The message is blank or no text, or a location leads out of its source.
        ContextValidationError
            Documents were found, and truncation removed them all.
        RetrievalError
            Retrieval failed and its policy does not go on, or the model failed.
        """
        return self._turns().answer(message, request_context(context))

    async def achat(self, message: str, context: DispatchContext | None = None) -> "ChatResponse":
        """Answer a message as :meth:`chat` does, without holding up the event loop.

        A task that is cancelled cancels the request, unless the context brings a token of its own.
        """
        turns = await in_thread(self._turns)
        return await turns.answer_async(message, request_context(context))

    def stream_chat(self, message: str, context: DispatchContext | None = None) -> "ChatStream":
        """Answer a message piece by piece.

        Retrieval and rendering are done when this returns, and failures of theirs raised here.

        Returns
        -------
        ChatStream
            An iterator of texts, with what grounds them.
        """
        return self._turns().stream(message, request_context(context))

    async def astream_chat(
        self, message: str, context: DispatchContext | None = None
    ) -> "AsyncChatStream":
        """Answer a message as :meth:`stream_chat` does, without holding up the event loop."""
        turns = await in_thread(self._turns)
        return await turns.stream_async(message, request_context(context))
