"""What composing strategies cost above the stream inside them, on a million generated documents.

    python benchmarks/strategy_overhead.py [--documents 1000000] [--queries 10000]

Prints two tables: the batch time of each strategy against the bare call of its inner stream (same
candidate depth, one thread), and the batch against a loop over ``retrieve``; the latter also over a
stream that only gives what was ranked before, so that the strategies' own cost shows.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

from octavo import Corpus, CsrGraph, GraphEdge, GraphNode, RAGContext
from octavo.columns.hits import Hits
from octavo.spi import RAGStrategy
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.inner import inner_context
from octavo.strategies.queries import Queries

VOCABULARY = 200_000
BLOCK = 256
LOOPED = 200
NOW = "2026-01-31T00:00:00Z"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=10_000)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as scratch:
        corpus = build(rng, options.documents, Path(scratch) / "index")
        queries = Queries(tuple(texts(rng, options.queries, 2, 5)))
        keyword = corpus.strategy("keyword")
        stored = corpus.strategy
        composed = {
            "hierarchical over keyword": stored("hierarchical", child="keyword"),
            "temporal over keyword": stored("temporal", child="keyword", now=NOW),
            "temporal over hierarchical": stored(
                "temporal", child=stored("hierarchical", child="keyword"), now=NOW
            ),
        }
        bare = best(lambda: blocks(keyword, queries, inner_context(RAGContext(), 100)))
        print(f"{options.documents:,} documents, {options.queries:,} queries, one thread\n")
        print("| strategy | seconds | against the bare keyword stream |\n|---|--:|--:|")
        print(f"| keyword, 100 deep | {bare:.2f} | 1.00 |")
        for name, strategy in composed.items():
            seconds = best(lambda chosen=strategy: blocks(chosen, queries, RAGContext()))
            print(f"| {name} | {seconds:.2f} | {seconds / bare:.2f} |", flush=True)
        print("\n| strategy | batch, seconds | loop, seconds | ratio |\n|---|--:|--:|--:|")
        graphs = graph_strategies(rng, corpus, options.documents)
        ranked = PrecomputedStrategy(rng, corpus, options.queries)
        cheap = {
            "hierarchical over a ranking": stored("hierarchical", child=ranked),
            "temporal over a ranking": stored("temporal", child=ranked, now=NOW),
        }
        numbers = Queries(tuple(map(str, range(options.queries))))
        for name, strategy in {**composed, **graphs, **cheap}.items():
            asked = numbers if name in cheap else queries
            batch = best(lambda chosen=strategy, all_=asked: blocks(chosen, all_, RAGContext()))
            few = asked.texts[:LOOPED]
            loop = best(lambda chosen=strategy, some=few: one_by_one(chosen, some))
            loop *= len(queries) / LOOPED
            print(f"| {name} | {batch:.2f} | {loop:.2f} | {loop / batch:.1f} |", flush=True)


class PrecomputedStrategy(ColumnarStrategy):
    """Gives 100 hits drawn before; a query is the number of its ranking."""

    name = "precomputed"

    def __init__(self, rng: np.random.Generator, corpus: Corpus, queries: int) -> None:
        self._store = corpus.keyword_index
        self._rows = rng.integers(0, len(corpus), (queries, 100))
        self._scores = np.linspace(1.0, 0.1, 100)

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        assert context.max_results == 100
        rows = self._rows[[int(text) for text in queries.texts]]
        scores = np.tile(self._scores, len(queries))
        return Ranking(Hits(np.arange(len(queries) + 1) * 100, rows.ravel(), scores), self._store)


def build(rng: np.random.Generator, documents: int, path: Path) -> Corpus:
    """Index documents in families of ten: the first of each is the parent of the rest."""
    ids = np.array([f"d{row}" for row in range(documents)])
    parents = np.where(np.arange(documents) % 10 == 0, None, ids[np.arange(documents) // 10 * 10])
    ticks = 1_769_817_600_000_000 - rng.integers(0, 10**14, documents)
    table = pa.table(
        {
            "id": ids,
            "text": texts(rng, documents, 4, 12),
            "parent": pa.array(parents.tolist(), pa.string()),
            "time": pa.array(ticks, pa.timestamp("us", "UTC")),
        }
    )
    return Corpus.build(table, path, parent="parent", timestamp="time", embedding="none")


def texts(rng: np.random.Generator, number: int, least: int, most: int) -> list[str]:
    words = np.array([f"w{word:x}" for word in range(VOCABULARY)])
    lengths = rng.integers(least, most + 1, number)
    chosen = words[np.minimum(rng.zipf(1.02, int(lengths.sum())), VOCABULARY) - 1]
    return [" ".join(each) for each in np.split(chosen, np.cumsum(lengths)[:-1])]


def graph_strategies(
    rng: np.random.Generator, corpus: Corpus, documents: int
) -> dict[str, ColumnarStrategy]:
    """A graph of a tenth of the documents, five edges a node, seeds by a function."""
    nodes = documents // 10
    targets = rng.integers(0, nodes, (nodes, 5)).tolist()
    store = CsrGraph(
        [GraphNode(f"n{node}", "", "graph", documents=(f"d{node}",)) for node in range(nodes)],
        [
            GraphEdge(f"n{node}", "to", f"n{target}")
            for node, row in enumerate(targets)
            for target in row
        ],
        lambda query, limit: [
            (f"n{len(query) * 37 + seed}", 1.0) for seed in range(min(10, limit))
        ],
    )
    return {"graph, linked documents": corpus.strategy("graph", store=store)}


def blocks(strategy: ColumnarStrategy, queries: Queries, context: RAGContext) -> None:
    for start in range(0, len(queries), BLOCK):
        strategy.rank(queries[start : start + BLOCK], context)


def one_by_one(strategy: RAGStrategy, queries: tuple[str, ...]) -> None:
    context = RAGContext()
    for query in queries:
        strategy.retrieve(query, context)


def best(run: Callable[[], None]) -> float:
    """Return the shortest of three runs, after one that warms up."""
    run()
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


if __name__ == "__main__":
    main()
