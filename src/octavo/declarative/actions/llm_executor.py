"""Asking a model: context is fenced, what is said about it goes into the system prompt (S70)."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

from octavo.declarative.actions.asking import Asking, AskingThread
from octavo.declarative.actions.bodies import refuse_asynchronous
from octavo.declarative.actions.executors import ActionCall
from octavo.declarative.actions.failures import closing, within_deadline
from octavo.declarative.provided import failing_as_execution
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
_END: Final = object()


class LLMActionExecutor:
    """Carries out LLM actions with a client.

    A client that only waits is asked in a thread of its own where an event loop runs, and where the
    request has a deadline or can be cancelled: then its answer is waited for no longer than that. One
    that does not stream gives its answer as one piece, and one that only streams its pieces together.

    Parameters
    ----------
    client
        An object of one of the protocols, or a function of system prompt and prompt; one that is
        asynchronous serves asynchronous dispatches only.

    Raises
    ------
    ConfigurationError
        The client is nothing of that kind.
    """

    def __init__(self, client: AnyLLMClient) -> None:
        kinds = (LLMClient, AsyncLLMClient, StreamingLLMClient, AsyncStreamingLLMClient)
        if isinstance(client, type) or (not isinstance(client, kinds) and not callable(client)):
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
        """Return the model's answer, at the latest by the request's deadline.

        Raises
        ------
        ExecutionError
            The client failed, or gave no text.
        RetrievalTimeoutError, CancelledError
            The request is over.
        """
        dispatch, complete = call.context.dispatch, self._completing(self.prompt(call))
        dispatch.check()
        with self._failing(), Asking(dispatch, _ANSWER) as ask:
            answer = ask(complete)
        refuse_asynchronous(answer, _CLIENT)
        return _text(answer)

    async def execute_async(self, call: ActionCall) -> str:
        """Return the model's answer, at the latest by the request's deadline.

        Raises
        ------
        ExecutionError
            The client failed, or gave no text.
        RetrievalTimeoutError, CancelledError
            The request is over.
        """
        prompt, client = self.prompt(call), self._client
        async with within_deadline(call.context.dispatch, _ANSWER):
            if isinstance(client, AsyncLLMClient):
                with self._failing():
                    return _text(await client.complete_async(prompt.system, prompt.text))
            if isinstance(client, AsyncStreamingLLMClient) and not self._can_wait():
                with self._failing():
                    return await _joined_async(client, prompt)
            complete, thread = self._completing(prompt), AskingThread()
            try:
                with self._failing():
                    answer = await asyncio.wrap_future(thread.submit(complete))
                    return _text(await answer if inspect.isawaitable(answer) else answer)
            finally:
                thread.end()

    def stream(self, call: ActionCall) -> Iterator[str]:
        """Yield the pieces of the model's answer, none after the request's deadline.

        Raises
        ------
        ExecutionError
            The client failed, or gave something else than text.
        RetrievalTimeoutError, CancelledError
            The request is over.
        """
        client, dispatch = self._client, call.context.dispatch
        if not isinstance(client, StreamingLLMClient):
            yield self.execute(call)
            return
        prompt = self.prompt(call)
        dispatch.check()
        with self._failing(), Asking(dispatch, _ANSWER) as ask:
            pieces = ask(lambda: iter(client.stream(prompt.system, prompt.text)))
            try:
                while (piece := ask(lambda: next(pieces, _END))) is not _END:
                    dispatch.check()
                    yield _text(piece)
            finally:
                close = getattr(pieces, "close", None)
                if close is not None:
                    ask.last(close)

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
                    with self._failing():
                        try:
                            piece = _text(await anext(pieces))
                        except StopAsyncIteration:
                            return
                yield piece

    def _failing(self) -> AbstractContextManager[None]:
        return failing_as_execution(_CLIENT, self._client)

    def _can_wait(self) -> bool:
        return isinstance(self._client, LLMClient | StreamingLLMClient) or callable(self._client)

    def _completing(self, prompt: Prompt) -> Callable[[], object]:
        if isinstance(self._client, LLMClient):
            return partial(self._client.complete, prompt.system, prompt.text)
        if callable(self._client):
            return partial(self._client, prompt.system, prompt.text)
        if isinstance(self._client, StreamingLLMClient):
            return partial(_joined, self._client, prompt)
        raise ConfigurationError(
            f"get_llm: {type(self._client).__name__} has no method complete; use the asynchronous "
            f"dispatch"
        )


def _joined(client: StreamingLLMClient, prompt: Prompt) -> str:
    return "".join(map(_text, client.stream(prompt.system, prompt.text)))


async def _joined_async(client: AsyncStreamingLLMClient, prompt: Prompt) -> str:
    async with closing(aiter(client.stream_async(prompt.system, prompt.text))) as pieces:
        return "".join([_text(piece) async for piece in pieces])


def _text(answer: object) -> str:
    if isinstance(answer, str):
        return answer
    raise ExecutionError(f"{_CLIENT} gave {shown(answer)[:200]}, expected text")
