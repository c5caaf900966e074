"""The formats that results can be written in."""

from enum import StrEnum
from pathlib import Path

import pyarrow as pa

from octavo.batch.writers.jsonl import JsonLinesWriter
from octavo.batch.writers.parquet import ParquetWriter
from octavo.batch.writers.trec import TrecRunWriter, check_run_ids
from octavo.batch.writers.writer import ResultWriter
from octavo.errors import InvalidArgumentError


class ResultFormat(StrEnum):
    """How the results of a batch job are written."""

    PARQUET = "parquet"
    JSONL = "jsonl"
    TREC = "trec"

    def open(self, path: Path, schema: pa.Schema, tag: str) -> ResultWriter:
        """Return a writer that creates ``path``; ``tag`` names the run where the format has it."""
        if self is ResultFormat.PARQUET:
            return ParquetWriter(path, schema)
        if self is ResultFormat.JSONL:
            return JsonLinesWriter(path)
        return TrecRunWriter(path, tag)

    def check(self, hits: pa.RecordBatch) -> None:
        """Refuse, as soon as they are found, hits that the format cannot hold.

        Raises
        ------
        InvalidArgumentError
            The format cannot hold an id.
        """
        if self is ResultFormat.TREC:
            check_run_ids(hits)


ENDINGS = {
    ".parquet": ResultFormat.PARQUET,
    ".pq": ResultFormat.PARQUET,
    ".jsonl": ResultFormat.JSONL,
    ".ndjson": ResultFormat.JSONL,
    ".trec": ResultFormat.TREC,
    ".run": ResultFormat.TREC,
}


def format_of(out: Path, requested: ResultFormat | str | None) -> ResultFormat:
    """Return the format asked for, or the one that the ending of ``out`` tells.

    Without an ending it is parquet.

    Raises
    ------
    InvalidArgumentError
        The name is no format, or the ending tells none.

    Examples
    --------
    >>> format_of(Path("results.jsonl"), None)
    <ResultFormat.JSONL: 'jsonl'>
    """
    names = ", ".join(known.value for known in ResultFormat)
    if requested is not None:
        try:
            return ResultFormat(requested)
        except ValueError:
            raise InvalidArgumentError(
                f"format: expected one of {names}, found {requested!r}"
            ) from None
    if not out.suffix:
        return ResultFormat.PARQUET
    found = ENDINGS.get(out.suffix.lower())
    if found is None:
        raise InvalidArgumentError(
            f"out: the ending of {out} tells no format; expected {', '.join(ENDINGS)}, "
            f"or a format: {names}"
        )
    return found
