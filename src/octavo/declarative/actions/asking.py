"""Calls of a client that only waits, which their caller need not wait for past the deadline."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import RetrievalTimeoutError

Answer = TypeVar("Answer")
_Job = tuple["Future[Any]", Callable[[], Any]]

_NOTICED: Final = 0.05
"""A cancellation is noticed within so many seconds."""

_CLOSING: Final = 1.0
"""How many seconds a stream may take to close before it is left to itself."""


class Asking:
    """Makes calls one after the other: here, or apart where the request can end meanwhile.

    A call that is under way when the request ends is left to itself, on a thread that ends with it and
    does not keep the process alive; what is asked afterwards waits for nothing.

    Parameters
    ----------
    dispatch
        Whose deadline and cancellation count.
    what
        How the message calls what was not done in time.
    """

    def __init__(self, dispatch: DispatchContext, what: str) -> None:
        self._dispatch = dispatch
        self._what = what
        ends = dispatch.deadline is not None or dispatch.cancellation is not None
        self._thread = AskingThread() if ends else None
        self._left = False

    def __call__(self, call: Callable[[], Answer]) -> Answer:
        """Return what a call returns.

        Raises
        ------
        RetrievalTimeoutError
            The deadline passed first.
        CancelledError
            The request was cancelled first.
        """
        if self._thread is None:
            return call()
        self._dispatch.check()
        future = self._thread.submit(call)
        self._left = True
        while not future.done():
            left = self._dispatch.remaining()
            if left is not None and left <= 0:
                raise RetrievalTimeoutError(
                    f"{self._what} was not done by the deadline of its request"
                )
            if self._dispatch.cancellation is not None:
                self._dispatch.cancellation.raise_if_cancelled()
                left = _NOTICED if left is None else min(left, _NOTICED)
            wait([future], left)
        self._left = False
        return future.result()

    def last(self, call: Callable[[], object]) -> None:
        """Make a call that ends all others; after one that was left, without waiting for it."""
        if self._thread is None:
            call()
            return
        future = self._thread.submit(call)
        if not self._left and wait([future], _CLOSING).done:
            future.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._thread is not None:
            self._thread.end()


class AskingThread:
    """A thread that makes calls in their order, each with the context variables of who asked for it."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(
            target=_work, args=(self._jobs,), name="octavo-asking", daemon=True
        ).start()

    def submit(self, call: Callable[[], Answer]) -> "Future[Answer]":
        """Have a call made, after those before."""
        future: Future[Answer] = Future()
        context = copy_context()
        self._jobs.put((future, lambda: context.run(call)))
        return future

    def end(self) -> None:
        """End the thread, after the calls that it was given."""
        self._jobs.put(None)


def _work(jobs: "SimpleQueue[_Job | None]") -> None:
    while (job := jobs.get()) is not None:
        future, call = job
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call())
            except StopIteration:  # which no future can carry into an event loop
                future.set_exception(RuntimeError("StopIteration"))
            except BaseException as error:  # noqa: BLE001 - raised where the answer is waited for
                future.set_exception(error)
        del job, future, call  # nothing of a call is kept while the next is waited for
