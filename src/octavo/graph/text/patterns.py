"""How names look in running text: references, identifiers, quotations, capitals, scripts."""

import re
import sys
import unicodedata
from functools import cache

_SPACE = r"(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*)"  # a line may end, a paragraph may not
_UNSPACED = "぀-ヿ㐀-鿿가-힣"

IN_WORD = rf"[^\W{_UNSPACED}]"
"""A character that, beside a Latin letter, is of the same word: not Kana, Han or Hangul."""

UNSPACED = re.compile(f"[{_UNSPACED}]+")
"""Text that stands beside Latin words without a space."""

_PARTICLES = (
    "of|for|de|du|des|del|della|di|da|do|dos|la|le|von|van|der|den|zu|zur|al|el|bin|ibn|ben|y|e"
)

IDENTIFIER = re.compile(
    # A word of small letters alone ends the attempt at once.
    r"(?<![\w.@/-])(?=[^\W\d]?[^\W_A-Z]*+[A-Z_.:(])(?:"
    r"[^\W\d]\w++(?:(?:\.|::)[^\W\d]\w++)++(?:\(\))?"  # os.path.join, std::vector
    r"|[^\W_]\w*?_\w*+(?:\(\))?|__?[^\W\d_]\w*+(?:\(\))?"  # snake_case, __init__, MAX_SIZE
    r"|[^\W\d]\w++\(\)"  # call()
    r"|[a-z]+[A-Z]\w*+|[A-Z][a-z0-9]+[A-Z]\w*+)"  # camelCase, CamelCase
)
"""Names that only a program would have."""

QUOTATION = re.compile(
    '"(?<!\\w.)([^"\\n]{2,60}+)"(?!\\w)|“([^“”]{2,60}+)”|«\\s?([^«»]{2,60}+)»|„([^„“”]{2,60}+)[“”]'
    "|「([^「」]{2,40}+)」|『([^『』]{2,40}+)』|《([^《》]{2,40}+)》|〈([^〈〉]{2,40}+)〉"
)
"""A phrase in quotation marks or title marks."""

JAPANESE = re.compile("[一-鿿々〆ァ-ヺー]{2,12}+")
"""Runs of Han and Katakana; names only where Hiragana separates them."""

HIRAGANA = re.compile("[ぁ-ゖ]")

ACRONYM = re.compile(r"\(([A-Z][A-Za-z]{1,7})s?\)")

DEFINES = re.compile(
    r"\s*(?:\([^()]{1,40}\)\s*)?(?:"
    r"(?:is|are|was|were)\san?\b|(?:means|refers\sto|denotes|stands\sfor)\b"
    r"|(?:ist|sind)\seine?\b|(?:est|sont)\s(?:une?|des)\b"
    r"|es\suna?\b|è\suna?\b|är\sen\b|— это\b|[—–:]\s|是|とは|は、)"
)
"""What follows a name that its sentence defines."""

_INSIDE = frozenset(
    [
        "section",
        "figure",
        "fig",
        "table",
        "chapter",
        "step",
        "page",
        "example",
        "part",
        "appendix",
        "version",
        "line",
        "note",
        "item",
    ]
)


def is_inside_reference(words: list[str]) -> bool:
    """Whether words such as ``Section 3`` point to a place within the same document."""
    return len(words) == 2 and words[0].lower() in _INSIDE and words[1][:1].isdecimal()


@cache
def capitalised() -> re.Pattern[str]:
    """Return the pattern of capitalised phrases in any script that has capitals."""
    upper = _ranges("Lu", "Lt")
    rest = r"\w*+(?:[-’'&.][^\W_]\w*+)*+"
    word = rf"[{upper}]{rest}"
    return re.compile(
        rf"[{upper}](?<!\w.){rest}(?:{_SPACE}(?:(?:{_PARTICLES}){_SPACE}(?:the{_SPACE})?)?{word})*+"
        rf"(?:{_SPACE}\d+(?:\.\d+)*+(?!\w))?"
    )


def _ranges(*categories: str) -> str:
    """Return the characters of some categories, as the inside of a character class."""
    found: list[list[int]] = []
    for point in range(min(sys.maxunicode, 0x1FFFF)):  # no capitals are beyond
        if unicodedata.category(chr(point)) in categories:
            if found and found[-1][1] == point - 1:
                found[-1][1] = point
            else:
                found.append([point, point])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in found)
