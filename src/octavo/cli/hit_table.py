"""The hits of one query as a table with highlighted snippets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from octavo.analysis import Analyzer
from octavo.analysis.snippet import READ_CHARACTERS, Piece, best_snippet
from octavo.analysis.spans import token_spans
from octavo.cli.found import FoundDocument
from octavo.cli.output import show
from octavo.columns.streams import in_stream, stream_names
from octavo.visible import printable

if TYPE_CHECKING:
    from rich.text import Text

_ON_PATH = {"hops", "seed_score", "node_id"}
"""Parts of a hit that its path tells."""

_OF_QUERY = {"voting_streams", "voting_weight"}


class _Row(NamedTuple):
    fields: tuple[str, ...]
    snippet: tuple[Piece, ...]
    path: str


def show_hits(
    hits: Sequence[FoundDocument],
    analyzer: Analyzer,
    query: str,
    *,
    explain: bool,
    terminal: bool,
) -> None:
    """Print a table on a terminal; in a pipe, lines of fields with tabs between them.

    Parameters
    ----------
    hits
        Best first.
    analyzer
        The one that the documents went through; finds the query's words in them.
    query
        The text that was searched for.
    explain
        Add a column for each stream: the hit's rank in it and its score there. Add the path by
        which the graph found the hit, where it did: below the text, in a pipe as the last field.
    terminal
        Whether stdout is one.
    """
    terms = frozenset(analyzer.tokens(query))
    streams = _streams(hits) if explain else ()
    header = ("#", "score", "id", *streams, "text")
    rows = [
        _Row(
            (
                str(hit.rank),
                f"{hit.score:.4f}",
                printable(hit.id),
                *(in_stream(hit.parts, stream) or "-" for stream in streams),
            ),
            _snippet(hit, analyzer, terms),
            printable(str(hit.path)) if explain and hit.path else "",
        )
        for hit in hits
    ]
    if terminal:
        _show_table(header, rows)
        return
    with_paths = any(row.path for row in rows)
    show("\t".join((*header, "path") if with_paths else header))
    for row in rows:
        fields = (*row.fields, "".join(piece.text for piece in row.snippet))
        show("\t".join((*fields, row.path or "-") if with_paths else fields))


def _snippet(hit: FoundDocument, analyzer: Analyzer, terms: frozenset[str]) -> tuple[Piece, ...]:
    """Return the best piece of the content, after the title where there is one."""
    content = best_snippet(hit.content, token_spans(analyzer, hit.content[:READ_CHARACTERS]), terms)
    if not hit.title:
        return content
    title = hit.title[:READ_CHARACTERS]
    shown = best_snippet(title, token_spans(analyzer, title), terms)
    return (*shown, Piece(": ", found=False), *content) if hit.content else shown


def _streams(hits: Sequence[FoundDocument]) -> tuple[str, ...]:
    """Return the names of the parts in order, the rank and score of a stream as one.

    What a path tells is left out, and what is the same for all hits of a query.
    """
    names = dict.fromkeys(
        name
        for hit in hits
        for name in hit.parts
        if name not in _OF_QUERY and (hit.path is None or name not in _ON_PATH)
    )
    return stream_names(names)


def _show_table(header: Sequence[str], rows: Sequence[_Row]) -> None:
    from rich import box  # noqa: PLC0415 - only terminals need it
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD)
    for name in header:
        numeric = name in ("#", "score")
        table.add_column(
            name, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold"
        )
    for row in rows:
        text = _highlighted(row.snippet)
        if row.path:
            text.append("\n" if row.snippet else "").append(f"path: {row.path}", style="dim")
        table.add_row(*(Text(field) for field in row.fields), text)
    Console().print(table)


def _highlighted(snippet: Sequence[Piece]) -> "Text":
    from rich.text import Text  # noqa: PLC0415

    text = Text()
    for piece in snippet:
        text.append(piece.text, style="bold yellow" if piece.found else None)
    return text
