"""A table of text, whatever it is then shown in."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text; the columns named in ``numbers`` are set flush right.

    Where it can be sorted, cells are compared by their numbers in ``keys``, rows of as many, and
    by their text where there is none.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[str, ...] = ()
    keys: tuple[tuple[float | None, ...], ...] = ()


def markdown(
    table: Table, level: str | None = "##", *, code: Collection[str] = ()
) -> Iterator[str]:
    r"""Yield the lines of a table in Markdown, an empty one last.

    Parameters
    ----------
    table
        What to show.
    level
        What the title begins with; ``None`` leaves it out.
    code
        Columns whose cells are set as code.

    Examples
    --------
    >>> list(markdown(Table("", ("a", "n"), (("x|y", "1"),), ("n",)), None))
    ['| a | n |', '|---|--:|', '| x\\|y | 1 |', '']
    """
    if level is not None:
        yield from (f"{level} {table.title}", "")
    yield "| " + " | ".join(table.columns) + " |"
    yield "|" + "|".join("--:" if name in table.numbers else "---" for name in table.columns) + "|"
    for row in table.rows:
        cells = [
            f"`{cell}`" if name in code else _escaped(cell)
            for name, cell in zip(table.columns, row, strict=True)
        ]
        yield "| " + " | ".join(cells) + " |"
    yield ""


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;").replace("\n", "<br>")
