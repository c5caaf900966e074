"""Models behind the chat-completions protocol, by the ``openai`` package (the extra ``openai``)."""

import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

from octavo.declarative.actions.action_context import current_context
from octavo.declarative.actions.chat_completions import StreamedAnswer, answer_text
from octavo.errors import OctavoError, checked_count
from octavo.importing import optional
from octavo.model_servers.attempts import Attempts
from octavo.model_servers.openai_errors import (
    asked_wait,
    error_in_answer,
    is_worth_a_retry,
    octavo_error,
    shown_address,
    tell_wait,
)
from octavo.model_servers.settings import (
    certificates,
    checked_address,
    checked_key,
    checked_model,
    checked_seconds,
    checked_temperature,
    client_made,
)

if TYPE_CHECKING:
    import httpx2
    import openai

Answer = Any  # what the package returns: a completion, or a stream of events


class OpenAIClient:
    """Asks a model of OpenAI, or of any server that speaks its chat-completions protocol.

    Serves all four protocols: ``complete``, ``stream`` and their asynchronous twins. Connections are
    shared by threads; each asynchronous call has its own. The request's deadline bounds every attempt
    and every wait: an agent waits no longer, and a call that it left ends, at the latest, after the
    longest silence. What a server sends is bounded in bytes. The key is never part of a message or a
    representation.

    Parameters
    ----------
    model
        The name of the model.
    base_url
        Where a compatible server is, such as ``http://localhost:8000/v1``; ``None``: as the package
        decides (``OPENAI_BASE_URL``, else OpenAI).
    api_key
        ``None``: from ``OPENAI_API_KEY``. With a ``base_url`` there need be none.
    timeout
        The longest silence of the server in seconds.
    max_retries
        How often a request is tried again after a failure that may pass: no connection, too many
        requests, a failing server. Nothing is tried again once a piece of a stream has come.
    temperature, max_tokens
        Passed to the server where they are given.
    max_response_bytes
        The most bytes of an answer.

    Raises
    ------
    ConfigurationError
        The package is not installed, or there is no key.
    InvalidArgumentError
        A bound, the address or an option is not possible.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        max_retries: int = 2,
        temperature: float | None = None,
        max_tokens: int | None = None,
        max_response_bytes: int = 1 << 24,
    ) -> None:
        self.model = checked_model(model)
        self.base_url = checked_address(base_url)
        self._key = checked_key("OpenAIClient", api_key, base_url)
        self._timeout = checked_seconds("timeout", timeout)
        self._attempts = Attempts(checked_count("max_retries", max_retries, 0))
        self._most_bytes = checked_count("max_response_bytes", max_response_bytes)
        self._options: dict[str, Any] = {}
        if temperature is not None:
            self._options["temperature"] = checked_temperature(temperature)
        if max_tokens is not None:
            self._options["max_tokens"] = checked_count("max_tokens", max_tokens)
        self._openai = optional("openai", "openai", "OpenAIClient")
        # No redirects: what is sent is for the server that was named.
        self._transport = {"verify": certificates(), "follow_redirects": False}
        with client_made("OpenAIClient"):
            http = self._openai.DefaultHttpxClient(
                event_hooks={"response": [_guard(self._most_bytes)]}, **self._transport
            )
            weakref.finalize(self, http.close)
            self._client = self._openai.OpenAI(**self._settings, http_client=http)

    def __repr__(self) -> str:
        where = "" if self.base_url is None else f", base_url={shown_address(self.base_url)!r}"
        return f"OpenAIClient({self.model!r}{where})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("OpenAIClient: not pickled, for its key would be")

    def complete(self, system: str, prompt: str) -> str:
        """Return the model's answer.

        Raises
        ------
        ExecutionError
            The server cannot be reached, refuses, or answers with something else.
        ConfigurationError
            It refuses the key.
        RetrievalTimeoutError
            It did not answer in time.
        CancelledError
            The request was cancelled.
        """
        return self._text(self._tried(system, prompt))

    def stream(self, system: str, prompt: str) -> Iterator[str]:
        """Yield the pieces of the model's answer; errors are those of :meth:`complete`."""
        events = self._tried(system, prompt, stream=True)
        try:
            yield from _pieces(events, self._error)
        finally:
            events.close()

    async def complete_async(self, system: str, prompt: str) -> str:
        """Return the model's answer; errors are those of :meth:`complete`."""
        async with self._asynchronous() as client:
            return self._text(await self._tried_async(client, system, prompt))

    async def stream_async(self, system: str, prompt: str) -> AsyncIterator[str]:
        """Yield the pieces of the model's answer; errors are those of :meth:`complete`."""
        async with self._asynchronous() as client:
            events = await self._tried_async(client, system, prompt, stream=True)
            answer = StreamedAnswer()
            try:
                while True:
                    failure = None
                    try:
                        piece = answer.piece(await anext(events))
                    except StopAsyncIteration:
                        break
                    except Exception as error:  # noqa: BLE001 - of the package, or below it
                        failure = self._error(error)
                    if failure is not None:
                        raise failure
                    if piece:
                        yield piece
                answer.end()
            finally:
                await events.close()

    def close(self) -> None:
        """Give back the connections; the client cannot be used afterwards."""
        self._client.close()

    @property
    def _settings(self) -> dict[str, Any]:
        return {
            "api_key": self._key,
            "base_url": self.base_url,
            "max_retries": 0,
            "default_headers": {"Accept-Encoding": "identity"},
        }

    def _asynchronous(self) -> "openai.AsyncOpenAI":
        # One a call: connections belong to an event loop, and a client may see several.
        guard = _guard(self._most_bytes)

        async def guarded(response: "httpx2.Response") -> None:
            guard(response)

        http = self._openai.DefaultAsyncHttpxClient(
            event_hooks={"response": [guarded]}, **self._transport
        )
        client: openai.AsyncOpenAI = self._openai.AsyncOpenAI(**self._settings, http_client=http)
        return client

    def _request(self, system: str, prompt: str) -> dict[str, Any]:
        dispatch = current_context().dispatch
        dispatch.check()
        left = dispatch.remaining()
        messages = [{"role": "system", "content": system}] if system else []
        return {
            "model": self.model,
            "messages": [*messages, {"role": "user", "content": prompt}],
            "timeout": self._timeout if left is None else min(self._timeout, left),
            **self._options,
        }

    # Errors are raised outside ``except``: what the package raised holds the request and its key.
    def _tried(self, system: str, prompt: str, **options: object) -> Answer:
        waits = self._attempts.waits()
        while True:
            request = self._request(system, prompt) | options
            try:
                return self._client.chat.completions.create(**request)
            except Exception as error:  # noqa: BLE001 - of the package, or below it
                failure = self._error(error)
                pause = self._pause(error, failure, waits)
            if pause is None:
                raise failure
            self._attempts.wait(pause, current_context().dispatch.check)

    async def _tried_async(
        self,
        client: "openai.AsyncOpenAI",
        system: str,
        prompt: str,
        **options: object,
    ) -> Answer:
        waits = self._attempts.waits()
        while True:
            request = self._request(system, prompt) | options
            try:
                return await client.chat.completions.create(**request)
            except Exception as error:  # noqa: BLE001 - of the package, or below it
                failure = self._error(error)
                pause = self._pause(error, failure, waits)
            if pause is None:
                raise failure
            await self._attempts.wait_async(pause, current_context().dispatch.check)

    def _error(self, error: Exception) -> OctavoError:
        return octavo_error(self._openai, error, self._key)

    def _pause(
        self, error: Exception, failure: OctavoError, waits: Iterator[float]
    ) -> float | None:
        wait = next(waits, None) if is_worth_a_retry(self._openai, error) else None
        if wait is None:
            return None
        pause = self._attempts.allowed(
            wait, asked_wait(error), current_context().dispatch.remaining()
        )
        if pause is None:
            tell_wait(failure, error)
        return pause

    def _text(self, answer: Answer) -> str:
        if refusal := error_in_answer(answer, self._key):
            raise refusal
        return answer_text(answer)


def _pieces(events: Iterator[Any], failed: Callable[[Exception], OctavoError]) -> Iterator[str]:
    answer = StreamedAnswer()
    while True:
        failure = None
        try:
            piece = answer.piece(next(events))
        except StopIteration:
            break
        except Exception as error:  # noqa: BLE001 - of the package, or below it
            failure = failed(error)
        if failure is not None:
            raise failure
        if piece:
            yield piece
    answer.end()


def _guard(most_bytes: int) -> "Callable[[httpx2.Response], None]":
    # No method: the connections would keep the client alive, and the client closes them when it goes.
    def guarded(response: "httpx2.Response") -> None:
        from octavo.model_servers.guarded_stream import guard  # noqa: PLC0415 - needs the extra

        guard(response, current_context().dispatch.check, most_bytes)

    return guarded
