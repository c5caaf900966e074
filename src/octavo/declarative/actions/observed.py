"""Answers in pieces, counted while they pass."""

from collections.abc import AsyncIterator, Iterator
from typing import Final

from octavo.declarative.actions.failures import closing
from octavo.declarative.runtime.events import Event, Stage

_END: Final = object()


def counted_pieces(stage: Stage, pieces: Iterator[str]) -> Iterator[str]:
    """Yield pieces; the stage ends with them, or where nobody wants more of them."""
    try:
        while True:
            with stage.part() as event:
                piece = next(pieces, _END)
            if piece is _END:
                stage.end()
                return
            event["pieces"] = event.get("pieces", 0) + 1
            count(event, piece)
            yield piece  # type: ignore[misc]
    finally:
        stage.close()
        close = getattr(pieces, "close", None)
        if close is not None:
            close()


async def counted_pieces_async(stage: Stage, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield pieces as :func:`counted_pieces` does."""
    try:
        async with closing(pieces):
            while True:
                with stage.part() as event:
                    piece = await anext(pieces, _END)
                if piece is _END:
                    stage.end()
                    return
                event["pieces"] = event.get("pieces", 0) + 1
                count(event, piece)
                yield piece  # type: ignore[misc]
    finally:
        stage.close()


def count(event: Event, answer: object) -> None:
    """Count the characters of an answer, or of a piece of one, into the event of who gave it."""
    if isinstance(answer, str):
        event["characters"] = event.get("characters", 0) + len(answer)
