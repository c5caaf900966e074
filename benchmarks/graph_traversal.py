"""Walks over a graph beside the same in networkx and in numpy, in turn, on the same edges.

Prints microseconds a query, and ratios, for edges that are drawn evenly and by a power law: 10 seeds
a query, 2 hops, at most 1,024 nodes; ``docs/graph-quality.md`` shows them. Every answer is checked:
all find the same nodes at the same scores, to the bit. Needs networkx::

    python benchmarks/graph_traversal.py [--nodes 1000000] [--edges 10000000] [--networkx-edges 1000000]

networkx takes some 200 bytes an edge and minutes to read ten million, so that it is measured on a
smaller graph of as many edges a node, beside the walk over that one.
"""

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from octavo.columns.edge_list import read_edges
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.graph.array_walk import ArrayWalk
from octavo.graph.bounds import WalkBounds
from octavo.graph.fence import Fence

SEEDS, DEPTH, DECAY, MOST, WANTED = 10, 2, 0.85, 1024, 10
QUERIES = 128
FEW, FEW_FROM_HUBS = 16, 2
"""Queries that networkx and numpy answer; from hubs they take a second each."""
ROUNDS = 5


@dataclass(frozen=True)
class Drawn:
    """How ends of edges, and the seeds of queries, are chosen."""

    name: str
    skew: float
    """Nodes are drawn in proportion to ``rank ** -skew``: degrees fall as ``x ** (-1 - 1 / skew)``."""
    from_hubs: bool = False
    """Whether seeds are drawn in proportion to the edges that leave them."""


DRAWN = (
    Drawn("evenly", 0.0),
    Drawn("power law", 0.75),
    Drawn("power law, seeds too", 0.75, from_hubs=True),
)


def edge_list(drawn: Drawn, nodes: int, edges: int) -> pa.Table:
    rng = np.random.default_rng(1)
    bounds = np.cumsum(rng.permutation(np.arange(1, nodes + 1) ** -drawn.skew))
    ends = np.searchsorted(bounds, rng.random((2, edges)) * bounds[-1])
    names = pa.array([f"n{node:08}" for node in range(nodes)])
    relations = pa.repeat("cites", edges)
    columns = [names.take(ends[0]), relations, names.take(ends[1])]
    return pa.table(columns, names=["head", "relation", "tail"])


class Numbers:
    """Nodes that have nothing but a number."""

    home = None

    def __init__(self, rows: int) -> None:
        self.rows = rows


class Graph:
    """A graph from an edge list, as a store of arrays; a query is a number."""

    def __init__(self, drawn: Drawn, columns: GraphColumns) -> None:
        self.offsets, self.targets = columns.offsets, columns.targets
        self.nodes = Numbers(columns.nodes)
        leaving = np.diff(self.offsets)
        odds = leaving / leaving.sum() if drawn.from_hubs else None
        rng = np.random.default_rng(2)
        chosen = rng.choice(columns.nodes, (QUERIES, 20 * SEEDS), p=odds)
        self.seeds = np.array([list(dict.fromkeys(row.tolist()))[:SEEDS] for row in chosen])
        self.scores = np.linspace(1.0, 0.5, SEEDS)

    def fence(self, _: object) -> Fence:
        return Fence()

    def rank_seeds(self, texts: Sequence[str], *_: object) -> tuple[Hits, SearchReport]:
        chosen = self.seeds[[int(text) for text in texts]]
        offsets = np.arange(len(texts) + 1) * SEEDS
        return Hits(offsets, chosen.ravel(), np.tile(self.scores, len(texts))), SearchReport()


Found = list[tuple[int, float]]


class Walk:
    """The walk as the graph strategy calls it."""

    def __init__(self, graph: Graph) -> None:
        self.walk = ArrayWalk("benchmark", graph, WalkBounds(DEPTH, DECAY, MOST), ())

    def one(self, query: int) -> Found:
        hits = self.walk.walk([str(query)], SEEDS).hits
        return list(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))

    def single(self, queries: range, wanted: int | None = None) -> None:
        for query in queries:
            self.walk.walk([str(query)], SEEDS, wanted)

    def batch(self, queries: range) -> None:
        self.walk.walk([str(query) for query in queries], SEEDS)


class Networkx:
    """A breadth-first search from each seed, each node at its best seed's score."""

    def __init__(self, graph: Graph) -> None:
        sources = np.repeat(np.arange(graph.nodes.rows), np.diff(graph.offsets)).tolist()
        self.graph = nx.DiGraph()
        self.graph.add_nodes_from(range(graph.nodes.rows))
        self.graph.add_edges_from(zip(sources, graph.targets.tolist(), strict=True))
        self.seeds = graph.seeds.tolist()
        self.decayed = [graph.scores.tolist()]
        for _ in range(DEPTH):
            self.decayed.append([score * DECAY for score in self.decayed[-1]])

    def one(self, query: int) -> Found:
        labels: dict[int, tuple[float, int, int]] = {}
        for place, seed in enumerate(self.seeds[query]):
            found = nx.single_source_shortest_path_length(self.graph, seed, cutoff=DEPTH)
            for node, hops in found.items():
                label = (-self.decayed[hops][place], hops, place)
                if node not in labels or label < labels[node]:
                    labels[node] = label
        ordered = sorted((*label, node) for node, label in labels.items())
        return [(node, -negative) for negative, _, _, node in ordered[:MOST]]

    def single(self, queries: range) -> None:
        for query in queries:
            self.one(query)


class Numpy:
    """Hop by hop with whole arrays: every edge of a level at once, then the best of each node."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def one(self, query: int) -> Found:
        nodes, scores = self.arrays(query)
        return list(zip(nodes.tolist(), scores.tolist(), strict=True))

    def arrays(self, query: int) -> tuple[np.ndarray, np.ndarray]:
        offsets, targets = self.graph.offsets, self.graph.targets
        nodes, scores, places = self.graph.seeds[query], self.graph.scores, np.arange(SEEDS)
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


def seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096


def in_turn(runs: Sequence[tuple[Callable[[range], object], range]], rounds: int) -> list[float]:
    """Return the median microseconds a query of each."""
    times = [
        [seconds(lambda r=run, q=queries: r(q)) for run, queries in runs] for _ in range(rounds)
    ]
    return [
        statistics.median(each) / len(queries) * 1e6
        for each, (_, queries) in zip(zip(*times, strict=True), runs, strict=True)
    ]


def alone(drawn: Drawn, nodes: int, edges: int, scratch: Path) -> None:
    pq.write_table(edge_list(drawn, nodes, edges), scratch / "edges.parquet")
    gc.collect()
    started = time.perf_counter()
    columns = read_edges(scratch / "edges.parquet")
    build = time.perf_counter() - started
    graph = Graph(drawn, columns)
    walk, every = Walk(graph), range(QUERIES)
    slowest = max(min(seconds(lambda q=query: walk.one(q)) for _ in range(3)) for query in every)
    single, best, batch = in_turn(
        [
            (walk.single, every),
            (lambda queries: walk.single(queries, WANTED), every),
            (walk.batch, every),
        ],
        ROUNDS,
    )
    print(
        f"| {drawn.name} | {columns.nodes:,} | {columns.edges:,} | {np.diff(graph.offsets).max():,} "
        f"| {build:.1f} s | {single:.0f} | {slowest * 1e6:.0f} | {best:.0f} | {batch:.0f} |",
        flush=True,
    )


def beside_others(drawn: Drawn, nodes: int, edges: int) -> None:
    table = edge_list(drawn, nodes, edges)
    built = seconds(lambda: read_edges(table))
    graph = Graph(drawn, read_edges(table))
    gc.collect()
    before, started = resident(), time.perf_counter()
    other = Networkx(graph)
    build, memory = time.perf_counter() - started, resident() - before
    walk, plain, few = Walk(graph), Numpy(graph), range(FEW_FROM_HUBS if drawn.from_hubs else FEW)
    for query in few:
        found = sorted(walk.one(query))
        assert found == sorted(other.one(query)) == sorted(plain.one(query)), query
    single, theirs, numpy = in_turn([(each.single, few) for each in (walk, other, plain)], 3)
    print(
        f"| {drawn.name} | {graph.nodes.rows:,} | {len(graph.targets):,} | {build:.1f} s, "
        f"{memory / 2**20:,.0f} MiB | {built:.1f} s | {single:.0f} | {theirs:,.0f} "
        f"| {theirs / single:.0f} | {numpy:,.0f} | {numpy / single:.1f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--networkx-edges", type=int, default=1_000_000)
    options = parser.parse_args()
    print(
        "| edges drawn | nodes | edges | networkx: made | octavo: made | octavo, µs "
        "| networkx, µs | ratio | numpy, µs | ratio |\n|---|" + "--:|" * 9
    )
    nodes = options.nodes * options.networkx_edges // options.edges
    for drawn in DRAWN:
        beside_others(drawn, nodes, options.networkx_edges)
    print(
        "\n| edges drawn | nodes | edges | most from a node | read | one by one, µs | slowest, µs "
        "| only the best 10, µs | batch, µs |\n|---|" + "--:|" * 8
    )
    with tempfile.TemporaryDirectory() as scratch:
        for drawn in DRAWN:
            alone(drawn, options.nodes, options.edges, Path(scratch))


if __name__ == "__main__":
    main()
