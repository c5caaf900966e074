"""One small world of documents, as a corpus, as memory stores, as a tree, as a graph and in time.

Every document holds the word "common", so that how many match a filter is how many come back.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

import pyarrow as pa

from octavo import Corpus, RAGContext, RetrievedDocument
from octavo.memory.bm25_index import BM25Index
from octavo.memory.entry import MemoryEntry, MemoryTier
from octavo.memory.vector_store import VectorMemoryStore
from octavo.testing import FakeEmbedding
from tests.corpus import hand_made

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = ("fox", "whale", "owl", "heron", "otter")
TIERS = tuple(MemoryTier)
QUERIES = ("common", "common fox", "whale owl otter", "common fox 3", "nothing of this", "")


@dataclass(frozen=True)
class World:
    """Documents 0 to ``size - 1``; ``shares`` names columns that hold "yes" in so many of them."""

    corpus: Corpus
    table: pa.Table

    @property
    def snapshot(self):
        return self.corpus.keyword_index

    @cached_property
    def rows(self):
        return self.table.to_pylist()

    @cached_property
    def entries(self):
        return [
            MemoryEntry(row["id"], row["text"], TIERS[number % 3], row["source"])
            for number, row in enumerate(self.rows)
        ]

    @cached_property
    def keyword_store(self):
        index = BM25Index()
        for entry in self.entries:
            index.add(entry)
        return index

    @cached_property
    def vector_store(self):
        store = VectorMemoryStore(FakeEmbedding())
        for entry in self.entries:
            store.add(entry)
        return store

    @cached_property
    def documents(self):
        """The documents as a list, without parents: a forest of single nodes."""
        return [
            RetrievedDocument(
                row["text"],
                row["source"],
                0.0,
                {"entryId": row["id"]}
                | {key: row[key] for key in self.metadata_keys if row[key] is not None},
            )
            for row in self.rows
        ]

    @property
    def metadata_keys(self):
        fixed = {"id", "text", "source", "parent", "time"}
        return [name for name in self.table.column_names if name not in fixed]

    def count(self, filters, keys=None):
        """Return how many documents match."""
        return sum(filters.items() <= document.metadata.items() for document in self.documents)


def build(path, size, shares=()):
    """Build the world of ``size`` documents."""
    table = documents(size, shares)
    return World(Corpus.build(table, path, **options(shares)), table)


def build_updated(path, size, shares=(), *, block_max=True):
    """Build the same world as :func:`build` does, with a past.

    Half of the documents had an earlier version, and before each document stood another one that
    is deleted now: one that answers every query better, matches every filter, is the parent or the
    child of others, and is dated in the future, where temporal retrieval refuses a document.
    """
    table = documents(size, shares)
    rows = table.to_pylist()
    earlier = []
    for number, row in enumerate(rows):
        past = {
            **row,
            **{key: "yes" for key in row if key.startswith("share_")},
            "text": " ".join([row["text"], row["text"], *QUERIES]),
            "time": NOW + timedelta(days=9),
        }
        kept = number < size // 2
        earlier.append({**past, "id": f"old{number}", "parent": f"old{number // 2 - 1}"})
        earlier.append(row if kept else {**past, "parent": f"old{number}"})
    how = {**options(shares), "block_max": block_max}
    Corpus.build(pa.Table.from_pylist(earlier, table.schema), path, **how)
    hand_made.upsert(path, table.slice(size // 2), **how)
    hand_made.delete(path, [f"old{number}" for number in range(size)])
    return World(Corpus.open(path), table)


def documents(size, shares):
    """Return the documents as a table."""
    columns = {
        "id": [f"d{number:03}" for number in range(size)],
        "text": [text_of(number) for number in range(size)],
        "source": [f"file{number % 4}.md" for number in range(size)],
        "parent": [None if number < 3 else f"d{(number - 1) // 3:03}" for number in range(size)],
        "time": [
            None if number % 7 == 6 else NOW - timedelta(days=number * 37 % 100)
            for number in range(size)
        ],
        "tier": [TIERS[number % 3].name for number in range(size)],
        "topic": [None if number % 5 == 4 else WORDS[number * 3 % 5] for number in range(size)],
    }
    for share in shares:
        # Spread out, and the best-ranked documents are not the first to have it.
        chosen = {(number * 53 + 29) % size for number in range(share)}
        columns[f"share_{share}"] = ["yes" if n in chosen else "no" for n in range(size)]
    return pa.table(columns, schema_of(columns))


def options(shares):
    """Return how the world is built."""
    return {
        "source": "source",
        "parent": "parent",
        "timestamp": "time",
        "metadata": ["tier", "topic", *(f"share_{share}" for share in shares)],
        "embedding": "hash",
    }


def schema_of(columns):
    times = pa.timestamp("us", "UTC")
    return pa.schema([(name, times if name == "time" else pa.string()) for name in columns])


def text_of(number):
    own = [WORDS[number % 5]] * (number % 4) + [WORDS[number // 5 % 5], str(number % 10)]
    return " ".join(["common", *own])


ANY = RAGContext(100, -1e300)
