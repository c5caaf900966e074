"""Queries as TREC writes them: topics, in SGML without closing tags or in XML."""

import html
import re
from io import StringIO
from pathlib import Path
from typing import Final

import pyarrow as pa

from octavo.errors import InvalidArgumentError, SourceLoadingError
from octavo.evaluation.lines import first_line, read_text

FIELDS: Final = ("title", "query", "question", "desc", "description", "narr", "narrative")
# No tag goes on behind another "<", and no spaces match twice: else broken files take quadratic time.
_TOPIC: Final = re.compile(r"<top(?:ic)?(?:\s[^<>]*)?>", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"""<top(?:ic)?\s[^<>]*\b(?:number|id|num)\s*=\s*(?:["']\s*)?([^"'\s<>]+)"""
    r"""|<(?:num|number)>\s*(?:number\s*:\s*)?([^\s<]+)""",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"\A\s*(?:topic|description|narrative|title|question)\s*:", re.IGNORECASE
)
_SECTION: Final = re.compile(
    r"<!--(?:(?P<comment>.*?)-->)?|<!\[CDATA\[(?:(?P<text>.*?)\]\]>)?", re.DOTALL
)
_TAG: Final = re.compile(r"<[a-z/!?][^<>]*>", re.IGNORECASE)
_TAG_BEGIN: Final = re.compile(r"<[a-z/!?]", re.IGNORECASE)  # "<" before anything else is text


def is_topics_file(path: Path) -> bool:
    """Whether a file begins as topics do."""
    return first_line(path).lstrip("\ufeff \t").startswith("<")


def read_topics(path: Path, field: str | None) -> pa.Table:
    """Read topics as a table of ``id`` and ``text``.

    Parameters
    ----------
    path
        The file.
    field
        The part that is the query: ``title``, ``desc``, ``narr``, ``query``, ...; unset, the first
        of those that the first topic has.

    Raises
    ------
    SourceLoadingError
        There is no topic, one has no number or no such part, or a comment or a CDATA section has no
        end; names file and line.
    """
    text = _without_sections(read_text(path), path)
    starts = [match.start() for match in _TOPIC.finditer(text)]
    if not starts:
        raise SourceLoadingError(f"{path}: expected <top> or <topic> elements, found none")
    ids: list[str] = []
    queries: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        topic = text[start:end]
        number = _NUMBER.search(topic)
        if number is None:
            raise SourceLoadingError(
                f"{_place(path, text, start)}: expected a topic's number, found none"
            )
        field = field or _first_field(topic)
        found = _field(topic, field)
        if found is None:
            raise SourceLoadingError(
                f"{_place(path, text, start)}: expected <{field}> in topic "
                f"{number[1] or number[2]}, found none"
            )
        ids.append(html.unescape(number[1] or number[2]))
        queries.append(found)
    return pa.table({"id": pa.array(ids, pa.large_string()), "text": queries})


def read_query_lines(path: Path) -> pa.Table:
    """Read lines of an id, a tab and a text as a table of ``id`` and ``text``.

    Raises
    ------
    InvalidArgumentError
        A line has no tab.
    """
    ids: list[str] = []
    queries: list[str] = []
    # Not splitlines, which would end a query at a form feed or a separator of Unicode.
    for number, line in enumerate(StringIO(read_text(path), newline=None), 1):
        if line.strip():
            identifier, tab, query = line.partition("\t")
            if not tab:
                raise InvalidArgumentError(
                    f"{path}, line {number}: expected an id, a tab and a query, found {line.strip()[:80]!r}"
                )
            ids.append(identifier.strip())
            queries.append(query.strip())
    return pa.table({"id": pa.array(ids, pa.large_string()), "text": queries})


def _without_sections(text: str, path: Path) -> str:
    """Leave out comments, and escape what stands in CDATA sections, so that only markup is markup.

    Of a comment its line breaks stay: lines keep their numbers.
    """

    def plain(found: re.Match[str]) -> str:
        comment, content = found["comment"], found["text"]
        if content is not None:
            return html.escape(content, quote=False)
        if comment is not None:
            return "\n" * comment.count("\n")
        raise SourceLoadingError(
            f"{_place(path, text, found.start())}: expected an end of {found[0]}, found none"
        )

    return _SECTION.sub(plain, text)


def _place(path: Path, text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    return f"{path}, line {line}"


def _first_field(topic: str) -> str:
    return next((field for field in FIELDS if _field(topic, field) is not None), FIELDS[0])


def _field(topic: str, field: str) -> str | None:
    """Return the text of a part: up to its closing tag, where it has none to the next tag."""
    begin = re.search(rf"<{re.escape(field)}(?:\s[^<>]*)?>", topic, re.IGNORECASE)
    if begin is None:
        return None
    rest = topic[begin.end() :]
    closing = re.search(rf"</{re.escape(field)}\s*>", rest, re.IGNORECASE)
    content = rest[: closing.start()] if closing else _TAG_BEGIN.split(rest, maxsplit=1)[0]
    return " ".join(_LABEL.sub("", html.unescape(_TAG.sub("", content))).split())
