"""A walk over a graph beside the same in networkx and in numpy, on the same arrays, in turn.

Prints microseconds a query and their ratios for graphs whose edges are drawn evenly and by a power
law, 10 seeds a query, 2 hops, at most 1,024 nodes; ``docs/graph-quality.md`` shows them. Every
answer is checked: all three ways find the same nodes at the same scores, to the bit::

    python benchmarks/graph_traversal.py [--nodes 1000000] [--edges 10000000] [--networkx-edges 10000000]

networkx takes some 300 bytes an edge: with ``--networkx-edges`` below ``--edges`` it is measured on
a smaller graph of as many edges a node, beside the walk over that graph.
"""

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx
import numpy as np

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.graph.array_walk import ArrayWalk
from octavo.graph.bounds import WalkBounds

SEEDS, DEPTH, DECAY, MOST = 10, 2, 0.85, 1024
QUERIES = 256
FEW = 32
"""Queries that networkx answers."""
ROUNDS = 5


@dataclass(frozen=True)
class Edges:
    """Where edges begin and end, and from which nodes queries start."""

    name: str
    nodes: int
    sources: np.ndarray
    targets: np.ndarray
    seeds: np.ndarray  # queries x SEEDS, distinct within a query, best first


def uniform(nodes: int, edges: int) -> Edges:
    rng = np.random.default_rng(1)
    sources, targets = rng.integers(0, nodes, (2, edges))
    return Edges("even", nodes, sources, targets, seeds(rng, nodes, None))


def power_law(nodes: int, edges: int) -> Edges:
    return drawn_by_rank(nodes, edges, "power law")


def power_law_from_hubs(nodes: int, edges: int) -> Edges:
    return drawn_by_rank(nodes, edges, "power law, seeds too")


def drawn_by_rank(nodes: int, edges: int, name: str) -> Edges:
    """Edges from and to nodes in proportion to ``rank ** -0.75``: degrees fall as x ** -2.3."""
    rng = np.random.default_rng(2)
    weight = np.arange(1, nodes + 1) ** -0.75
    odds = rng.permutation(weight / weight.sum())
    bounds = np.cumsum(odds)
    drawn = np.searchsorted(bounds, rng.random((2, edges)) * bounds[-1])
    return Edges(name, nodes, *drawn, seeds(rng, nodes, odds if "seeds" in name else None))


def seeds(rng: np.random.Generator, nodes: int, odds: np.ndarray | None) -> np.ndarray:
    drawn = rng.choice(nodes, (QUERIES, 8 * SEEDS), p=odds)
    return np.array([list(dict.fromkeys(row.tolist()))[:SEEDS] for row in drawn], np.int64)


class Numbers:
    """Nodes that have nothing but a number."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def fence(self, _: object) -> None:
        return None


class Compressed:
    """The edges in compressed sparse rows, as a store of arrays; a query is its number."""

    def __init__(self, edges: Edges) -> None:
        self.offsets = np.zeros(edges.nodes + 1, np.int64)
        np.cumsum(np.bincount(edges.sources, minlength=edges.nodes), out=self.offsets[1:])
        self.targets = edges.targets[np.argsort(edges.sources, kind="stable")].astype(TARGETS)
        self.nodes = Numbers(edges.nodes)
        self.seeds = edges.seeds
        self.scores = np.linspace(1.0, 0.5, SEEDS)

    def rank_seeds(self, texts: Sequence[str], *_: object) -> tuple[Hits, SearchReport]:
        chosen = self.seeds[[int(text) for text in texts]]
        offsets = np.arange(len(texts) + 1) * SEEDS
        return Hits(offsets, chosen.ravel(), np.tile(self.scores, len(texts))), SearchReport()


TARGETS = np.int32


class Walk:
    """The walk of the graph strategy, as it is called by it."""

    def __init__(self, store: Compressed) -> None:
        self.walk = ArrayWalk("benchmark", store, WalkBounds(DEPTH, DECAY, MOST), ())

    def one(self, query: int) -> list[tuple[int, float]]:
        hits = self.walk.walk([str(query)], SEEDS).hits
        return list(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))

    def batch(self, queries: range) -> None:
        self.walk.walk([str(query) for query in queries], SEEDS)

    def single(self, queries: range) -> None:
        for query in queries:
            self.walk.walk([str(query)], SEEDS)


def best(labels: dict[int, tuple[float, int, int]]) -> list[tuple[int, float]]:
    """Return the nodes that the bound admits: by score, fewer hops, better seed, number."""
    ordered = sorted((*label, node) for node, label in labels.items())
    return [(node, -negative) for negative, _, _, node in ordered[:MOST]]


class Networkx:
    """One breadth-first search a seed, each node at its best seed's score."""

    def __init__(self, edges: Edges, scores: np.ndarray) -> None:
        self.graph = nx.DiGraph()
        self.graph.add_nodes_from(range(edges.nodes))
        step = 1_000_000
        for start in range(0, len(edges.sources), step):
            piece = slice(start, start + step)
            pairs = zip(edges.sources[piece].tolist(), edges.targets[piece].tolist(), strict=True)
            self.graph.add_edges_from(pairs)
        self.seeds, self.scores = edges.seeds.tolist(), scores.tolist()

    @cached_property
    def factors(self) -> list[list[float]]:
        return decayed(self.scores)

    def one(self, query: int) -> list[tuple[int, float]]:
        labels: dict[int, tuple[float, int, int]] = {}
        for place, seed in enumerate(self.seeds[query]):
            found = nx.single_source_shortest_path_length(self.graph, seed, cutoff=DEPTH)
            scores = self.factors[place]
            for node, hops in found.items():
                label = (-scores[hops], hops, place)
                if node not in labels or label < labels[node]:
                    labels[node] = label
        return best(labels)

    def single(self, queries: range) -> None:
        for query in queries:
            self.one(query)


class Numpy:
    """Hop by hop with whole arrays: every edge of a level at once, then the best of each node."""

    def __init__(self, store: Compressed) -> None:
        self.store = store

    def one(self, query: int) -> list[tuple[int, float]]:
        rows, scores, *_ = self.arrays(query)
        return list(zip(rows.tolist(), scores.tolist(), strict=True))

    def arrays(self, query: int) -> tuple[np.ndarray, ...]:
        offsets, targets = self.store.offsets, self.store.targets
        nodes, scores = self.store.seeds[query], self.store.scores
        places = np.arange(SEEDS)
        levels = [(nodes, scores, np.zeros(SEEDS, np.int64), places)]
        for hop in range(1, DEPTH + 1):
            starts, counts = offsets[nodes], offsets[nodes + 1] - offsets[nodes]
            within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            nodes = targets[np.repeat(starts, counts) + within]
            scores, places = np.repeat(scores * DECAY, counts), np.repeat(places, counts)
            levels.append((nodes, scores, np.full(len(nodes), hop), places))
        nodes, scores, hops, places = (np.concatenate(each) for each in zip(*levels, strict=True))
        order = np.lexsort((nodes, places, hops, -scores))
        _, first = np.unique(nodes[order], return_index=True)
        kept = order[np.sort(first)[:MOST]]
        return nodes[kept], scores[kept]

    def single(self, queries: range) -> None:
        for query in queries:
            self.arrays(query)


def decayed(scores: list[float]) -> list[list[float]]:
    found = []
    for score in scores:
        line = [score]
        for _ in range(DEPTH):
            line.append(line[-1] * DECAY)
        found.append(line)
    return found


def seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - no file of the project
        return int(file.read().split()[1]) * 4096


def microseconds(times: Sequence[float], queries: range) -> float:
    return statistics.median(times) / len(queries) * 1e6


def compare(edges: Edges) -> None:
    build = seconds(lambda: Compressed(edges))
    store = Compressed(edges)
    walk, arrays = Walk(store), Numpy(store)
    everything = range(QUERIES)
    for query in everything:
        assert sorted(walk.one(query)) == sorted(arrays.one(query)), query
    scanned = np.diff(store.offsets)
    slowest = max(seconds(lambda q=query: walk.one(q)) for query in everything)
    times: dict[str, list[float]] = {"single": [], "batch": [], "numpy": []}
    for _ in range(ROUNDS):
        times["single"].append(seconds(lambda: walk.single(everything)))
        times["batch"].append(seconds(lambda: walk.batch(everything)))
        times["numpy"].append(seconds(lambda: arrays.single(everything)))
    single, batch, plain = (microseconds(each, everything) for each in times.values())
    print(
        f"| {edges.name} | {edges.nodes:,} | {len(edges.targets):,} | {scanned.max():,} | {build:.2f} s "
        f"| {single:.0f} | {slowest * 1e6:.0f} | {batch:.0f} | {plain:.0f} | {plain / single:.1f} |",
        flush=True,
    )


def compare_networkx(edges: Edges) -> None:
    store = Compressed(edges)
    walk = Walk(store)
    gc.collect()
    before = resident()
    started = time.perf_counter()
    other = Networkx(edges, store.scores)
    build, memory = time.perf_counter() - started, resident() - before
    few = range(FEW)
    for query in few:
        assert sorted(walk.one(query)) == sorted(other.one(query)), query
    walks, others = [], []
    for _ in range(3):
        walks.append(seconds(lambda: walk.single(few)))
        others.append(seconds(lambda: other.single(few)))
    single, theirs = microseconds(walks, few), microseconds(others, few)
    print(
        f"| {edges.name} | {edges.nodes:,} | {len(edges.targets):,} | {build:.1f} s "
        f"| {memory / 2**30:.1f} GiB | {theirs:,.0f} | {single:.0f} | {theirs / single:.0f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--networkx-edges", type=int, default=10_000_000)
    options = parser.parse_args()
    shapes = (uniform, power_law, power_law_from_hubs)
    print(
        "| edges and seeds drawn | nodes | edges | most edges of a node | arrays made | walk, µs | slowest "
        "| batch, µs | numpy, µs | ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    for shape in shapes:
        compare(shape(options.nodes, options.edges))
    nodes = options.nodes * options.networkx_edges // options.edges
    print(
        "\n| edges and seeds drawn | nodes | edges | networkx made | its memory | networkx, µs | walk, µs "
        "| ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    )
    for shape in shapes:
        compare_networkx(shape(nodes, options.networkx_edges))


if __name__ == "__main__":
    main()
