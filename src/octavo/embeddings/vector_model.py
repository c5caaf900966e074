"""Which model made some vectors: noted beside them, compared, and found again."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeAlias

from octavo.analysis.analyzer import Analyzer
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.libraries import model_embedding
from octavo.embeddings.model_embedding import ModelEmbedding
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.embeddings.specification import (
    EmbeddingSpecification,
    HashSpecification,
    ModelSpecification,
    parse_specification,
    resolve,
)
from octavo.errors import ConfigurationError, SourceLoadingError

KEY: Final = b"octavo.embedding"
"""Where the note is: in the metadata of the Arrow field of the vectors, and so of a parquet file."""

ADDRESS: Final = "base_url"
"""The option that says where a model is served, not which model it is."""

UNNAMED: Final = "function"
"""What stands for a function object, which has no name that others could know it by."""

_OF_REQUESTS: Final = "extra_body"
"""The option that says what else a server is told."""

_DECISIVE: Final = ("prompt", "query_prompt", "dimensions", _OF_REQUESTS)
"""The options that a file may set. Others could have a secret of the environment sent somewhere."""

_CACHED: Final = re.compile(r"(?:^|/)models--(?:[^/]+--)?([^/]+)/snapshots/[^/]+$")
"""A directory of the hub's cache: its last part is a revision, of the model that is named before."""

_LONGEST: Final = 1 << 16

Note: TypeAlias = dict[bytes | str, bytes | str]
"""Metadata of an Arrow field."""


@dataclass(frozen=True, slots=True)
class VectorModel:
    """A model by name, with what else decides its vectors; no address, no key.

    Parameters
    ----------
    specification
        As ``--embedding`` takes it, such as ``openai:text-embedding-3-small``.
    options
        By the names of the function's parameters, such as ``query_prompt``.

    Raises
    ------
    ValueError
        They are no text and no JSON object, or longer than a note may be.

    Examples
    --------
    >>> str(VectorModel("hash:128"))
    "'hash:128'"
    """

    specification: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.specification, str) or not self.specification.strip():
            raise ValueError("expected the name of a model")
        if not isinstance(self.options, Mapping):
            raise ValueError("expected the options of a model as an object")  # noqa: TRY004
        content = json.dumps(
            [self.specification, dict(self.options)], ensure_ascii=False, allow_nan=False
        )
        if len(content.encode()) > _LONGEST:  # a lone surrogate is no text, and raises too
            raise ValueError(f"expected a name and options of at most {_LONGEST} bytes")

    @classmethod
    def of(cls, function: object) -> Self | None:
        """Return what a function is known as; ``None`` where it has no name."""
        if isinstance(function, HashEmbedding):
            usual = function == HashEmbedding(function.dimensions)
            return cls(str(HashSpecification(function.dimensions))) if usual else None
        if isinstance(function, ModelEmbedding):
            try:
                return cls(function.specification, _without_address(function.options))
            except (ValueError, TypeError):
                return None
        return None

    @classmethod
    def noted(cls, metadata: Mapping[bytes, bytes] | None, origin: str) -> Self | None:
        """Return what the metadata of an Arrow field say; ``None`` where they say nothing.

        Raises
        ------
        SourceLoadingError
            The note is damaged.
        """
        note = (metadata or {}).get(KEY)
        if note is None:
            return None
        try:
            said = json.loads(note)
            model = cls(said["model"], _without_address(said.get("options", {})))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise SourceLoadingError(
                f"{origin}: its metadata of vectors is damaged: {error}"
            ) from error
        return None if model.specification == UNNAMED else model

    def note(self) -> Note:
        """Return metadata of an Arrow field that :meth:`noted` reads."""
        said = {"model": self.specification, "options": dict(self.options)}
        return {KEY: json.dumps(said, sort_keys=True).encode()}

    def __str__(self) -> str:
        return repr(self.specification)

    def agrees_with(self, other: "VectorModel") -> bool:
        """Whether both name the same model, as far as names tell.

        One model goes by several names: ``BAAI/bge-m3`` on the hub, ``bge-m3:latest`` on a server,
        a directory ``models/bge-m3`` or that of the hub's cache. So what counts is the last part of
        the name, whichever library runs it. Options do not count: prompts of queries differ from those of documents,
        and dimensions tell themselves.

        Examples
        --------
        >>> local = VectorModel("sentence-transformers:BAAI/bge-m3")
        >>> local.agrees_with(VectorModel("openai:bge-m3"))
        True
        >>> local.agrees_with(VectorModel("openai:bge-large"))
        False
        """
        return _known_as(self.specification) == _known_as(other.specification)

    def options_for(self, name: str) -> dict[str, Any]:
        """Return the options to use where somebody names a model: none where it is another one.

        What is added to requests is for a server, and left out where a library runs the model.

        Examples
        --------
        >>> served = VectorModel("openai:bge-m3", {"extra_body": {"truncate": "END"}})
        >>> served.options_for("openai:bge-m3")
        {'extra_body': {'truncate': 'END'}}
        >>> served.options_for("sentence-transformers:BAAI/bge-m3")
        {}
        """
        if not self.agrees_with(VectorModel(name)):
            return {}
        is_served = name.startswith("openai:")
        return {
            option: value
            for option, value in self.options.items()
            if is_served or option != _OF_REQUESTS
        }

    def contradicts(self, function: object) -> "VectorModel | None":
        """Return what a function is known as, where that is another model.

        A function without a name is taken at its word, and so is any where the model is one of
        an application, which may stand for whatever it likes.
        """
        given = VectorModel.of(function)
        parsed = _parsed(self.specification)
        comparable = isinstance(parsed, HashSpecification | ModelSpecification)
        return given if given and comparable and not self.agrees_with(given) else None

    @property
    def is_of_a_library(self) -> bool:
        """Whether the model is a trained one, by its name in a library or on a server."""
        return isinstance(_parsed(self.specification), ModelSpecification)

    def hash_function(self) -> HashEmbedding | None:
        """Return the built-in hash embedding, where the vectors are its."""
        parsed = _parsed(self.specification)
        if not isinstance(parsed, HashSpecification):
            return None
        return HashEmbedding(parsed.dimensions, Analyzer())

    def function(self, origin: str, options: Mapping[str, object]) -> EmbeddingFunction:
        """Return the embedding function; loads the model.

        Parameters
        ----------
        origin
            What named the model, for messages. It may come from somebody else: nothing that it
            names is imported, and no address is in it.
        options
            Further parameters, those of the caller.

        Raises
        ------
        ConfigurationError
            The model is a function of an application, an option is not for a file to set, or the
            model cannot be had.
        """
        parsed = _parsed(self.specification)
        if isinstance(parsed, ModelSpecification):
            for name in self.options:
                if name not in _DECISIVE:
                    raise ConfigurationError(
                        f"{origin}: {name}: {parsed.library} has no such option that a file may set"
                    )
            return model_embedding(
                parsed.library, parsed.model, **({**self.options} | dict(options))
            )
        if isinstance(parsed, HashSpecification):
            found = resolve(parsed, Analyzer())
            if found is not None:
                return found
        raise ConfigurationError(
            f"{origin}: its vectors are those of {self}, which is not for a file to name; "
            "name the function yourself"
        )


def _without_address(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != ADDRESS}


def _parsed(specification: str) -> EmbeddingSpecification | None:
    try:
        return parse_specification(specification)
    except ConfigurationError:
        return None  # of a later version


def _known_as(specification: str) -> object:
    parsed = _parsed(specification)
    if isinstance(parsed, ModelSpecification):
        path = parsed.model.strip().replace("\\", "/").rstrip("/")
        cached = _CACHED.search(path)
        name = (cached[1] if cached else path.rpartition("/")[2]).removesuffix(":latest")
        return ModelSpecification("", name.casefold())
    return specification if parsed is None else parsed
