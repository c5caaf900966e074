"""Filters of other frameworks as octavo's: metadata equal to values, all of them (S7)."""

from collections.abc import Iterable, Mapping
from datetime import date, time
from decimal import Decimal

import numpy as np
import pyarrow as pa

from octavo.columns.metadata import canonical_text
from octavo.columns.place import Place
from octavo.errors import InvalidArgumentError, shown


def equal_filters(pairs: Iterable[tuple[object, object]]) -> dict[str, str]:
    """Return filters as text, each value as metadata of its type is written (S11).

    Raises
    ------
    InvalidArgumentError
        A key is no text, a value has no canonical text, or a key is to have two values at once.

    Examples
    --------
    >>> equal_filters([("year", 2024), ("public", True), ("ratio", 0.5)])
    {'year': '2024', 'public': 'true', 'ratio': '0.5'}
    """
    filters: dict[str, str] = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise InvalidArgumentError(f"filters: expected keys of text, found {shown(key)}")
        text = _text(key, value)
        if filters.setdefault(key, text) != text:
            raise InvalidArgumentError(
                f"filters: expected one value for {key!r}, found {filters[key]!r} and {text!r}"
            )
    return filters


def mapped_filters(filters: Mapping[str, object] | None) -> dict[str, str]:
    """Return the filters of a mapping; see :func:`equal_filters`."""
    if filters is None:
        return {}
    if not isinstance(filters, Mapping):
        raise InvalidArgumentError(f"filters: expected a mapping, found {type(filters).__name__}")
    return equal_filters(filters.items())


def only_equality(found: object) -> InvalidArgumentError:
    """Return the error for a filter that octavo does not have."""
    return InvalidArgumentError(
        f"filters: expected values to be equal, joined by and: octavo has no other filters; "
        f"found {shown(found)}"
    )


def _text(key: str, value: object) -> str:
    if not isinstance(value, str | bool | int | float | Decimal | date | time | np.generic):
        raise only_equality(f"{key}: {shown(value)}")
    values = np.array([value]) if isinstance(value, np.generic) else [value]
    try:
        text = canonical_text(pa.array(values), Place(key, "filters"))[0].as_py()
    except (ValueError, OverflowError, pa.ArrowException) as error:
        raise InvalidArgumentError(f"filters: {key!r}: {error}") from error
    if text is None:
        raise only_equality(f"{key}: {shown(value)}")
    return str(text)
