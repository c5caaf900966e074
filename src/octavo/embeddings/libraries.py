"""The libraries that run trained models, by the names that specifications give them."""

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

from octavo.embeddings.model_embedding import ModelEmbedding
from octavo.errors import ConfigurationError

LIBRARIES: Final[Mapping[str, tuple[str, str]]] = {
    "sentence-transformers": (
        "octavo.embeddings.sentence_transformer_embedding",
        "SentenceTransformerEmbedding",
    ),
    "model2vec": ("octavo.embeddings.model2vec_embedding", "Model2VecEmbedding"),
    "openai": ("octavo.embeddings.openai_embedding", "OpenAIEmbedding"),
}
"""Module and class of each."""


def model_embedding(library: str, model: str, **options: object) -> ModelEmbedding:
    """Make the embedding function of a model.

    Parameters
    ----------
    library
        A key of :data:`LIBRARIES`.
    model
        The model's name.
    options
        Parameters of the class; those that are ``None`` count as not given.

    Raises
    ------
    ConfigurationError
        The library is not installed, cannot load the model, or knows no such option.
    InvalidArgumentError
        An option's value is not possible.
    """
    module, name = LIBRARIES[library]
    made: Callable[..., ModelEmbedding] = getattr(import_module(module), name)
    given = {option: value for option, value in options.items() if value is not None}
    known = inspect.signature(made).parameters
    for option in given:
        if option not in known:
            raise ConfigurationError(f"{option}: {library} has no such option")
    return made(model, **given)
