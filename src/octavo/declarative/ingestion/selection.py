"""``select``: keeping only the records and sections that match ``key=value`` (S61)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from octavo.declarative.ingestion.metadata import SourceMetadata, value_text
from octavo.errors import ConfigurationError, shown

TITLE = "title"
"""The key that a section's own heading matches."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a record or section must match: all pairs, exactly; of a list, one item."""

    wanted: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, select: Mapping[str, str] | Sequence[str] | str | None) -> Self:
        """Read the pairs of a declaration.

        Raises
        ------
        ConfigurationError
            An entry is not ``key=value``.

        Examples
        --------
        >>> Selection.of("lang=en").wanted
        (('lang', 'en'),)
        """
        if isinstance(select, Mapping):
            return cls(tuple(_checked(key, value) for key, value in select.items()))
        entries = (select,) if isinstance(select, str) else tuple(select or ())
        pairs = []
        for entry in entries:
            key, equals, value = entry.partition("=") if isinstance(entry, str) else ("", "", "")
            if entry == "" and len(entries) == 1:
                continue
            if not equals:
                raise ConfigurationError(f"select: expected key=value, found {shown(entry)}")
            pairs.append(_checked(key.strip(), value.strip()))
        return cls(tuple(pairs))

    def __bool__(self) -> bool:
        return bool(self.wanted)

    def admits(self, fields: Mapping[str, object]) -> bool:
        """Return whether the fields match every pair.

        Examples
        --------
        >>> Selection.of({"tags": "new"}).admits({"tags": ["old", "new"]})
        True
        """
        return all(_holds(fields.get(key), value) for key, value in self.wanted)

    def admits_section(
        self, fields: Mapping[str, object], title: str | None, headings: str
    ) -> bool:
        """Return whether a section matches, by what its document declares and by its headings."""
        own = {SourceMetadata.HEADINGS: headings}
        if title is not None:
            own[TITLE] = title
        return self.admits({**fields, **own})


def _holds(value: object, wanted: str) -> bool:
    if isinstance(value, list | tuple | set):
        return any(value_text(each) == wanted for each in value)
    return value_text(value) == wanted


def _checked(key: object, value: object) -> tuple[str, str]:
    if not isinstance(key, str) or not isinstance(value, str) or not key.strip():
        raise ConfigurationError(f"select: expected key=value, found {shown(key)}={shown(value)}")
    return key, value
