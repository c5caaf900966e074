"""Requests side by side, none of which is waited for once one has failed."""

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def at_once(
    request: Callable[[Item, threading.Event], Result], items: Sequence[Item], most: int
) -> list[Result]:
    """Return what a request gives for each item, in order.

    The first failure in time is raised as it comes, and so is an interrupt of the caller. No further
    request begins then; those under way are not waited for. Their threads die with the process.

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
    >>> at_once(lambda text, stopped: text.upper(), ["a", "b", "c"], most=2)
    ['A', 'B', 'C']
    """
    stopped = threading.Event()
    waiting: SimpleQueue[int] = SimpleQueue()
    answers: SimpleQueue[tuple[int, Result | None, BaseException | None]] = SimpleQueue()
    for position in range(len(items)):
        waiting.put(position)

    def work() -> None:
        while not stopped.is_set():
            try:
                position = waiting.get_nowait()
            except Empty:
                return
            try:
                answers.put((position, request(items[position], stopped), None))
            except BaseException as error:  # noqa: BLE001 - raised where the answers are awaited
                answers.put((position, None, error))

    found: dict[int, Result] = {}
    try:
        for _ in range(min(most, len(items))):
            # A pool would have the interpreter wait for its threads at the end.
            threading.Thread(target=work, name="octavo-request", daemon=True).start()
        while len(found) < len(items):
            position, result, error = answers.get()
            if error is not None:
                raise error
            found[position] = result  # type: ignore[assignment]  # there is no error
    finally:
        stopped.set()
    return [found[position] for position in range(len(items))]
