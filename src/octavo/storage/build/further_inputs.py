"""Documents for an index that exists, read with its own columns."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from octavo.columns.document_batch import DocumentBatch, normalise
from octavo.columns.place import Place
from octavo.columns.schema import ColumnChoice
from octavo.columns.sources import Source, input_schema, open_inputs
from octavo.columns.text import as_ids
from octavo.errors import InvalidArgumentError
from octavo.storage.format.manifest import ColumnsEntry

_IDS_AT_ONCE = 16_384


def column_choice(columns: ColumnsEntry, embedding: str | None) -> ColumnChoice:
    """Return the input columns of an index; ``embedding`` is the one that holds vectors."""
    return ColumnChoice(
        id=columns.id,
        text=columns.text,
        title=columns.title,
        source=columns.source,
        timestamp=columns.timestamp,
        timestamp_zone=columns.timestamp_zone,
        parent=columns.parent,
        embedding=embedding,
        metadata=columns.metadata,
    )


def read_documents(
    sources: Sequence[Source], choice: ColumnChoice, dimensions: int | None
) -> Iterator[tuple[DocumentBatch, Place]]:
    """Yield documents in batches, each with the place of its ids.

    A title, source, timestamp, parent or metadata column that the inputs lack is null.

    Raises
    ------
    InvalidArgumentError
        There is no column for the ids, the texts or the vectors, or a document is not acceptable.
    SourceLoadingError
        A file is missing or damaged.
    """
    names = input_schema(sources, choice.columns()).names
    for part, name in (("id", choice.id), ("text", choice.text), ("vector", choice.embedding)):
        if name is not None and name not in names:
            raise InvalidArgumentError(
                f"{part}: expected the column {name!r}, as the index was built with; "
                f"found the columns {', '.join(map(repr, names))}"
            )
    for batch in open_inputs(sources, columns=choice.columns()):
        documents = normalise(batch, choice, dimensions)
        if documents.vectors is not None:
            dimensions = documents.vectors.dimensions or dimensions
        yield documents, Place(choice.id, batch.origin, batch.first_row)


def read_ids(ids: object) -> Iterator[list[str]]:
    """Yield ids in lists: of texts or integers, one by one or as an Arrow array.

    Raises
    ------
    InvalidArgumentError
        It is one text, no sequence, or holds something else.
    """
    if isinstance(ids, str | bytes | bytearray | memoryview) or not _listable(ids):
        raise InvalidArgumentError(f"ids: expected a sequence of ids, found {ids!r}")
    if hasattr(ids, "__arrow_c_stream__") or hasattr(ids, "__arrow_c_array__"):
        found: Any = ids
        array = found if isinstance(found, pa.Array | pa.ChunkedArray) else pa.chunked_array(found)
        for start in range(0, len(array), _IDS_AT_ONCE):
            column = as_ids(array.slice(start, _IDS_AT_ONCE), Place("ids", "the argument"))
            yield [_id(identifier) for identifier in column.to_pylist()]
        return
    listed: list[str] = []
    for identifier in _items(ids):
        listed.append(_id(identifier))
        if len(listed) == _IDS_AT_ONCE:
            yield listed
            listed = []
    if listed:
        yield listed


def _listable(ids: object) -> bool:
    if isinstance(ids, np.ndarray):
        return ids.ndim == 1  # without dimensions it is one text, whose letters are no ids
    return isinstance(ids, Iterable) or hasattr(ids, "__arrow_c_array__")


def _items(ids: Any) -> Any:  # noqa: ANN401 - each item is checked
    return ids.tolist() if isinstance(ids, np.ndarray) else ids


def _id(identifier: object) -> str:
    if isinstance(identifier, str):
        return identifier
    if isinstance(identifier, int | np.integer) and not isinstance(identifier, bool):
        return str(int(identifier))
    raise InvalidArgumentError(f"ids: expected texts or integers, found {identifier!r}")
