"""What vector search is tuned to, as the methods of corpora take it."""

from collections.abc import Callable

from numpy.typing import ArrayLike

from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.choice import DEFAULT_RECALL, VectorIndexKind, requested_vector_index
from octavo.parallel import checked_threads
from octavo.storage.build.memory_budget import parse_budget
from octavo.storage.maintenance.tune import TuneRequest
from octavo.strategies.queries import Queries, Texts, query_array


def tune_request(
    recall: float = DEFAULT_RECALL,
    *,
    queries: "Texts | None" = None,
    query_vectors: ArrayLike | None = None,
    vector_index: VectorIndexKind | str = VectorIndexKind.AUTOMATIC,
    embedding: EmbeddingFunction | None = None,
    memory_budget: int | str | None = None,
    threads: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> TuneRequest:
    """Return the request that the options of :meth:`octavo.Corpus.tune` make.

    Raises
    ------
    InvalidArgumentError
        One of them does not fit.
    """
    return TuneRequest(
        requested_vector_index(recall, vector_index),
        parse_budget(memory_budget),
        checked_threads(threads),
        progress or (lambda _stage, _rows: None),
        texts=None if queries is None else Queries.of(queries, query_vectors).texts,
        vectors=None if query_vectors is None else query_array(query_vectors),
        embedding=embedding,
    )
