"""Reranking: the documents that were found, in the order of a model (S64)."""

from collections.abc import Sequence

from octavo.declarative.provided import answered
from octavo.errors import ExecutionError
from octavo.spi import Reranker, RetrievedDocument
from octavo.strategies.returned import identity_of
from octavo.strategies.returned_check import checked_documents


def reranked(
    reranker: Reranker, query: str, documents: Sequence[RetrievedDocument], model: str, top_n: int
) -> tuple[RetrievedDocument, ...]:
    """Return the ``top_n`` documents that the reranker puts first, with its scores.

    Only order and scores are taken from it: text and metadata stay those that were retrieved.

    Raises
    ------
    ExecutionError
        It raised, or returned something that is no document, or one that it was not given.
    """
    known = {identity_of(each): each for each in documents}
    given = tuple(documents)
    found = answered("reranker", lambda: reranker.rerank(query, given, model), reranker)
    best: dict[object, RetrievedDocument] = {}
    for position, document in enumerate(answered("reranker", lambda: _checked(found))):
        identity = identity_of(document)
        own = known.get(identity)
        if own is None:
            raise ExecutionError(
                f"reranker: document {position}: expected one of the documents that it was given"
            )
        scored = RetrievedDocument(own.content, own.source, document.score, own.metadata)
        best.setdefault(identity, scored)
    return tuple(best.values())[:top_n]


def _checked(found: object) -> tuple[RetrievedDocument, ...]:
    documents = checked_documents("reranker", found)
    for position, document in enumerate(documents):
        if document.score != document.score:
            raise ExecutionError(f"reranker: document {position}: its score is NaN")
    return documents
