"""Tables that read without a script and sort with one."""

from collections.abc import Sequence
from dataclasses import dataclass

from octavo.reporting.html.element import Element, Node, element
from octavo.reporting.html.scrolling import scrolling
from octavo.reporting.table import Table


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its header, and whether it is set flush right."""

    name: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Parameters
    ----------
    content
        What it shows.
    key
        What it sorts by, numbers before texts; an empty text is last either way. Unset, its text.
    kind
        A class for the style.
    """

    content: tuple[Node, ...]
    key: float | str | None = None
    kind: str | None = None


def table_element(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    identifier: str | None = None,
    row_classes: Sequence[str | None] | None = None,
    kind: str | None = None,
    tall: bool = False,
) -> Element:
    """Return a table with a caption, whose headers the page's script makes buttons that sort.

    It scrolls on its own, by keyboard too, where it does not fit.

    Parameters
    ----------
    caption
        What the table shows; shown above it.
    columns
        Its columns; the cells of the first name their rows.
    rows
        A cell for each column.
    identifier
        Where links lead; unique on the page.
    row_classes
        A class for each row.
    kind
        A class for the table.
    tall
        Whether it has many rows, of which a part is seen at once.
    """
    heads = (element("th", each.name, scope="col", class_=_class(each)) for each in columns)
    body = (
        element("tr", *_cells(columns, row), class_=of_row)
        for row, of_row in zip(rows, row_classes or [None] * len(rows), strict=True)
    )
    table = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *body),
        class_=_classes("sortable", kind),
    )
    return scrolling(table, caption, identifier=identifier, kind="tall" if tall else None)


def plain_table(table: Table) -> Element:
    """Return a table of text; line feeds in cells are breaks."""
    columns = [Column(name or "note", name in table.numbers) for name in table.columns]
    keys = table.keys or ((None,) * len(columns),) * len(table.rows)
    rows = [
        [Cell(_lines(text), key) for text, key in zip(texts, of_row, strict=True)]
        for texts, of_row in zip(table.rows, keys, strict=True)
    ]
    return table_element(table.title, columns, rows)


def _lines(text: str) -> tuple[Node, ...]:
    first, *others = text.split("\n")
    return (first, *(node for each in others for node in (element("br"), each)))


def _cells(columns: Sequence[Column], row: Sequence[Cell]) -> list[Element]:
    return [
        element(
            "td" if at else "th",
            *cell.content,
            scope=None if at else "row",
            data_key=cell.key,
            class_=_classes(_class(column), cell.kind),
        )
        for at, (column, cell) in enumerate(zip(columns, row, strict=True))
    ]


def _class(column: Column) -> str | None:
    return "number" if column.number else None


def _classes(*names: str | None) -> str | None:
    return " ".join(name for name in names if name) or None
