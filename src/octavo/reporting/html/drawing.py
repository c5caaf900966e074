"""What the drawings of a page have in common: a frame that is named, and text that fits."""

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
