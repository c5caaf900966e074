"""The output file of a batch job: checked first, written last, in one step."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from octavo.batch.result_format import ResultFormat
from octavo.batch.writers.writer import ResultWriter
from octavo.columns.readers.base import FileSource
from octavo.columns.sources import Source
from octavo.columns.uris import refuse_uri
from octavo.errors import InvalidArgumentError
from octavo.storage.format.durable import errors_naming, sync_directory, sync_file
from octavo.strategies.settings import RunSettings
from octavo.strategies.settings_file import write_settings_file


def checked_output(out: Path, sources: Sequence[Source]) -> Path:
    """Return the file to write, with symbolic links followed, before any work is done.

    Raises
    ------
    InvalidArgumentError
        ``out`` is a URI, a directory, a device or one of the inputs, or its directory does not exist.
    """
    resolved = out.resolve()
    if not resolved.parent.is_dir():
        refuse_uri(out)
        raise InvalidArgumentError(f"out: expected {out} in an existing directory, found none")
    if resolved.exists() and not resolved.is_file():
        what = "a directory" if resolved.is_dir() else "something else"
        raise InvalidArgumentError(f"out: expected a file or nothing at {out}, found {what}")
    for source in sources:
        if isinstance(source, FileSource) and Path(source.path).resolve() == resolved:
            raise InvalidArgumentError(
                f"out: expected another file than the input, found {out} as both"
            )
    return resolved


def write_output(
    blocks: Iterable[pa.RecordBatch],
    out: Path,
    *,
    temporary: Path,
    schema: pa.Schema,
    format: ResultFormat,  # noqa: A002 - as in the job
    tag: str,
) -> None:
    """Write blocks of hits to ``temporary`` and, when it is complete and on the disk, rename it.

    Parameters
    ----------
    blocks
        Hits in order.
    out
        The final name.
    temporary
        A name on the same file system.
    schema, format, tag
        What the writer needs.
    """

    def write_settings(content: Path) -> None:
        settings = RunSettings.from_metadata(schema.metadata)
        if settings is not None and format is ResultFormat.JSONL:
            write_settings_file(out, settings, content=content)

    write_rows(
        blocks,
        out,
        temporary=temporary,
        opened=lambda path: format.open(path, schema, tag),
        beside=write_settings,
    )


def write_rows(
    blocks: Iterable[pa.RecordBatch],
    out: Path,
    *,
    temporary: Path,
    opened: Callable[[Path], ResultWriter],
    beside: Callable[[Path], None] | None = None,
) -> None:
    """Write blocks of any rows as :func:`write_output` does hits.

    Parameters
    ----------
    blocks, out, temporary
        As there.
    opened
        Makes the writer of a file.
    beside
        Writes what goes beside the output, given its complete content, before it gets its name.
    """
    with errors_naming(out):
        with opened(temporary) as writer:
            for block in blocks:
                writer.write(block)
        sync_file(temporary)
        if beside is not None:
            beside(temporary)
        temporary.replace(out)
        sync_directory(out.parent)
