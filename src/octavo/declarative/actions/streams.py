"""Answers that arrive piece by piece; what grounds them is known before the first piece."""

import threading
import weakref
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Self

from octavo.declarative.actions.action_context import ActionContext, entered
from octavo.declarative.runtime.events import Stage


class ActionStream(Iterator[str]):
    """The pieces of an action's answer; can be read once, and closed before its end.

    Parameters
    ----------
    action
        The action's name.
    context
        What was retrieved, before the first piece.
    pieces
        Where they come from; each is made in the action's context.
    stage
        The dispatch, which ends when the stream does, or is closed or forgotten.
    """

    def __init__(
        self, action: str, context: ActionContext, pieces: Iterator[str], stage: Stage
    ) -> None:
        self.action = action
        self.context = context
        self._pieces = pieces
        self._stage = stage
        self._asking = threading.Lock()
        self._closing = False
        weakref.finalize(self, stage.close)

    def __next__(self) -> str:
        try:
            with self._asking, entered(self.context), self._stage.part():
                return next(self._pieces)
        finally:
            if self._closing:
                self.close()

    def close(self) -> None:
        """Ask for nothing more; connections of the client are given back.

        While another thread waits for a piece, that is the last one, and the stream is closed behind it.
        """
        self._closing = True
        if not self._asking.acquire(blocking=False):
            return
        try:
            close = getattr(self._pieces, "close", None)
            if close is not None:
                close()
            self._stage.close()
        finally:
            self._asking.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncActionStream(AsyncIterator[str]):
    """The pieces of an action's answer, for an event loop; see :class:`ActionStream`."""

    def __init__(
        self, action: str, context: ActionContext, pieces: AsyncIterator[str], stage: Stage
    ) -> None:
        self.action = action
        self.context = context
        self._pieces = pieces
        self._stage = stage
        weakref.finalize(self, stage.close)

    async def __anext__(self) -> str:
        with entered(self.context), self._stage.part():
            return await anext(self._pieces)

    async def aclose(self) -> None:
        """Ask for nothing more; connections of the client are given back."""
        close = getattr(self._pieces, "aclose", None)
        if close is not None:
            await close()
        self._stage.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
