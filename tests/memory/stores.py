"""Entries and embeddings that the tests of the stores share."""

from octavo.memory import BM25Index, MemoryEntry, MemoryTier, VectorMemoryStore

TIERS = list(MemoryTier)


def entry(identifier, content="", tier=MemoryTier.WORKING, source=None):
    return MemoryEntry(identifier, content, tier, source)


def letters(text):
    """Count letters: a deterministic embedding; a text without any of them is a zero vector."""
    return [float(text.count(letter)) for letter in "abcde"]


def keyword_store(entries=()):
    index = BM25Index()
    index.add(entries)
    return index


def vector_store(entries=()):
    store = VectorMemoryStore(letters)
    store.add(entries)
    return store


def ranked_by_words(index, query, depth=10, filters=None):
    """Return (id, score) of the hits of one query."""
    hits, _ = index.rank_keyword([query], depth, index.select(filters or {}))
    return [*zip(index.ids(hits.rows), hits.scores.tolist(), strict=True)]


def ranked_by_vector(store, query, depth=10, filters=None):
    """Return (id, score) of the hits of one query."""
    hits, _ = store.rank_vector(store.embed([query]), depth, store.select(filters or {}))
    return [*zip(store.ids(hits.rows), hits.scores.tolist(), strict=True)]
