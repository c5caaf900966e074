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
_TOPIC: Final = re.compile(r"<top(?:ic)?(?:\s[^>]*)?>", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"""<top(?:ic)?\s[^>]*\b(?:number|id|num)\s*=\s*["']?\s*([^"'\s>]+)"""
    r"""|<(?:num|number)>\s*(?:number\s*:)?\s*([^\s<]+)""",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"\s*(?:topic|description|narrative|title|question)\s*:", re.IGNORECASE)


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
        There is no topic, or one has no number or no such part; names file and line.
    """
    text = read_text(path)
    starts = [match.start() for match in _TOPIC.finditer(text)]
    if not starts:
        raise SourceLoadingError(f"{path}: expected <top> or <topic> elements, found none")
    ids: list[str] = []
    queries: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        topic = text[start:end]
        line = text.count("\n", 0, start) + 1
        number = _NUMBER.search(topic)
        if number is None:
            raise SourceLoadingError(f"{path}, line {line}: expected a topic's number, found none")
        field = field or _first_field(topic)
        found = _field(topic, field)
        if found is None:
            raise SourceLoadingError(
                f"{path}, line {line}: expected <{field}> in topic {number[1] or number[2]}, found none"
            )
        ids.append(number[1] or number[2])
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


def _first_field(topic: str) -> str:
    return next((field for field in FIELDS if _field(topic, field) is not None), FIELDS[0])


def _field(topic: str, field: str) -> str | None:
    found = re.search(rf"<{re.escape(field)}(?:\s[^>]*)?>([^<]*)", topic, re.IGNORECASE)
    return None if found is None else " ".join(html.unescape(_LABEL.sub("", found[1], 1)).split())
