"""Query expansion: how, and by whom."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol, runtime_checkable


class QueryExpansion(StrEnum):
    """What kind of variations an expander is asked for (S25)."""

    NONE = "NONE"
    SYNONYM = "SYNONYM"
    MULTI_QUERY = "MULTI_QUERY"
    HYDE = "HYDE"
    STEP_BACK = "STEP_BACK"


@runtime_checkable
class QueryExpander(Protocol):
    """Writes variations of a query, usually by asking a model."""

    def supports(self, model: str) -> bool:
        """Whether this expander serves the model."""
        ...

    def expand(
        self, query: str, mode: QueryExpansion, model: str, max_expansions: int
    ) -> Sequence[str]:
        """Return variations of ``query``; the original need not be among them."""
        ...
