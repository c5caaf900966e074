"""One structured event a stage, through standard logging; nothing is sent anywhere."""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Any, Final

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.tracing import started_span, tell_span
from octavo.errors import FailureReason, OctavoError

LOGGER: Final = logging.getLogger("octavo.declarative")

Event = dict[str, Any]

COMPLETE: Final = "complete"
FAILED: Final = "failed"
CLOSED: Final = "closed"
"""The outcome of an answer that nobody read to its end."""

_ENDS: Final = (StopIteration, StopAsyncIteration)


class Stage:
    """One stage under way: its event, and its span where the application traces.

    ``with`` times a stage and ends it. One that goes on after the function that began it, as an
    answer does that comes in pieces, is carried out in :meth:`part`s and ended with :meth:`end`.

    Parameters
    ----------
    event
        What is known at its start; more may be put in until it ends.
    """

    __slots__ = ("_current", "_ended", "_span", "_start", "event")

    def __init__(self, event: Event) -> None:
        self.event = event
        self._ended = False
        self._current: AbstractContextManager[object] | None = None
        self._start = time.perf_counter()
        self._span = started_span(event)

    def __enter__(self) -> Event:
        if self._span is not None:
            self._current = self._span.current()
            self._current.__enter__()
        return self.event

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._current is not None:
            self._current.__exit__(kind, error, traceback)
        self.end(error)

    @contextmanager
    def part(self) -> Iterator[Event]:
        """Do a part of the stage, which ends where that fails, or finds nothing more to do."""
        try:
            with nullcontext() if self._span is None else self._span.current():
                yield self.event
        except BaseException as error:
            self.end(error)
            raise

    def close(self) -> None:
        """End a stage that nobody wants more of; one that ended stays as it is."""
        self.event.setdefault("outcome", CLOSED)
        self.end()

    def end(self, error: BaseException | None = None) -> None:
        """End the stage, and tell of it, once."""
        if self._ended:
            return
        self._ended = True
        event, level = self.event, logging.INFO
        if isinstance(error, GeneratorExit):
            event["outcome"] = CLOSED
        elif error is None or isinstance(error, _ENDS):
            event.setdefault("outcome", COMPLETE)
        else:
            level = logging.WARNING
            event["outcome"] = FAILED
            event["failure"] = str(reason_of(error))
            event["error"] = type(error).__name__
        event["milliseconds"] = round(1000 * (time.perf_counter() - self._start), 3)
        if self._span is not None:
            self._span.end(event)
        _tell(level, event)


class Events:
    """Tells of one dispatch, stage by stage.

    Each is a record of the logger ``octavo.declarative``, at level INFO, or WARNING where the stage
    failed. Its attribute ``octavo_event`` is a mapping: ``stage``, ``outcome``, ``milliseconds``, the
    dispatch's ``role`` and ``action``, what the stage counted, and ``failure`` (a reason of S50) where
    it failed. Queries, documents, answers and scopes are never part of it.

    Parameters
    ----------
    **common
        What every event of the dispatch says.
    """

    def __init__(self, **common: Any) -> None:  # noqa: ANN401 - any value that can be logged
        self._common = common

    @classmethod
    def of_request(cls, role: str, action: str, context: DispatchContext) -> "Events":
        """Return what tells of one action's dispatch, by the run that it is part of."""
        run = {"run": context.run_id} if context.run_id else {}
        return cls(role=role, action=action, **run)

    def stage(self, name: str, **known: Any) -> Stage:  # noqa: ANN401
        """Begin a stage; what is put into its event is told when it ends."""
        return Stage({"stage": name, **self._common, **known})

    def tell(self, name: str, **known: Any) -> None:  # noqa: ANN401
        """Tell of something that takes no time."""
        event = {"stage": name, **self._common, **known}
        tell_span(event)
        _tell(logging.INFO, event)


def reason_of(error: BaseException) -> FailureReason:
    """Return why something failed; what is no error of octavo's is a failed execution.

    Examples
    --------
    >>> reason_of(ValueError()).name
    'EXECUTION'
    """
    if isinstance(error, OctavoError):
        return error.reason
    cancelled = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
    return FailureReason.CANCELLED if cancelled else FailureReason.EXECUTION


def _tell(level: int, event: Event) -> None:
    if LOGGER.isEnabledFor(level):
        told = " ".join(f"{key}={value}" for key, value in event.items() if key != "stage")
        LOGGER.log(level, "%s %s", event["stage"], told, extra={"octavo_event": event})
