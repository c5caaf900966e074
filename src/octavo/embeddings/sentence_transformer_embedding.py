"""Models of the package ``sentence-transformers`` (the extra of that name)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from octavo.embeddings.model_embedding import ModelEmbedding, encodable_texts
from octavo.errors import ConfigurationError, checked_count, told
from octavo.importing import optional


class SentenceTransformerEmbedding(ModelEmbedding):
    """Embeds texts by a model of ``sentence-transformers``, on this machine.

    Documents go through the library's ``encode_document`` and queries through ``encode_query``, so
    that a model which tells them apart, by prompts of its own or by other modules, does so here.
    The model is loaded when the object is made; no code that comes with a model is run. Calls in
    one process are made by one thread at a time.

    Parameters
    ----------
    model
        A name on the Hugging Face hub, or a directory.
    prompt, query_prompt
        Put before each document, or query, in place of the model's own, such as ``"passage: "``.
    dimensions
        Keep only so many leading values, of a model that was trained for it (Matryoshka).
    device
        Such as ``"cpu"`` or ``"cuda:1"``; ``None``: the library chooses.
    batch_size
        Texts that are embedded side by side.

    Raises
    ------
    ConfigurationError
        The package is not installed, or the model cannot be loaded.
    InvalidArgumentError
        A parameter is not possible.
    """

    library: ClassVar[str] = "sentence-transformers"

    def __init__(
        self,
        model: str | PathLike[str],
        *,
        prompt: str | None = None,
        query_prompt: str | None = None,
        dimensions: int | None = None,
        device: str | None = None,
        batch_size: int = 32,
    ) -> None:
        options = {"prompt": prompt, "query_prompt": query_prompt, "dimensions": dimensions}
        self._batch_size = checked_count("batch_size", batch_size)
        super().__init__(model, options, {"device": device, "batch_size": batch_size})
        library = optional("sentence_transformers", self.library, type(self).__name__)
        try:
            with _without_progress_bars():
                self._model = library.SentenceTransformer(
                    self.model, device=device, truncate_dim=dimensions, trust_remote_code=False
                )
        except Exception as error:
            raise ConfigurationError(
                f"model {self.model!r}: loading it failed: {told(error)}"
            ) from error

    def embed_batch(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of documents: float32[n, d], as long as the model makes them."""
        return self._encoded(self._model.encode_document, texts, self.options.get("prompt"))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of queries: float32[n, d]."""
        return self._encoded(self._model.encode_query, texts, self.options.get("query_prompt"))

    def _encoded(self, encode: Any, texts: Sequence[str], prompt: object) -> NDArray[Any]:  # noqa: ANN401 - a method of the library
        if len(texts) == 0:
            return self._vectors_of_none()
        vectors: NDArray[Any] = encode(
            encodable_texts(texts),
            prompt=prompt,
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, np.float32)


@contextmanager
def _without_progress_bars() -> Iterator[None]:
    """Load a model without a word; the library shows bars in pipes too."""
    bars = import_module("transformers.utils.logging")
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()
