"""Loading a source that octavo has no loader for."""

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from octavo.spi.source_document import SourceDocument


@runtime_checkable
class SourceLoader(Protocol):
    """Reads the documents of a declared source: of a database, of anything.

    ``knowledge`` is an ``octavo.declarative.Knowledge``, with every member at hand.
    """

    def supports(self, knowledge: Any) -> bool:  # noqa: ANN401 - declared in a layer above
        """Whether this loader serves the source; cheap, and connects to nothing."""
        ...

    def load(self, knowledge: Any) -> Iterable[SourceDocument]:  # noqa: ANN401
        """Yield the documents of the source, in an order that does not change by itself.

        No documents are a valid answer.

        Raises
        ------
        SourceLoadingError
            The source is missing or cannot be read.
        """
        ...
