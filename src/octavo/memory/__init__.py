"""Stores in memory: entries with tiers, ranked by the same engines as a corpus."""

from octavo.memory.bm25_index import BM25Index
from octavo.memory.entry import MemoryEntry, MemoryTier
from octavo.memory.hybrid_retriever import HybridMemoryRetriever
from octavo.memory.vector_store import VectorMemoryStore

__all__ = [
    "BM25Index",
    "HybridMemoryRetriever",
    "MemoryEntry",
    "MemoryTier",
    "VectorMemoryStore",
]
