"""Models behind an OpenAI-compatible embeddings endpoint (the extra ``openai``)."""

import json
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, ClassVar, Final

from numpy.typing import NDArray

from octavo.embeddings.embeddings_endpoint import EmbeddingsEndpoint
from octavo.embeddings.model_embedding import ModelEmbedding
from octavo.embeddings.text_batches import REQUEST_CHARACTERS, RequestBounds, TextBatch, TextBatches
from octavo.errors import InvalidArgumentError, OctavoError, checked_count, real_number, shown
from octavo.model_servers.at_once import at_once
from octavo.model_servers.settings import (
    KEY_VARIABLE,
    check_plain_address,
    checked_key,
    checked_seconds,
)

_LOWEST_RATE: Final = 0.001
"""One in 17 hours."""


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
    tokens_per_minute
        The most tokens a minute; ``None``: no limit. A token is taken for four bytes of text in
        UTF-8, until the server tells how many there were.
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
        tokens_per_minute: float | None = None,
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
            "requests_per_minute": _checked_rate("requests_per_minute", requests_per_minute),
            "tokens_per_minute": _checked_rate("tokens_per_minute", tokens_per_minute),
            "timeout": checked_seconds("timeout", timeout),
            "max_retries": checked_count("max_retries", max_retries, 0),
            "max_response_bytes": checked_count("max_response_bytes", max_response_bytes),
        }
        super().__init__(model, options, other)
        check_plain_address(base_url)
        owner = type(self).__name__
        body = {"model": model, "dimensions": dimensions, "extra_body": options["extra_body"]}
        key = checked_key(owner, api_key, base_url, api_key_variable)
        self._key_is_given = api_key is not None
        characters = REQUEST_CHARACTERS
        if tokens_per_minute is not None:  # what has more than those of a minute is always refused
            characters = int(min(characters, max(tokens_per_minute, 1)))
        self._bounds = RequestBounds(batch_size, characters)
        self._concurrency = concurrency
        self._endpoint = EmbeddingsEndpoint(
            owner,
            base_url,
            key,
            body={name: set_to for name, set_to in body.items() if set_to is not None},
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
            timeout=timeout,
            max_retries=max_retries,
            max_response_bytes=max_response_bytes,
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
        return self._embedded(texts, queries=False)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of queries; errors are those of :meth:`embed_batch`."""
        return self._embedded(texts, queries=True)

    def embed_blocks(
        self, blocks: Iterable[Sequence[str]], *, queries: bool
    ) -> Iterator[NDArray[Any]]:
        """Yield the vectors of each block of texts, in order; errors are those of :meth:`embed_batch`.

        Requests of later blocks are sent while those of earlier ones are under way, so that there
        are always as many as there may be. No request has texts of two blocks.
        """
        prompt = self.options.get("query_prompt" if queries else "prompt")
        taken: deque[TextBatches] = deque()

        def batches() -> Iterator[TextBatch]:
            first = 0
            for texts in blocks:
                taken.append(TextBatches.of(texts, prompt, self._bounds, first))
                first += len(texts)
                yield from taken[-1].batches

        found: list[NDArray[Any]] = []
        with closing(at_once(self._asked, batches(), self._concurrency)) as answers:
            for vectors in answers:
                found.append(vectors)
                if len(found) == len(taken[0].batches):
                    yield taken.popleft().joined(found)
                    found = []

    def _asked(self, batch: TextBatch, stopped: threading.Event) -> NDArray[Any]:
        try:
            return self._endpoint.vectors(batch.texts, stopped)
        except OctavoError as error:
            if error.texts is not None:
                error.texts = batch.places
            raise

    def _embedded(self, texts: Sequence[str], *, queries: bool) -> NDArray[Any]:
        if len(texts) == 0:
            return self._vectors_of_none()
        [vectors] = self.embed_blocks([texts], queries=queries)
        return vectors


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


def _checked_rate(name: str, value: object) -> float | None:
    if value is None:
        return None
    number = real_number(value)
    if number is None or not _LOWEST_RATE <= number < float("inf"):
        raise InvalidArgumentError(
            f"{name}: expected a number from {_LOWEST_RATE}, found {shown(value)}"
        )
    return number
