"""Reranking: the documents that were found, in the order of a model (S64)."""

from collections.abc import Sequence

from octavo.declarative.provided import answered
from octavo.declarative.runtime.attribution import KNOWLEDGE
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
    known: dict[object, list[RetrievedDocument]] = {}
    for each in documents:
        known.setdefault(identity_of(each), []).append(each)
    given = tuple(documents)
    found = answered("reranker", lambda: reranker.rerank(query, given, model), reranker)
    best: dict[int, RetrievedDocument] = {}
    for position, document in enumerate(answered("reranker", lambda: _checked(found))):
        own = _same(document, known.get(identity_of(document), ()))
        if own is None:
            raise ExecutionError(
                f"reranker: document {position}: expected one of the documents that it was given"
            )
        scored = RetrievedDocument(own.content, own.source, document.score, own.metadata)
        best.setdefault(id(own), scored)
    return tuple(best.values())[:top_n]


def _same(
    document: RetrievedDocument, known: Sequence[RetrievedDocument]
) -> RetrievedDocument | None:
    # Ids are those of a source: where two sources have one id, the source tells them apart.
    source = document.metadata.get(KNOWLEDGE)
    named = [each for each in known if each.metadata.get(KNOWLEDGE) == source]
    return next(iter(named or known), None)


def _checked(found: object) -> tuple[RetrievedDocument, ...]:
    documents = checked_documents("reranker", found)
    for position, document in enumerate(documents):
        if document.score != document.score:
            raise ExecutionError(f"reranker: document {position}: its score is NaN")
    return documents
