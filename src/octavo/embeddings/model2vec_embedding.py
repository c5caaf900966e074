"""Static models of the package ``model2vec`` (the extra of that name)."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, ClassVar

from numpy.typing import NDArray

from octavo.embeddings.model_embedding import ModelEmbedding, encodable_texts
from octavo.errors import ConfigurationError, told
from octavo.importing import optional


class Model2VecEmbedding(ModelEmbedding):
    """Embeds texts by a static model of ``model2vec``: a mean of vectors of words, fast on any processor.

    Documents and queries are embedded alike. A text of which the model knows no word gets the zero
    vector.

    Parameters
    ----------
    model
        A name on the Hugging Face hub, such as ``"minishlab/potion-base-8M"``, or a directory.
    dimensions
        Keep only so many leading values.

    Raises
    ------
    ConfigurationError
        The package is not installed, or the model cannot be loaded.
    InvalidArgumentError
        A parameter is not possible.
    """

    library: ClassVar[str] = "model2vec"

    def __init__(self, model: str | PathLike[str], *, dimensions: int | None = None) -> None:
        super().__init__(model, {"dimensions": dimensions})
        library = optional("model2vec", self.library, type(self).__name__)
        try:
            self._model = library.StaticModel.from_pretrained(
                self.model, dimensionality=dimensions, force_download=False
            )
        except Exception as error:
            raise ConfigurationError(
                f"model {self.model!r}: loading it failed: {told(error)}"
            ) from error

    def embed_batch(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of documents: float32[n, d]."""
        if len(texts) == 0:
            return self._vectors_of_none()
        # Processes would be started for many texts, each with a copy of the model.
        vectors: NDArray[Any] = self._model.encode(
            encodable_texts(texts), use_multiprocessing=False
        )
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the vectors of queries, which are those of documents."""
        return self.embed_batch(texts)
