"""What readers make of files: a tree of sections, a stream of records, or blocks of running text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Section:
    """A part of a document, with the parts below it.

    Parameters
    ----------
    title
        The heading as plain text; ``None`` for a document without one.
    name
        What ids call it, distinct among its siblings; empty for the root.
    text
        Its own text, the heading included, without the sections below.
    line
        The line of the file that its own text begins at, from 1, if the format has lines.
    span
        Where it and everything below lie in the outline's text; ``None`` where that is no one
        piece: then it is the texts of all, one after the other.
    loose
        Its own text is no one piece of the file, so that its lines cannot be told.
    page
        The page, of formats that have pages.
    """

    title: str | None
    name: str
    text: str
    line: int | None = None
    span: tuple[int, int] | None = None
    loose: bool = False
    page: int | None = None
    children: list["Section"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Outline:
    """A document as sections.

    Parameters
    ----------
    root
        The document itself.
    fields
        What it declares: front matter, meta elements, document properties.
    text
        The whole text, that the spans are of.
    keeps_indentation
        Whether white space at the start of a line matters.
    """

    root: Section
    fields: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    keeps_indentation: bool = False

    def whole_text(self, section: Section) -> str:
        """Return the text of a section with all below it."""
        if section.span is not None:
            start, end = section.span
            return self.text[start:end].strip("\n")
        return "\n\n".join(text for text in self._texts(section) if text.strip())

    def length(self, section: Section) -> int:
        """Return the length of :meth:`whole_text`, or a little more."""
        if section.span is not None:
            return section.span[1] - section.span[0]
        return sum(len(text) + 2 for text in self._texts(section))

    def _texts(self, section: Section) -> Iterator[str]:
        yield section.text
        for child in section.children:
            yield from self._texts(child)


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One of many things in one file.

    Parameters
    ----------
    number
        From 1.
    value
        Fields by name, or one bare value.
    line
        The line of the file that it begins at.
    """

    number: int
    value: object
    line: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TextBlock:
    """A piece of a long running text; the first line counts from 1."""

    text: str
    line: int
