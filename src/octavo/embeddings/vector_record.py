"""What a file says of its column of vectors: by which model they were made, and of what."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.embeddings.protocol import EmbeddingFunction
from octavo.embeddings.vector_model import KEY, UNNAMED, Note, VectorModel
from octavo.errors import ConfigurationError, SourceLoadingError


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

    def metadata(self) -> Note:
        """Return the record as metadata of the vectors' Arrow field, one JSON object."""
        return {KEY: self.to_json().encode()}

    def to_json(self) -> str:
        """Return the record as one JSON object, the same for the same."""
        return json.dumps(asdict(self), sort_keys=True)


def vector_record(path: str | PathLike[str], column: str | None = None) -> VectorRecord:
    """Read what a parquet file of ``octavo embed`` says of its vectors.

    Parameters
    ----------
    path
        The file.
    column
        The column of vectors, needed where there are several.

    Raises
    ------
    SourceLoadingError
        The file is missing, is no parquet file, or says nothing of vectors.
    ConfigurationError
        It says something of several columns, and none of them was named.
    """
    name, note = _noted(path, column)
    try:
        said = json.loads(note)
        return VectorRecord(**(said | {"column": name}))  # which may have another name by now
    except (ValueError, TypeError, RecursionError) as error:
        raise SourceLoadingError(f"{path}: its metadata of vectors is damaged: {error}") from error


def embedding_of_file(
    path: str | PathLike[str], column: str | None = None, **options: object
) -> EmbeddingFunction:
    """Return the function that embedded a file; see :func:`octavo.embedding_of`."""
    _, note = _noted(path, column)
    model = VectorModel.noted({KEY: note}, str(path)) or VectorModel(UNNAMED)
    return model.function(str(path), options)


def _noted(path: str | PathLike[str], column: str | None) -> tuple[str, bytes]:
    """Return a column of vectors, and what is said of it; raises as :func:`vector_record`."""
    try:
        schema = pq.read_schema(str(path))
    except FileNotFoundError as error:
        raise SourceLoadingError(f"{path}: no such file") from error
    except (pa.ArrowException, OSError) as error:
        raise SourceLoadingError(f"{path}: expected a parquet file, found: {error}") from error
    notes = {
        field.name: field.metadata[KEY]
        for field in schema
        if field.metadata and KEY in field.metadata and column in (None, field.name)
    }
    if not notes:
        raise SourceLoadingError(
            f"{path}: expected a file that octavo embed wrote, found none of its metadata"
            + ("" if column is None else f" beside a column {column!r}")
        )
    if len(notes) > 1:
        names = ", ".join(map(repr, notes))
        raise ConfigurationError(f"{path}: column: expected one of {names}, since models differ")
    [found] = notes.items()
    return found
