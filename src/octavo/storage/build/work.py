"""What a change of an index may take, and whom it tells how far it is."""

from collections.abc import Callable
from dataclasses import dataclass

from octavo.parallel import checked_threads
from octavo.storage.build.memory_budget import MemoryBudget, parse_budget


@dataclass(frozen=True, slots=True)
class Work:
    """Memory, threads and a listener.

    Parameters
    ----------
    memory_budget
        The memory that postings and vector structures may be built in.
    threads
        The largest number of threads.
    progress
        Called with the stage and the number of rows that it has done.
    """

    memory_budget: MemoryBudget
    threads: int
    progress: Callable[[str, int], None] = lambda _stage, _rows: None


def work_of(
    memory_budget: int | str | None = None,
    threads: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Work:
    """Return what a caller allows: bytes or a text such as ``2GiB``; ``None`` for the defaults.

    Raises
    ------
    InvalidArgumentError
        The budget or the number of threads is none.
    """
    return Work(
        parse_budget(memory_budget),
        checked_threads(threads),
        progress or (lambda _stage, _rows: None),
    )
