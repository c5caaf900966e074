"""What an index that changes must answer: its documents in a dictionary, ranked from scratch.

:class:`ModelStore` is a store of the live documents that knows nothing of segments, rows that are
dead, or caches. Strategies over it and over the index must give the same tables. Vectors are ranked
by an index of the live vectors alone, made anew. Words are ranked by the index's own scores, once
they have been found right by :class:`Bm25Oracle`, which counts the rows that are still there.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa

from octavo import (
    Analyzer,
    CsrGraph,
    GraphEdge,
    GraphNode,
    GraphRAGStrategy,
    HierarchicalRAGStrategy,
    HierarchyIndex,
    HybridRAGStrategy,
    KeywordRAGStrategy,
    LexicalNavigator,
    MultiQueryRAGStrategy,
    OctavoError,
    QueryExpansion,
    RAGContext,
    ReasoningRAGStrategy,
    RetrievedDocument,
    SynonymExpander,
    TemporalIndex,
    TemporalRAGStrategy,
    VectorRAGStrategy,
)
from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.engines.vector.flat import FlatVectorIndex
from octavo.kernels.unit_length import unit_length
from octavo.strategies.document_list import DocumentList
from octavo.strategies.queries import Queries
from tests.engines.keyword.bm25_oracle import Bm25Oracle

NOW = datetime(2026, 1, 1, tzinfo=UTC)
IDS = tuple(f"d{number}" for number in range(8))
TIERS = ("top", "rest")
DIMENSIONS = 3

TEXTS = ("fox", "whale owl", "owl", "")
VECTORS = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -1.0], [-1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
QUERIES = Queries(TEXTS, VECTORS)
CONTEXTS = (
    RAGContext(100, -1e300),  # more than there are
    RAGContext(2, -1e300),
    RAGContext(3, 0.6),
    RAGContext(2, -1e300, {"tier": "top"}),
    RAGContext(5, -1e300, {"entryId": "d1"}),
)

_GRAPH = CsrGraph(
    [
        GraphNode("n1", "fox", "graph", documents=("d1", "d2")),
        GraphNode("n2", "whale", "graph", {"tier": "top"}, documents=("d3", "d7")),
        GraphNode("d4", "owl", "graph", documents=("d5",)),
        GraphNode("d6", "the last fox", "graph"),
    ],
    [GraphEdge("n1", "to", "n2"), GraphEdge("n2", "to", "d4"), GraphEdge("d4", "to", "d6")],
)
EDGES = [
    ("d0", "to", "d1"),
    ("d1", "to", "d2"),
    ("d1", "of", "d2"),
    ("d2", "to", "d0"),
    ("d3", "to", "d3"),
    ("d4", "to", "d5"),
    ("d5", "to", "nobody"),
    ("nobody", "to", "d6"),
]
"""Between documents that come and go, and one that never is."""
EDGE_TABLE = pa.Table.from_pylist(
    [dict(zip(("head", "relation", "tail"), edge, strict=True)) for edge in EDGES]
)
_SYNONYMS = SynonymExpander({"fox": ["whale"], "owl": ["fox", "heron"]})


@dataclass(frozen=True)
class Document:
    """Every column but the id; equal documents are unchanged ones."""

    text: str = ""
    title: str | None = None
    source: str | None = None
    parent: str | None = None
    days: int | None = None
    tier: str | None = None
    summary: str | None = None
    vector: tuple[float, ...] | None = None

    @property
    def time(self):
        return None if self.days is None else NOW - timedelta(days=self.days)

    @property
    def words(self):
        return Analyzer().tokens("\n".join(part for part in (self.title, self.text) if part))

    def row(self, identifier):
        columns = {**vars(self), "id": identifier, "time": self.time}
        del columns["days"]
        return columns

    def found(self, identifier):
        """Return what retrieval makes of it: content, source and metadata."""
        optional = {"tier": self.tier, "summary": self.summary}
        metadata = {key: value for key, value in optional.items() if value is not None}
        return self.text, self.source or identifier, {"entryId": identifier, **metadata}

    def listed(self, identifier):
        """Return it as an index outside a corpus is told of it."""
        text, source, metadata = self.found(identifier)
        optional = {
            "hierarchy.parentId": self.parent,
            "hierarchy.title": self.title,
            "hierarchy.summary": self.summary,
            "temporal.timestamp": None if self.time is None else self.time.isoformat(),
        }
        more = {key: value for key, value in optional.items() if value is not None}
        return RetrievedDocument(text, source, 0.0, {**metadata, **more})


SCHEMA = pa.schema(
    {
        "id": pa.string(),
        **dict.fromkeys(("text", "title", "source", "parent", "tier", "summary"), pa.string()),
        "time": pa.timestamp("us", "UTC"),
        "vector": pa.list_(pa.float32()),
    }
)
OPTIONS = {
    "source": "source",
    "parent": "parent",
    "timestamp": "time",
    "metadata": ["tier", "summary"],
    "embedding": "column:vector",
}


def table(documents):
    """Return pairs of id and document as an input of a corpus."""
    return pa.Table.from_pylist([each.row(name) for name, each in documents], SCHEMA)


class ModelStore(DocumentList):
    """The live documents of an index, in the order of their rows.

    Parameters
    ----------
    documents
        By id.
    snapshot
        The index, for its keyword scores, and for the words of rows that are dead and still count.
    """

    def __init__(self, documents, snapshot):
        super().__init__([each.listed(name) for name, each in documents.items()])
        rows = np.arange(snapshot.rows)
        live = np.ones(len(rows), np.bool_) if snapshot.live is None else snapshot.live
        names = np.array(snapshot.ids(rows), np.object_)
        assert names[live].tolist() == list(documents)
        titles, texts = snapshot.texts("title", rows), snapshot.texts("content", rows)
        self._oracle = Bm25Oracle(
            [
                documents[name].words if alive else Document(text, title).words
                for name, alive, text, title in zip(names, live, texts, titles, strict=True)
            ]
        )
        self._live, self._of_row = live, np.cumsum(live) - 1
        self._snapshot = snapshot
        self._analyzer = Analyzer()
        vectors = [each.vector or [0.0] * DIMENSIONS for each in documents.values()]
        matrix = np.array(vectors, np.float32).reshape(-1, DIMENSIONS)
        present = np.array([each.vector is not None for each in documents.values()], np.bool_)
        self._vectors = FlatVectorIndex([unit_length(matrix)], [present])
        self._keyword = {}

    def embed(self, texts):
        raise NotImplementedError

    def rank_vector(self, vectors, depth, selection):
        return self._vectors.search(vectors, depth, selection)

    def rank_keyword(self, texts, depth, selection):
        found = [self._best(text, depth, selection.admitted) for text in texts]
        return Hits.concatenate(found), SearchReport()

    def _best(self, text, depth, admitted):
        hits = self._keyword.setdefault(text, None) or self._checked(text)
        self._keyword[text] = hits
        rows = self._of_row[hits.rows]
        kept = np.ones(len(rows), np.bool_) if admitted is None else admitted[rows]
        rows, scores = rows[kept][:depth], hits.scores[kept][:depth]
        return Hits(np.array([0, len(rows)]), rows, scores)

    def _checked(self, text):
        """Return the index's ranking of all that is live, found right."""
        depth = max(1, self._snapshot.rows)
        everything = self._snapshot.select({})
        hits, _ = self._snapshot.rank_keyword([text], depth, everything)
        self._oracle.check(hits, [self._analyzer.tokens(text)], depth, self._live.__getitem__)
        return hits


def strategies_of(corpus):
    """Return every strategy over an index, as users make them."""
    graph = corpus.strategy("graph", store=_GRAPH, decay=0.5)
    child = corpus.strategy("hybrid")
    return {
        "keyword": lambda: corpus.strategy("keyword"),
        "vector": lambda: corpus.strategy("vector"),
        "hybrid": lambda: child,
        "graph": lambda: graph,
        "hybrid with graph": lambda: corpus.strategy("hybrid", graph=graph),
        "own graph": lambda: corpus.strategy("graph", seeds="keyword", decay=0.5),
        "own graph, fenced": lambda: corpus.strategy(
            "graph", seeds="keyword", decay=0.5, allowed_sources=["s1", "d1"]
        ),
        "hierarchical": lambda: corpus.strategy("hierarchical", child=child, decay=0.5),
        "fenced": lambda: corpus.strategy("hierarchical", child="vector", allowed_sources=["s1"]),
        "temporal": lambda: corpus.strategy("temporal", child="keyword", now=NOW, half_life="3d"),
        "reasoning": lambda: corpus.strategy("reasoning", navigator="lexical", model="any"),
        "multi-query": lambda: corpus.strategy(
            "multi-query", child="keyword", expander=_SYNONYMS, model="any"
        ),
    }


def strategies_of_model(store, documents):
    """Return the same strategies over the model."""
    listed = [each.listed(name) for name, each in documents.items()]
    keyword, hybrid = KeywordRAGStrategy(store), HybridRAGStrategy(store, store)
    graph = GraphRAGStrategy("corpus", _GRAPH, (), 2, 0.5, 1024, documents=store)
    return {
        "keyword": lambda: keyword,
        "vector": lambda: VectorRAGStrategy(store),
        "hybrid": lambda: hybrid,
        "graph": lambda: graph,
        "hybrid with graph": lambda: HybridRAGStrategy(store, store, graph),
        "own graph": lambda: _own_graph(store, documents, ()),
        "own graph, fenced": lambda: _own_graph(store, documents, ["s1", "d1"]),
        "hierarchical": lambda: HierarchicalRAGStrategy(hybrid, HierarchyIndex(listed), decay=0.5),
        "fenced": lambda: HierarchicalRAGStrategy(
            VectorRAGStrategy(store), HierarchyIndex(listed), ["s1"]
        ),
        "temporal": lambda: TemporalRAGStrategy(
            keyword, TemporalIndex(listed), clock=lambda: NOW, half_life=timedelta(days=3)
        ),
        "reasoning": lambda: ReasoningRAGStrategy(
            HierarchyIndex(listed), LexicalNavigator(), "any"
        ),
        "multi-query": lambda: MultiQueryRAGStrategy(
            keyword, _SYNONYMS, QueryExpansion.SYNONYM, "any", 3
        ),
    }


def _own_graph(store, documents, allowed_sources):
    """Return graph retrieval over the documents that are there and the edges between them."""

    def seeds(text, limit):
        hits, _ = store.rank_keyword([text], limit, store.select({}))
        return list(zip(store.ids(hits.rows), hits.scores.tolist(), strict=True))

    nodes = [GraphNode(name, *each.found(name)) for name, each in documents.items()]
    graph = CsrGraph(nodes, [GraphEdge(*edge) for edge in EDGES], seeds)
    return GraphRAGStrategy("corpus", graph, allowed_sources, 2, 0.5, 1024, documents=store)


def answers(strategies):
    """Return every strategy's table in every context, or the error that it raises instead."""
    found = {}
    for name, make in strategies.items():
        try:
            strategy = make()
            for number, context in enumerate(CONTEXTS):
                found[name, number] = strategy.retrieve_batch(QUERIES, context)
        except OctavoError as error:
            found[name, "error"] = f"{type(error).__name__}: {error}"
    return found


def require_same(found, expected):
    """Fail where two answers differ in an id, a score, a part or an error."""
    assert found.keys() == expected.keys()
    for key, answer in expected.items():
        same = found[key] == answer if isinstance(answer, str) else found[key].equals(answer)
        assert same, f"{key}: expected\n{_shown(answer)}\nfound\n{_shown(found[key])}"


def require_documents(corpus, documents):
    """Fail where what a strategy returns is not the documents as they are."""
    for make in strategies_of(corpus).values():
        try:
            found = make().rank(QUERIES, CONTEXTS[0]).retrieved()
        except OctavoError:
            continue
        for hit in found:
            name = hit.metadata["entryId"]
            if name not in documents:
                assert hit.content in {"fox", "whale", "owl", "the last fox"}  # a node of its own
                continue
            text, source, metadata = documents[name].found(name)
            assert (hit.content, metadata.items() <= hit.metadata.items()) == (text, True)
            assert hit.source in {source, "corpus"}


def _shown(answer):
    return answer if isinstance(answer, str) else answer.to_pylist()
