"""Cutting long text into parts: between paragraphs, else between sentences, else between words.

Parts are pieces of the text as it is, so that each can be found in its file. Where a part begins
depends on its own section only.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from octavo.importing import optional

_BETWEEN_PARAGRAPHS: Final = re.compile(r"\n[ \t]*\n\s*(?=\S)|\n[ \t]*\n\s*\Z")
_BETWEEN_BLOCKS: Final = re.compile(r"(?<=\S)[ \t]*\n(?:[ \t]*\n)++(?=[^\s})\]])")
_WINDOW: Final = 16
"""A run of text without a paragraph is cut by sentences in windows of so many parts."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text: its first line within the text, from 0, and the number of its line ends."""

    text: str
    line: int

    @property
    def last_line(self) -> int:
        """The last line, from 0."""
        return self.line + self.text.count("\n")


def paragraphs(text: str) -> list[Part]:
    r"""Return the paragraphs of a text, which blank lines part.

    Examples
    --------
    >>> paragraphs("one\n\ntwo\nlines")
    [Part(text='one', line=0), Part(text='two\nlines', line=2)]
    """
    return _located(text, _pieces(text, _BETWEEN_PARAGRAPHS))


def parts(text: str, limit: int, *, keeps_indentation: bool = False) -> list[Part]:
    r"""Return the text in parts of at most ``limit`` characters, as few as whole paragraphs allow.

    Parameters
    ----------
    keeps_indentation
        Cut as source code: between blocks that begin at the left margin, else between lines.

    Examples
    --------
    >>> [part.text for part in parts("one two\n\nthree\n\nfour", 14)]
    ['one two\n\nthree', 'four']
    """
    if len(text) <= limit:
        return _located(text, [(0, len(text))])
    between = _BETWEEN_BLOCKS if keeps_indentation else _BETWEEN_PARAGRAPHS
    finer = []
    for start, end in _pieces(text, between):
        if end - start <= limit:
            finer.append((start, end))
        elif keeps_indentation:
            finer.extend(_lines(text, start, end, limit))
        else:
            finer.extend(_sentences(text, start, end, limit))
    return _located(text, _packed(finer, limit))


def _pieces(text: str, between: re.Pattern[str]) -> list[tuple[int, int]]:
    pieces, start = [], 0
    for match in between.finditer(text):
        pieces.append((start, match.start()))
        start = match.end()
    pieces.append((start, len(text)))
    return pieces


def _packed(pieces: list[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    """Join neighbours while they fit."""
    packed: list[tuple[int, int]] = []
    for start, end in pieces:
        if packed and end - packed[-1][0] <= limit:
            packed[-1] = (packed[-1][0], end)
        else:
            packed.append((start, end))
    return packed


def _located(text: str, pieces: list[tuple[int, int]]) -> list[Part]:
    """Return the pieces that have text, without blank lines around, with their lines."""
    found = []
    line = counted = 0
    for start, end in pieces:
        piece = text[start:end].rstrip()
        blank = re.match(r"(?:[^\S\n]*\n)*", piece)
        first = start + (blank.end() if blank else 0)
        piece = piece[first - start :]
        if piece:
            line += text.count("\n", counted, first)
            counted = first
            found.append(Part(piece, line))
    return found


def _sentences(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    splitter = _splitter(limit)
    # Window by window: the splitter's time grows faster than a text without spaces.
    while start < end:
        stop = end
        if end - start > _WINDOW * limit:
            stop = start + _WINDOW * limit
            space = max(text.rfind(" ", start, stop), text.rfind("\n", start, stop))
            stop = space + 1 if space > start else stop
        window = text[start:stop]
        if not window.isascii():
            # Half a character of UTF-16, which JSON can spell, is no text to the splitter.
            window = window.encode("utf-8", "replace").decode("utf-8")
        for offset, piece in splitter.chunk_indices(window):
            yield start + offset, start + offset + len(piece)
        start = stop


def _lines(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        while stop - start > limit:
            yield start, start + limit
            start += limit
        yield start, stop
        start = stop + 1


@lru_cache(maxsize=8)
def _splitter(limit: int) -> Any:  # noqa: ANN401 - a type of the optional library
    library = optional("semantic_text_splitter", "declarative", "cutting long text")
    return library.TextSplitter(limit)
