"""What the result of a job depends on: a job may be resumed only where none of it changed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from octavo.batch.job import BatchJob
from octavo.batch.query_columns import QueryColumns
from octavo.columns.readers.base import FileSource
from octavo.columns.sources import Source
from octavo.corpus.blocks import BLOCK_QUERIES
from octavo.errors import InvalidArgumentError
from octavo.storage.format.durable import checksum
from octavo.version import __version__


def job_record(
    job: BatchJob,
    *,
    index: str,
    strategy: str,
    columns: QueryColumns,
    sources: Sequence[Source],
) -> dict[str, Any]:
    """Return everything that decides the hits, as plain JSON values by name.

    Files of queries count by name, size and checksum, so that a file that was moved or touched
    stays the same. The index counts by its fingerprint, which covers the checksums of its files.
    The engine, the number of threads and the format of the output decide no hit and are left out.
    """
    record = {
        "octavo version": __version__,
        "queries a block": BLOCK_QUERIES,
        "index": index,
        "strategy": strategy,
        "options": {
            name: value if isinstance(value, str) else repr(value)
            for name, value in job.options.items()
        },
        "max_results": job.max_results,
        "min_score": job.min_score,
        "filters": dict(job.filters),
        "query columns": asdict(columns),
        "queries": [fingerprint(source) for source in sources],
    }
    plain: dict[str, Any] = json.loads(json.dumps(record))
    return plain


def check_same_job(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to resume a job that another question, index or octavo began.

    Raises
    ------
    InvalidArgumentError
        Names what changed.
    """
    names = sorted({*before, *now})
    changed = [name for name in names if before.get(name) != now.get(name)]
    if changed:
        described = ", ".join(_change(name, before.get(name), now.get(name)) for name in changed)
        raise InvalidArgumentError(
            f"resume: expected the job that was stopped, found a different {described}; "
            "start over without resume"
        )


def check_resumable(sources: Sequence[Source]) -> None:
    """Refuse to resume over inputs that cannot be compared with those of the earlier run.

    Raises
    ------
    InvalidArgumentError
        An input is no file.
    """
    for source in sources:
        if not isinstance(source, FileSource):
            raise InvalidArgumentError(
                f"resume: expected input in files, found {source.origin}: whether it is still "
                "the same cannot be told"
            )


def fingerprint(source: Source) -> list[object]:
    """Return name, size and checksum of a file, the origin of anything else."""
    if not isinstance(source, FileSource):
        return [source.origin]
    path = Path(source.path)
    return [path.name, path.stat().st_size, checksum(path)]


def _change(name: str, before: object, now: object) -> str:
    short = max(len(repr(before)), len(repr(now))) <= 60 and name != "index"
    return f"{name} ({before!r}, now {now!r})" if short else name
