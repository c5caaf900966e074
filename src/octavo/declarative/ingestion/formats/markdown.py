"""Markdown: sections by headings, as CommonMark sees them; front matter first."""

from functools import cache
from typing import Any

from octavo.declarative.ingestion.decoding import decoded
from octavo.declarative.ingestion.formats.front_matter import split_front_matter
from octavo.declarative.ingestion.formats.heading_tree import Heading, heading_tree
from octavo.declarative.ingestion.formats.plain_headings import plain_headings, plain_title
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline
from octavo.importing import optional


def read_markdown(resource: Resource, limits: IngestionLimits) -> Outline:
    """Return the sections of a Markdown file.

    Only headings at the outermost level count, not those in lists, quotations or fenced code.
    """
    text = decoded(resource.whole(limits.file_bytes), resource.charset)
    front = split_front_matter(text, limits)
    body = text[front.end :]
    root = heading_tree(body, markdown_headings(body), front.lines + 1)
    return Outline(root, front.fields, body)


def markdown_headings(text: str) -> list[Heading]:
    r"""Return the headings of a Markdown text.

    Examples
    --------
    >>> [(each.level, each.title, each.line) for each in markdown_headings("# A *b*\n\nC\n-\n")]
    [(1, 'A b', 0), (2, 'C', 2)]
    """
    plain = plain_headings(text)
    if plain is not None:
        return plain
    tokens = _blocks().parse(text)
    found = []
    for position, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            title = plain_title(tokens[position + 1].content)
            found.append(Heading(int(token.tag[1:]), title, token.map[0]))
    return found


@cache
def _blocks() -> Any:  # noqa: ANN401 - a parser of the optional library
    library = optional("markdown_it", "declarative", "reading Markdown")
    # Only where blocks begin is of interest; what stands in them is kept as it is.
    return library.MarkdownIt("commonmark").disable(["inline", "text_join"])
