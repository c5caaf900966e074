"""Explicit references in running text: to numbered documents, items and parts of laws."""

import re

from octavo.graph.text.function_words import is_function_word
from octavo.graph.text.patterns import IN_WORD
from octavo.graph.text.written_name import GAP, WrittenName
from octavo.spi import EntityKind

_SPACE = r"(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*)"  # a line may end, a paragraph may not
_AND = (
    rf"(?:,(?:{_SPACE}(?:and|or))?|{_SPACE}(?:and|or|&|to|through|und|oder|bis|et|ou|y|e)){_SPACE}"
)

# Patterns begin with the characters that a match can begin with, and look back from there: so the
# search goes from one such character to the next.
_FREE = rf"(?<![/.@-].)(?<!{IN_WORD}.)"  # nothing before belongs to the same word
_ENDS = rf"(?!{IN_WORD})"

# PEP 8, RFC 2119, ISO 8859-1, CVE-2021-3177, ECMA-262; PEPs 3107, 484 and 526
_SERIES = re.compile(
    rf"(?P<name>[A-Z]{_FREE}[A-Z]{{1,9}}+)(?:"
    rf"(?:{_SPACE}|-)(?P<number>\d{{1,7}}+(?:-\d+)*+){_ENDS}"
    rf"|s(?P<numbers>{_SPACE}\d{{1,7}}+(?:{_AND}\d{{1,7}}+)*+){_ENDS})"
)

# issue #12, bug 1234, GH-77, bpo-1234, pull request #5
_ITEM = re.compile(
    rf"(?P<name>[iIbBtTgGpP]{_FREE}(?:ssue|ug|icket|po|[hH]|[rR]|ull[ ]request))"
    rf"[ \u00a0]?[#-]?[ \u00a0]?(?P<number>\d{{1,7}}+){_ENDS}"
)

# § 1-204.01, §§ 7-219(a) and 16-2331, Article 5, Articles 5 and 6, Art. 17a
_PLACE = r"\d\w*+(?:[-–.:]\w+)*+"
_CLAUSE = re.compile(
    rf"(?P<many>§§|A(?<!\w.)rt(?:icles|ikel))\s?(?P<numbers>{_PLACE}(?:\(\w{{1,6}}\))*+"
    rf"(?:{_AND}{_PLACE}(?:\(\w{{1,6}}\))*+)*+)"
    rf"|(?P<name>§|A(?<!\w.)rt(?:icle|ículo|icolo|\.))\s?(?P<number>{_PLACE})"
)

# 第3条
_ARTICLE = re.compile(r"第[\d〇一二三四五六七八九十百千]{1,9}[条條章]")

_NUMBERS = re.compile(r"\d+")
_PLACES = re.compile(rf"(?<!\(){_PLACE}")


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

    for pattern in (_ITEM, _SERIES, _CLAUSE, _ARTICLE):
        text = pattern.sub(read, text)
    return text


def _names(match: re.Match[str]) -> list[str]:
    """Return the names of what is referred to, each written in one way."""
    pattern, given = match.re, match.groupdict()
    if pattern is _ARTICLE:
        return [match[0]]
    if pattern is _CLAUSE:
        return _clause_names(given)
    return _numbered_names(given, is_item=pattern is _ITEM)


def _numbered_names(given: dict[str, str], *, is_item: bool) -> list[str]:
    name, number = given["name"], given["number"]
    if is_item:
        return [f"{name.lower()} #{int(number)}"]
    if is_function_word(name.lower()):
        return []
    if number is not None and not number.isdecimal():
        return [f"{name} {number}"]
    numbers = [number] if number is not None else _NUMBERS.findall(given["numbers"])
    return [f"{name} {int(each)}" for each in numbers]


def _clause_names(given: dict[str, str]) -> list[str]:
    if given["numbers"] is None:
        return [f"{given['name']} {given['number']}"]
    name = "§" if given["many"] == "§§" else given["many"].removesuffix("s")
    return [f"{name} {number}" for number in _PLACES.findall(given["numbers"])]
