"""What a change of an index may take, and whom it tells how far it is."""

from collections.abc import Callable
from dataclasses import dataclass

from octavo.storage.memory_budget import MemoryBudget


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
