"""Markup as data: what is rendered is escaped, so no text of a user ever becomes markup."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from octavo.errors import InvalidArgumentError
from octavo.visible import visible

_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9-]*")
_VOID: Final = frozenset({"br", "input", "meta"})
_RAW: Final = frozenset({"script", "style"})
_LINKS: Final = frozenset({"action", "data", "formaction", "href", "src", "srcdoc", "srcset"})

Attribute = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Element:
    """An element of HTML or SVG; made by :func:`element`, which checks it."""

    name: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple["Node", ...]


Node = Element | str
"""An element, or text that is escaped when it is rendered."""


def element(name: str, /, *children: Node, **attributes: Attribute) -> Element:
    """Return an element.

    Parameters
    ----------
    name
        Of the element; none whose text is not escaped (``script``, ``style``).
    children
        Elements and texts.
    attributes
        By name: an underscore stands for a hyphen, one at the end is dropped (``class_``). ``True``
        is an attribute without a value, ``False`` and ``None`` are none. Attributes that run
        scripts or set styles are refused, and links that lead out of the page.

    Raises
    ------
    InvalidArgumentError
        A name is none, or not allowed.

    Examples
    --------
    >>> render(element("p", "1 < 2 & ", element("b", "so"), class_="a b", hidden=True))
    '<p class="a b" hidden="">1 &lt; 2 &amp; <b>so</b></p>'
    """
    if not _NAME.fullmatch(name) or name in _RAW:
        raise InvalidArgumentError(f"element: expected the name of one, found {name!r}")
    kept = tuple(
        _attribute(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Element(name, kept, children)


def render(node: Node) -> str:
    r"""Return markup in which texts are escaped and nothing is hidden.

    Examples
    --------
    >>> render("<script>\u202e\ud800\x00")
    '&lt;script&gt;[U+202E][U+D800][U+0000]'
    """
    return "".join(_pieces(node))


def _attribute(name: str, value: Attribute) -> tuple[str, str]:
    text = "" if value is True else str(value)
    runs = name.lower().startswith("on") or name.lower() == "style"
    leaves = name.lower() in _LINKS and not text.startswith("#")
    if not _NAME.fullmatch(name) or runs or leaves:
        raise InvalidArgumentError(
            f"attribute: expected one without scripts, styles or links out of the page, "
            f"found {name}={text!r}"
        )
    return name, text


def _pieces(node: Node) -> Iterator[str]:
    if isinstance(node, str):
        yield _escaped(node)
        return
    yield f"<{node.name}"
    for name, value in node.attributes:
        yield f' {name}="{_escaped(value)}"'
    yield ">"
    if node.name not in _VOID:
        for child in node.children:
            yield from _pieces(child)
        yield f"</{node.name}>"


def _escaped(text: str) -> str:
    return escape(visible(text))


def joined(nodes: Iterable[Node], between: str) -> tuple[Node, ...]:
    """Return nodes with a text between any two.

    Examples
    --------
    >>> joined(["a", "b"], ", ")
    ('a', ', ', 'b')
    """
    found = [part for node in nodes for part in (between, node)]
    return tuple(found[1:])
