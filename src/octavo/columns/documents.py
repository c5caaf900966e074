"""Reading documents by row from memory-mapped Arrow files.

Text is read straight from the raw buffers: a changed byte may change a result, but slices are
clamped by Python and undecodable bytes are replaced, so it cannot crash the process.
"""

from collections.abc import Iterable, Sequence
from itertools import repeat
from os import PathLike, fspath
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_file import damage_named, mapped_batches
from octavo.columns.arrow_types import Array, ChunkedArray
from octavo.columns.buffers import Numbers, RowPlaces, check_rows, number_views, valid_at
from octavo.columns.documents_file import METADATA_PREFIX
from octavo.columns.filters import ENTRY_ID
from octavo.columns.naming import check_unique_names
from octavo.columns.stored_document import StoredDocument
from octavo.columns.text_rows import DictionaryRows, TextRows
from octavo.columns.timestamps import UTC_MICROSECONDS
from octavo.errors import CorpusCorruptError, InvalidArgumentError


class DocumentColumns:
    """The documents of one segment, memory-mapped and read-only; safe to share between threads.

    Parameters
    ----------
    documents_path, dictionaries_path
        The files of a :class:`octavo.columns.documents_file.DocumentsWriter`.
    expected_rows
        The number of rows that the manifest states; ``None`` skips the check.

    Attributes
    ----------
    rows
        The number of documents.
    names
        The text columns that exist: ``id``, ``content`` and maybe ``title``, ``source``, ``parent``.
    keys
        The metadata keys.

    Raises
    ------
    CorpusCorruptError
        A file is missing, is no Arrow file, or its columns, batches or rows are not what they
        should be. The values themselves are not looked at: opening does not depend on their size.
    """

    def __init__(
        self,
        documents_path: str | PathLike[str],
        dictionaries_path: str | PathLike[str],
        *,
        expected_rows: int | None = None,
    ) -> None:
        self._dictionaries_path = fspath(dictionaries_path)
        with damage_named(fspath(documents_path)):
            self._schema, self._batches = mapped_batches(fspath(documents_path))
            _check_batches(self._schema, self._batches, expected_rows)
            self._places = RowPlaces([batch.num_rows for batch in self._batches])
            self.rows = self._places.rows
            self._text = {
                field.name: TextRows(self._chunks(field.name))
                for field in self._schema
                if field.type == pa.large_string()
            }
            self._codes = {
                name.removeprefix(METADATA_PREFIX): self._numbers(name, np.int32)
                for name in self._schema.names
                if name.startswith(METADATA_PREFIX)
            }
            self._ticks = self._numbers("timestamp", np.int64) if self.has_timestamps else []
        self.names: tuple[str, ...] = tuple(self._text)
        self.keys: tuple[str, ...] = tuple(self._codes)
        with damage_named(self._dictionaries_path):
            self._dictionaries = _dictionaries(self._dictionaries_path, self.keys)
            self._values = {key: DictionaryRows(self._dictionaries[key]) for key in self.keys}
        # Reading single items of a memory view is faster than of an array.
        self._code_items = {
            key: [memoryview(codes.data) for codes, _ in views]
            for key, views in self._codes.items()
        }
        self._validated: set[str] = set()

    def __len__(self) -> int:
        return self.rows

    @property
    def has_timestamps(self) -> bool:
        """Whether there is a timestamp column."""
        return "timestamp" in self._schema.names

    def text(self, name: str, row: int) -> str | None:
        """Return one value of a text column; ``None`` where it is null or there is no column."""
        return self.texts(name, (row,))[0]

    def texts(self, name: str, rows: Iterable[int]) -> list[str | None]:
        """Return the values of a text column at ``rows``; as many ``None`` without the column.

        Raises
        ------
        IndexError
            A row is not in ``0 <= row < self.rows``.
        """
        wanted = _row_list(rows)
        column = self._text.get(name)
        if column is None:
            return [None] * len(wanted)
        return column.values(wanted)

    def metadata(self, key: str, rows: Iterable[int]) -> list[str | None]:
        """Return the values of a metadata key at ``rows``; ``None`` where it is missing.

        Raises
        ------
        IndexError
            A row is not in ``0 <= row < self.rows``.
        """
        wanted = _row_list(rows)
        if key not in self._codes:
            return [None] * len(wanted)
        return self._metadata_at(key, self._places.located(wanted))

    def read(self, rows: Sequence[int]) -> list[StoredDocument]:
        """Return the documents at ``rows``; a document without a source is its own source.

        Raises
        ------
        IndexError
            A row is not in ``0 <= row < self.rows``.
        """
        places = self._places.located(rows)
        ids = [identifier or "" for identifier in self._text["id"].at(places)]
        contents = [content or "" for content in self._text["content"].at(places)]
        sources = ids
        if "source" in self._text:
            found = self._text["source"].at(places)
            sources = [source or own for source, own in zip(found, ids, strict=True)]
        metadata = [{ENTRY_ID: identifier} for identifier in ids]
        for key in self.keys:
            for entry, value in zip(metadata, self._metadata_at(key, places), strict=True):
                if value is not None:
                    entry[key] = value
        titles: Iterable[str | None] = repeat(None)
        if "title" in self._text:
            titles = self._text["title"].at(places)
        return list(map(StoredDocument, ids, contents, sources, metadata, titles))

    def _metadata_at(self, key: str, places: Sequence[tuple[int, int]]) -> list[str | None]:
        codes = self._code_items[key]
        return self._values[key].values([codes[batch][place] for batch, place in places])

    def timestamps(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return microseconds since 1970 UTC at ``rows``, and where there is a timestamp."""
        ticks = np.zeros(len(rows), np.int64)
        present = np.zeros(len(rows), np.bool_)
        if not self.has_timestamps or not len(rows):
            return ticks, present
        check_rows([int(rows.min()), int(rows.max())], self.rows)
        starts = np.array(self._places.starts)
        batch_of = np.searchsorted(starts, rows, side="right") - 1
        for number in np.unique(batch_of):
            here = batch_of == number
            values, validity = self._ticks[number]
            within = rows[here] - starts[number]
            ticks[here] = values[within]
            present[here] = valid_at(validity, within)
        ticks[~present] = 0
        return ticks, present

    def codes(self, key: str) -> list[NDArray[np.int32]]:
        """Return the codes of a metadata key, one read-only view a batch; -1 is missing."""
        if key not in self._codes:
            raise InvalidArgumentError(f"metadata: no key {key!r}; the keys are {self.keys}")
        return [codes for codes, _ in self._codes[key]]

    def dictionary(self, key: str) -> pa.LargeStringArray:
        """Return the values of a metadata key in code order, validated at the first call.

        Raises
        ------
        CorpusCorruptError
            The stored values are damaged.
        """
        values = self._dictionaries[key]
        if key not in self._validated:
            try:
                values.validate(full=True)
            except pa.ArrowInvalid as error:
                raise CorpusCorruptError(f"{self._dictionaries_path}: {error}") from error
            self._validated.add(key)
        return values

    def batches(self) -> Sequence[pa.RecordBatch]:
        """Return the stored record batches without copying; see :meth:`column` on damage."""
        return self._batches

    def column(self, name: str) -> ChunkedArray:
        """Return a stored column without copying; see ``documents_file`` for the names.

        Arrow's kernels trust their input: on a file that might be damaged, ``validate(full=True)``
        first.
        """
        position = self._schema.get_field_index(name)
        if position < 0:
            raise InvalidArgumentError(
                f"documents: no column {name!r}; the columns are {self._schema.names}"
            )
        return pa.chunked_array(self._chunks(name), self._schema.field(position).type)

    def _chunks(self, name: str) -> list[Array]:
        position = self._schema.get_field_index(name)
        return [batch.column(position) for batch in self._batches]

    def _numbers(self, name: str, dtype: type[np.generic]) -> list[Numbers]:
        return [number_views(chunk, dtype) for chunk in self._chunks(name)]


def _check_batches(
    schema: pa.Schema, batches: Sequence[pa.RecordBatch], expected_rows: int | None
) -> None:
    """Look at everything but values."""
    for name in ("id", "content"):
        if name not in schema.names:
            raise ValueError(f"column {name!r} is missing")
    check_unique_names(schema.names, "columns")
    rows = sum(batch.num_rows for batch in batches)
    if expected_rows is not None and rows != expected_rows:
        raise ValueError(f"expected {expected_rows} rows, found {rows}")
    for field in schema:
        expected: pa.DataType = pa.large_string()
        if field.name.startswith(METADATA_PREFIX):
            expected = pa.int32()
        elif field.name == "timestamp":
            expected = UTC_MICROSECONDS
        if field.type != expected:
            raise ValueError(f"column {field.name!r}: expected {expected}, found {field.type}")


def _dictionaries(path: str, keys: Sequence[str]) -> dict[str, pa.LargeStringArray]:
    schema, batches = mapped_batches(path)
    words = pa.large_list(pa.large_string())
    one_row = len(batches) == 1 and batches[0].num_rows == 1
    if not schema.equals(pa.schema([(key, words) for key in keys])) or (keys and not one_row):
        raise ValueError(f"expected one row of values for {list(keys)}")
    lists: dict[str, Any] = {key: batches[0].column(key) for key in keys}
    return {key: column.values for key, column in lists.items()}


def _row_list(rows: Iterable[int]) -> list[int]:
    if isinstance(rows, np.ndarray):
        listed: list[int] = rows.tolist()
        return listed
    return list(rows)
