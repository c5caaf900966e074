"""``octavo demo``: see it work on documents that every machine has."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli.output import say, show

if TYPE_CHECKING:
    from octavo.demo.run import DemoResult

SHOWN_QUESTIONS = 8


def demo(
    *,
    directory: Annotated[
        Path, typer.Option(metavar="DIRECTORY", help="Where to keep corpus, index and results.")
    ] = Path("octavo-demo"),
) -> None:
    """Index the documentation of this Python and answer questions about it."""
    from octavo.demo.run import run_demo  # noqa: PLC0415

    for line in _report(run_demo(directory, say), directory):
        show(line)


def _report(result: "DemoResult", directory: Path) -> list[str]:
    asked = result.questions["text"].to_pylist()
    judged = result.questions["relevant"].to_pylist()
    lines = [f"First answers by {result.results[0].strategy} (* is a judged answer):"]
    for question, answers, first in list(zip(asked, judged, result.results[0].first, strict=True))[
        :SHOWN_QUESTIONS
    ]:
        lines.append(f"  {question}")
        lines.append(f"    {'*' if first in (answers or ()) else ' '} {first or 'nothing'}")
    lines += ["", f"{len(asked)} questions, {result.documents:,} documents:"]
    lines.append(f"  {'strategy':<10}{'success at 10':>14}{'questions/s':>14}")
    lines += [
        f"  {one.strategy:<10}{one.success:>14.2f}{one.rate:>14,.0f}" for one in result.results
    ]
    again = ", index of an earlier run" if result.reused else ""
    return [
        *lines,
        "",
        f"Done in {result.seconds:.1f} s{again}. Now try:",
        f'  octavo search {directory / "index"} "read a file line by line" --explain',
        f"  octavo info {directory / 'index'}",
    ]
