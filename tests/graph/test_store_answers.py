"""A store with batch forms is asked once a level, and the walk is the same (S24, S43)."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import ExecutionError, GraphEdge, GraphNode, ProviderUnavailableError
from octavo.graph import store_walk
from octavo.graph.bounds import WalkBounds
from octavo.graph.store_walk import StoreWalk
from tests.graph.graph_stores import BatchStore, DictStore, OnlyProtocol, edges, nodes

NAMES = [f"n{number}" for number in range(8)]


def walk(store, texts=("q",), limit=100, depth=2, decay=0.5, most=100, allowed=()):
    walked = StoreWalk("test", store, WalkBounds(depth, decay, most), allowed).walk(texts, limit)
    ids = walked.nodes.node_ids(walked.hits.rows)
    parts = [part.values.tolist() for part in walked.hits.parts.values()]
    return walked.hits.offsets.tolist(), ids, walked.hits.scores.tolist(), parts


class OnlySome:
    """A store that has some of the batch forms."""

    def __init__(self, store, forms):
        self.seeds, self.edges, self.node = store.seeds, store.edges, store.node
        for form in forms:
            setattr(self, f"{form}_batch", getattr(store, f"{form}_batch"))


FORMS = [
    forms
    for length in range(4)
    for forms in itertools.combinations(("seeds", "edges", "nodes"), length)
]


def test_a_level_is_one_call():  # S24
    starts = {"q": [("a", 1.0), ("b", 0.9)], "r": [("c", 1.0)]}
    store = BatchStore(nodes("a b c d e f g"), edges("a>d b>e c>f d>g e>g f>a"), starts)
    _, found, _, _ = walk(store, ["q", "r", "q"])
    assert set(found) == set("abcdefg")
    assert store.batches == [
        ("seeds", ["q", "r"], 100),
        ("edges", ["a", "b", "c"]),
        ("nodes", ["d", "e", "f"]),
        ("edges", ["d", "e", "f"]),
        ("nodes", ["g"]),
    ]


def test_the_number_of_calls_is_that_of_levels_whatever_the_scores():  # S24
    # Each seed lies far below what the one before it leads to.
    starts = {"q": [(f"n{number}", 0.1**number) for number in range(8)]}
    links = " ".join(f"{name}>{name}x {name}x>{name}y" for name in NAMES)
    every = [f"{name}{suffix}" for name in NAMES for suffix in ("", "x", "y")]
    store = BatchStore(nodes(" ".join(every)), edges(links), starts)
    assert sorted(walk(store)[1]) == sorted(every)
    assert [call[0] for call in store.batches] == ["seeds", "edges", "nodes", "edges", "nodes"]


def test_no_more_nodes_are_asked_for_than_may_be_visited():  # S24
    names = [f"n{number:03}" for number in range(200)]
    links = " ".join(f"n000>{name}" for name in names[1:])
    store = BatchStore(nodes(" ".join(names)), edges(links), {"q": [("n000", 1.0)]})
    assert walk(store, most=5, depth=9)[1] == names[:5]
    assert sum(len(call[1]) for call in store.batches if call[0] == "edges") <= 5
    assert sum(len(call[1]) for call in store.batches if call[0] == "nodes") <= 5


def test_fenced_out_neighbours_are_passed_over_in_few_calls():  # S24
    theirs = [f"a{number:04}" for number in range(2000)]
    links = edges(" ".join(f"hub>{name}" for name in [*theirs, "ours"]))
    known = [*nodes("hub ours"), *nodes(" ".join(theirs), "other")]
    store = BatchStore(known, links, {"q": [("hub", 1.0)]})
    assert walk(store, most=4, allowed={"wiki"})[1] == ["hub", "ours"]
    assert len(store.batches) < 16
    assert walk(OnlyProtocol(store), most=4, allowed={"wiki"})[1] == ["hub", "ours"]


def test_a_fence_asks_for_more_seeds_of_all_queries_at_once():  # S24
    ours, theirs = nodes("a", "ours"), nodes("b c d e f", "theirs")
    starts = [(name, 1.0) for name in "bcdef"] + [("a", 0.5)]
    store = BatchStore(ours + theirs, [], {"q": starts, "r": starts})
    assert walk(store, ["q", "r"], limit=1, allowed={"ours"})[1] == ["a", "a"]
    asked = [("seeds", ["q", "r"], limit) for limit in (1, 2, 4, 8)]
    assert store.batches == [*asked, ("edges", ["a"])]


def test_a_very_deep_walk_ends_by_asking_as_it_goes():
    names = [f"n{number:03}" for number in range(200)]
    chain = edges(" ".join(f"{a}>{b}" for a, b in itertools.pairwise(names)))
    store = BatchStore(nodes(" ".join(names)), chain, {"q": [("n000", 1.0)]})
    assert walk(store, depth=1000, most=1000) == walk(OnlyProtocol(store), depth=1000, most=1000)
    assert len(store.batches) <= store_walk._MOST_ROUNDS + 1


@st.composite
def graphs(draw):
    sources = draw(st.lists(st.sampled_from(["wiki", "code"]), min_size=8, max_size=8))
    known = draw(st.sets(st.sampled_from(NAMES), min_size=1))
    links = draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=30))
    scores = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0])
    starts = {
        query: draw(st.lists(st.tuples(st.sampled_from(sorted(known)), scores), max_size=5))
        for query in "qr"
    }
    made = [
        GraphNode(name, "", source)
        for name, source in zip(NAMES, sources, strict=True)
        if name in known
    ]
    return made, [GraphEdge(a, "to", b) for a, b in links], starts


@given(
    graphs(),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(1, 9),
    st.integers(1, 4),
    st.sampled_from([(), {"wiki"}]),
    st.sampled_from(FORMS),
)
def test_batch_forms_change_nothing(graph, depth, decay, most, limit, allowed, forms):  # S24
    expected = walk(DictStore(*graph), ["q", "r", "q"], limit, depth, decay, most, allowed)
    store = OnlySome(BatchStore(*graph), forms)
    assert walk(store, ["q", "r", "q"], limit, depth, decay, most, allowed) == expected


@pytest.mark.parametrize("form", ["seeds", "edges", "nodes"])
@pytest.mark.parametrize("error", [OSError("gone"), KeyError("x"), ProviderUnavailableError("d")])
def test_what_a_batch_form_raises(form, error):  # S43
    store = BatchStore(nodes("a b"), edges("a>b"), {"q": [("a", 1.0)]})

    def fail(*arguments):
        raise error

    setattr(store, f"{form}_batch", fail)
    if isinstance(error, ProviderUnavailableError):
        with pytest.raises(ProviderUnavailableError, match="^d$"):
            walk(store)
        return
    with pytest.raises(ExecutionError, match=rf"graph store 'test': {form}_batch of 1 ") as raised:
        walk(store)
    assert raised.value.__cause__ is error


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ("seeds", None), ("seeds", []), ("seeds", [[], []]), ("seeds", [None]), ("seeds", [[1]]),
        ("seeds", [[(GraphNode("a", "", "s"), float("nan"))]]),
        ("edges", None), ("edges", []), ("edges", [[], []]), ("edges", [None]), ("edges", [["b"]]),
        ("nodes", None), ("nodes", []), ("nodes", [None, None]), ("nodes", ["b"]),
        ("nodes", [GraphNode("c", "", "s")]), ("nodes", [GraphNode("b", None, "s")]),
    ],
)  # fmt: skip
def test_what_a_batch_form_must_not_answer(form, answer):  # S43
    store = BatchStore(nodes("a b"), edges("a>b"), {"q": [("a", 1.0)]})
    setattr(store, f"{form}_batch", lambda *arguments: answer)
    with pytest.raises(ExecutionError, match="graph store 'test'"):
        walk(store)
