"""What a caller asks of a retrieval (S4)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from octavo.errors import InvalidArgumentError, checked_count, real_number, shown


@dataclass(frozen=True, slots=True)
class RAGContext:
    """How many documents a retrieval returns, from which score, and under which filters.

    Parameters
    ----------
    max_results
        The largest number of documents returned, at least 1.
    min_score
        The lowest score returned, inclusive; applied to the strategy's own final score.
    metadata_filters
        Exact, case-sensitive values by metadata key; every entry must match. Copied.

    Raises
    ------
    InvalidArgumentError
        ``max_results`` is below 1 or no integer, ``min_score`` is not finite, or a filter key or
        value is null, blank or no string.

    Examples
    --------
    >>> RAGContext().with_max_results(5).with_metadata_filters({"tier": "SEMANTIC"}).max_results
    5
    """

    max_results: int = 10
    min_score: float = 0.0
    metadata_filters: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_results", checked_count("max_results", self.max_results))
        object.__setattr__(self, "min_score", _checked_min_score(self.min_score))
        object.__setattr__(self, "metadata_filters", _checked_filters(self.metadata_filters))

    def __reduce__(self) -> tuple[type, tuple[int, float, dict[str, str]]]:
        # Contexts go to other processes; a read-only view of a mapping does not.
        return type(self), (self.max_results, self.min_score, dict(self.metadata_filters))

    def with_max_results(self, max_results: int) -> "RAGContext":
        """Return a copy that returns at most ``max_results`` documents."""
        return replace(self, max_results=max_results)

    def with_min_score(self, min_score: float) -> "RAGContext":
        """Return a copy that returns only scores of at least ``min_score``."""
        return replace(self, min_score=min_score)

    def with_metadata_filters(self, metadata_filters: Mapping[str, str]) -> "RAGContext":
        """Return a copy with these filters in place of the present ones."""
        return replace(self, metadata_filters=metadata_filters)


def _checked_min_score(value: object) -> float:
    number = real_number(value)
    if number is not None and math.isfinite(number):
        return number
    raise InvalidArgumentError(f"min_score: expected a finite number, found {shown(value)}")


def _checked_filters(filters: object) -> Mapping[str, str]:
    if not isinstance(filters, Mapping):
        raise InvalidArgumentError(
            f"metadata_filters: expected a mapping of strings, found {type(filters).__name__}"
        )
    for key, value in filters.items():
        for what, text in (("key", key), ("value", value)):
            if not isinstance(text, str) or not text.strip():
                raise InvalidArgumentError(
                    f"metadata_filters: expected non-blank strings, found {what} {text!r}"
                )
    return MappingProxyType(dict(filters))
