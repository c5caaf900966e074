"""Which files of a directory are meant: patterns over paths below the root."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from octavo.errors import ConfigurationError, shown

_STAR: Final = "[^/]*"


@dataclass(frozen=True, slots=True)
class PathPattern:
    """One pattern.

    ``*`` and ``?`` stand for characters of one name, ``[abc]`` and ``[!abc]`` for one character,
    ``**`` as a whole name for any number of folders. A pattern without ``/`` is compared with names
    at any depth, one with ``/`` with the whole path below the root. Case counts.

    Parameters
    ----------
    text
        As written.
    expression
        The same, as a regular expression.
    anywhere
        Whether it is compared with names, at any depth.
    """

    text: str
    expression: re.Pattern[str]
    anywhere: bool

    @classmethod
    def parse(cls, what: str, text: object) -> Self:
        """Read a pattern.

        Raises
        ------
        ConfigurationError
            It is blank, absolute, has ``..``, or separates by a backslash.
        """
        if not isinstance(text, str) or not text.strip():
            raise ConfigurationError(f"{what}: expected a pattern, found {shown(text)}")
        parts = [part for part in text.rstrip("/").split("/") if part != "."]
        if text.startswith("/") or "\\" in text or ".." in parts or "" in parts or not parts:
            raise ConfigurationError(
                f"{what}: expected a pattern of a path below the root, with '/' between names and "
                f"without '..', found {text!r}"
            )
        anywhere = len(parts) == 1 and parts[0] != "**"
        try:
            expression = re.compile("".join(_translated(parts)), re.DOTALL)
        except re.error as error:
            raise ConfigurationError(f"{what}: {text!r} is no pattern: {error}") from error
        return cls(text, expression, anywhere)

    def matches(self, path: str) -> bool:
        """Return whether the pattern matches a path below the root.

        Examples
        --------
        >>> PathPattern.parse("include", "*.md").matches("guide/intro.md")
        True
        >>> PathPattern.parse("include", "guide/*.md").matches("guide/more/intro.md")
        False
        """
        compared = path.rpartition("/")[2] if self.anywhere else path
        return self.expression.fullmatch(compared) is not None

    @property
    def names_hidden(self) -> bool:
        """Whether the pattern speaks of names that begin with a dot."""
        return any(part.startswith(".") and part != "." for part in self.text.split("/"))


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Which paths a declaration's ``include`` and ``exclude`` admit.

    A pattern that matches a folder stands for everything in it. Hidden names, those that begin with
    a dot, are admitted only where a pattern of ``include`` names such.
    """

    include: tuple[PathPattern, ...]
    exclude: tuple[PathPattern, ...]
    hidden: bool

    @classmethod
    def of(cls, include: Sequence[str] | str, exclude: Sequence[str] | str) -> Self:
        """Read the patterns.

        Raises
        ------
        ConfigurationError
            As :meth:`PathPattern.parse`.

        Examples
        --------
        >>> admitted = PathFilter.of(["**/*.md"], ["drafts"])
        >>> admitted.admits("a/b.md"), admitted.excludes("drafts")
        (True, True)
        """
        included = tuple(PathPattern.parse("include", each) for each in _listed(include))
        excluded = tuple(PathPattern.parse("exclude", each) for each in _listed(exclude))
        return cls(included, excluded, any(each.names_hidden for each in included))

    def excludes(self, path: str) -> bool:
        """Return whether a file or folder, with all that is in it, is left out."""
        name = path.rpartition("/")[2]
        if name.startswith(".") and not self.hidden:
            return True
        return any(pattern.matches(path) for pattern in self.exclude)

    def includes(self, path: str) -> bool:
        """Return whether a pattern of ``include`` matches a file or folder itself."""
        return any(pattern.matches(path) for pattern in self.include)

    def admits(self, path: str) -> bool:
        """Return whether a file is meant, by its path and those of the folders above it."""
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        if any(map(self.excludes, above)):
            return False
        return not self.include or any(map(self.includes, above))


def _listed(patterns: Iterable[str] | str | None) -> Iterable[str]:
    if patterns is None:
        return ()
    return (patterns,) if isinstance(patterns, str) else patterns


def _translated(parts: list[str]) -> Iterable[str]:
    for position, part in enumerate(parts):
        last = position == len(parts) - 1
        if part == "**":
            yield ".*" if last else "(?:[^/]+/)*"
            continue
        yield _name(part)
        if not last:
            yield "/"


def _name(part: str) -> str:
    """Return the expression of one name.

    Each star but the last takes the least it can, once and for all, so that the time is bounded.
    """
    pieces = [""]
    for each in _characters(part):
        if each == _STAR:
            pieces.append("")
        else:
            pieces[-1] += each
    if len(pieces) == 1:
        return pieces[0]
    first, *between, last = pieces
    return first + "".join(f"(?>{_STAR}?{each})" for each in between) + _STAR + last


def _characters(part: str) -> Iterable[str]:
    position = 0
    while position < len(part):
        character = part[position]
        position += 1
        closing = part.find("]", position + 1) if character == "[" else -1
        if character == "*":
            yield _STAR
        elif character == "?":
            yield "[^/]"
        elif closing > 0:
            inside = part[position:closing]
            negated = inside.startswith(("!", "^"))
            members = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[1:] if negated else inside)
            yield f"(?!/)[{'^' if negated else ''}{members}]"
            position = closing + 1
        else:
            yield re.escape(character)
