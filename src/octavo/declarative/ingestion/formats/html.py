"""HTML: the text as a reader sees it, in sections by headings.

The parser is lexbor (by selectolax), which builds the tree of the HTML standard: broken markup has
one meaning, the same on every machine. Extractors that guess what the main content is, such as
trafilatura, would lose passages by heuristics that change from version to version, and chunk ids
with them.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.declarative.ingestion.decoding import decoded
from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.formats.heading_tree import Heading, heading_tree
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline, Section
from octavo.importing import optional

_UNREAD: Final = frozenset(
    (
        *("script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object"),
        *("canvas", "audio", "video", "nav", "select", "button", "textarea", "dialog"),
    )
)
_BLOCKS: Final = frozenset(
    (
        *("address", "article", "aside", "blockquote", "details", "dd", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "legend", "main"),
        *("ol", "p", "pre", "section", "summary", "table", "ul", "body", "caption"),
    )
)
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_UNCLOSED: Final = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"),
        *("track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot"),
        *("option", "optgroup", "colgroup", "html", "body", "head", "!--", "param"),
    )
)
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_SPACES: Final = re.compile(r"\s+")
_DEEPEST: Final = 2_000
_CHARSET: Final = re.compile(
    rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
_AS_STANDARD: Final[Mapping[str, str]] = {
    **dict.fromkeys(("utf-16", "utf-16-le", "utf-16-be"), "utf-8"),
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
}
"""What the standard of HTML takes a declared charset for: who could read it knows it is not UTF-16."""
_FIELDS: Final[Mapping[str, str]] = {
    "article:modified_time": "modified",
    "article:published_time": "published",
    "last-modified": "modified",
    **dict.fromkeys(("date", "dcterms.date", "dc.date"), "date"),
    **{name: name for name in ("author", "description", "keywords")},
}


def read_html(resource: Resource, limits: IngestionLimits) -> Outline:
    """Return the sections of an HTML file.

    Scripts, styles, navigation, forms' controls and what a browser hides are left out.

    Raises
    ------
    DamagedSource
        The file is not text, or elements are nested deeper than any page does.
    """
    content = resource.whole(limits.file_bytes)
    declared = _CHARSET.search(content[:1_024])
    charset = resource.charset or (_charset(declared[1]) if declared else None)
    text = decoded(content, charset)
    _check_nesting(text)
    tree = optional("selectolax.lexbor", "declarative", "reading HTML").LexborHTMLParser(text)
    fields = _declared(tree)
    if tree.body is None:
        return Outline(Section(None, "", ""), fields)
    main = tree.css_first("main, [role=main]")
    lines, headings = _Page().lines(tree.body if main is None else main)
    body = "\n".join(lines)
    root = heading_tree(body, headings, 1)
    _forget_lines(root)
    return Outline(root, fields, body)


def _charset(declared: bytes) -> str:
    name = declared.decode("ascii", "replace")
    try:
        return _AS_STANDARD.get(codecs.lookup(name).name, name)
    except LookupError:
        return name


def _declared(tree: Any) -> dict[str, object]:  # noqa: ANN401 - a tree of the optional library
    fields: dict[str, object] = {}
    title = tree.css_first("title")
    if title is not None and title.text().strip():
        fields["title"] = " ".join(title.text().split())
    for meta in tree.css("meta"):
        attributes = meta.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
        value = (attributes.get("content") or "").strip()
        key = _FIELDS.get((name or "").lower())
        if key and value:
            fields.setdefault(key, value)
    return fields


def _forget_lines(section: Section) -> None:
    """Remove lines: those of the text are not those of the file."""
    section.line = None
    for child in section.children:
        _forget_lines(child)


def _check_nesting(text: str) -> None:
    """Refuse what would take the parser a time that grows with the square of the depth."""
    depth = 0
    for match in _TAG.finditer(text):
        if match[2].lower() not in _UNCLOSED:
            depth = max(depth - 1, 0) if match[1] else depth + 1
            if depth > _DEEPEST:
                raise DamagedSource(f"expected HTML nested at most {_DEEPEST:,} deep, found more")


class _Page:
    """The lines of a page, blocks parted by blank ones."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._headings: list[Heading] = []
        self._inline: list[str] = []
        self._prefix = ""

    def lines(self, body: Any) -> tuple[list[str], list[Heading]]:  # noqa: ANN401
        """Return the lines, and the headings among them."""
        preserved = 0
        for tag, entering, node in _events(body):
            if tag == "-text":
                text = node.text(deep=False)
                self._inline.append(text if preserved else _SPACES.sub(" ", text))
            elif tag == "br":
                self._inline.append("\n" * entering)
            elif tag == "li":
                self._end_block(blank=False)
                self._prefix = "- " if entering else ""
            elif tag == "tr":
                self._end_block(blank=False)
            elif tag in {"td", "th"}:
                self._inline.append("" if entering else " | ")
            elif tag in _HEADINGS:
                self._end_heading(int(tag[1])) if not entering else self._end_block(blank=True)
            elif tag in _BLOCKS:
                self._end_block(blank=tag not in {"ul", "ol"} or not self._prefix)
                preserved += (1 if entering else -1) if tag == "pre" else 0
        self._end_block(blank=True)
        return self._lines, self._headings

    def _end_heading(self, level: int) -> None:
        title = " ".join("".join(self._inline).split())
        self._inline = [title]
        line = len(self._lines)
        self._end_block(blank=True)
        if title:
            self._headings.append(Heading(level, title, line))

    def _end_block(self, *, blank: bool) -> None:
        text = "".join(self._inline).strip("\n")
        self._inline = []
        kept = [line.rstrip().removesuffix(" |") for line in text.split("\n")]
        if any(line.strip() for line in kept):
            kept[0] = self._prefix + kept[0].lstrip(" " if self._prefix else "")
            self._prefix = ""
            self._lines += kept
        if blank and self._lines and self._lines[-1]:
            self._lines.append("")


def _events(body: Any) -> Iterator[tuple[str, bool, Any]]:  # noqa: ANN401
    """Yield the elements at their start and at their end, and texts, without recursion."""
    node, top = body, body.mem_id
    while True:
        tag = node.tag
        if tag == "-text":
            yield tag, True, node
        elif tag not in _UNREAD and "hidden" not in node.attributes:
            yield tag, True, node
            if node.child is not None:
                node = node.child
                continue
            yield tag, False, node
        while node.mem_id != top and node.next is None:
            node = node.parent
            yield node.tag, False, node
        if node.mem_id == top:
            return
        node = node.next
