"""The part of a text that shows best why it was found."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from octavo.visible import printable

WIDTH = 200
READ_CHARACTERS = 50_000
"""How far into a text matches are looked for."""

_HINTS = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff]")
"""Where a line may break, or which way it runs: unseen, and of no use to a snippet."""

Match = tuple[int, int, frozenset[str]]
"""Start and end of a word in the text, and the query's terms that it matches."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a snippet; ``found`` where it matches the query."""

    text: str
    found: bool = False


def best_snippet(
    text: str, spans: Sequence[Match], terms: Collection[str], width: int = WIDTH
) -> tuple[Piece, ...]:
    """Return the stretch of ``text`` with the most distinct terms, on one line, in pieces.

    Of stretches with equally many it is the one with the most matches, then the first; without a
    match, the head of the text.

    Parameters
    ----------
    text
        The text.
    spans
        Its words in order: start, end, and the terms that each yields.
    terms
        The query's terms.
    width
        The largest number of characters.

    Examples
    --------
    >>> words = [(0, 3, frozenset({"red"})), (4, 7, frozenset({"fox"}))]
    >>> best_snippet("red fox", words, {"fox"})
    (Piece(text='red ', found=False), Piece(text='fox', found=True))
    """
    wanted = frozenset(terms)
    matches = [(start, end, found) for start, end, words in spans if (found := words & wanted)]
    start, stop = _window(text, matches, width)
    pieces = [Piece("… ")] if text[:start].strip() else []
    position = start
    for begin, end in _merged(matches, start, stop):
        pieces += [Piece(text[position:begin]), Piece(text[begin:end], found=True)]
        position = end
    pieces.append(Piece(text[position:stop]))
    if text[stop:].strip():
        pieces.append(Piece(" …"))
    return tuple(
        Piece(cleaned, piece.found) for piece in pieces if (cleaned := _one_line(piece.text))
    )


def _window(text: str, matches: Sequence[Match], width: int) -> tuple[int, int]:
    """Return start and end of the best stretch, at word boundaries where there are any."""
    first = len(text) - len(text.lstrip())
    if not matches:
        return first, _word_end(text, first + width, first)
    best, best_value = 0, (0, 0)
    last = 0
    for position, (start, _, _) in enumerate(matches):
        last = max(last, position)
        while last < len(matches) and matches[last][1] <= start + width:
            last += 1
        inside = matches[position:last]
        value = (len(frozenset().union(*(terms for _, _, terms in inside))), len(inside))
        if value > best_value:
            best, best_value = position, value
    start, end = matches[best][0], matches[best][1]
    for _, candidate, _ in matches[best:]:
        if candidate <= start + width:
            end = candidate
    # The matches sit in the middle, unless the text begins or ends there.
    spare = max(0, width - (end - start))
    start = max(first, min(start - spare // 2, max(first, len(text) - width)))
    stop = max(start + width, end)
    return _word_start(text, start, matches[best][0]), _word_end(text, stop, end)


def _merged(matches: Sequence[Match], start: int, stop: int) -> list[tuple[int, int]]:
    """Return the matches that lie within a stretch; those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for begin, end, _ in matches:
        if begin < start or end > stop:
            continue
        if merged and begin < merged[-1][1]:
            first, last = merged[-1]
            merged[-1] = (first, max(last, end))
        else:
            merged.append((begin, end))
    return merged


def _word_start(text: str, start: int, limit: int) -> int:
    """Move to the next start of a word before ``limit``, unless one begins here."""
    if start == 0 or text[start - 1].isspace():
        return start
    for position in range(start, min(limit, start + 30)):
        if text[position].isspace():
            return position + 1
    return start


def _word_end(text: str, end: int, limit: int) -> int:
    """Move back to the end of a word, not before ``limit``, unless one ends here."""
    if end >= len(text) or text[end].isspace():
        return min(end, len(text))
    for position in range(end, max(limit, end - 30), -1):
        if text[position - 1].isspace():
            return position - 1
    return end


def _one_line(text: str) -> str:
    cleaned = printable(_HINTS.sub("", text))
    inner = " ".join(cleaned.split())
    if not inner:
        return " " if cleaned else ""
    return f"{' ' * cleaned[0].isspace()}{inner}{' ' * cleaned[-1].isspace()}"
