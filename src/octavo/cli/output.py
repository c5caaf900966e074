"""Printing: results to stdout, everything else to stderr."""

import contextlib
import json
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.reporting.table import Table


def say(line: str) -> None:
    """Tell the user something that is no result; whether anybody listens does not matter."""
    with contextlib.suppress(BrokenPipeError):
        print(line, file=sys.stderr)  # noqa: T201


def show(line: str) -> None:
    """Print a line of the result."""
    print(line)  # noqa: T201


def show_json(value: object) -> None:
    """Print a JSON value on one line; in ASCII where stdout cannot print all characters."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    text = json.dumps(value, ensure_ascii=encoding != "utf8", default=str)
    # Half of a surrogate pair, which JSON can say and UTF-8 cannot.
    show(text if text.isascii() else text.encode("utf-8", "backslashreplace").decode())


def show_table(table: "Table") -> None:
    """Print a table as part of the result; in a pipe as wide as its cells ask."""
    from rich.console import Console  # noqa: PLC0415 - slow to import
    from rich.table import Table as RichTable  # noqa: PLC0415

    shown = RichTable(title=table.title, title_justify="left", box=None, pad_edge=False)
    for name in table.columns:
        shown.add_column(name, justify="right" if name in table.numbers else "left")
    for row in table.rows:
        shown.add_row(*row)
    width = None if sys.stdout.isatty() else 200
    Console(file=sys.stdout, width=width, markup=False, highlight=False).print(shown)


def facts(pairs: Iterable[tuple[str, object]]) -> list[str]:
    """Lay out names and values in two columns.

    Examples
    --------
    >>> facts([("documents", 3), ("size", "1.5 MB")])
    ['documents  3', 'size       1.5 MB']
    """
    rows = list(pairs)
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{name:<{width}}  {value}" for name, value in rows]


def size(bytes_: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> size(999), size(1_540_000)
    ('999 B', '1.5 MB')
    """
    value = float(bytes_)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def counts(amounts: Mapping[str, Any]) -> str:
    """Return names and amounts on one line; what is zero is left out.

    Examples
    --------
    >>> counts({"terms": 3, "documents scored": 1200, "unknown terms": 0})
    'terms 3, documents scored 1,200'
    """
    return ", ".join(f"{name} {amount:,}" for name, amount in amounts.items() if amount)
