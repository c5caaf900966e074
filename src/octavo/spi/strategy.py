"""The one contract that every strategy keeps (S1, S2)."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from octavo.spi.context import RAGContext
from octavo.spi.document import RetrievedDocument


@runtime_checkable
class RAGStrategy(Protocol):
    """A named way to retrieve documents for a query.

    A user's own strategy needs these two members and nothing more; it can be the base or child of
    every composing strategy.
    """

    @property
    def name(self) -> str:
        """The name of the strategy, compared without regard to case."""
        ...

    def retrieve(self, query: str, context: RAGContext) -> Sequence[RetrievedDocument]:
        """Return documents for ``query`` in descending relevance.

        Raises
        ------
        TypeError
            ``query`` is not a string.
        """
        ...
