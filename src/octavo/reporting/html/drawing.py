"""What the drawings of a page have in common: a frame that is named, and text that fits."""

from collections.abc import Collection, Sequence
from itertools import zip_longest

from octavo.reporting.html.element import Element, Node, element
from octavo.visible import visible_line

_ELLIPSIS = "…"


def drawing(
    identifier: str, width: int, height: int, title: str, desc: str, *parts: Node
) -> Element:
    """Return an SVG element that a screen reader reads as one image with a name and a description.

    Parameters
    ----------
    identifier
        Unique on the page.
    width, height
        In pixels; it shrinks with the page.
    title, desc
        What it shows, and what is to be seen in it.
    parts
        What is drawn.
    """
    return element(
        "svg",
        element("title", title, id=f"{identifier}-title"),
        element("desc", desc, id=f"{identifier}-desc"),
        *parts,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_labelledby=f"{identifier}-title {identifier}-desc",
    )


def text_at(
    x: float, y: float, text: str, *, anchor: str = "start", class_: str | None = None
) -> Element:
    """Return text of a drawing, its base line at ``y``."""
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Element:
    """Return a straight line of a drawing."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def fitted(text: str, characters: int) -> str:
    """Return a text of one line, cut to so many characters.

    Examples
    --------
    >>> fitted("a long name", 7)
    'a long…'
    """
    shown = visible_line(text)
    return shown if len(shown) <= characters else shown[: characters - 1] + _ELLIPSIS


def fitted_apart(names: Sequence[str], characters: int) -> list[str]:
    """Return names of one line, cut to so many characters, that differ where the names do.

    Names that would be cut to the same are shown from where they differ, and with their number where
    that is not enough.

    Examples
    --------
    >>> fitted_apart(["a long name", "a long nail", "another", "a lot"], 7)
    ['…me', '…il', 'another', 'a lot']
    """
    shown = [visible_line(name) for name in names]
    alike = _by_label(shown, [fitted(name, characters) for name in shown])
    ends = [_end(name, alike[fitted(name, characters)]) for name in shown]
    labels = [fitted(end, characters) for end in ends]
    alike = _by_label(shown, labels)
    return [
        label if len(alike[label]) == 1 else f"{fitted(label, characters - 4)} {number}"
        for number, label in enumerate(labels, start=1)
    ]


def _by_label(names: Sequence[str], labels: Sequence[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {label: set() for label in labels}
    for name, label in zip(names, labels, strict=True):
        found[label].add(name)
    return found


def _end(name: str, alike: Collection[str]) -> str:
    """Return a name from where it differs from others; whole where there are no others."""
    if len(alike) == 1:
        return name
    columns = enumerate(zip_longest(*alike))
    return f"{_ELLIPSIS}{name[next(at for at, column in columns if len({*column}) > 1) :]}"
