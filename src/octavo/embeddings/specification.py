"""How a user names where vectors come from: ``hash``, ``column:COL``, ``openai:MODEL``, ..."""

import re
from dataclasses import dataclass

from octavo.analysis.analyzer import Analyzer
from octavo.embeddings.hash_embedding import (
    MAXIMUM_DIMENSIONS,
    MINIMUM_DIMENSIONS,
    HashEmbedding,
)
from octavo.embeddings.libraries import LIBRARIES, model_embedding
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.errors import ConfigurationError
from octavo.importing import created, import_target, installed_points

ENTRY_POINT_GROUP = "octavo.embedding_functions"
DEFAULT_DIMENSIONS = 128

_EXPECTED = (
    "hash, hash:N, column:COL, MODULE:ATTR, sentence-transformers:MODEL, model2vec:MODEL, "
    "openai:MODEL, provider or none"
)
_IMPORT = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class HashSpecification:
    """The built-in `HashEmbedding` with so many dimensions."""

    dimensions: int = DEFAULT_DIMENSIONS

    def __str__(self) -> str:
        return f"hash:{self.dimensions}"


@dataclass(frozen=True, slots=True)
class ColumnSpecification:
    """Vectors are in a column of the input; queries bring their own."""

    column: str

    def __str__(self) -> str:
        return f"column:{self.column}"


@dataclass(frozen=True, slots=True)
class ImportSpecification:
    """An embedding function of the application, as ``MODULE:ATTR``."""

    target: str

    def __str__(self) -> str:
        return self.target


@dataclass(frozen=True, slots=True)
class ModelSpecification:
    """A trained model, as ``LIBRARY:MODEL``."""

    library: str
    model: str

    def __str__(self) -> str:
        return f"{self.library}:{self.model}"


@dataclass(frozen=True, slots=True)
class ProviderSpecification:
    """The one installed provider, or the hash fallback where none is (S40)."""

    def __str__(self) -> str:
        return "provider"


@dataclass(frozen=True, slots=True)
class NoEmbedding:
    """No vectors: keyword retrieval only."""

    def __str__(self) -> str:
        return "none"


EmbeddingSpecification = (
    HashSpecification
    | ColumnSpecification
    | ImportSpecification
    | ModelSpecification
    | ProviderSpecification
    | NoEmbedding
)


def parse_specification(text: str) -> EmbeddingSpecification:
    """Return what ``text`` names; ``str()`` of the result parses to an equal one.

    Raises
    ------
    ConfigurationError
        The text is none of the known forms.

    Examples
    --------
    >>> parse_specification("hash:256")
    HashSpecification(dimensions=256)
    >>> str(parse_specification("column:vector"))
    'column:vector'
    """
    head, colon, rest = text.partition(":")
    if head == "hash":
        return HashSpecification(_dimensions(rest)) if colon else HashSpecification()
    if head == "column" and colon:
        if not rest:
            raise ConfigurationError("embedding 'column:': expected the name of a column after it")
        return ColumnSpecification(rest)
    if head in LIBRARIES and colon:
        if not rest.strip():
            raise ConfigurationError(f"embedding {text!r}: expected the name of a model after it")
        return ModelSpecification(head, rest)
    if text == "provider":
        return ProviderSpecification()
    if text == "none":
        return NoEmbedding()
    if _IMPORT.fullmatch(text):
        return ImportSpecification(text)
    raise ConfigurationError(f"embedding: expected {_EXPECTED}, found {text!r}")


def resolve(specification: EmbeddingSpecification, analyzer: Analyzer) -> EmbeddingFunction | None:
    """Return the embedding function that is named, ``None`` for a column and for none.

    Raises
    ------
    ConfigurationError
        Nothing callable is there, or several providers are installed.
    """
    match specification:
        case HashSpecification(dimensions):
            return HashEmbedding(dimensions, analyzer)
        case ImportSpecification(target):
            return _imported(target)
        case ModelSpecification(library, model):
            return model_embedding(library, model)
        case ProviderSpecification():
            return _provided(analyzer)
        case _:
            return None


def _dimensions(text: str) -> int:
    in_range = text.isascii() and text.isdigit() and len(text) < 8
    if not in_range or not MINIMUM_DIMENSIONS <= int(text) <= MAXIMUM_DIMENSIONS:
        raise ConfigurationError(
            f"embedding 'hash:{text}': expected an integer from {MINIMUM_DIMENSIONS} to "
            f"{MAXIMUM_DIMENSIONS} after the colon, found {text!r}"
        )
    return int(text)


def _imported(target: str) -> EmbeddingFunction:
    return _callable(import_target("embedding", target), f"embedding {target!r}")


def _provided(analyzer: Analyzer) -> EmbeddingFunction:
    providers = installed_points(ENTRY_POINT_GROUP)
    if not providers:
        return HashEmbedding(DEFAULT_DIMENSIONS, analyzer)
    if len(providers) > 1:
        names = ", ".join(f"{provider.name} ({provider.value})" for provider in providers)
        raise ConfigurationError(
            f"embedding 'provider': expected one entry point of {ENTRY_POINT_GROUP!r}, found {names}"
        )
    provider = providers[0]
    try:
        found = provider.load()
    except Exception as error:
        raise ConfigurationError(
            f"embedding 'provider': loading {provider.name} ({provider.value}) failed with "
            f"{type(error).__name__}: {error}"
        ) from error
    return _callable(found, f"embedding 'provider': {provider.name}")


def _callable(found: object, what: str) -> EmbeddingFunction:
    function = created(what, found)
    if not callable(function):
        raise ConfigurationError(
            f"{what}: expected a function of one text, found {type(function).__name__}"
        )
    return function
