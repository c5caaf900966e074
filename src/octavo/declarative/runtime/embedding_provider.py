"""The process's one embedding provider, and what is asked of its vectors (S40-S43)."""

import threading
from collections.abc import Callable, Sequence, Sized
from functools import partial
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from octavo.declarative.provided import answered
from octavo.declarative.runtime.events import LOGGER
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.protocol import MAXIMUM_VALUES, EmbeddingFunction
from octavo.embeddings.specification import ENTRY_POINT_GROUP
from octavo.errors import ConfigurationError, ExecutionError, shown, told
from octavo.importing import installed_points, load_point
from octavo.spi import CancellationToken

_WHAT: Final = "embedding provider"
HASH_NOTICE: Final = (
    "no embedding provider is installed: declared sources are embedded by the built-in hash "
    "embedding, which only measures token overlap and is a weak retriever; install a provider as an "
    f"entry point of {ENTRY_POINT_GROUP!r} for semantic retrieval"
)


class EmbeddingProvider:
    """An application's embedding function: one call at a time, and checked vectors.

    Parameters
    ----------
    function
        Called with one text; may have ``embed_batch``, which is used for ingestion.
    identity
        What tells this provider, in this version, from others.

    Notes
    -----
    A call while another runs fails at once (S41). A vector is copied before its values are looked
    at, and the copy is returned: a provider may reuse its buffer. The first vector of a possible
    length fixes the number of dimensions, also where its values are then refused (S42).
    """

    def __init__(self, function: EmbeddingFunction, identity: str) -> None:
        self._function = function
        self.identity = identity
        self._turn = threading.Lock()
        self._dimensions: int | None = None

    @property
    def dimensions(self) -> int | None:
        """The number of dimensions, once a vector has fixed it."""
        return self._dimensions

    def __call__(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text, float32[dimensions].

        Raises
        ------
        ExecutionError
            Another call is under way, the provider raised something, or gave no such vector.
        RetrievalError
            The provider's own; type and reason are kept.
        """
        vector: NDArray[np.float32] = self.embed((text,))[0]
        return vector

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, float32[texts, dimensions]; errors as of a call."""
        return self._in_turn(texts, self._function)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of queries, as :meth:`embed`, by the form for them if there is one."""
        queries = getattr(self._function, "embed_queries", None)
        if queries is None:
            return self.embed(texts)
        return self._in_turn(texts, lambda text: queries([text])[0])

    def for_ingestion(self, cancellation: CancellationToken) -> EmbeddingFunction:
        """Return the function by which octavo embeds documents; it waits for its turn."""
        return cast("EmbeddingFunction", _Ingestion(self, cancellation))

    def embed_waiting(
        self, texts: Sequence[str], cancellation: CancellationToken
    ) -> NDArray[np.float32]:
        """Return the vectors of many texts; waits for other calls, with the batch form if there is one."""
        batch = getattr(self._function, "embed_batch", None)
        if not texts:
            return np.empty((0, self._dimensions or 0), np.float32)
        if batch is None:
            return np.stack([self._waiting(text, cancellation) for text in texts])
        self._wait(cancellation)
        try:
            found = answered(_WHAT, lambda: batch(list(texts)))
            if found is None or not isinstance(found, Sized) or len(found) != len(texts):
                raise ExecutionError(
                    f"embedding provider: expected {len(texts)} vectors, found "
                    f"{len(found) if isinstance(found, Sized) else type(found).__name__}"
                )
            return np.stack([self._checked(each) for each in cast("Sequence[Any]", found)])
        finally:
            self._turn.release()

    def _in_turn(
        self, texts: Sequence[str], function: Callable[[str], object]
    ) -> NDArray[np.float32]:
        if not self._turn.acquire(blocking=False):
            raise ExecutionError(
                "embedding provider: called while another call is under way; it takes one at a time"
            )
        try:
            # Each is copied before the next call, which may reuse its buffer.
            return np.stack(
                [self._checked(answered(_WHAT, partial(function, text))) for text in texts]
            )
        finally:
            self._turn.release()

    def _waiting(self, text: str, cancellation: CancellationToken) -> NDArray[np.float32]:
        self._wait(cancellation)
        try:
            return self._checked(self._asked(text))
        finally:
            self._turn.release()

    def _wait(self, cancellation: CancellationToken) -> None:
        cancellation.raise_if_cancelled()
        while not self._turn.acquire(timeout=0.05):
            cancellation.raise_if_cancelled()

    def _asked(self, text: str) -> object:
        return answered(_WHAT, lambda: self._function(text))

    def _checked(self, vector: object) -> NDArray[np.float32]:
        """Return a copy of what came, if it is a vector (S42)."""
        if vector is None:
            raise ExecutionError("embedding provider: expected a vector, found None")
        if not isinstance(vector, Sized) or isinstance(vector, str | bytes):
            raise ExecutionError(
                f"embedding provider: expected a vector, found {type(vector).__name__}"
            )
        if not 1 <= len(vector) <= MAXIMUM_VALUES:
            raise ExecutionError(
                f"embedding provider: expected a vector of 1 to {MAXIMUM_VALUES} values, found "
                f"{len(vector)}"
            )
        snapshot = _snapshot(vector)
        if self._dimensions is None:
            self._dimensions = len(snapshot)
        if len(snapshot) != self._dimensions:
            raise ExecutionError(
                f"embedding provider: expected vectors of {self._dimensions} dimensions as before, "
                f"found {len(snapshot)}"
            )
        if not np.isfinite(snapshot).all():
            raise ExecutionError(
                "embedding provider: expected finite float32 values, found NaN or infinity"
            )
        return snapshot


class _Ingestion:
    def __init__(self, provider: EmbeddingProvider, cancellation: CancellationToken) -> None:
        self._provider = provider
        self._cancellation = cancellation

    def __call__(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed_batch([text])[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._provider.embed_waiting(texts, self._cancellation)


class ProcessEmbedding:
    """Finds the one installed provider, once (S40, S41).

    Parameters
    ----------
    given
        A provider that stands in for what is installed.
    """

    def __init__(self, given: EmbeddingProvider | HashEmbedding | None = None) -> None:
        self._found = given
        self._initialising = threading.Lock()

    def get(self) -> EmbeddingProvider | HashEmbedding:
        """Return the installed provider, wrapped; the hash embedding where there is none.

        Raises
        ------
        ConfigurationError
            Several are installed, or the one cannot be made.
        ExecutionError
            Another thread is finding the installed one.
        """
        if self._found is not None:
            return self._found
        if not self._initialising.acquire(blocking=False):
            if not installed_points(ENTRY_POINT_GROUP):
                return HashEmbedding()  # which takes no turns, so nobody waits for it either
            raise ExecutionError(
                "embedding provider: asked for while another thread initialises it"
            )
        try:
            if self._found is None:
                self._found = _discovered()
            return self._found
        finally:
            self._initialising.release()


PROCESS_EMBEDDING: Final = ProcessEmbedding()
"""The one of this process, shared by all that is declared."""


def _discovered() -> EmbeddingProvider | HashEmbedding:
    points = installed_points(ENTRY_POINT_GROUP)
    if not points:
        LOGGER.warning(HASH_NOTICE)
        return HashEmbedding()
    if len(points) > 1:
        names = ", ".join(f"{each.name} ({each.value})" for each in points)
        raise ConfigurationError(
            f"embedding provider: expected one entry point of {ENTRY_POINT_GROUP!r}, found {names}"
        )
    point = points[0]
    what = f"embedding provider {point.name} ({point.value})"
    function = load_point(what, point)
    if not callable(function):
        raise ConfigurationError(
            f"{what}: expected a function of one text, found {type(function).__name__}"
        )
    release = "" if point.dist is None else f"{point.dist.name} {point.dist.version}"
    # A provider that can name its model tells even a new model of an old release from the old one.
    model = getattr(function, "fingerprint", "")
    identity = f"{release} {point.name} {point.value} {shown(model)}"
    return EmbeddingProvider(cast("EmbeddingFunction", function), identity)


def _snapshot(vector: object) -> NDArray[np.float32]:
    """Copy a vector; what float32 cannot hold becomes infinite."""
    try:
        if np.asarray(vector).dtype.kind not in "fiu":
            raise TypeError("no numbers")  # noqa: TRY301 - said once, below
        with np.errstate(over="ignore"):
            snapshot = np.array(vector, np.float32, order="C")
    except Exception as error:
        raise ExecutionError(
            f"embedding provider: expected numbers, found {type(vector).__name__} ({told(error)})"
        ) from error
    if snapshot.ndim != 1:
        raise ExecutionError(
            f"embedding provider: expected one row of numbers, found {snapshot.ndim} axes"
        )
    return snapshot
