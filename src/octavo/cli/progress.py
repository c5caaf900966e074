"""Progress of long work, on a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Update = Callable[[str, int, int | None], None]
"""Told what is being done, how many rows are done, and how many there are, if known."""

_COMMITTING = ("live rows", "manifest")


@contextmanager
def progress() -> Iterator[Update]:
    """Show a bar with rate and time left on stderr; in a pipe, nothing."""
    if not sys.stderr.isatty():
        yield _ignore
        return
    from rich.console import Console  # noqa: PLC0415 - only terminals need it
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text  # noqa: PLC0415

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            rate = task.finished_speed or task.speed
            return Text("" if rate is None else f"{rate:,.0f}/s")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks = {}

        def update(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield update


def listener(update: Update, total: int | None) -> Callable[[str, int], None]:
    """Return a listener for a change of an index; what is told of its commit is one stage.

    Parameters
    ----------
    update
        Shows it.
    total
        The rows to come, if known. A commit counts those of the whole index.
    """

    def listen(stage: str, rows: int) -> None:
        if stage in _COMMITTING or stage.startswith("commit: "):
            update("committing", rows, rows)
        else:
            update(stage, rows, total)

    return listen


def _ignore(stage: str, done: int, total: int | None) -> None:
    del stage, done, total
