"""Reading results, from tables and from files that a batch job wrote."""

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from octavo.columns.files import has_reader, reader_of
from octavo.columns.readers.ipc import IpcSource
from octavo.columns.readers.json_lines import JsonLinesSource
from octavo.columns.readers.parquet import ParquetSource
from octavo.columns.sources import Source, TableSource, resolve_inputs
from octavo.errors import InvalidArgumentError
from octavo.ledger.hit_columns import HitColumns
from octavo.strategies.settings import RunSettings
from octavo.strategies.settings_file import read_settings_file

READ_ROWS = 65_536
_FILES = ParquetSource | IpcSource | JsonLinesSource


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Hits to be read once, in order, and how they were asked for.

    Parameters
    ----------
    source
        Where they are.
    settings
        How they were asked for; ``None`` where nothing tells.
    """

    source: Source
    settings: RunSettings | None

    @property
    def origin(self) -> str:
        """What messages call the results."""
        return self.source.origin

    def required_settings(self) -> RunSettings:
        """Return the settings.

        Raises
        ------
        InvalidArgumentError
            Nothing tells them.
        """
        if self.settings is None:
            raise InvalidArgumentError(
                f"{self.origin}: expected the settings of the run beside the results (in the "
                "schema's metadata; of JSON lines in a file .ledger.json), found none; "
                "pass settings="
            )
        return self.settings

    def blocks(self, rows: int = READ_ROWS) -> Iterator[HitColumns]:
        """Yield the hits in blocks of at most ``rows``, in bounded memory.

        Raises
        ------
        SourceLoadingError
            A file is damaged.
        """
        first = 0
        for batch in self.source.batches(None, rows):
            yield HitColumns(batch, self.origin, first)
            first += batch.num_rows


def is_results_file(path: str) -> bool:
    """Whether a file's ending says that it can hold results with all their parts."""
    return has_reader(path) and isinstance(reader_of(path), _FILES)


def open_results(results: Any, name: str, settings: RunSettings | None = None) -> Results:  # noqa: ANN401 - a path or a table
    """Find results, without reading rows.

    Parameters
    ----------
    results
        A parquet, Arrow IPC or JSON lines file, or anything with the Arrow PyCapsule interface.
    name
        What the caller's argument is called in messages.
    settings
        How they were asked for, where the results themselves do not tell.

    Raises
    ------
    InvalidArgumentError
        It is something else, or its settings are damaged.
    SourceLoadingError
        There is no such file, or it is damaged.
    """
    if settings is not None and not isinstance(settings, RunSettings):
        raise InvalidArgumentError(
            f"settings: expected RunSettings, found {type(settings).__name__}"
        )
    if isinstance(results, str | PathLike):
        path = fspath(results)
        if Path(path).is_dir():
            raise InvalidArgumentError(f"{name}: expected a file of results, found a directory")
        if Path(path).is_file() and not is_results_file(path):
            raise _no_results(name, path)
    sources = resolve_inputs(results, name)
    if len(sources) != 1:
        raise InvalidArgumentError(
            f"{name}: expected one file or table of results, found {len(sources)}"
        )
    (source,) = sources
    if not isinstance(source, TableSource | _FILES):
        raise _no_results(name, source.origin)
    return Results(source, settings or _settings_of(source))


def _no_results(name: str, path: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{name}: expected parquet, Arrow or JSON lines, or the table of a run in another layout "
        f"(octavo.evaluation.read_run(path).table()), found {path}"
    )


def _settings_of(source: Source) -> RunSettings | None:
    if isinstance(source, JsonLinesSource):
        return read_settings_file(Path(source.path))
    return RunSettings.from_metadata(source.schema_metadata(), source.origin)
