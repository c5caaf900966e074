"""Putting what was retrieved into a better order."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from octavo.spi.document import RetrievedDocument


@runtime_checkable
class Reranker(Protocol):
    """Orders retrieved documents anew, usually by asking a model."""

    def supports(self, model: str) -> bool:
        """Whether this reranker serves the model."""
        ...

    def rerank(
        self, query: str, documents: Sequence[RetrievedDocument], model: str
    ) -> Sequence[RetrievedDocument]:
        """Return the documents, or some of them, best first, each with its new score."""
        ...
