"""Bytes as text: UTF-8, or what a byte order mark or a server says; never a guess."""

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO, Final

from octavo.declarative.ingestion.failures import DamagedSource

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


_UNREAD: Final = frozenset(
    ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7")
)
"""Python's codecs that no document is written in; some take a time that grows with the square."""


def encoding_of(head: bytes, charset: str | None = None) -> tuple[str, int]:
    r"""Return the encoding of a file by its first four bytes, and how long its mark is.

    Examples
    --------
    >>> encoding_of(b"\xef\xbb\xbfa"), encoding_of(b"a")
    (('utf-8', 3), ('utf-8', 0))
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    if charset is None:
        return "utf-8", 0
    try:
        name = codecs.lookup(charset).name
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise DamagedSource(f"expected a known charset, found {charset!r}") from error
    if name in _UNREAD:
        raise DamagedSource(f"expected a known charset, found {charset!r}")
    return name, 0


def decoded(content: bytes, charset: str | None = None) -> str:
    r"""Return the text of a file, lines ended by ``\n``.

    Raises
    ------
    DamagedSource
        It is not text: a byte sequence that its encoding does not have, or a NUL.

    Examples
    --------
    >>> decoded(b"one\r\ntwo")
    'one\ntwo'
    """
    encoding, mark = encoding_of(content[:4], charset)
    try:
        text = content[mark:].decode(encoding)
    except (UnicodeDecodeError, UnicodeError) as error:
        raise _no_text(encoding, getattr(error, "start", 0) + mark) from error
    place = text.find("\0")
    if place >= 0:
        raise DamagedSource(f"expected text, found a NUL after {place:,} characters: it is binary")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def looks_like_text(head: bytes, charset: str | None, *, complete: bool) -> bool:
    r"""Return whether the first bytes of a file are text.

    Examples
    --------
    >>> (
    ...     looks_like_text("é".encode()[:1], None, complete=False),
    ...     looks_like_text(b"\0", None, complete=True),
    ... )
    (True, False)
    """
    encoding, mark = encoding_of(head[:4], charset)
    try:
        return "\0" not in codecs.getincrementaldecoder(encoding)().decode(
            head[mark:], final=complete
        )
    except UnicodeError:
        return False


def decoded_blocks(file: BinaryIO, charset: str | None, size: int) -> Iterator[str]:
    r"""Yield a text of any length in blocks of about ``size`` characters, cut after a line.

    A line longer than a block is cut. Lines end in ``\n``.

    Raises
    ------
    DamagedSource
        As :func:`decoded`.
    """
    encoding, mark = encoding_of(file.read(4), charset)
    file.seek(mark)
    reader = io.TextIOWrapper(file, encoding, newline=None)
    rest = ""
    try:
        while block := reader.read(size):
            if "\0" in block:
                raise DamagedSource("expected text, found a NUL: it is binary")
            rest += block
            if len(block) < size:
                break
            end = rest.rfind("\n\n") + 2 if "\n\n" in rest else rest.rfind("\n") + 1
            end = end or len(rest)
            yield rest[:end]
            rest = rest[end:]
    except UnicodeError as error:
        raise _no_text(encoding, None) from error
    finally:
        reader.detach()
    if rest:
        yield rest


def _no_text(encoding: str, place: int | None) -> DamagedSource:
    where = "" if place is None else f" at byte {place:,}"
    return DamagedSource(f"expected text in {encoding.upper()}, found other bytes{where}")
