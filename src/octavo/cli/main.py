"""The ``octavo`` command."""

import atexit
import contextlib
import gc
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from octavo.cli.add import add
from octavo.cli.batch import batch
from octavo.cli.bench import bench
from octavo.cli.compact import compact
from octavo.cli.compare import compare
from octavo.cli.delete import delete
from octavo.cli.demo import demo
from octavo.cli.diff import diff
from octavo.cli.embed import embed
from octavo.cli.eval import evaluate
from octavo.cli.failures import reported
from octavo.cli.first_run import tell_of_compiling
from octavo.cli.index import index
from octavo.cli.info import info
from octavo.cli.local_paths import refusing_uris
from octavo.cli.repair import repair
from octavo.cli.search import search
from octavo.cli.sweep import sweep
from octavo.cli.tune import tune
from octavo.cli.verify import verify

_OBJECTS_A_COLLECTION = 100_000

app = typer.Typer(
    name="octavo",
    help="Index documents, search them by words and vectors, answer files of queries in batch.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for command in (
    *(index, search, batch, add, delete, compact),
    *(info, verify, repair, tune, embed),
):
    app.command()(reported(refusing_uris(command)))
app.command(name="eval")(reported(refusing_uris(evaluate)))
for command in (compare, diff, sweep, bench, demo):
    app.command()(reported(refusing_uris(command)))


def main() -> None:
    """Run the command line and exit: 0 done, 1 failed (or a gate fell), 2 wrong use, 130 interrupted."""
    # A fifth of a short command's time went into looking for garbage where there is none: while
    # modules are imported, and when the process ends.
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    atexit.register(gc.freeze)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the command
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - for as long as it runs
    for stream in (sys.stdout, sys.stderr):
        # A document may hold what the terminal's encoding cannot show; that is no failure.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    tell_of_compiling()
    # As `python -m` does, so that MODULE:ATTR finds a module of the working directory.
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        sys.path.append(str(Path.cwd()))
    app(prog_name="octavo")


def _show_version(value: bool) -> None:  # noqa: FBT001 - typer calls it so
    if value:
        from octavo.version import __version__  # noqa: PLC0415

        typer.echo(f"octavo {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    pass
