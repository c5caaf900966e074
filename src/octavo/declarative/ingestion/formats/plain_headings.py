"""Headings of Markdown that needs no parser: most files, in a tenth of the time.

A line that begins with ``#`` at the left margin is a heading of CommonMark wherever it stands, but
for fenced code and HTML: it ends paragraphs, lists and quotations. So two things need to be followed,
fences at the margin and such lines. Whatever could make a difference beyond that (headings and
fences that are indented, underlined headings, HTML) is left to the parser.
"""

import re
from typing import Final

from octavo.declarative.ingestion.formats.heading_tree import Heading
from octavo.importing import optional

_TEXTUAL: Final = frozenset({"text", "code_inline", "image"})
_NEEDS_PARSER: Final = re.compile(
    r"^ {1,3}(?:#|```|~~~)|^ {0,3}<|\S[ \t]*\n {0,3}(?:=+|-+)[ \t]*$|^```[^\n]*[^`\n]`"
    r"|[\f\v\x1c-\x1e\x85\u2028\u2029\0]",
    re.MULTILINE,
)
_LINE: Final = re.compile(r"^(?:(#{1,6})(?:[ \t]+([^\n]*))?|(`{3,}|~{3,})([^\n]*))$", re.MULTILINE)
_CLOSING_MARKS: Final = re.compile(r"(?:^|(?<![ \t])[ \t]+)#++[ \t]*$")


def plain_headings(text: str) -> list[Heading] | None:
    r"""Return the headings of a text, ``None`` where it takes a parser to know them.

    Examples
    --------
    >>> plain_headings("# A\n```\n# no\n```\n")
    [Heading(level=1, title='A', line=0)]
    >>> plain_headings("A\n=\n") is None
    True
    """
    if _NEEDS_PARSER.search(text):
        return None
    found = []
    fence = ""
    line = counted = 0
    for match in _LINE.finditer(text):
        marks, title, opening, rest = match.groups()
        if opening is not None:
            if not fence:
                fence = opening
            elif opening.startswith(fence) and not rest.strip(" \t"):
                fence = ""
        elif not fence:
            line += text.count("\n", counted, match.start())
            counted = match.start()
            inline = _CLOSING_MARKS.sub("", title or "").strip(" \t")
            found.append(Heading(len(marks), plain_title(inline), line))
    return found


def plain_title(inline: str) -> str:
    """Return the text of a heading without its marks.

    Examples
    --------
    >>> plain_title("The [`select`](select.md) *member*")
    'The select member'
    """
    if not any(mark in inline for mark in "`*_[]!<&\\\n"):
        return inline.strip()
    (parsed,) = (
        optional("markdown_it", "declarative", "reading Markdown")
        .MarkdownIt("commonmark")
        .parseInline(inline)
    )
    texts = (
        token.content if token.type in _TEXTUAL else " " * token.type.endswith("break")
        for token in parsed.children
    )
    return "".join(texts).strip()
