"""What a dispatch tells of rendering, and of answers, whose pieces are counted while they pass."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

from octavo.declarative.actions.failures import closing
from octavo.declarative.rendering.grounding import Grounding
from octavo.declarative.runtime.events import Event, Events, Stage

_END: Final = object()


def observed_rendering(
    events: Events, dispatch: Event, render: Callable[[], Grounding]
) -> Grounding:
    """Render, and count what came of it into the event of that stage, and of the whole dispatch."""
    with events.stage("rendering") as event:
        grounding = render()
        context = grounding.context
        event.update(
            documents=context.documents,
            tokens=sum(each.tokens for each in context.usage),
            truncated=context.truncated,
            shortened=len(context.shortened),
            dropped=len(context.dropped),
        )
    dispatch.update(documents=context.documents, stale=context.stale)
    return grounding


def counted_pieces(stage: Stage, pieces: Iterator[str]) -> Iterator[str]:
    """Yield pieces; the stage ends with them, or where nobody wants more of them."""
    pieces = iter(pieces)
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
            pieces = aiter(pieces)
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
