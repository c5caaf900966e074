"""The directory beside the output in which a batch job keeps what it has finished."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from octavo.batch.job_record import check_same_job
from octavo.batch.parts import PartWriter, checked_part, read_part
from octavo.batch.stored_block import BlockTotals, StoredBlock
from octavo.errors import CorpusLockedError
from octavo.storage.format.durable import replace_file

RECORD = "job.json"
LOCK = "lock"


class WorkDirectory:
    """Parts, record and scratch files of one job; held by one process at a time.

    Get one from :func:`work_directory`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._parts = 0

    def begin(self, record: dict[str, Any]) -> None:
        """Throw away what an earlier job left and note what this one does."""
        self._clear(keep=())
        self._note(record)

    def resume(self, record: dict[str, Any], schema: pa.Schema) -> BlockTotals:
        """Keep the intact parts of an earlier run of the same job; without one, begin.

        Parameters
        ----------
        record
            From :func:`octavo.batch.job_record.job_record`.
        schema
            Schema of the hits.

        Returns
        -------
        BlockTotals
            What the parts hold: the first blocks of the job.

        Raises
        ------
        InvalidArgumentError
            The earlier run was of another job.
        """
        earlier = self.earlier_record()
        if earlier is None:
            self.begin(record)
            return BlockTotals()
        check_same_job(earlier, record)
        done = BlockTotals()
        while found := checked_part(self._part(self._parts), schema, done.blocks):
            done += found
            self._parts += 1
        # What follows a damaged part, and scratch files, are of no use.
        self._clear(keep=(RECORD, *(self._part(number).name for number in range(self._parts))))
        return done

    def new_part(self, schema: pa.Schema) -> PartWriter:
        """Return a writer for the next part."""
        writer = PartWriter(self._part(self._parts), schema)
        self._parts += 1
        return writer

    def blocks(self) -> Iterator[StoredBlock]:
        """Yield the blocks of all parts in order."""
        for number in range(self._parts):
            yield from read_part(self._part(number))

    def scratch(self, name: str) -> Path:
        """Return the path of a file that is of no use after this run."""
        return self.path / name

    def remove(self) -> None:
        """Remove the directory and everything in it."""
        shutil.rmtree(self.path)

    def has_parts(self) -> bool:
        """Whether there is anything to resume from."""
        return self._part(0).exists()

    def _part(self, number: int) -> Path:
        return self.path / f"part-{number:06d}.arrow"

    def _note(self, record: dict[str, Any]) -> None:
        replace_file(self.path / RECORD, json.dumps(record, indent=1, sort_keys=True).encode())

    def earlier_record(self) -> dict[str, Any] | None:
        """Return what a stopped job noted about itself, if one did."""
        try:
            record = json.loads((self.path / RECORD).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return record if isinstance(record, dict) else None

    def _clear(self, keep: tuple[str, ...]) -> None:
        for entry in self.path.iterdir():
            if entry.name not in (LOCK, *keep):
                entry.unlink()


def can_resume(out: Path) -> bool:
    """Whether a stopped job left finished parts for an output file."""
    return WorkDirectory(_path_for(out.resolve())).has_parts()


def recorded_option(out: Path, name: str) -> str | None:
    """Return a strategy option that a stopped job for an output file ran with, as text."""
    record = WorkDirectory(_path_for(out.resolve())).earlier_record() or {}
    value = record.get("options", {}).get(name)
    return value if isinstance(value, str) else None


def _path_for(out: Path) -> Path:
    return out.with_name(f".{out.name}.octavo-batch")


@contextmanager
def work_directory(out: Path) -> Iterator[WorkDirectory]:
    """Hold the work directory that belongs to an output file.

    A job that fails or is killed leaves it for a later ``resume``, unless it holds no part yet. The
    lock is the operating system's, so a killed job never blocks the next.

    Raises
    ------
    CorpusLockedError
        Another job is writing the same output.
    """
    import filelock  # noqa: PLC0415 - only batch jobs need it

    path = _path_for(out)
    path.mkdir(exist_ok=True)
    lock_file = path / LOCK
    lock = filelock.FileLock(lock_file, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise CorpusLockedError(f"{out}: another batch job is writing it") from None
    if not lock_file.exists():
        lock.release()
        raise CorpusLockedError(f"{out}: another batch job has just finished writing it")
    work = WorkDirectory(path)
    try:
        yield work
    except BaseException:
        if not work.has_parts():
            shutil.rmtree(path, ignore_errors=True)  # what went wrong matters more
        raise
    finally:
        lock.release()
