"""JSON lines: one object a line, every scalar as text."""

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from octavo.columns.arrow_types import Array
from octavo.columns.metadata import canonical_text
from octavo.columns.place import Place
from octavo.columns.readers.base import BATCH_BYTES, FileSource
from octavo.errors import SourceLoadingError

_PEEKED_LINES = 1_000
_VECTOR = pa.large_list(pa.float64())


@dataclass(frozen=True, slots=True)
class JsonLinesSource(FileSource):
    """A file of JSON objects, one a line; blank lines are skipped.

    Scalars are read as their canonical text (numbers as metadata writes them, ``true``, ``false``)
    and lists as vectors of float64, so that no type depends on where a batch ends. A key that a
    line lacks is null. Objects and lists of other things are refused where they are asked for.
    """

    kind: ClassVar[str] = "JSON lines"

    def schema(self, wanted: Sequence[str]) -> pa.Schema:
        """Look at the first lines, and at further ones until each of ``wanted`` was seen."""
        types: dict[str, pa.DataType] = {}
        missing = set(wanted)
        for number, _, record in self._records():
            for key, value in record.items():
                if types.get(key, pa.null()) == pa.null():
                    types[key] = _type_of(value)
            missing -= record.keys()
            if number >= _PEEKED_LINES and not missing:
                break
        return pa.schema(list(types.items()))

    def batches(self, columns: Sequence[str] | None, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield batches with every one of ``columns``, null where no line has the key.

        Without ``columns``, those that :meth:`schema` finds.
        """
        names = self.schema(()).names if columns is None else columns
        values: dict[str, list[Any]] = {name: [] for name in names}
        lines: list[int] = []
        size = 0
        for line, length, record in self._records():
            lines.append(line)
            size += length
            for name, column in values.items():
                column.append(record.get(name))
            if len(lines) >= batch_rows or size >= BATCH_BYTES:
                yield self._batch(values, lines)
                values = {name: [] for name in names}
                lines, size = [], 0
        if lines:
            yield self._batch(values, lines)

    def _records(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yield line number from 1, length in bytes and the object of each line."""
        self.refuse_binary()
        compressed = self.path.lower().endswith(".gz")
        with (
            self.errors_named(),
            gzip.open(self.path, "rb") if compressed else Path(self.path).open("rb") as file,
        ):
            try:
                for number, line in enumerate(file, 1):
                    if not line.isspace():
                        yield number, len(line), self._object(line, number)
            except zlib.error as error:
                raise self.damaged(str(error)) from error

    def _object(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError as error:
            raise self._bad_line(number, f"text that is not UTF-8 ({error.reason})") from error
        except json.JSONDecodeError as error:
            raise self._bad_line(number, f"{error.msg} at column {error.colno}") from error
        except (ValueError, RecursionError) as error:
            raise self._bad_line(number, str(error)) from error
        if not isinstance(record, dict):
            hint = "; write one object a line" if isinstance(record, list) else ""
            raise self._bad_line(number, f"a JSON {type(record).__name__}, not an object{hint}")
        return record

    def _batch(self, values: dict[str, list[Any]], lines: list[int]) -> pa.RecordBatch:
        arrays = [self._column(name, column, lines) for name, column in values.items()]
        return pa.record_batch(arrays, names=list(values))

    def _column(self, name: str, values: list[Any], lines: list[int]) -> Array:
        lists = any(isinstance(value, list) for value in values)
        accepts = _is_vector if lists else _is_scalar
        for line, value in zip(lines, values, strict=True):
            if value is not None and not accepts(value):
                raise self._bad_line(
                    line,
                    f"{name!r} holds {_described(value)} "
                    f"where {'lists of numbers' if lists else 'text or numbers'} are read",
                )
        try:
            if lists:
                return pa.array(values, _VECTOR)
            return pa.array(_texts(values), pa.large_string())
        except (UnicodeEncodeError, pa.ArrowInvalid, OverflowError) as error:
            raise self._bad_line(
                lines[0], f"{name!r} holds a value that Arrow cannot ({error}), there or later"
            ) from error

    def _bad_line(self, number: int, found: str) -> SourceLoadingError:
        return self.damaged(f"{found} (line {number})")


def _texts(values: list[Any]) -> list[str | None]:
    texts = [
        value if value is None or isinstance(value, str) else _scalar_text(value)
        for value in values
    ]
    floats = [position for position, value in enumerate(values) if isinstance(value, float)]
    if floats:
        numbers = pa.array([values[position] for position in floats], pa.float64())
        for position, text in zip(
            floats, canonical_text(numbers, Place("number")).to_pylist(), strict=True
        ):
            texts[position] = text
    return texts


def _scalar_text(value: float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float)


def _is_vector(value: object) -> bool:
    return isinstance(value, list) and all(
        each is None or (isinstance(each, int | float) and not isinstance(each, bool))
        for each in value
    )


def _described(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else repr(value)[:40]


def _type_of(value: object) -> pa.DataType:
    if value is None:
        return pa.null()
    if isinstance(value, dict):
        return pa.struct([])
    if isinstance(value, list):
        return _VECTOR if _is_vector(value) else pa.list_(pa.large_string())
    return pa.large_string()
