"""What embedding functions over a trained model have in common."""

import functools
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError, checked_count, shown
from octavo.model_servers.settings import checked_model


class ModelEmbedding(ABC):
    """An embedding function that runs a model by a library, or asks a server that does.

    It embeds documents by being called or by :meth:`embed_batch`, and queries, which many models
    want told apart, by :meth:`embed_queries`. It is pickled by its options, not by its weights.

    Parameters
    ----------
    model
        The model's name, or a path where it is.
    options
        Whatever else decides the vectors, as JSON values by the names of the constructor's
        parameters; what is ``None`` is left out.
    other
        Parameters that decide how the vectors are made, and none of them.
    """

    library: ClassVar[str]
    """The first half of :attr:`specification`."""

    def __init__(
        self,
        model: str | PathLike[str],
        options: Mapping[str, object],
        other: Mapping[str, object] | None = None,
    ) -> None:
        self.model = checked_model(fspath(model) if isinstance(model, PathLike) else model)
        for name in ("prompt", "query_prompt"):
            if not isinstance(options.get(name), str | None):
                raise InvalidArgumentError(f"{name}: expected text, found {shown(options[name])}")
        self.options: dict[str, Any] = {
            name: value for name, value in options.items() if value is not None
        }
        """What decides the vectors, besides the model."""
        self._other = dict(other or {})
        if options.get("dimensions") is not None:
            checked_count("dimensions", options["dimensions"])

    @property
    def specification(self) -> str:
        """``LIBRARY:MODEL``, as ``--embedding`` and ``--model`` take it."""
        return f"{self.library}:{self.model}"

    @property
    def fingerprint(self) -> str:
        """32 hex digits that differ where the model, by its name, or an option is another."""
        described = json.dumps([self.specification, self.options], sort_keys=True, default=str)
        return hashlib.sha256(described.encode("utf-8", "replace")).hexdigest()[:32]

    def __call__(self, text: str, /) -> NDArray[Any]:
        """Return the vector of one document: float32[d]."""
        vector: NDArray[Any] = self.embed_batch([text])[0]
        return vector

    @abstractmethod
    def embed_batch(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of documents: float32[n, d]."""

    @abstractmethod
    def embed_queries(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of queries: float32[n, d]."""

    def _vectors_of_none(self) -> NDArray[np.float32]:
        """Return those of no texts: float32[0, d], where ``d`` is 0 unless it was asked for."""
        return np.empty((0, self.options.get("dimensions", 0)), np.float32)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({self.model!r}{options})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        made: Any = type(self)
        return functools.partial(made, self.model, **self.options, **self._other), ()


def encodable_texts(texts: Sequence[str], prompt: object = None) -> list[str]:
    r"""Return texts that models can read, each behind a prompt.

    Half of a surrogate pair, which a query may hold and UTF-8 cannot, becomes a question mark.

    Examples
    --------
    >>> encodable_texts(["a", "\ud800b"], "query: ")
    ['query: a', 'query: ?b']
    """
    before = "" if prompt is None else str(prompt)
    return [(before + text).encode("utf-8", "replace").decode() for text in texts]
