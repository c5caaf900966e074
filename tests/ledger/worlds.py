"""Random small worlds, and every strategy over them with random settings."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from octavo import (
    BM25Index,
    CsrGraph,
    GraphEdge,
    GraphNode,
    GraphRAGStrategy,
    HierarchicalRAGStrategy,
    HierarchyIndex,
    HybridRAGStrategy,
    KeywordRAGStrategy,
    LexicalNavigator,
    MemoryEntry,
    MemoryTier,
    MultiQueryRAGStrategy,
    QueryExpansion,
    ReasoningRAGStrategy,
    RetrievedDocument,
    TemporalIndex,
    TemporalRAGStrategy,
    VectorMemoryStore,
    VectorRAGStrategy,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = ("fox", "whale", "owl", "heron")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
QUERIES = ("fox", "whale owl", "owl heron fox", "nothing", "")


def embed(text):
    """Count words, signs mixed, so that cosines of both signs come; zero for other text."""
    counts = [text.split().count(word) for word in WORDS]
    return [counts[0] - counts[1], counts[1] - counts[2], float(counts[3])]


@dataclass
class World:
    """Documents by position, in stores in memory."""

    texts: list[str]
    ages: list[float | None]

    def __post_init__(self):
        self.words, self.vectors = BM25Index(), VectorMemoryStore(embed)
        for number, text in enumerate(self.texts):
            entry = MemoryEntry(f"d{number}", text, MemoryTier.SEMANTIC)
            self.words.add(entry)
            self.vectors.add(entry)
        self.documents = [
            RetrievedDocument(text, f"d{number}", 0.0, self._metadata(number))
            for number, text in enumerate(self.texts)
        ]

    def _metadata(self, number):
        parent = {} if number == 0 else {"hierarchy.parentId": f"d{(number - 1) // 2}"}
        age = self.ages[number]
        time = {} if age is None else {"temporal.timestamp": (NOW - timedelta(days=age)).isoformat()}  # fmt: skip
        return {"entryId": f"d{number}", "hierarchy.id": f"d{number}", **parent, **time}


WORLDS = st.lists(st.tuples(TEXTS, st.none() | st.floats(0, 4_000)), min_size=1, max_size=12).map(
    lambda rows: World([text for text, _ in rows], [age for _, age in rows])
)


class Own:
    """An application's own strategy, with scores of both signs."""

    name = "hybrid"  # a name that promises parts which it does not have

    def __init__(self, world):
        self.documents = world.documents

    def retrieve(self, query, context):
        found = [
            RetrievedDocument(each.content, each.source, len(each.content) / 7 - 1.3, each.metadata)
            for each in self.documents
            if any(word in each.content for word in query.split())
        ]
        return tuple(found)


def expander(query, mode, model, limit):
    return [f"{query} {word}" for word in WORDS]


def graph(draw, world):
    nodes = [GraphNode(f"d{n}", text or "?", "g") for n, text in enumerate(world.texts)]
    ends = st.integers(0, len(nodes) - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=15))
    edges = [GraphEdge(f"d{head}", "to", f"d{tail}") for head, tail in pairs]
    return GraphRAGStrategy(
        "g", CsrGraph(nodes, edges), (), draw(st.integers(0, 4)), draw(FRACTIONS), 1_024
    )


FRACTIONS = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)
NAMES = ("keyword", "vector", "own", "hybrid", "graph hybrid", "graph", "multi-query",
         "hierarchical", "temporal", "reasoning")  # fmt: skip
WEIGHTS = st.sampled_from([0.0, 0.3, 1.0]) | st.floats(0.01, 9.0)


@st.composite
def strategies(draw, world, names=NAMES, depth=3):
    """Draw a strategy, those inside it at random too."""
    name = draw(st.sampled_from(names if depth else [each for each in names if each in _LEAVES]))
    child = strategies(world, NAMES, depth - 1)
    if name == "keyword":
        return KeywordRAGStrategy(world.words)
    if name == "vector":
        return VectorRAGStrategy(world.vectors)
    if name == "own":
        return Own(world)
    if name == "graph":
        return graph(draw, world)
    if name in ("hybrid", "graph hybrid"):
        third = graph(draw, world) if name == "graph hybrid" else None
        streams = ["keyword", "vector", *(["graph"] if third else [])]
        weights = draw(
            st.none()
            | st.fixed_dictionaries(dict.fromkeys(streams, WEIGHTS)).filter(
                lambda given: any(given.values())
            )
        )
        return HybridRAGStrategy(
            world.words, world.vectors, third, candidate_depth=draw(st.integers(1, 12)),
            rrf_k=draw(st.integers(0, 90)), weights=weights,
        )  # fmt: skip
    if name == "multi-query":
        limit = draw(st.integers(1, 4))
        return MultiQueryRAGStrategy(draw(child), expander, QueryExpansion.SYNONYM, "m", limit)
    if name == "hierarchical":
        index = HierarchyIndex(world.documents)
        levels = draw(st.integers(0, 4))
        return HierarchicalRAGStrategy(draw(child), index, max_depth=levels, decay=draw(FRACTIONS))
    if name == "temporal":
        return TemporalRAGStrategy(
            draw(child), TemporalIndex(world.documents), clock=lambda: NOW,
            half_life=timedelta(hours=draw(st.floats(0.01, 90_000))),
            relevance_floor=draw(FRACTIONS),
        )  # fmt: skip
    return ReasoningRAGStrategy(HierarchyIndex(world.documents), LexicalNavigator(), "m")


_LEAVES = {"keyword", "vector", "own", "hybrid", "graph hybrid", "graph"}
