"""What the lines of a text are: headings, code, prose (Markdown, reST, HTML)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ATX = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.{1,200}?)[ \t]*#*[ \t]*")
_HTML = re.compile(r"[ \t]*<h([1-6])\b[^<>]*>(.{1,300}?)</h[1-6]>[ \t]*")
_NUMBERING = re.compile(r"^\d+(?:\.\d+)*\.?\s+")
_MARKS = re.compile(r"<[^<>]*>|:[\w:+.-]+:(?=`)|\]\([^()]*\)|[`*\[\]]")
_FENCE = re.compile(r"[ ]{0,3}(?:```[^`]*|~~~.*)$")
_BEGINS_CODE = re.compile(r"(?:\.\.[ ](?:code|code-block|sourcecode|math|raw)::.*|(?!\.\.[ ]).*::)")
_UNDERLINES = frozenset("=-~^\"'`#*+.:_")
_LONGEST_TITLE = 150


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, where it stands and how deep; 1 is the highest level."""

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Lines:
    """A text and what its lines are.

    Parameters
    ----------
    prose
        As long as the text; headings and code are empty lines.
    headings
        In the order of the text.
    code
        The lines of code, and where each stands.
    """

    prose: str
    headings: list[Heading]
    code: list[tuple[int, str]]


def read_lines(text: str) -> Lines:
    """Return what the lines of a text are; linear in the text."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._is_rest = "::\n" in text or "\n.. " in text or text.startswith(".. ")
        self._headings: list[Heading] = []
        self._code: list[tuple[int, str]] = []
        self._levels: dict[str, int] = {}
        self._starts: list[int] = []

    def read(self) -> Lines:
        start = 0
        for line in self._lines:
            self._starts.append(start)
            start += len(line) + 1
        for number in self._prose_lines():
            line = self._lines[number]
            first = line.lstrip(" ")[:1]
            if first == "#" and not self._is_rest:
                self._read_title(number, _ATX.fullmatch(line))
            elif first == "<" and "<h" in line:
                self._read_title(number, _HTML.fullmatch(line))
            if line[:1] in _UNDERLINES and self._is_underline(number):
                self._read_underlined(number)
        return Lines("\n".join(self._lines), self._headings, self._code)

    def _prose_lines(self) -> Iterator[int]:
        """Yield the numbers of the lines that are no code, and blank those that are."""
        closing = {line.strip()[:3]: n for n, line in enumerate(self._lines) if _FENCE.match(line)}
        front_matter = self._lines[0].rstrip() == "---" and "---" in self._lines[1:]
        fence, indent = "---" if front_matter else "", -1
        for number, line in enumerate(self._lines):
            words = line.strip()
            if fence:
                self._blank_code(number)
                if number and words.startswith(fence) and not words.strip(fence[0]):
                    fence = ""
                continue
            if not self._is_rest and _FENCE.match(line) and closing[words[:3]] > number:
                fence = words[:3]
                self._blank_code(number)
                continue
            depth = len(line) - len(line.lstrip())
            if indent >= 0 and (not words or depth > indent):
                self._blank_code(number)
                continue
            indent = depth if _BEGINS_CODE.fullmatch(words) else -1
            yield number

    def _blank_code(self, number: int) -> None:
        line = self._lines[number]
        if line and not line.isspace():
            self._code.append((self._starts[number], line))
            self._lines[number] = " " * len(line)

    def _read_title(self, number: int, match: re.Match[str] | None) -> None:
        if match is not None:
            level = match[1]
            self._add(number, int(level) if level.isdecimal() else len(level), match[2])

    def _is_underline(self, number: int) -> bool:
        line = self._lines[number].rstrip()
        if number == 0 or len(line) < 3 or line.strip(line[0]):
            return False
        if line[0] == "`" and not self._is_rest:  # a fence that is never closed
            return False
        title = self._lines[number - 1].rstrip()
        if not title.strip() or len(title) > _LONGEST_TITLE or len(line) < min(3, len(title)):
            return False
        # A paragraph or a table is no title: above a title there is an empty line, or a line like
        # the one below it.
        above = self._lines[number - 2].rstrip() if number > 1 else ""
        return (not above or above == line) and title[0] not in "|+-=#"

    def _read_underlined(self, number: int) -> None:
        mark = self._lines[number][0]
        overlined = number > 1 and bool(self._lines[number - 2].strip())
        level = self._levels.setdefault(mark + "/" * overlined, len(self._levels) + 1)
        title = self._lines[number - 1]
        for part in range(number - 2 if overlined else number - 1, number + 1):
            if part != number - 1:
                self._lines[part] = " " * len(self._lines[part])
        self._add(number - 1, level, title)

    def _add(self, number: int, level: int, title: str) -> None:
        title = _NUMBERING.sub("", " ".join(_MARKS.sub("", title).split()))
        if title:
            self._headings.append(Heading(self._starts[number], level, title))
        self._lines[number] = " " * len(self._lines[number])
