"""Document ids: where a chunk is, in terms of its source only.

``name/folder/file.md#heading/below@2``: the source's name and the path below its root, the headings
above, the number of the part. Nothing of the machine, the working directory or the time is in it,
and what is elsewhere in a file does not change it.
"""

import os
import re
from typing import Final

_OUTSIDE_PATH: Final = re.compile(r"[%#\x00-\x1f\x7f]|@(?=[0-9]+\Z)")
_OUTSIDE_KEY: Final = re.compile(r"[%@\x00-\x1f\x7f\ud800-\udfff]")
_OUTSIDE_NAME: Final = re.compile(r"[/%#\x00-\x1f\x7f]")
_OUTSIDE_SLUG: Final = re.compile(r"[\W_]+")
_LONGEST_SLUG: Final = 80


def _quoted(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


def file_id(source: str, path: str) -> str:
    r"""Return the id of a file: the source's name and the path below its root.

    Characters that ids give a meaning are quoted as in URLs, and so is what is no Unicode in the
    name of a file.

    Examples
    --------
    >>> file_id("docs", "c#/intro.md")
    'docs/c%23/intro.md'
    """
    text = _OUTSIDE_PATH.sub(_quoted, path)
    if not text.isascii():
        text = "".join(
            "".join(f"%{byte:02X}" for byte in os.fsencode(character))
            if 0xD800 <= ord(character) <= 0xDFFF
            else character
            for character in text
        )
    return f"{_OUTSIDE_NAME.sub(_quoted, source)}/{text}"


def record_id(file: str, key: str | None, number: int) -> str:
    """Return the id of a record: its own key where it has one, else its number.

    Examples
    --------
    >>> record_id("docs/faq.jsonl", "q7", 1), record_id("docs/faq.jsonl", None, 1)
    ('docs/faq.jsonl#id:q7', 'docs/faq.jsonl#1')
    """
    return f"{file}#{number}" if key is None else f"{file}#id:{_OUTSIDE_KEY.sub(_quoted, key)}"


def section_id(file: str, names: tuple[str, ...]) -> str:
    """Return the id of a section, from the names of the sections down to it.

    Examples
    --------
    >>> section_id("docs/guide.md", ("install", "linux"))
    'docs/guide.md#install/linux'
    """
    return f"{file}#{'/'.join(names)}" if names else file


def part_id(whole: str, number: int) -> str:
    """Return the id of a part of a section or record; the first part is the whole's own node.

    Examples
    --------
    >>> part_id("docs/guide.md", 1), part_id("docs/guide.md", 2)
    ('docs/guide.md', 'docs/guide.md@2')
    """
    return whole if number == 1 else f"{whole}@{number}"


def slug(title: str) -> str:
    """Return a heading as it appears in ids.

    Examples
    --------
    >>> slug("Getting started (Linux)")
    'getting-started-linux'
    """
    text = _OUTSIDE_SLUG.sub("-", title.casefold()).strip("-")[:_LONGEST_SLUG].strip("-")
    return text or "section"


class SiblingNames:
    """Makes the names of sections under one parent distinct, in order.

    Examples
    --------
    >>> names = SiblingNames()
    >>> [names.distinct(each) for each in ("usage", "usage", "notes")]
    ['usage', 'usage~2', 'notes']
    """

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def distinct(self, name: str) -> str:
        """Return the name, numbered where it was given before."""
        number = self._seen[name] = self._seen.get(name, 0) + 1
        return name if number == 1 else f"{name}~{number}"
