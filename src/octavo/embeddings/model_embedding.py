"""What embedding functions over a trained model have in common."""

import functools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError, shown


class ModelEmbedding(ABC):
    """An embedding function that runs a model by a library, or asks a server that does.

    It embeds documents by being called or by :meth:`embed_batch`, and queries, which many models
    want told apart, by :meth:`embed_queries`. It is pickled by its options, not by its weights.

    Parameters
    ----------
    model
        The model's name.
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
        model: str,
        options: Mapping[str, object],
        other: Mapping[str, object] | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise InvalidArgumentError(f"model: expected a name, found {shown(model)}")
        for name in ("prompt", "query_prompt"):
            if not isinstance(options.get(name), str | None):
                raise InvalidArgumentError(f"{name}: expected text, found {shown(options[name])}")
        self.model = model
        self.options = {name: value for name, value in options.items() if value is not None}
        """What decides the vectors, besides the model."""
        self._other = dict(other or {})

    @property
    def specification(self) -> str:
        """``LIBRARY:MODEL``, as ``--embedding`` and ``--model`` take it."""
        return f"{self.library}:{self.model}"

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

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({self.model!r}{options})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        made: Any = type(self)
        return functools.partial(made, self.model, **self.options, **self._other), ()
