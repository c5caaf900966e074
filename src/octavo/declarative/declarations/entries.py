"""The ``knowledge`` of a specification: one entry, or several."""

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.messages import naming
from octavo.errors import ConfigurationError, shown


def checked_entries(value: object) -> tuple[Knowledge, ...]:
    """Return the entries as a tuple.

    Raises
    ------
    ConfigurationError
        There is something else among them.
    """
    entries = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
    for place, each in enumerate(entries):
        if not isinstance(each, Knowledge):
            where = "knowledge" if entries is not value else f"knowledge[{place}]"
            raise ConfigurationError(f"{where}: expected a Knowledge, found {shown(each)}")
    return tuple(entries)


def entries_from(members: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a specification with mappings among its knowledge made entries.

    Raises
    ------
    ConfigurationError
        A mapping describes no source.
    """
    value = members.get("knowledge", ())
    if isinstance(value, Mapping):
        value = (value,)
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = tuple(_entry(place, each) for place, each in enumerate(value))
    return members | {"knowledge": value}


def _entry(place: int, value: object) -> object:
    with naming(f"knowledge[{place}]"):
        return Knowledge.from_mapping(value) if isinstance(value, Mapping) else value
