"""The four ways to send an agent a message."""

from typing import TYPE_CHECKING

from octavo.declarative.actions.failures import in_thread
from octavo.declarative.actions.requests import request_context
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import ConfigurationError

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

    def write_back(
        self, text: str, context: DispatchContext | None = None, *, label: str = ""
    ) -> str:
        """Write a text back into the chat, whose later turns can be grounded by it.

        Where the agent's specification switches that on. Nothing is written back by itself, no answer
        of the model either. It is found by its words, in the scope of its context only, beside what
        KEYWORD finds.

        Parameters
        ----------
        text
            As untrusted as any document.
        context
            Its tenant, session and conversation say whose it is.
        label
            Where it came from, such as ``"call of 3 May"``.

        Returns
        -------
        str
            Its id; ``chat_knowledge.written_back`` can remove it.

        Raises
        ------
        ConfigurationError
            It is not switched on, or the chat's knowledge was closed.
        InvalidArgumentError
            The text is blank, no text, or too large.
        """
        knowledge = self._turns().knowledge
        if knowledge is None:
            raise ConfigurationError("write_back: the agent's chat has no knowledge")
        return knowledge.written_back.write(text, request_context(context), label=label)

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
