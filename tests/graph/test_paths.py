"""The paths by which nodes got their scores (S24)."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from octavo import ExecutionError, GraphRAGStrategy, RAGContext
from octavo.graph.array_walk import ArrayWalk
from octavo.graph.bounds import WalkBounds
from octavo.graph.csr_graph import CsrGraph
from octavo.graph.path_edges import ArrayEdges, NumberedRelations
from octavo.graph.paths import Goal, Trace
from octavo.spi import GraphEdge, GraphNode
from tests.graph.graph_stores import BatchStore, DictStore, OnlyProtocol, edges, nodes

EVERYTHING = RAGContext(1000, -1e300)


def paths_of(store, sources=(), depth=2, decay=0.5, most=100, query="q", **options):
    strategy = GraphRAGStrategy("provider", store, sources, depth, decay, most, **options)
    hits, paths = strategy.retrieve(query, EVERYTHING), strategy.paths(query, EVERYTHING)
    assert [path.document for path in paths] == [hit.metadata["entryId"] for hit in hits]
    assert [path.nodes[-1] for path in paths] == [hit.metadata["graph.nodeId"] for hit in hits]
    assert [path.score for path in paths] == [hit.score for hit in hits]
    assert [path.hops for path in paths] == [int(hit.metadata["graph.hops"]) for hit in hits]
    assert [repr(path.seed_score) for path in paths] == [
        hit.metadata["graph.seedScore"] for hit in hits
    ]
    assert {path.decay for path in paths} <= {decay}
    return {path.nodes[-1]: path for path in paths}


def in_memory(names, links, starts, query="q"):
    return CsrGraph(nodes(names), edges(links), lambda text, limit: {query: starts}.get(text, []))


def ways(store, **options):
    return {node: "".join(path.nodes) for node, path in paths_of(store, **options).items()}


def simple_paths(following, starts, depth):
    """Yield every path of at most ``depth`` edges that passes no node twice, by plain recursion."""

    def longer(path):
        yield path
        if len(path) <= depth:
            for target in following.get(path[-1], ()):
                if target not in path:
                    yield from longer((*path, target))

    for number, (start, score) in enumerate(starts):
        for path in longer((start,)):
            yield number, score, path


NAMES = "abcdefg"
scores = st.one_of(
    st.sampled_from([1.0, 0.5, 0.25, -1.0, -0.5, 0.0, 5e-324, -5e-324]),
    st.floats(-2.0, 2.0, allow_nan=False),
)


@settings(max_examples=400, deadline=None)
@given(
    links=st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from("rst"), st.sampled_from(NAMES + "!")),
        max_size=24,
    ),
    starts=st.dictionaries(st.sampled_from(NAMES), scores, max_size=4),
    outside=st.sets(st.sampled_from(NAMES), max_size=3),
    depth=st.integers(0, 6),
    decay=st.sampled_from([0.0, 0.5, 0.85, 1.0]),
    most=st.integers(1, 8),
)
@example(  # the best label of b is its own: the path to c has another there
    [("a", "r", "b"), ("b", "r", "c"), ("d", "r", "e"), ("e", "r", "b")],
    {"a": 0.5, "d": 1.0}, set(), 2, 0.85, 8,
)  # fmt: skip
def test_paths_are_those_that_an_enumeration_finds(
    links, starts, outside, depth, decay, most
):  # S24
    all_nodes = [
        GraphNode(name, f"about {name}", "theirs" if name in outside else "ours") for name in NAMES
    ]
    all_edges = [GraphEdge(*link) for link in links]
    ordered = sorted(starts.items(), key=lambda seed: (-seed[1], seed[0]))
    memory = DictStore(all_nodes, all_edges, {"q": ordered})
    batched = BatchStore(all_nodes, all_edges, {"q": ordered})
    arrays = CsrGraph(all_nodes, all_edges, lambda query, limit: ordered[:limit])
    found = paths_of(arrays, {"ours"} if outside else (), depth, decay, most)

    # What was visited is the walk's to say; what leads there is found by trying everything.
    following = {}
    for source, _, target in links:
        if source in found and target in found:
            following.setdefault(source, []).append(target)
    seeds = [seed for seed in ordered if seed[0] not in outside][:most]
    tried = {}
    for number, score, path in simple_paths(following, seeds, depth):
        if path[0] in found:
            value = score
            for _ in path[1:]:
                value *= decay
            tried.setdefault(path[-1], []).append((-value, len(path) - 1, score, number, path))
    for node, path in found.items():
        best = min(tried[node])
        assert (-path.score, path.hops) == best[:2]
        equal = [each for each in tried[node] if each[1:3] == (path.hops, path.seed_score)]
        assert path.nodes == min(equal, key=lambda each: each[3:])[4]
        assert path.relations == tuple(
            next(relation for head, relation, tail in links if (head, tail) == hop)
            for hop in itertools.pairwise(path.nodes)
        )
        assert path.names == tuple(f"about {each}" for each in path.nodes)

    for store in (memory, batched, OnlyProtocol(memory)):
        assert paths_of(store, {"ours"} if outside else (), depth, decay, most) == found


def test_a_label_with_fewer_hops_is_the_one_that_goes_on():  # S24
    # b is best reached over three nodes, from there e is too far; over a it is not.
    store = in_memory("a b c d e s", "s>c c>b a>b b>e", [("s", 10.0), ("a", 1.0)])
    assert ways(store, depth=2, decay=0.9) == {
        "s": "s", "c": "sc", "b": "scb", "a": "a", "e": "abe",
    }  # fmt: skip


def test_among_equal_paths_first_seed_then_smallest_nodes():  # S24
    store = in_memory("a b c d e z", "a>d a>c d>e c>e b>c", [("a", 1.0), ("b", 1.0)])
    assert ways(store)["c"] == "ac"
    assert ways(store)["e"] == "ace"
    # The first seed, though the second has the smaller id: so the walk settles ties.
    store = in_memory("a b z", "a>z b>z", [("b", 1.0), ("a", 0.9)])
    assert ways(store)["z"] == "bz"
    # A whole path counts, not only its last hop.
    store = in_memory("a b c x y z", "a>c a>b b>y c>x x>z y>z", [("a", 1.0)])
    assert ways(store, depth=3)["z"] == "abyz"


def test_of_parallel_edges_the_first_names_the_relation():  # S24
    links = [GraphEdge("a", "likes", "b"), GraphEdge("a", "knows", "b"), GraphEdge("a", "is", "a")]
    store = DictStore(nodes("a b"), links, {"q": [("a", 1.0)]})
    arrays = CsrGraph(nodes("a b"), links, lambda query, limit: [("a", 1.0)])
    assert paths_of(store)["b"].relations == ("likes",)
    assert paths_of(arrays)["b"].relations == ("likes",)
    assert paths_of(arrays)["a"].relations == ()


def test_seeds_below_zero_have_the_longest_path():  # S24
    store = in_memory("a b c d", "a>b b>c c>a c>d a>d b>d", [("a", -1.0)])
    assert ways(store, depth=9) == {"a": "a", "b": "ab", "c": "abc", "d": "abcd"}
    assert ways(store, depth=2) == {"a": "a", "b": "ab", "c": "abc", "d": "abd"}
    # From a to e in exactly five hops: the first branches that look good pass a node twice.
    store = in_memory("a b c d e f", "a>b b>c c>b c>d b>d d>c d>e d>f f>e", [("a", -1.0)])
    assert ways(store, depth=5)["e"] == "abcdfe"


def test_a_long_chain_below_zero():  # S24
    names = [f"n{number:04}" for number in range(1500)]
    links = [GraphEdge(*pair) for pair in zip(names, "r" * 1499, names[1:], strict=False)]
    store = CsrGraph(nodes(" ".join(names)), links, lambda query, limit: [("n0000", -1.0)])
    strategy = GraphRAGStrategy("provider", store, (), 2**31 - 1, 0.999, 2000)
    assert strategy.paths("q", RAGContext(1, -2.0))[0].nodes == tuple(names)


def test_bounds_and_fence_bound_paths():  # S24
    starts = [("a", 1.0), ("b", 0.1)]
    store = in_memory("a b c d e", "a>e e>d b>d", starts)
    assert ways(store, most=3) == {"a": "a", "e": "ae", "d": "aed"}
    assert ways(store, depth=0) == {"a": "a", "b": "b"}
    assert ways(store, depth=1) == {"a": "a", "b": "b", "e": "ae", "d": "bd"}
    assert ways(store, decay=1.0)["d"] == "aed"
    assert ways(store, decay=0.0)["d"] == "bd"
    fenced = DictStore(
        [*nodes("a b d", "ours"), *nodes("e", "theirs")], edges("a>e e>d b>d"), {"q": starts}
    )
    assert ways(fenced, sources={"ours"}) == {"a": "a", "b": "b", "d": "bd"}


def test_each_query_has_its_own():  # S24
    starts = {"one": [("a", 1.0)], "two": [("c", 1.0)], "none": []}
    store = DictStore(nodes("a b c"), edges("a>b c>b"), starts)
    found = {query: ways(store, query=query) for query in starts}
    assert found == {"one": {"a": "a", "b": "ab"}, "two": {"c": "c", "b": "cb"}, "none": {}}


def test_a_hub_costs_no_names_but_those_on_paths():  # S24
    many = 200_000
    members = [f"m{number:06}" for number in range(many)]
    links = [GraphEdge("hub", "has", member) for member in members]
    store = CsrGraph(
        nodes(" ".join(["hub", *members])),
        [*links, GraphEdge("hub", "also has", members[7]), GraphEdge(members[7], "is in", "hub")],
        lambda query, limit: [(members[7], 1.0)],
    )
    found = GraphRAGStrategy("provider", store, (), 2, 0.5, 1024).paths("q", EVERYTHING)
    assert len(found) == 1000
    assert found[2].nodes == (members[7], "hub", members[0])
    assert found[2].relations == ("is in", "has")


def test_relations_by_the_number_of_an_edge():  # S24
    class Numbered(CsrGraph):
        def edges(self, node_id):
            raise RuntimeError("all edges of a node, for the sake of one")

        def relations_of(self, numbers):
            return [f"r{number}" for number in numbers.tolist()]

    store = Numbered(nodes("a b c"), edges("a>b a>c a>c b>c"), lambda query, limit: [("a", 1.0)])
    assert isinstance(store, NumberedRelations)
    assert paths_of(store)["c"].relations == ("r1",)
    assert ArrayEdges("store", store).relations([(1, 2), (0, 1)]) == ["r3", "r0"]


def test_names_are_titles_or_how_contents_begin():
    texts = ["", "  \n ", "first line\nsecond", "  two   words\t", "x" * 100, "word " * 30]
    given_nodes = [GraphNode(f"n{place}", text, "wiki") for place, text in enumerate(texts)]
    given_nodes.append(GraphNode("n6", "Content", "wiki", {"name": "The name"}))
    store = DictStore(given_nodes, (), {"q": [(node.id, 1.0) for node in given_nodes]})
    names = {node: path.names[0] for node, path in paths_of(store).items()}
    assert names == {
        "n0": "n0", "n1": "n1", "n2": "first line", "n3": "two words",
        "n4": "x" * 59 + "…", "n5": ("word " * 12)[:59].rstrip() + "…", "n6": "The name",
    }  # fmt: skip


@pytest.mark.parametrize("store_of", [OnlyProtocol, lambda store: store])
def test_a_relation_that_is_no_text_is_named(store_of):  # S43
    links = [GraphEdge("a", None, "b")]
    store = DictStore(nodes("a b"), links, {"q": [("a", 1.0)]})
    arrays = CsrGraph(nodes("a b"), links, lambda query, limit: [("a", 1.0)])
    for each in (store_of(store), store_of(arrays)):
        strategy = GraphRAGStrategy("provider", each, (), 2, 0.5, 10)
        assert len(strategy.retrieve("q")) == 2
        with pytest.raises(ExecutionError, match="'provider': expected an edge whose relation"):
            strategy.paths("q")


def test_edges_without_a_relation_are_named():  # S43
    class Target:
        target = "b"

    class Bare(DictStore):
        def edges(self, node_id):
            return [Target()] if node_id == "a" else []

    strategy = GraphRAGStrategy(
        "provider", Bare(nodes("a b"), (), {"q": [("a", 1.0)]}), (), 2, 0.5, 10
    )
    assert len(strategy.retrieve("q")) == 2
    with pytest.raises(ExecutionError, match=r"edges\('a'\) raised AttributeError"):
        strategy.paths("q")


def test_edges_that_contradict_their_walk():
    class NoEdges:
        def targets(self, row):
            return np.zeros(0, np.int64)

    for score in (1.0, -1.0):
        store = in_memory("a b", "a>b", [("a", score)])
        walk = ArrayWalk("store", store, WalkBounds(2, 0.5, 10), ())
        trace = Trace(walk.walk(["q"], 10), NoEdges(), 0.5)
        with pytest.raises(ExecutionError, match="changed while paths"):
            trace.paths([Goal("b", "b")])
        assert trace.paths([Goal("c", "c")]) == [None]


def test_a_path_reads_well():
    store = in_memory("a b c", "a>b b>c", [("a", 3.2)])
    assert [str(path) for path in paths_of(store, decay=0.85).values()] == [
        "seed 'about a' [a] (3.2000)",
        "seed 'about a' [a] (3.2000) --to--> 'about b' [b]; 1 hop, 3.2000 x 0.85 = 2.7200",
        (
            "seed 'about a' [a] (3.2000) --to--> 'about b' [b] --to--> 'about c' [c]; "
            "2 hops, 3.2000 x 0.85^2 = 2.3120"
        ),
    ]
