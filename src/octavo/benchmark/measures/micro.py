"""Kernels, each beside what one would write without it; the baseline is also the right answer."""

import math

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis.buffers import as_large_strings
from octavo.benchmark.bench import Bench
from octavo.benchmark.checks import require_close, require_equal
from octavo.benchmark.measure import Facts, Measure, Pair, Unit
from octavo.benchmark.timing import Timed
from octavo.columns.hits import Hits
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.kernels.graph_traversal import Visits, Workspace, traverse
from octavo.kernels.parent_expansion import expand_to_parents
from octavo.kernels.ranking import rank_positions
from octavo.kernels.temporal_decay import temporal_decay
from octavo.strategies.fusion import fuse

QUERIES, DEPTH, KEPT = 1_000, 100, 10
_PLAIN_QUERIES = 50  # the baselines in plain Python are slow; figures are for one query
_PLAIN_DOCUMENTS = 500
_DOCUMENTS = 20_000
_DAY = 86_400_000_000


def _rng() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(1))


def random_hits(rng: np.random.Generator, queries: int, rows: int) -> Hits:
    """Return 100 distinct rows a query with falling scores, each a multiple of 2**-20."""
    found = np.concatenate([rng.permutation(rows)[:DEPTH] for _ in range(queries)])
    scores = -np.sort(-rng.integers(1, 1 << 20, (queries, DEPTH)), axis=1) / (1 << 20)
    return Hits(np.arange(queries + 1) * DEPTH, found.astype(np.int64), scores.ravel())


def _fusion(_: Bench) -> Pair:
    rng = _rng()
    streams = {name: random_hits(rng, QUERIES, 3 * DEPTH) for name in ("keyword", "vector")}
    lists = [
        [hits.rows[start : start + DEPTH].tolist() for hits in streams.values()]
        for start in range(0, _PLAIN_QUERIES * DEPTH, DEPTH)
    ]

    def with_dictionaries() -> list[list[tuple[int, float]]]:
        fused = []
        for ranked in lists:
            scores: dict[int, float] = {}
            for rows in ranked:
                for rank, row in enumerate(rows, 1):
                    scores[row] = scores.get(row, 0.0) + 61 / (60 + rank) / 2
            fused.append(sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))[:KEPT])
        return fused

    def check() -> Facts:
        fused = fuse(streams, limit=KEPT)
        expected = [hit for hits in with_dictionaries() for hit in hits]
        require_close("scores", fused.scores[: len(expected)], [hit[1] for hit in expected], 1e-12)
        return {}

    return Pair(
        Timed(lambda: fuse(streams, limit=KEPT), QUERIES),
        Timed(with_dictionaries, _PLAIN_QUERIES),
        check,
    )


def _hashing(bench: Bench) -> Pair:
    texts = as_large_strings(bench.analyzed.slice(0, _DOCUMENTS), "analyzed")
    embedding = HashEmbedding()
    few = [text or "" for text in texts.slice(0, _PLAIN_DOCUMENTS).to_pylist()]
    expected = np.array([plain_hash_vector(text, embedding.dimensions) for text in few])

    def check() -> Facts:
        found = embedding.embed_analyzed(pa.array(few, pa.large_string()))
        require_close("vectors", found, expected, 1e-6)
        return {}

    return Pair(
        Timed(lambda: embedding.embed_analyzed(texts), len(texts)),
        Timed(lambda: [plain_hash_vector(text, embedding.dimensions) for text in few], len(few)),
        check,
    )


def plain_hash_vector(text: str, dimensions: int) -> list[float]:
    """Return the hash embedding of analysed text in plain Python (``docs/hash-embedding.md``)."""
    mask = (1 << 64) - 1

    def mixed(value: int) -> int:
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            value = ((value ^ value >> 33) * factor) & mask
        return value ^ value >> 33

    counts, slot = [0] * dimensions, -1
    for token in text.encode().split(b" "):
        if not token:
            continue
        state = 0xCBF29CE484222325
        for byte in token:
            state = ((state ^ byte) * 0x100000001B3) & mask
        state = mixed(state)
        weight = max(1, min(len(token), 7) - 1)
        for _ in range(2):
            for half in (state & 0xFFFFFFFF, state >> 32):
                slot = (half >> 1) * dimensions >> 31
                counts[slot] += -weight if half & 1 else weight
            state = mixed(state + 1 & mask)
    total = sum(map(abs, counts))
    if total == 0 and slot >= 0:
        counts[slot] = total = 1
    length = math.sqrt(total) or 1.0
    return [math.copysign(math.sqrt(abs(count)), count) / length for count in counts]


def _decay(_: Bench) -> Pair:
    rng, size = _rng(), QUERIES * DEPTH
    scores, ticks = rng.random(size), rng.integers(0, 365 * _DAY, size)
    present = rng.random(size) < 0.9
    now, half_life, floor = 365 * _DAY, 30 * 86_400.0, 0.8

    def kernel() -> NDArray[np.float64]:
        return temporal_decay(scores, ticks, present, now=now, half_life=half_life, floor=floor)[0]

    def with_numpy() -> NDArray[np.float64]:
        ages = np.maximum(0, now - ticks) / 1e6
        fresh = floor + (1 - floor) * np.exp2(-ages / half_life)
        weighed: NDArray[np.float64] = scores * np.where(present, fresh, floor)
        return weighed

    def check() -> Facts:
        require_close("decayed scores", kernel(), with_numpy(), 1e-12)
        return {}

    return Pair(Timed(kernel, QUERIES), Timed(with_numpy, QUERIES), check)


def _expansion(_: Bench) -> Pair:
    rng, nodes = _rng(), 100_000
    hits = random_hits(rng, QUERIES, nodes)
    numbers = np.arange(nodes)
    parents = np.where(numbers == 0, -1, (numbers - 1) // 10).astype(np.int64)
    above = parents.tolist()

    def kernel() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        _, rows, scores, _, _ = expand_to_parents(
            hits.offsets, hits.rows, hits.scores, parents, max_depth=3, decay=0.85, limit=DEPTH
        )
        return rows, scores

    def with_dictionaries() -> list[list[tuple[int, float]]]:
        expanded = []
        for start in range(0, _PLAIN_QUERIES * DEPTH, DEPTH):
            best: dict[int, float] = {}
            piece = slice(start, start + DEPTH)
            for row, score in zip(
                hits.rows[piece].tolist(), hits.scores[piece].tolist(), strict=True
            ):
                node, weighed = row, score
                for _ in range(4):
                    best[node] = max(best.get(node, 0.0), weighed)
                    node, weighed = above[node], weighed * 0.85
                    if node < 0:
                        break
            expanded.append(sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))[:DEPTH])
        return expanded

    def check() -> Facts:
        rows, scores = kernel()
        expected = [hit for hits in with_dictionaries() for hit in hits]
        require_equal("rows", rows[: len(expected)], [row for row, _ in expected])
        require_equal("scores", scores[: len(expected)], [score for _, score in expected])
        return {}

    return Pair(Timed(kernel, QUERIES), Timed(with_dictionaries, _PLAIN_QUERIES), check)


def _walk(_: Bench) -> Pair:
    rng, nodes, width, queries, most = _rng(), 100_000, 10, 100, 1_024
    offsets = np.arange(nodes + 1) * width
    targets = rng.integers(0, nodes, nodes * width, np.int32)
    seeds = np.concatenate([rng.permutation(nodes)[:width] for _ in range(queries)])
    scores = np.linspace(1.0, 0.5, width)
    workspace = Workspace(nodes)
    neighbours = targets.reshape(nodes, width).tolist()
    listed = seeds.reshape(queries, width).tolist()

    def kernel() -> Visits:
        chosen = (np.arange(queries + 1) * width, seeds, np.tile(scores, queries))
        return traverse(
            offsets, targets, *chosen, max_depth=2, decay=0.85, max_nodes=most, workspace=workspace
        )

    def with_dictionaries() -> list[list[tuple[float, int, int, int]]]:
        found = []
        for chosen in listed[:_PLAIN_QUERIES]:
            best: dict[int, tuple[float, int, int]] = {}
            for place, seed in enumerate(chosen):
                level, score = {seed}, float(scores[place])
                for hops in range(3):
                    for node in level:
                        label = (-score, hops, place)
                        best[node] = min(label, best.get(node, label))
                    level = {target for node in level for target in neighbours[node]}
                    score *= 0.85
            found.append(sorted((*label, node) for node, label in best.items())[:most])
        return found

    def check() -> Facts:
        visits, expected = kernel(), with_dictionaries()
        counts = [len(labels) for labels in expected]
        require_equal("numbers", np.diff(visits.offsets)[: len(counts)], counts)
        place = np.repeat(np.arange(queries), np.diff(visits.offsets))
        order = np.lexsort((visits.nodes, visits.seeds, visits.hops, -visits.scores, place))
        labels = [label for each in expected for label in each]
        chosen = order[: len(labels)]
        require_equal("nodes", visits.nodes[chosen], [label[3] for label in labels])
        require_equal("scores", visits.scores[chosen], [-label[0] for label in labels])
        return {}

    return Pair(Timed(kernel, queries), Timed(with_dictionaries, _PLAIN_QUERIES), check)


def _top_k(_: Bench) -> Pair:
    rng, queries, depth = _rng(), 200, 1_000
    rows = np.concatenate([rng.permutation(10 * depth)[:depth] for _ in range(queries)])
    scores = rng.integers(0, 1 << 20, queries * depth) / (1 << 20)
    offsets = np.arange(queries + 1) * depth

    def kernel() -> NDArray[np.int64]:
        return rank_positions(offsets, rows, scores, KEPT)[1]

    def with_numpy() -> list[NDArray[np.int64]]:
        found = []
        for start in range(0, queries * depth, depth):
            best = np.argpartition(-scores[start : start + depth], 2 * KEPT)[: 2 * KEPT] + start
            found.append(best[np.lexsort((rows[best], -scores[best]))][:KEPT])
        return found

    def check() -> Facts:
        require_equal("positions", kernel(), np.concatenate(with_numpy()))
        return {}

    return Pair(Timed(kernel, queries), Timed(with_numpy, queries), check)


MEASURES = (
    Measure(
        name="micro.fusion",
        what="RRF of two lists of 100 to 10, batch of 1,000",
        unit=Unit.QUERY,
        baseline="Python dictionary and sort",
        prepare=_fusion,
    ),
    Measure(
        name="micro.hash-embedding",
        what="hash embedding of analysed texts, 128 slots",
        unit=Unit.DOCUMENT,
        baseline="the same in plain Python",
        prepare=_hashing,
    ),
    Measure(
        name="micro.decay",
        what="temporal decay of 100 hits a query",
        unit=Unit.QUERY,
        baseline="numpy",
        prepare=_decay,
    ),
    Measure(
        name="micro.expansion",
        what="100 hits a query expanded to parents, 3 levels",
        unit=Unit.QUERY,
        baseline="Python dictionary and sort",
        prepare=_expansion,
    ),
    Measure(
        name="micro.walk",
        what="10 seeds, 2 hops over 1,000,000 edges, at most 1,024 nodes",
        unit=Unit.QUERY,
        baseline="Python dictionary and sort",
        prepare=_walk,
    ),
    Measure(
        name="micro.top-k",
        what="the 10 best of 1,000 scores",
        unit=Unit.QUERY,
        baseline="numpy argpartition and lexsort",
        prepare=_top_k,
    ),
)
