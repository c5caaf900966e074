"""Requests side by side, none of which is waited for once one has failed."""

import threading
from collections.abc import Callable, Generator, Iterable
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def at_once(
    request: Callable[[Item, threading.Event], Result], items: Iterable[Item], most: int
) -> Generator[Result, None, None]:
    """Yield what a request gives for each item, in order.

    Items are taken in the caller's thread, as there is room for them: at most twice ``most`` are
    taken and not yet yielded, so that ``most`` requests are under way even where the first of them
    is slow, or the caller is busy. A request sees the context variables that the caller had then.

    The first failure in time is raised as it comes, and so is an interrupt of the caller; what was
    answered before it, and is next in order, has been yielded. No further request begins then; those
    under way are not waited for. Their threads die with the process. Where taking an item fails,
    those taken before it are yielded first.

    Parameters
    ----------
    request
        Given an item, and an event that tells it that its answer is no longer wanted.
    items
        One for each request.
    most
        The most requests under way.

    Examples
    --------
    >>> list(at_once(lambda text, stopped: text.upper(), ["a", "b", "c"], most=2))
    ['A', 'B', 'C']
    """
    workers = _Workers(request, most)
    failure: Exception | None = None
    found: dict[int, Result] = {}
    source, begun, yielded = iter(items), 0, 0
    is_open = True
    try:
        while True:
            while is_open and begun < yielded + 2 * most:
                try:
                    item = next(source)
                except StopIteration:
                    is_open = False
                except Exception as error:  # noqa: BLE001 - raised behind what was taken before
                    is_open, failure = False, error
                else:
                    workers.begin(begun, item)
                    begun += 1
            if begun == yielded:
                break
            while yielded not in found:
                position, result = workers.answer()
                found[position] = result
            yield found.pop(yielded)
            yielded += 1
    finally:
        workers.stop()
    if failure is not None:
        raise failure


class _Workers(Generic[Item, Result]):
    """Threads that send requests; each starts when there is one for it."""

    def __init__(self, request: Callable[[Item, threading.Event], Result], most: int) -> None:
        self._request = request
        self._most = most
        self._threads = 0
        self._stopped = threading.Event()
        self._waiting: SimpleQueue[tuple[int, Item, Context] | None] = SimpleQueue()
        self._answers: SimpleQueue[tuple[int, Result | None, BaseException | None]] = SimpleQueue()

    def begin(self, position: int, item: Item) -> None:
        """Send a request as soon as a thread is free."""
        self._waiting.put((position, item, copy_context()))
        if self._threads < self._most:
            self._threads += 1
            # A pool would have the interpreter wait for its threads at the end.
            threading.Thread(target=self._work, name="octavo-request", daemon=True).start()

    def answer(self) -> tuple[int, Result]:
        """Return the next result in time, with the position of its item, or raise the failure."""
        position, result, error = self._answers.get()
        if error is not None:
            raise error
        return position, result  # type: ignore[return-value]  # there is no error

    def stop(self) -> None:
        """Begin no further request, and tell those under way."""
        self._stopped.set()
        for _ in range(self._threads):
            self._waiting.put(None)

    def _work(self) -> None:
        while (taken := self._waiting.get()) is not None and not self._stopped.is_set():
            position, item, context = taken
            try:
                result = context.run(self._request, item, self._stopped)
                self._answers.put((position, result, None))
            except BaseException as error:  # noqa: BLE001 - raised where the answers are awaited
                self._answers.put((position, None, error))
