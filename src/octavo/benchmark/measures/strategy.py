"""All eight strategies, each beside the bare calls of the streams inside it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from octavo.benchmark.bench import DEPTH, STREAM_DEPTH, Bench, hits_by_query
from octavo.benchmark.checks import require_close, require_equal
from octavo.benchmark.fusion import fused_by_hand
from octavo.benchmark.measure import Facts, Measure, Pair, Unit
from octavo.benchmark.timing import Timed, Work
from octavo.corpus import Corpus
from octavo.graph.csr_graph import CsrGraph
from octavo.spi import GraphEdge, GraphNode, QueryExpansion, RAGContext
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.queries import Queries

NOW = "2026-01-01T00:00:00Z"
_ASKED_ALONE = 16
_NODES, _EDGES = 20_000, 5
_FANOUT = 8
_CONTEXT = RAGContext(DEPTH)


class WordDropper:
    """An expander without a model: each variant leaves one word of the query out."""

    def supports(self, model: str) -> bool:  # noqa: ARG002 - the protocol's
        """Return true."""
        return True

    def expand(
        self,
        query: str,
        mode: QueryExpansion,  # noqa: ARG002 - the protocol's
        model: str,  # noqa: ARG002
        max_expansions: int,
    ) -> list[str]:
        """Return up to ``max_expansions`` variants."""
        words = query.split()
        places = range(min(max_expansions, len(words)))
        return [" ".join(words[:at] + words[at + 1 :]) for at in places]


def _against_streams(strategy: ColumnarStrategy, asked: Queries, bare: Work) -> Pair:
    return Pair(
        Timed(lambda: strategy.rank(asked, _CONTEXT), len(asked)),
        Timed(bare, len(asked)),
        lambda: same_alone(strategy, asked[:_ASKED_ALONE]),
    )


def _against_loop(strategy: ColumnarStrategy, asked: Queries) -> Pair:
    looped = asked.texts[:_ASKED_ALONE]
    return Pair(
        Timed(lambda: strategy.rank(asked, _CONTEXT), len(asked)),
        Timed(lambda: [strategy.retrieve(text, _CONTEXT) for text in looped], len(looped)),
        lambda: same_alone(strategy, asked[:_ASKED_ALONE]),
    )


def same_alone(strategy: ColumnarStrategy, asked: Queries) -> Facts:
    """Check that a batch gives what its queries give one by one."""
    together = strategy.rank(asked, _CONTEXT)
    alone = [strategy.rank(asked[at : at + 1], _CONTEXT) for at in range(len(asked))]
    scores = np.concatenate([one.hits.scores for one in alone])
    require_equal("scores in a batch and alone", together.hits.scores, scores)
    ids = [each for one in alone for each in one.documents.ids(one.hits.rows)]
    require_equal("ids in a batch and alone", together.documents.ids(together.hits.rows), ids)
    return {}


def topic_facts(bench: Bench, strategy: ColumnarStrategy) -> Facts:
    """Return the share of hits that are of their query's topic, where topics are known."""
    topics, checked = bench.checked.topics, bench.block[: bench.scale.checked]
    if topics is None:
        return {}
    hits = strategy.rank(checked, _CONTEXT).hits
    of_row = bench.collection.table["topic"].to_numpy()
    return {"precision": float((of_row[hits.rows] == topics[hits.query_of()]).mean())}


def _keyword_stream(bench: Bench, texts: Sequence[str], depth: int) -> Work:
    everything = bench.snapshot.select({})
    return lambda: bench.snapshot.rank_keyword(texts, depth, everything)


def _keyword(bench: Bench) -> Pair:
    strategy, texts = bench.corpus.strategy("keyword"), bench.queries.texts
    pair = _against_streams(strategy, Queries(texts), _keyword_stream(bench, texts, DEPTH))
    return _with_topics(pair, bench, strategy)


def _vector(bench: Bench) -> Pair:
    snapshot, everything = bench.snapshot, bench.snapshot.select({})
    strategy, vectors = bench.corpus.strategy("vector"), bench.queries.vectors
    bare = partial(snapshot.rank_vector, vectors, DEPTH, everything)
    return _with_topics(_against_streams(strategy, bench.block, bare), bench, strategy)


def _with_topics(pair: Pair, bench: Bench, strategy: ColumnarStrategy) -> Pair:
    return Pair(
        pair.subject, pair.baseline, lambda: {**pair.check(), **topic_facts(bench, strategy)}
    )


def _hybrid(bench: Bench, *, single: bool) -> Pair:
    snapshot, block = bench.snapshot, bench.block
    strategy, everything = bench.corpus.strategy("hybrid"), bench.snapshot.select({})
    step = 1 if single else len(block)
    pieces = [block[at : at + step] for at in range(0, _ASKED_ALONE if single else step, step)]
    vectors, items = bench.queries.vectors, step * len(pieces)

    def bare() -> None:
        for at, piece in enumerate(pieces):
            snapshot.rank_keyword(piece.texts, STREAM_DEPTH, everything)
            snapshot.rank_vector(vectors[at * step : (at + 1) * step], STREAM_DEPTH, everything)

    def check() -> Facts:
        checked = block[: bench.scale.checked]
        hits = strategy.rank(checked, _CONTEXT).hits
        keyword = snapshot.rank_keyword(checked.texts, STREAM_DEPTH, everything)[0]
        vector = snapshot.rank_vector(vectors[: len(checked)], STREAM_DEPTH, everything)[0]
        streams = zip(hits_by_query(keyword), hits_by_query(vector), strict=True)
        expected = [hit for each in streams for hit in fused_by_hand(each, DEPTH)]
        require_equal("rows", hits.rows, [row for row, _ in expected])
        require_close("scores", hits.scores, [score for _, score in expected], 1e-12)
        return topic_facts(bench, strategy)

    return Pair(
        Timed(lambda: [strategy.rank(piece, _CONTEXT) for piece in pieces], items),
        Timed(bare, items),
        check,
    )


def _over_keyword(bench: Bench, *, name: str, options: dict[str, Any]) -> Pair:
    strategy = bench.corpus.strategy(name, child="keyword", **options)
    texts = bench.queries.texts
    return _against_streams(strategy, Queries(texts), _keyword_stream(bench, texts, STREAM_DEPTH))


def _multi_query(bench: Bench) -> Pair:
    expander, texts = WordDropper(), bench.queries.texts
    strategy = bench.corpus.strategy(
        "multi-query", expander=expander, model="words", child="keyword"
    )
    variants = [
        variant
        for text in texts
        for variant in (text, *expander.expand(text, QueryExpansion.MULTI_QUERY, "words", 3))
    ]
    bare = _keyword_stream(bench, variants, STREAM_DEPTH)
    return _against_streams(strategy, Queries(texts), bare)


def _graph(bench: Bench) -> Pair:
    nodes = min(_NODES, bench.collection.documents)
    targets = np.random.Generator(np.random.PCG64(3)).integers(0, nodes, (nodes, _EDGES)).tolist()
    store = CsrGraph(
        [GraphNode(f"n{node}", "", "graph", documents=(f"d{node}",)) for node in range(nodes)],
        [
            GraphEdge(f"n{node}", "to", f"n{target}")
            for node, row in enumerate(targets)
            for target in row
        ],
        lambda query, limit: [
            (f"n{(len(query) * 37 + seed) % nodes}", 1.0) for seed in range(min(DEPTH, limit))
        ],
    )
    return _against_loop(bench.corpus.strategy("graph", store=store), Queries(bench.queries.texts))


def _reasoning(bench: Bench) -> Pair:
    """Use a tree of its own: every step of a navigator costs what the node's children cost."""
    levels = [["r"]]
    for _ in range(3):
        levels.append([f"{above}{child}" for above in levels[-1] for child in range(_FANOUT)])
    ids = [name for level in levels for name in level]
    texts = bench.collection.table["text"].slice(0, len(ids)).to_pylist()
    titles = [texts[at % len(texts)] for at in range(len(ids))]
    parents = [name[:-1] or None for name in ids]
    tree = pa.table({"id": ids, "text": titles, "title": titles, "parent": parents})
    corpus = Corpus.build(
        tree, bench.directory / "tree", parent="parent", embedding="none", overwrite=True
    )
    strategy = corpus.strategy("reasoning", navigator="lexical", model="words")
    return _against_loop(strategy, Queries(bench.queries.texts))


def _measure(name: str, what: str, baseline: str, prepare: Callable[[Bench], Pair]) -> Measure:
    return Measure(
        name=f"strategy.{name}", what=what, unit=Unit.QUERY, baseline=baseline, prepare=prepare
    )


_LOOP = "a loop over retrieve"
MEASURES = (
    _measure("keyword", "keyword, k = 10", "the bare keyword engine", _keyword),
    _measure("vector", "vector, k = 10", "the bare vector engine", _vector),
    _measure(
        "hybrid",
        "hybrid, k = 10",
        "the two engine calls it makes, 100 deep",
        partial(_hybrid, single=False),
    ),
    _measure(
        "hybrid.single",
        "hybrid one by one, k = 10",
        "the two engine calls it makes, in turn",
        partial(_hybrid, single=True),
    ),
    _measure(
        "hierarchical",
        "hierarchical over keyword",
        "the keyword engine, 100 deep",
        partial(_over_keyword, name="hierarchical", options={}),
    ),
    _measure(
        "temporal",
        "temporal over keyword",
        "the keyword engine, 100 deep",
        partial(_over_keyword, name="temporal", options={"now": NOW}),
    ),
    _measure(
        "multi-query",
        "multi-query over keyword, up to 3 variants",
        "the keyword engine for all variants, 100 deep",
        _multi_query,
    ),
    _measure("graph", "graph of 20,000 nodes, 10 seeds", _LOOP, _graph),
    _measure("reasoning", "reasoning by words over a tree of 585 titles", _LOOP, _reasoning),
)
