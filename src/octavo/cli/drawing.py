"""``--draw FILE``: the paths of hits as a drawing, in the language that the file's name says."""

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from octavo.cli.found import FoundDocument
from octavo.cli.output import say
from octavo.cli.paths import walks_a_graph
from octavo.errors import ConfigurationError, ExecutionError, InvalidArgumentError
from octavo.graph.drawing import dot, mermaid
from octavo.graph.graph_path import GraphPath
from octavo.storage.format.output_file import write_output_file
from octavo.strategies.columnar import ColumnarStrategy

SECONDS = 60.0
"""How long Graphviz may take."""

Paths = Sequence[GraphPath]


def _in_markdown(paths: Paths) -> str:
    return f"```mermaid\n{mermaid(paths)}```\n"


def _as_svg(paths: Paths) -> str:
    """Let Graphviz draw."""
    command = [graphviz(), "-Tsvg"]
    try:
        ran = subprocess.run(  # noqa: S603 - the text given to it is escaped
            command, input=dot(paths).encode(), capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise ExecutionError(
            f"--draw: Graphviz drew nothing within {SECONDS:g} s; ask for fewer results (-k), or "
            "for a .dot or .mmd file"
        ) from None
    if ran.returncode != 0:
        told = ran.stderr.decode("utf-8", "replace")[:500]
        raise ExecutionError(f"--draw: Graphviz failed with status {ran.returncode}: {told}")
    return ran.stdout.decode("utf-8")


_LANGUAGES: dict[str, Callable[[Paths], str]] = {
    ".svg": _as_svg,
    ".dot": dot,
    ".gv": dot,
    ".mmd": mermaid,
    ".md": _in_markdown,
}


def drawing_file(path: Path | None) -> Path | None:
    """Return the name of a drawing, if it says in which language.

    Raises
    ------
    typer.BadParameter
        It names no language that octavo draws in.
    """
    if path is not None and path.suffix.lower() not in _LANGUAGES:
        raise typer.BadParameter(
            f"expected a file that ends in {', '.join(_LANGUAGES)}, found {path.name!r}"
        )
    return path


def checked_drawing(path: Path, strategy: ColumnarStrategy) -> None:
    """Refuse what cannot be drawn before anything is searched for.

    Raises
    ------
    InvalidArgumentError
        The strategy walks no graph.
    ConfigurationError
        The program that draws is not installed.
    """
    if not walks_a_graph(strategy):
        raise InvalidArgumentError(
            "--draw: expected a strategy that walks a graph (--strategy graph, or hybrid with a "
            f"graph), found {strategy.name}"
        )
    if _LANGUAGES[path.suffix.lower()] is _as_svg:
        graphviz()


def graphviz() -> str:
    """Return the path of Graphviz's program.

    Raises
    ------
    ConfigurationError
        It is not installed.
    """
    program = shutil.which("dot")
    if program is None:
        raise ConfigurationError(
            "--draw: an .svg file needs Graphviz, whose program dot was not found (apt install "
            "graphviz, brew install graphviz, or conda install graphviz); .dot, .gv, .mmd and .md "
            "need nothing"
        )
    return program


def draw_hits(path: Path, hits: Sequence[FoundDocument]) -> None:
    """Write the drawing of the paths of hits; a file that is there is replaced."""
    paths = [hit.path for hit in hits if hit.path is not None]
    if not paths:
        say(f"The graph found none of the results: {path} is not drawn.")
        return
    write_output_file(path, _LANGUAGES[path.suffix.lower()](paths).encode())
    say(f"Drawn: {path}")
