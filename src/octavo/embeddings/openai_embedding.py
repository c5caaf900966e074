"""Models behind an OpenAI-compatible embeddings endpoint (the extra ``openai``)."""

import json
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from octavo.embeddings.embeddings_answer import SERVER, answered_vectors
from octavo.embeddings.model_embedding import ModelEmbedding, encodable_texts
from octavo.errors import (
    CancelledError,
    ExecutionError,
    InvalidArgumentError,
    OctavoError,
    checked_count,
    real_number,
    shown,
)
from octavo.importing import optional
from octavo.model_servers.at_once import at_once
from octavo.model_servers.attempts import Attempts
from octavo.model_servers.openai_errors import asked_wait, is_worth_a_retry, octavo_error
from octavo.model_servers.pacer import Pacer
from octavo.model_servers.settings import (
    KEY_VARIABLE,
    certificates,
    check_plain_address,
    checked_key,
    checked_seconds,
    client_made,
)

if TYPE_CHECKING:
    import httpx2

_LONGEST_WAIT: Final = 300.0
_REQUEST_CHARACTERS: Final = 200_000
"""OpenAI takes 300,000 tokens a request; few scripts need more than one for a character."""


class OpenAIEmbedding(ModelEmbedding):
    """Asks OpenAI, or any server with its ``/embeddings`` endpoint (vLLM, TEI, Ollama, llama.cpp).

    Texts are sent in batches, several at a time. What may pass (no connection, silence, too many
    requests, a failing server) is tried again, after longer and longer waits; where a server says
    how long to wait (``Retry-After``), all requests do. Blank texts, which such servers refuse, are
    not sent: their vector is zero. The key is part of no message, representation or pickle.

    Parameters
    ----------
    model
        The name of the model.
    base_url
        Where a compatible server is, such as ``http://localhost:8000/v1``; ``None``: as the package
        decides (``OPENAI_BASE_URL``, else OpenAI).
    api_key
        ``None``: from the environment. With a ``base_url`` there need be none.
    api_key_variable
        Where in the environment the key is.
    prompt, query_prompt
        Put before each document, or query, for models that want it, such as ``"passage: "``.
    dimensions
        Asked for, of models that can give shorter vectors.
    extra_body
        More properties of each request, such as ``{"truncate": "END"}``.
    batch_size
        The most texts of a request.
    concurrency
        Requests under way at a time.
    requests_per_minute
        The most requests a minute; ``None``: no limit.
    timeout
        The longest silence of the server in seconds.
    max_retries
        How often a request is tried again.
    max_response_bytes
        The most bytes of an answer.

    Raises
    ------
    ConfigurationError
        The package is not installed, or there is no key.
    InvalidArgumentError
        A parameter is not possible.
    """

    library: ClassVar[str] = "openai"

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        api_key_variable: str = KEY_VARIABLE,
        prompt: str | None = None,
        query_prompt: str | None = None,
        dimensions: int | None = None,
        extra_body: Mapping[str, object] | None = None,
        batch_size: int = 128,
        concurrency: int = 4,
        requests_per_minute: float | None = None,
        timeout: float = 60.0,
        max_retries: int = 8,
        max_response_bytes: int = 1 << 28,
    ) -> None:
        options = {
            "base_url": base_url,
            "prompt": prompt,
            "query_prompt": query_prompt,
            "dimensions": dimensions,
            "extra_body": _checked_body(extra_body),
        }
        other: dict[str, object] = {
            "api_key_variable": api_key_variable,
            "batch_size": checked_count("batch_size", batch_size),
            "concurrency": checked_count("concurrency", concurrency),
            "requests_per_minute": _checked_rate(requests_per_minute),
            "timeout": checked_seconds("timeout", timeout),
            "max_retries": checked_count("max_retries", max_retries, 0),
            "max_response_bytes": checked_count("max_response_bytes", max_response_bytes),
        }
        super().__init__(model, options, other)
        check_plain_address(base_url)
        owner = type(self).__name__
        self._key = checked_key(owner, api_key, base_url, api_key_variable)
        self._key_is_given = api_key is not None
        self._batch_size = batch_size
        self._concurrency = concurrency
        self._attempts = Attempts(max_retries, longest_wait=_LONGEST_WAIT)
        self._pacer = Pacer(requests_per_minute)
        self._openai = optional("openai", "openai", owner)
        with client_made(owner):
            http = self._openai.DefaultHttpxClient(
                event_hooks={"response": [_guard(max_response_bytes)]}, verify=certificates()
            )
            weakref.finalize(self, http.close)
            self._client = self._openai.OpenAI(
                api_key=self._key,
                base_url=base_url,
                timeout=timeout,
                max_retries=0,
                default_headers={"Accept-Encoding": "identity"},
                http_client=http,
            )

    def __reduce__(self) -> str | tuple[Any, ...]:
        if self._key_is_given:
            raise TypeError(
                "OpenAIEmbedding: not pickled, for its key would be; leave it to the environment"
            )
        return super().__reduce__()

    def embed_batch(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of documents: float32[n, d].

        Raises
        ------
        ExecutionError
            The server cannot be reached, refuses, or answers with something else.
        ConfigurationError
            It refuses the key.
        RetrievalTimeoutError
            It did not answer in time.
        """
        return self._embedded(texts, self.options.get("prompt"))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of queries; errors are those of :meth:`embed_batch`."""
        return self._embedded(texts, self.options.get("query_prompt"))

    def _embedded(self, texts: Sequence[str], prompt: object) -> NDArray[Any]:
        spoken = [position for position, text in enumerate(texts) if text.strip()]
        # With nothing to send, the vector of some word tells how many values a zero vector has.
        sent = encodable_texts([texts[position] for position in spoken], prompt) or ["blank"]
        found = self._asked(list(_batches(sent, self._batch_size)))
        vectors = np.zeros((len(texts), found.shape[1]), np.float32)
        vectors[spoken] = found[: len(spoken)]
        return vectors

    def _asked(self, batches: list[list[str]]) -> NDArray[np.float32]:
        if len(batches) == 1:
            return self._vectors(batches[0], threading.Event())
        found = at_once(self._vectors, batches, self._concurrency)
        lengths = {part.shape[1] for part in found}
        if len(lengths) > 1:
            raise ExecutionError(
                f"{SERVER}: expected vectors of one length, found {min(lengths)} and {max(lengths)}"
            )
        return np.concatenate(found)

    # Errors are raised outside ``except``: what the package raised holds the request and its key.
    def _vectors(self, texts: list[str], stopped: threading.Event) -> NDArray[np.float32]:
        waits = self._attempts.waits()
        while True:
            if stopped.wait(self._pacer.turn()):
                raise CancelledError(f"{SERVER}: another request failed")
            failure: OctavoError
            try:
                answer = self._request(texts)
            except Exception as error:  # noqa: BLE001 - of the package, or below it
                failure = octavo_error(self._openai, error, self._key, SERVER)
                pause = self._pause(error, waits)
            else:
                return answered_vectors(answer, len(texts))
            if pause is None or stopped.wait(pause):
                raise failure

    def _request(self, texts: list[str]) -> object:
        response = self._client.embeddings.with_raw_response.create(
            model=self.model,
            input=texts,
            encoding_format="float",  # what every compatible server knows
            dimensions=self.options.get("dimensions", self._openai.omit),
            extra_body=self.options.get("extra_body"),
        )
        return response.http_response.json()

    def _pause(self, error: Exception, waits: Iterator[float]) -> float | None:
        wait = next(waits, None) if is_worth_a_retry(self._openai, error) else None
        if wait is None:
            return None
        asked = asked_wait(error)
        pause = self._attempts.allowed(wait, asked)
        if asked is not None and pause is not None:
            self._pacer.hold(asked)
        return pause


def _batches(texts: list[str], most: int) -> Iterator[list[str]]:
    """Cut texts into requests of so many texts, fewer where they are long."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == most or characters + len(text) > _REQUEST_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    yield batch


def _guard(most_bytes: int) -> "Callable[[httpx2.Response], None]":
    # No method: the connections would keep the object alive, which closes them when it goes.
    def guarded(response: "httpx2.Response") -> None:
        from octavo.model_servers.guarded_stream import guard  # noqa: PLC0415 - needs the extra

        guard(response, lambda: None, most_bytes, SERVER)

    return guarded


def _checked_body(value: object) -> dict[str, object] | None:
    if value is None:
        return None
    try:
        found = json.loads(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidArgumentError(f"extra_body: expected a JSON object, found {shown(value)}")
    return found


def _checked_rate(value: object) -> float | None:
    if value is None:
        return None
    number = real_number(value)
    if number is None or not 0 < number < float("inf"):
        raise InvalidArgumentError(
            f"requests_per_minute: expected a number above zero, found {shown(value)}"
        )
    return number
