"""Asking a model: context is fenced, what is said about it goes into the system prompt (S70)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

from octavo.declarative.actions.executors import ActionCall
from octavo.declarative.actions.failures import closing, failing_as_execution, within_deadline
from octavo.declarative.rendering.prompt import Prompt, action_prompt
from octavo.errors import ConfigurationError, ExecutionError, shown
from octavo.spi import (
    AsyncLLMClient,
    AsyncStreamingLLMClient,
    LLMClient,
    StreamingLLMClient,
)

AnyLLMClient = (
    LLMClient
    | AsyncLLMClient
    | StreamingLLMClient
    | AsyncStreamingLLMClient
    | Callable[[str, str], str]
)
_CLIENT = "the language model client"
_ANSWER = "the language model's answer"


class LLMActionExecutor:
    """Carries out LLM actions with a client.

    A client that only waits is asked in a thread where an event loop runs, and one that does not
    stream gives its answer as one piece.

    Parameters
    ----------
    client
        An object of one of the protocols, or a function of system prompt and prompt.

    Raises
    ------
    ConfigurationError
        The client is nothing of that kind.
    """

    def __init__(self, client: AnyLLMClient) -> None:
        kinds = (LLMClient, AsyncLLMClient, StreamingLLMClient, AsyncStreamingLLMClient)
        if not isinstance(client, kinds) and not callable(client):
            raise ConfigurationError(f"get_llm: expected an LLMClient, found {shown(client)}")
        self._client = client

    @staticmethod
    def prompt(call: ActionCall) -> Prompt:
        """Return what the model is sent."""
        return action_prompt(
            call.description or call.name,
            call.arguments,
            call.context.rendered,
            call.instructions,
        )

    def execute(self, call: ActionCall) -> str:
        """Return the model's answer.

        Raises
        ------
        ExecutionError
            The client failed, or gave no text.
        RetrievalTimeoutError, CancelledError
            The request was over before the model was asked.
        """
        prompt = self.prompt(call)
        call.context.dispatch.check()
        with failing_as_execution(_CLIENT):
            return _text(self._complete(prompt))

    async def execute_async(self, call: ActionCall) -> str:
        """Return the model's answer, at the latest by the request's deadline.

        Raises
        ------
        ExecutionError
            The client failed, or gave no text.
        RetrievalTimeoutError, CancelledError
            The request is over.
        """
        prompt = self.prompt(call)
        async with within_deadline(call.context.dispatch, _ANSWER):
            with failing_as_execution(_CLIENT):
                if isinstance(self._client, AsyncLLMClient):
                    return _text(await self._client.complete_async(prompt.system, prompt.text))
                return _text(await asyncio.to_thread(self._complete, prompt))

    def stream(self, call: ActionCall) -> Iterator[str]:
        """Yield the pieces of the model's answer; the request is checked before each.

        Raises
        ------
        ExecutionError
            The client failed, or gave something else than text.
        RetrievalTimeoutError, CancelledError
            The request is over.
        """
        if not isinstance(self._client, StreamingLLMClient):
            yield self.execute(call)
            return
        prompt = self.prompt(call)
        call.context.dispatch.check()
        with failing_as_execution(_CLIENT):
            for piece in self._client.stream(prompt.system, prompt.text):
                call.context.dispatch.check()
                yield _text(piece)

    async def stream_async(self, call: ActionCall) -> AsyncIterator[str]:
        """Yield the pieces of the model's answer, none after the request's deadline.

        Raises
        ------
        ExecutionError
            The client failed, or gave something else than text.
        RetrievalTimeoutError, CancelledError
            The request is over.
        """
        if not isinstance(self._client, AsyncStreamingLLMClient):
            yield await self.execute_async(call)
            return
        prompt = self.prompt(call)
        async with closing(aiter(self._client.stream_async(prompt.system, prompt.text))) as pieces:
            while True:
                async with within_deadline(call.context.dispatch, _ANSWER):
                    with failing_as_execution(_CLIENT):
                        try:
                            piece = _text(await anext(pieces))
                        except StopAsyncIteration:
                            return
                yield piece

    def _complete(self, prompt: Prompt) -> object:
        if isinstance(self._client, LLMClient):
            return self._client.complete(prompt.system, prompt.text)
        if callable(self._client):
            return self._client(prompt.system, prompt.text)
        raise ConfigurationError(
            f"get_llm: {type(self._client).__name__} has no method complete; use the asynchronous "
            f"dispatch"
        )


def _text(answer: object) -> str:
    if isinstance(answer, str):
        return answer
    raise ExecutionError(f"{_CLIENT} gave {shown(answer)[:200]}, expected text")
