"""Dropping what is too similar to something ranked before it (S64)."""

import numpy as np
from numpy.typing import NDArray

from octavo.declarative.runtime.embedding_provider import EmbeddingProvider
from octavo.declarative.runtime.with_memory import StoreWithMemory
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.kernels.greedy_distinct import greedy_distinct
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.columnar import Ranking


def distinct(
    ranking: Ranking,
    threshold: float,
    limit: int,
    store: Snapshot | StoreWithMemory | None,
    provider: EmbeddingProvider | HashEmbedding | None,
) -> Ranking:
    """Return at most ``limit`` hits of one query, without those too similar to a better one.

    Parameters
    ----------
    ranking
        The hits of one query, best first.
    threshold
        The cosine from which two documents are too similar.
    limit
        How many are wanted.
    store
        A corpus of the provider's vectors; documents that it holds are not embedded again.
    provider
        Embeds the content of all others; ``None``: those are all kept.
    """
    vectors = _vectors(ranking, store, provider)
    kept = np.empty(len(vectors), np.int64)
    count = greedy_distinct(vectors, threshold, limit, kept)
    mask = np.zeros(len(vectors), np.bool_)
    mask[kept[:count]] = True
    return Ranking(ranking.hits.keep(mask), ranking.documents, ranking.report)


def _vectors(
    ranking: Ranking,
    store: Snapshot | StoreWithMemory | None,
    provider: EmbeddingProvider | HashEmbedding | None,
) -> NDArray[np.float32]:
    rows = ranking.hits.rows
    stored = np.full(len(rows), -1, np.int64)
    if store is not None and _has_vectors(store):
        own = ranking.documents is store
        stored = rows if own else store.rows_of(ranking.documents.identities(rows))
    known = stored >= 0
    found: list[tuple[NDArray[np.bool_], NDArray[np.float32]]] = []
    if store is not None and known.any():
        found.append((known, np.asarray(store.vectors(stored[known])[0], np.float32)))
    if provider is not None and not known.all():
        contents = [each.content for each in ranking.documents.documents(rows[~known])]
        embed = provider.embed_batch if isinstance(provider, HashEmbedding) else provider.embed
        found.append((~known, embed(contents)))
    vectors = np.zeros((len(rows), found[0][1].shape[1] if found else 1), np.float32)
    for which, values in found:
        vectors[which] = values
    return vectors


def _has_vectors(store: Snapshot | StoreWithMemory) -> bool:
    if isinstance(store, StoreWithMemory):
        return store.has_vectors
    return store.manifest.embedding is not None
