"""Characters that a reader does not see, or that turn text around, as what they are."""

import re
from typing import Final

_BREAK: Final = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls, but for tab and line feed
    "\u180e\u2060-\u2064"  # invisible separators and operators
    "\u202a-\u202e\u2066-\u206f"  # what sets or overrides direction
    "\ufeff\ufff9-\ufffb\ufffe\uffff"  # byte order mark, annotations, no characters
    "\ud800-\udfff"  # halves of characters
    "\U000e0000-\U000e007f]"  # tags: a second, unseen ASCII
    f"|(?<=[{_SELECTORS}])[{_SELECTORS}]"  # one chooses a form; more of them only hide data
)


def visible(text: str) -> str:
    r"""Return a text in which nothing is hidden: hidden characters are named as ``[U+202E]``.

    Hidden are control characters, what sets or overrides the direction of text, byte order marks,
    invisible operators, tag characters, variation selectors after the first, and lone surrogates.
    What scripts and emoji need stays: joiners, left-to-right and right-to-left marks, one variation
    selector. Every kind of line break becomes a line feed. Doing it twice changes nothing.

    Examples
    --------
    >>> visible("safe\u202eexe.txt\x00\r\n")
    'safe[U+202E]exe.txt[U+0000]\n'
    """
    return _HIDDEN.sub(_name, _BREAK.sub("\n", text))


def visible_line(text: str) -> str:
    r"""Return a text that is one line, with nothing hidden: line breaks and tabs are named too.

    Examples
    --------
    >>> visible_line("a\nb")
    'a[U+000A]b'
    """
    return re.sub(r"[\n\t]", _name, visible(text))


def printable(text: str) -> str:
    r"""Return text that stays on one line and does nothing to a terminal.

    What joins characters stays: Persian and Hindi are not spelled without it, nor are families of
    emoji.

    Examples
    --------
    >>> printable("a\tb\x1b[31m\nc")
    'a b\ufffd[31m c'
    """
    return "".join(map(_printed, text))


def _printed(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return " " if character.isspace() else "\ufffd"


def _name(match: re.Match[str]) -> str:
    return f"[U+{ord(match[0]):04X}]"
