"""Jobs whose queries or results lie on another file system: run here, by local copies."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from os import PathLike
from pathlib import Path

from octavo.batch.job import BatchJob
from octavo.cache_place import cache_directory
from octavo.columns.remote_files import check_uploadable, upload
from octavo.columns.remote_inputs import local_inputs
from octavo.columns.uris import is_remote, remote_name
from octavo.strategies.settings_file import settings_file


def local_output(out: str | PathLike[str]) -> Path:
    """Return the file of this machine that a job writes: ``out``, or what stands in for a URI.

    The latter lies in octavo's cache directory (``OCTAVO_CACHE``), so that ``resume`` finds what a
    job that was stopped had finished.
    """
    if not is_remote(out):
        return Path(out)
    digest = blake2b(str(out).encode(), digest_size=16).hexdigest()
    return cache_directory() / "batch" / digest / remote_name(str(out))


@contextmanager
def localised(job: BatchJob) -> Iterator[BatchJob]:
    """Yield the job with files of this machine in the place of URIs.

    Queries are copied before; results when the block ends well, in one step each.

    Raises
    ------
    SourceLoadingError, ConfigurationError, InvalidArgumentError
        Queries cannot be read, or the results not be written there.
    OSError
        The results cannot be written; the message says where they are.
    """
    out = str(job.out)
    if is_remote(out):
        check_uploadable(out)
    with local_inputs(job.queries) as queries:
        job = replace(job, queries=queries)
        if not is_remote(out):
            yield job
            return
        local = local_output(out)
        local.parent.mkdir(parents=True, exist_ok=True)
        yield replace(job, out=local)
        _deliver(local, out)


def _deliver(local: Path, uri: str) -> None:
    """Upload the results, what belongs to them first, and remove them here."""
    path, question, query = uri.partition("?")
    beside = settings_file(local)
    suffix = beside.name.removeprefix(local.name)
    try:
        if beside.exists():
            upload(beside, f"{path}{suffix}{question}{query}")
        upload(local, uri)
    except OSError as error:
        raise OSError(f"{error}; the complete results are in {local}") from error
    shutil.rmtree(local.parent)
