"""Requests to an OpenAI-compatible embeddings endpoint: paced, tried again, checked."""

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from octavo.embeddings.embeddings_answer import SERVER, answered_vectors
from octavo.embeddings.token_count import counted_tokens, estimated_tokens
from octavo.errors import CancelledError, ExecutionError, OctavoError
from octavo.importing import optional
from octavo.model_servers.attempts import Attempts
from octavo.model_servers.openai_errors import (
    asked_wait,
    error_in_answer,
    is_about_the_request,
    is_without_connection,
    is_worth_a_retry,
    octavo_error,
    tell_wait,
)
from octavo.model_servers.pacer import Pacer
from octavo.model_servers.settings import certificates, client_made
from octavo.model_servers.wait_notice import WaitNotice

if TYPE_CHECKING:
    import httpx2

_LONGEST_WAIT: Final = 300.0
_FIRST_RETRIES: Final = 2
"""How often a connection is tried again where none was ever made."""


class EmbeddingsEndpoint:
    """Sends texts, and returns their vectors; threads share one.

    Parameters
    ----------
    owner
        Who needs it, for messages.
    base_url
        Where it is; ``None``: as the package decides.
    key
        The secret.
    body
        The properties of each request besides the texts.
    requests_per_minute, tokens_per_minute
        The most a minute; ``None``: no limit.
    timeout
        The longest silence in seconds.
    max_retries
        How often a request is tried again.
    max_response_bytes
        The most bytes of an answer.

    Raises
    ------
    ConfigurationError
        The package is not installed, or its client cannot be made.
    """

    def __init__(
        self,
        owner: str,
        base_url: str | None,
        key: str,
        *,
        body: Mapping[str, Any],
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        timeout: float,
        max_retries: int,
        max_response_bytes: int,
    ) -> None:
        self._key = key
        self._body = body
        self._attempts = Attempts(max_retries, longest_wait=_LONGEST_WAIT)
        self._pacer = Pacer(requests_per_minute)
        self._tokens = Pacer(tokens_per_minute)
        self._notice = WaitNotice()
        self._has_answered = False
        self._openai = optional("openai", "openai", owner)
        with client_made(owner):
            http = self._openai.DefaultHttpxClient(
                event_hooks={"response": [_guard(max_response_bytes)]},
                verify=certificates(),
                follow_redirects=False,  # what is sent is for the server that was named
            )
            weakref.finalize(self, http.close)
            self._client = self._openai.OpenAI(
                api_key=key,
                base_url=base_url,
                timeout=timeout,
                max_retries=0,
                default_headers={"Accept-Encoding": "identity"},
                http_client=http,
            )

    # Errors are raised outside ``except``: what the package raised holds the request and its key.
    def vectors(self, texts: list[str], stopped: threading.Event) -> NDArray[np.float32]:
        """Return the vectors of texts: float32[n, d]; nothing is asked for none.

        Parameters
        ----------
        texts
            At most as many as a request may have.
        stopped
            Tells that the answer is no longer wanted.

        Raises
        ------
        ExecutionError, ConfigurationError, RetrievalTimeoutError
            See :meth:`octavo.OpenAIEmbedding.embed_batch`.
        CancelledError
            It was stopped.
        """
        if not texts:
            return np.empty((0, 0), np.float32)
        tokens = estimated_tokens(texts)
        waits = enumerate(self._attempts.waits())
        while True:
            turn = max(self._pacer.turn(), self._tokens.turn(tokens))
            if stopped.wait(min(turn, threading.TIMEOUT_MAX)):
                raise CancelledError(f"{SERVER}: another request failed")
            failure: OctavoError
            try:
                answer = self._request(texts)
            except Exception as error:  # noqa: BLE001 - of the package, or below it
                failure = octavo_error(self._openai, error, self._key, SERVER)
                pause = self._pause(error, failure, waits)
                about_texts = is_about_the_request(self._openai, error)
            else:
                self._has_answered = True
                self._tokens.correct((counted_tokens(answer) or tokens) - tokens)
                return self._checked(answer, len(texts))
            if pause is None:
                if about_texts:
                    failure.texts = range(len(texts))
                raise failure
            self._notice.tell(failure, pause)
            if stopped.wait(pause):
                raise failure

    def _request(self, texts: list[str]) -> object:
        response = self._client.embeddings.with_raw_response.create(
            input=texts,
            encoding_format="float",  # what every compatible server knows
            **self._body,
        )
        return response.http_response.json()

    def _checked(self, answer: object, texts: int) -> NDArray[np.float32]:
        refusal = error_in_answer(answer, self._key, SERVER)
        try:
            if refusal is not None:
                raise refusal
            return answered_vectors(answer, texts)
        except ExecutionError as error:
            error.texts = range(texts)
            raise

    def _pause(
        self, error: Exception, failure: OctavoError, waits: Iterator[tuple[int, float]]
    ) -> float | None:
        retried, wait = next(waits, (0, None))
        if wait is None or not is_worth_a_retry(self._openai, error):
            return None
        is_new = not self._has_answered and is_without_connection(self._openai, error)
        if is_new and retried == _FIRST_RETRIES:  # the address may well be mistyped
            return None
        asked = asked_wait(error)
        pause = self._attempts.allowed(wait, asked)
        if pause is None:
            tell_wait(failure, error)
        elif asked is not None:
            self._pacer.hold(asked)
        return pause


def _guard(most_bytes: int) -> "Callable[[httpx2.Response], None]":
    # No method: the connections would keep the object alive, which closes them when it goes.
    def guarded(response: "httpx2.Response") -> None:
        from octavo.model_servers.guarded_stream import guard  # noqa: PLC0415 - needs the extra

        guard(response, lambda: None, most_bytes, SERVER)

    return guarded
