"""Explicit references in running text: to numbered documents, items and parts of laws."""

import re

from octavo.graph.text.function_words import is_function_word
from octavo.graph.text.patterns import IN_WORD
from octavo.graph.text.written_name import GAP, WrittenName
from octavo.spi import EntityKind

_SPACE = r"(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*)"  # a line may end, a paragraph may not
# Patterns begin with the characters that a match can begin with, and look back from there: so the
# search goes from one such character to the next.
_FREE = rf"(?<![/.@-].)(?<!{IN_WORD}.)"  # nothing before belongs to the same word
_ENDS = rf"(?!{IN_WORD})"

_SERIES = re.compile(
    # PEP 8, RFC 2119, ISO 8859-1, CVE-2021-3177, ECMA-262; PEPs 3107, 484 and 526
    rf"[A-Z]{_FREE}[A-Z]{{1,9}}+(?:(?:{_SPACE}|-)(?P<number>\d{{1,7}}+(?:-\d+)*+){_ENDS}"
    rf"|s(?P<numbers>{_SPACE}\d{{1,7}}+"
    rf"(?:(?:,(?:{_SPACE}(?:and|or))?|{_SPACE}(?:and|or|&)){_SPACE}\d{{1,7}}+)*+){_ENDS})"
)
"""Explicit references to documents with numbers."""

_SERIES_NAME = re.compile("[A-Z]+")

_ITEM = re.compile(
    # issue #12, bug 1234, GH-77, bpo-1234, pull request #5
    rf"[iIbBtTgGpP]{_FREE}(?:ssue|ug|icket|po|[hH]|[rR]|ull[ ]request)"
    rf"[ \u00a0]?[#-]?[ \u00a0]?(?P<number>\d{{1,7}}+){_ENDS}"
)
"""Explicit references to what a tracker numbers."""

_CLAUSE = re.compile(
    # § 1-204.01, Article 5, Art. 17a, 第3条
    r"(?:§§?\s?|A(?<!\w.)rt(?:icle|ículo|ikel|icolo|\.)\s)(?P<number>\d+\w*(?:[-–.:]\w+)*+)"
    r"|第[\d〇一二三四五六七八九十百千]{1,9}[条條章]"
)
"""Explicit references to parts of laws."""

_NUMBERS = re.compile(r"\d+")


def read_references(text: str, start: int, found: list[WrittenName]) -> str:
    """Add the references of a text to ``found``; return the text with a gap for each.

    Parameters
    ----------
    text
        Prose, a title, or a line of code.
    start
        Where the text begins.
    """

    def read(match: re.Match[str]) -> str:
        names = _names(match)
        first, last = match.span()
        kind = EntityKind.REFERENCE
        found.extend(WrittenName(start + first, start + last, name, kind) for name in names)
        return GAP * len(match[0]) if names else match[0]

    return _CLAUSE.sub(read, _SERIES.sub(read, _ITEM.sub(read, text)))


def _names(match: re.Match[str]) -> list[str]:
    """Return the names of what is referred to, written in one way."""
    if match.re is _CLAUSE:
        return [" ".join(match[0].split())]
    number = match["number"]
    if match.re is _ITEM:
        tracker = match[0][: match.start("number") - match.start()].rstrip(" \u00a0#-")
        return [f"{tracker.lower()} #{int(number)}"]
    series = _SERIES_NAME.match(match[0])[0]  # type: ignore[index]  # the pattern begins with it
    if is_function_word(series.lower()):
        return []
    if number is None:
        return [f"{series} {int(each)}" for each in _NUMBERS.findall(match["numbers"])]
    return [f"{series} {int(number) if number.isdecimal() else number}"]
