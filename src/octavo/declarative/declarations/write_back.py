"""Switching on what an application may write back into a chat (S76)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from octavo.declarative.declarations.checks import count
from octavo.declarative.declarations.mappings import members_from
from octavo.declarative.declarations.messages import naming


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBack:
    """Bounds of what is written back into an agent's chat; an agent without one keeps nothing.

    Parameters
    ----------
    max_entries
        The most entries of a scope; the oldest go first.
    max_tokens
        The most tokens of a scope's entries together, as
        :func:`~octavo.declarative.estimated_tokens` counts them; the oldest go first.
    max_scopes
        The most scopes; the least recently used goes first, with all its entries.

    Raises
    ------
    ConfigurationError
        A bound is no integer of at least 1.

    Examples
    --------
    >>> WriteBack(max_entries=50)
    WriteBack(max_entries=50, max_tokens=100000, max_scopes=1000)
    """

    SOURCE: ClassVar[str] = "write-back"
    """What entries are of, where documents are of a declared source."""

    max_entries: int = 1_000
    max_tokens: int = 100_000
    max_scopes: int = 1_000

    def __post_init__(self) -> None:
        for each in fields(self):
            checked = count(1)(each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, checked)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "WriteBack":
        """Return the bounds that a plain mapping holds, as TOML or JSON gives them.

        Raises
        ------
        ConfigurationError
            A key is unknown, or a value is not possible.
        """
        with naming("write_back"):
            members = members_from(mapping, (each.name for each in fields(cls)))
            return cls(**members)  # type: ignore[arg-type]  # they are checked when they are set
