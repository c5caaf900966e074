"""A tree of sections from headings and their levels."""

from collections.abc import Sequence
from dataclasses import dataclass

from octavo.declarative.ingestion.identifiers import SiblingNames, slug
from octavo.declarative.ingestion.sections import Section


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level, its text, and its line in the text, from 0."""

    level: int
    title: str
    line: int


def heading_tree(text: str, headings: Sequence[Heading], first_line: int) -> Section:
    r"""Return the sections of a text.

    A text whose only outermost heading is its first line is that section itself: the document.

    Parameters
    ----------
    first_line
        The line of the file that the text begins at, from 1.

    Examples
    --------
    >>> root = heading_tree("# A\nx\n## B\ny\n", [Heading(1, "A", 0), Heading(2, "B", 2)], 1)
    >>> root.title, root.text, [(each.name, each.line) for each in root.children]
    ('A', '# A\nx', [('b', 3)])
    """
    starts = _line_starts(text, headings)
    root = Section(None, "", "", first_line, (0, len(text)))
    open_sections: list[tuple[int, Section, SiblingNames]] = [(0, root, SiblingNames())]
    for position, heading in enumerate(headings):
        while open_sections[-1][0] >= heading.level:
            open_sections.pop()
        names = open_sections[-1][2]
        end = starts[position + 1] if position + 1 < len(headings) else len(text)
        section = Section(
            heading.title or None,
            names.distinct(slug(heading.title)),
            text[starts[position] : end].rstrip(),
            first_line + heading.line,
            (starts[position], _end_below(headings, starts, position, len(text))),
        )
        open_sections[-1][1].children.append(section)
        open_sections.append((heading.level, section, SiblingNames()))
    root.text = text[: starts[0] if starts else len(text)].rstrip()
    return _joined_with_title(root)


def _joined_with_title(root: Section) -> Section:
    if len(root.children) == 1 and not root.text.strip():
        only = root.children[0]
        only.name = ""
        return only
    return root


def _line_starts(text: str, headings: Sequence[Heading]) -> list[int]:
    starts = []
    line = offset = 0
    for heading in headings:
        while line < heading.line:
            offset = text.index("\n", offset) + 1
            line += 1
        starts.append(offset)
    return starts


def _end_below(
    headings: Sequence[Heading], starts: Sequence[int], position: int, length: int
) -> int:
    level = headings[position].level
    for later in range(position + 1, len(headings)):
        if headings[later].level <= level:
            return starts[later]
    return length
