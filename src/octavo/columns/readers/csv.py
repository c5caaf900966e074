"""CSV and TSV files, every value as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
from pyarrow import csv

from octavo.columns.readers.base import FileSource, present_columns, slices

_BLOCK_BYTES = 16 << 20
"""The longest record that can be read."""


@dataclass(frozen=True, slots=True)
class CsvSource(FileSource):
    """A CSV file with a header line.

    Every column is text as written (``007`` stays, ``1.0`` too): guessing types block by block
    would let a value depend on its neighbours. An empty value without quotes is null. Quoted
    values may hold line breaks.
    """

    kind: ClassVar[str] = "CSV with one header line"
    delimiter: ClassVar[str] = ","

    def schema(self, wanted: Sequence[str]) -> pa.Schema:  # noqa: ARG002 - the protocol's
        """Return the names of the header line, each with the type large_string."""
        return pa.schema([(name, pa.large_string()) for name in self._header()])

    def batches(self, columns: Sequence[str] | None, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield slices of the parsed blocks."""
        header = self._header()
        names = present_columns(header, columns, self.origin)
        options = csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.large_string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        with self.errors_named(), self._opened(options) as reader:
            for block in reader:
                yield from slices(block.select(names), batch_rows)

    def _header(self) -> list[str]:
        self.refuse_binary()
        with self.errors_named(), self._opened(csv.ConvertOptions()) as reader:
            return list(reader.schema.names)

    def _opened(self, convert: csv.ConvertOptions) -> csv.CSVStreamingReader:
        file: Any = (
            pa.input_stream(self.path, compression="gzip")
            if self.path.lower().endswith(".gz")
            else self.path
        )
        return csv.open_csv(
            file,
            # One thread, so that an error can tell the row.
            read_options=csv.ReadOptions(use_threads=False, block_size=_BLOCK_BYTES),
            parse_options=csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            convert_options=convert,
        )


@dataclass(frozen=True, slots=True)
class TsvSource(CsvSource):
    """A file of tab-separated values, with the quoting rules of CSV."""

    kind: ClassVar[str] = "tab-separated values with one header line"
    delimiter: ClassVar[str] = "\t"
