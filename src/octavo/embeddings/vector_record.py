"""What a file says of its column of vectors: by which model they were made, and of what."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.analysis.analyzer import Analyzer
from octavo.embeddings.libraries import model_embedding
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.embeddings.specification import (
    HashSpecification,
    ModelSpecification,
    parse_specification,
    resolve,
)
from octavo.errors import ConfigurationError, SourceLoadingError

KEY: Final = b"octavo.embedding"
"""Where in the metadata of an Arrow schema, and so of a parquet file, the record is."""

ADDRESS: Final = "base_url"
"""The option that says where a model is served, not which model it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRecord:
    """How a column of vectors came to be.

    Parameters
    ----------
    column
        Its name.
    model
        The specification of the embedding function, such as ``openai:text-embedding-3-small``.
    options
        Whatever else of the function decides the vectors.
    dimensions
        Values of each vector.
    unit_length
        Whether the vectors were scaled to length 1.
    queries
        Whether the texts were embedded as queries, not as documents.
    text, title
        The columns that were embedded; ``None``: no title.
    max_characters
        How much of each text was embedded; ``None``: all.
    """

    column: str
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)
    dimensions: int
    unit_length: bool
    queries: bool
    text: str
    title: str | None
    max_characters: int | None = None

    def metadata(self) -> dict[bytes, bytes]:
        """Return the record as metadata of a schema, one JSON object."""
        return {KEY: json.dumps(asdict(self), sort_keys=True).encode()}


def vector_record(path: str | PathLike[str]) -> VectorRecord:
    """Read what a parquet file of ``octavo embed`` says of its vectors.

    Raises
    ------
    SourceLoadingError
        The file is missing, is no parquet file, or says nothing of vectors.
    """
    try:
        metadata = pq.read_schema(str(path)).metadata or {}
    except FileNotFoundError as error:
        raise SourceLoadingError(f"{path}: no such file") from error
    except (pa.ArrowException, OSError) as error:
        raise SourceLoadingError(f"{path}: expected a parquet file, found: {error}") from error
    if KEY not in metadata:
        raise SourceLoadingError(
            f"{path}: expected a file that octavo embed wrote, found none of its metadata"
        )
    try:
        return VectorRecord(**json.loads(metadata[KEY]))
    except (ValueError, TypeError) as error:
        raise SourceLoadingError(f"{path}: its metadata of vectors is damaged: {error}") from error


def embedding_of(path: str | PathLike[str], **options: object) -> EmbeddingFunction:
    """Return the function that embedded a file, so that its queries can be embedded likewise.

    An address that the file names is not used, since a file may come from somebody else and the
    address would be sent the key: give ``base_url`` yourself where the server is not the package's
    default. For the same reason nothing that the file names is imported.

    Parameters
    ----------
    path
        A parquet file of ``octavo embed``.
    options
        Further parameters of the function, such as ``base_url`` or ``device``.

    Raises
    ------
    SourceLoadingError
        The file does not say how it was embedded.
    ConfigurationError
        It was by a function of an application, or the model cannot be had.
    """
    return _function(vector_record(path), str(path), options)


def _function(
    record: VectorRecord, origin: str, options: Mapping[str, object]
) -> EmbeddingFunction:
    try:
        specification = parse_specification(record.model)
    except ConfigurationError:
        specification = None  # "function", or of a later version
    if isinstance(specification, ModelSpecification):
        recorded = {name: value for name, value in record.options.items() if name != ADDRESS}
        return model_embedding(
            specification.library, specification.model, **(recorded | dict(options))
        )
    if isinstance(specification, HashSpecification):
        found = resolve(specification, Analyzer())
        if found is not None:
            return found
    raise ConfigurationError(
        f"{origin}: its vectors are those of {record.model!r}, which is not for a file to name; "
        "name the function yourself"
    )
