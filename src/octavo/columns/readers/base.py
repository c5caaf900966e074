"""What the readers of files share."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import pyarrow as pa

from octavo.columns.naming import check_unique_names
from octavo.errors import SourceLoadingError

BATCH_BYTES: Final = 8 << 20
"""About how much one batch may take; batches of wide rows hold fewer of them."""

_MAGIC: Final = {
    b"PAR1": "a parquet file",
    b"ARROW1": "an Arrow IPC file",
    b"\x1f\x8b": "gzip data",
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "zstd data",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


@dataclass(frozen=True, slots=True)
class FileSource(ABC):
    """One file as a source of record batches.

    Parameters
    ----------
    path
        The file.
    name
        What messages call it; unset, its path.
    """

    path: str
    name: str | None = None
    kind: ClassVar[str]

    @property
    def origin(self) -> str:
        """What messages call the file."""
        return self.path if self.name is None else self.name

    @abstractmethod
    def schema(self, wanted: Sequence[str]) -> pa.Schema:
        """Return names and types of the columns."""

    @abstractmethod
    def batches(self, columns: Sequence[str] | None, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield batches of at most ``batch_rows`` rows with those of ``columns`` that exist."""

    def schema_metadata(self) -> Mapping[bytes, bytes]:
        """Return what the file says of itself; nothing where the format has no place for it."""
        return {}

    def field_metadata(self, column: str) -> Mapping[bytes, bytes]:  # noqa: ARG002 - of subclasses
        """Return what the file says of a column; nothing where the format has no place for it."""
        return {}

    @contextmanager
    def errors_named(self) -> Iterator[None]:
        """Turn what the format's library raises into an error that names the file."""
        try:
            yield
        except FileNotFoundError as error:
            raise SourceLoadingError(f"{self.origin}: no such file") from error
        except (pa.ArrowException, OSError, EOFError) as error:
            raise self.damaged(str(error)) from error

    def damaged(self, found: str) -> SourceLoadingError:
        """Return the error for a file that is not valid ``kind``."""
        told = found.replace(self.path, self.origin)
        return SourceLoadingError(f"{self.origin}: expected {self.kind}, found: {told}")

    def refuse_binary(self) -> None:
        """Refuse a binary or compressed file under the ending of a text format."""
        if self.path.lower().endswith(".gz"):
            return
        with self.errors_named(), Path(self.path).open("rb") as file:
            start = file.read(8)
        for magic, what in _MAGIC.items():
            if start.startswith(magic):
                raise self.damaged(what)


def metadata_of(schema: pa.Schema, column: str) -> Mapping[bytes, bytes]:
    """Return the metadata of a field; none where there is no such field, or several."""
    position = schema.get_field_index(column)
    return {} if position < 0 else schema.field(position).metadata or {}


def present_columns(names: Sequence[str], columns: Sequence[str] | None, origin: str) -> list[str]:
    """Return the wanted columns that exist; all of them where nothing was wanted.

    Raises
    ------
    InvalidArgumentError
        Names repeat, so that nobody could say which column is meant.
    """
    check_unique_names(names, origin)
    if columns is None:
        return list(names)
    known = set(names)
    return [name for name in columns if name in known]


def slices(batch: pa.RecordBatch, batch_rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a batch in slices of ``batch_rows`` rows, fewer where rows are wide."""
    if not batch.num_rows:
        return
    width = max(1, batch.nbytes // batch.num_rows)
    step = max(1, min(batch_rows, BATCH_BYTES // width))
    for start in range(0, batch.num_rows, step):
        yield batch.slice(start, step)
