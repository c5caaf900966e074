"""Where a text may be cut: never inside what a reader sees as one character."""

from typing import Final
from unicodedata import category, combining

_ZERO_WIDTH_JOINER: Final = "\u200d"
_VIRAMA: Final = 9  # the combining class of signs that join two consonants
_EXTENDING: Final = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")
_PREPENDED: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U00011d46\U00011f02"
)


def grapheme_boundary(text: str, position: int) -> int:
    """Return the last place at or before ``position`` where ``text`` may be cut.

    The rules of UAX #29, on the side of caution: a place that is returned is never inside an extended
    grapheme cluster, while some places between two clusters are passed over. Time in proportion to
    the length of one cluster.

    Examples
    --------
    >>> grapheme_boundary("cafe\u0301s", 4), grapheme_boundary("cafe", 2)
    (3, 2)
    """
    position = min(max(position, 0), len(text))
    while 0 < position < len(text) and _joined(text, position):
        position -= 1
    return position


def _joined(text: str, position: int) -> bool:
    before, after = text[position - 1], text[position]
    if after < "\u0300" and before < "\u0300":
        return before == "\r" and after == "\n"
    return (
        _extends(after)
        or before == _ZERO_WIDTH_JOINER
        or before in _PREPENDED
        or _is_after_virama(text, position)
        or _hangul_joined(_hangul(before), _hangul(after))
        or (_is_flag_half(before) and _is_flag_half(after) and _is_second_half(text, position))
    )


def _is_after_virama(text: str, position: int) -> bool:
    # Signs may stand between a virama and the consonant that it joins.
    while position > 0 and _extends(text[position - 1]):
        position -= 1
        if combining(text[position]) == _VIRAMA:
            return True
    return False


def _extends(character: str) -> bool:
    return (
        category(character)[0] == "M"
        or character in _EXTENDING
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags of a flag
    )


def _hangul(character: str) -> str:
    if "\uac00" <= character <= "\ud7a3":
        return "LV" if (ord(character) - 0xAC00) % 28 == 0 else "LVT"
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    return ""


def _hangul_joined(before: str, after: str) -> bool:
    if before == "L":
        return after in {"L", "V", "LV", "LVT"}
    if before in {"V", "LV"}:
        return after in {"V", "T"}
    return before in {"T", "LVT"} and after == "T"


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_second_half(text: str, position: int) -> bool:
    start = position
    while start > 0 and _is_flag_half(text[start - 1]):
        start -= 1
    return (position - start) % 2 == 1
