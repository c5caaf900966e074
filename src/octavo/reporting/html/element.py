"""Markup as data: what is rendered is escaped, so no text of a user ever becomes markup."""

import re
from dataclasses import dataclass
from functools import cache
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
    pieces: list[str] = []
    _append(node, pieces)
    return "".join(pieces)


def _attribute(name: str, value: Attribute) -> tuple[str, str]:
    text = "" if value is True else str(value)
    leaves = name.lower() in _LINKS and not text.startswith("#")
    if leaves or not _is_harmless(name):
        raise InvalidArgumentError(
            f"attribute: expected one without scripts, styles or links out of the page, "
            f"found {name}={text!r}"
        )
    return name, text


@cache
def _is_harmless(name: str) -> bool:
    runs = name.lower().startswith("on") or name.lower() == "style"
    return _NAME.fullmatch(name) is not None and not runs


def _append(node: Node, pieces: list[str]) -> None:
    if isinstance(node, str):
        pieces.append(_escaped(node))
        return
    pieces.append(f"<{node.name}")
    pieces += [f' {name}="{_escaped(value)}"' for name, value in node.attributes]
    pieces.append(">")
    if node.name not in _VOID:
        for child in node.children:
            _append(child, pieces)
        pieces.append(f"</{node.name}>")


def _escaped(text: str) -> str:
    return escape(visible(text))
