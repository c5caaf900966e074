"""Ordered work on a bounded number of threads."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from octavo.errors import checked_count

Item = TypeVar("Item")
Result = TypeVar("Result")


def available_threads() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def checked_threads(threads: int | None) -> int:
    """Return a usable number of threads; ``None`` means one for each processor.

    Raises
    ------
    InvalidArgumentError
        ``threads`` is no integer of at least 1.
    """
    return available_threads() if threads is None else checked_count("threads", threads)


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], *, threads: int
) -> Iterator[Result]:
    """Apply ``function`` to each item on ``threads`` threads and yield the results in order.

    At most ``threads + 1`` items are under way or waiting to be taken, so memory stays bounded
    however many items there are. With one thread everything runs in the caller's thread. The first
    error stops the work: no further item is taken, and the error is raised in its place.

    Examples
    --------
    >>> list(ordered_map(str.upper, ["a", "b", "c"], threads=2))
    ['A', 'B', 'C']
    """
    if threads == 1:
        yield from map(function, items)
        return
    pending: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="octavo") as pool:
        try:
            for item in items:
                pending.append(pool.submit(function, item))
                if len(pending) > threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
