"""Ordered work on a bounded number of threads, and two pieces of work side by side."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache, partial
from queue import SimpleQueue
from typing import Any, TypeVar

from octavo.errors import checked_count

First = TypeVar("First")
Second = TypeVar("Second")
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
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    threads: int,
    stop: Callable[[], None] | None = None,
) -> Iterator[Result]:
    """Apply ``function`` to each item on ``threads`` threads and yield the results in order.

    At most ``threads + 1`` items are under way or waiting to be taken, so memory stays bounded
    however many items there are. With one thread everything runs in the caller's thread. The first
    error stops the work: no further item is taken, and the error is raised in its place. ``stop`` is
    called where the work ends early, before what is under way on threads is waited for. Each call
    sees the context variables that the caller had when the item was taken. What
    ``function`` does is not spread further: :func:`side_by_side` stays within its thread.

    Examples
    --------
    >>> list(ordered_map(str.upper, ["a", "b", "c"], threads=2))
    ['A', 'B', 'C']
    """

    def worked(item: Item) -> Result:
        with _HELPERS.working():
            return function(item)

    if threads == 1:
        yield from map(worked, items)
        return
    pending: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="octavo") as pool:
        try:
            for item in items:
                pending.append(pool.submit(copy_context().run, worked, item))
                if len(pending) > threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BaseException:  # an interrupt, or the caller has had enough
            if stop is not None:
                stop()
            raise
        finally:
            for future in pending:
                future.cancel()


def side_by_side(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
    """Return what both calls return; ``first`` runs on another thread where a processor is free.

    ``second`` always runs in the caller's thread. Where octavo is at work on as many threads as
    there are processors, or is asked from within :func:`ordered_map`, one call follows the other.
    Handing over costs some tens of microseconds, which the caller weighs.

    Either way the error of ``first`` is the one that is raised where both fail, and nothing is left
    running after an error, nor after an interrupt of the caller: it may write to files that the
    caller then removes. A second interrupt does not wait.

    Examples
    --------
    >>> side_by_side(lambda: 1, lambda: 2)
    (1, 2)
    """
    with _HELPERS.working() as alone:
        handed = None if alone else _HELPERS.handed(first)
        if handed is None:
            return first(), second()
        try:
            try:
                own = second()
            except Exception:
                handed.result()
                raise
            return handed.result(), own
        finally:
            if not handed.done():  # interrupted
                wait([handed])


class _Helpers:
    """Threads that take over work for a caller; none exists until one is needed.

    They die with the process, and a child process that was forked starts without any.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all threads, as if none had been started."""
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._threads = 0
        self._helping = 0
        self._working = 0
        self._own = threading.local()

    @contextmanager
    def working(self) -> Iterator[bool]:
        """Count this thread among those at work; tells whether it was so already."""
        own = self._own
        if getattr(own, "counted", False):
            yield True
            return
        own.counted = True
        with self._lock:
            self._working += 1
        try:
            yield False
        finally:
            if own is self._own:  # else this is a child process, in which nobody was counted
                own.counted = False
                with self._lock:
                    self._working -= 1

    def handed(self, call: Callable[[], First]) -> "Future[First] | None":
        """Hand a call to a thread; ``None`` where no processor or no thread is to be had."""
        with self._lock:
            if self._working + self._helping >= available_threads():
                return None
            if self._helping == self._threads and not self._started():
                return None
            self._helping += 1
        future: Future[First] = Future()
        self._jobs.put((future, partial(copy_context().run, call)))
        return future

    def _started(self) -> bool:
        if self._threads == 0 and hasattr(os, "register_at_fork"):
            _reset_in_children()
        try:
            threading.Thread(target=self._help, name="octavo-helper", daemon=True).start()
        except RuntimeError:  # the system has no more threads, or the interpreter is ending
            return False
        self._threads += 1
        return True

    def _help(self) -> None:
        self._own.counted = True
        while True:
            self._answer(*self._jobs.get())

    def _answer(self, future: "Future[Any]", call: Callable[[], Any]) -> None:
        try:
            result, error = call(), None
        except BaseException as raised:  # noqa: BLE001 - raised where the result is asked for
            result, error = None, raised
        with self._lock:  # before the caller goes on, who may hand over again at once
            self._helping -= 1
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
            del future, error  # which refer to each other


@cache
def _reset_in_children() -> None:
    os.register_at_fork(after_in_child=lambda: _HELPERS.reset())  # noqa: PLW0108 - not that of now


_HELPERS = _Helpers()
