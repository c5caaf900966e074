"""JSON: an array is records, an object a document; and JSON lines, streamed."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.declarative.ingestion.decoding import decoded, encoding_of
from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.formats.value_tree import value_outline
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline, Record


def read_json(resource: Resource, limits: IngestionLimits) -> Outline | Iterator[Record]:
    """Return the records or the sections of a JSON file."""
    text = decoded(resource.whole(limits.file_bytes), resource.charset)
    if not text.strip():
        return iter(())
    value = parsed(text, limits)
    if isinstance(value, list):
        return (Record(number, each) for number, each in enumerate(value, 1))
    if isinstance(value, Mapping):
        return value_outline(value, text)
    return iter((Record(1, value),))


def read_json_lines(resource: Resource, limits: IngestionLimits) -> Iterator[Record]:
    """Yield the records of a file with one JSON value a line; blank lines are passed over.

    Raises
    ------
    DamagedSource
        A line is no JSON, or is longer than a record may be; names it.
    """
    with resource.opened() as file:
        encoding, mark = encoding_of(file.read(4), resource.charset)
        file.seek(mark)
        if encoding != "utf-8":
            raise DamagedSource(f"expected JSON lines in UTF-8, found {encoding.upper()}")
        number = line = 0
        while content := file.readline(limits.record_bytes + 1):
            line += 1
            if len(content) > limits.record_bytes:
                raise DamagedSource(
                    f"line {line}: expected at most {limits.record_bytes:,} bytes, found more"
                )
            if not content.strip():
                continue
            number += 1
            try:
                value = parsed(decoded(content), limits)
            except DamagedSource as error:
                raise DamagedSource(f"line {line}: {error}") from error
            yield Record(number, value, line)


def parsed(text: str, limits: IngestionLimits) -> object:
    """Return the value of a JSON text.

    Raises
    ------
    DamagedSource
        It is no JSON (``NaN`` is none), or nested too deep.

    Examples
    --------
    >>> parsed('{"a": [1, null]}', IngestionLimits())
    {'a': [1, None]}
    """
    try:
        value: object = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise DamagedSource(f"expected JSON: {error}") from error
    _check_depth(value, limits)
    return value


def _refused(constant: str) -> Any:  # noqa: ANN401 - it never returns
    raise ValueError(f"{constant} is no JSON value")


def _check_depth(value: object, limits: IngestionLimits) -> None:
    level = [value]
    for _ in range(limits.depth):
        deeper: list[object] = []
        for each in level:
            if isinstance(each, Mapping):
                deeper.extend(below for below in each.values() if isinstance(below, list | dict))
            elif isinstance(each, list):
                deeper.extend(below for below in each if isinstance(below, list | dict))
        if not deeper:
            return
        level = deeper
    raise DamagedSource(f"expected JSON nested at most {limits.depth} deep, found more")
