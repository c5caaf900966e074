"""The contracts of graph stores, expanders and navigators, over the fakes and over broken ones."""

import itertools
import re

import pytest

from octavo.spi import GraphEdge, GraphNode, QueryExpansion
from octavo.testing import (
    FakeExpander,
    FakeGraphStore,
    FakeNavigator,
    GraphStoreContract,
    QueryExpanderContract,
    TreeNavigatorContract,
    check_names,
    violations,
)

NODES = [GraphNode(name, f"the {name} node", "graph") for name in ("fox", "owl", "whale", "sea")]
EDGES = [
    GraphEdge("fox", "fears", "owl"),
    GraphEdge("owl", "hears", "sea"),
    GraphEdge("sea", "holds", "whale"),
    GraphEdge("whale", "swims", "sea"),
    GraphEdge("fox", "fears", "fox"),
]


def store_contract(make):
    class Contract(GraphStoreContract):
        def store(self):
            return make(NODES, EDGES)

        def queries(self):
            return ["fox and owl", "the whale", "nothing"]

    return Contract


def expander_contract(make):
    class Contract(QueryExpanderContract):
        modes = tuple(mode for mode in QueryExpansion if mode is not QueryExpansion.NONE)

        def expander(self):
            return make()

        def queries(self):
            return ["red fox", " owl "]

    return Contract


def navigator_contract(make):
    class Contract(TreeNavigatorContract):
        def navigator(self):
            return make()

    return Contract


class TestFakeGraphStore(store_contract(FakeGraphStore)):  # S24
    pass


class BatchFake(FakeGraphStore):
    def seeds_batch(self, queries, limit):
        return [self.seeds(query, limit) for query in queries]

    def edges_batch(self, node_ids):
        return [self.edges(node_id) for node_id in node_ids]

    def nodes_batch(self, node_ids):
        return [self._nodes.get(node_id) for node_id in node_ids]


class LeadsNowhere(FakeGraphStore):
    """An edge to what is no node, as the graph of an index has after a document was deleted."""

    def edges(self, node_id):
        return (*super().edges(node_id), GraphEdge(node_id, "names", "krill"))


class TestEdgesThatLeadNowhere(store_contract(LeadsNowhere)):  # S24
    """A walk does not follow them, and the contract allows them."""


class TestBatchGraphStore(store_contract(BatchFake)):  # S24
    pass


class TestFakeExpander(expander_contract(FakeExpander)):  # S25
    pass


class TestFakeNavigator(navigator_contract(FakeNavigator)):  # S28
    pass


class NoMethods:
    def __init__(self, *_):
        pass


class WorstFirst(FakeGraphStore):
    def seeds(self, query, limit):
        return sorted(super().seeds(query, limit), key=lambda pair: pair[1])


class TooManySeeds(FakeGraphStore):
    def seeds(self, query, limit):
        return super().seeds(query, limit + 1)


class SeedsTwice(FakeGraphStore):
    def seeds(self, query, limit):
        seeds = super().seeds(query, 100)
        return (*seeds[:1], *seeds)[:limit]


class NanSeed(FakeGraphStore):
    def seeds(self, query, limit):
        return tuple((node, float("nan")) for node, _ in super().seeds(query, limit))


class BlankSeedsCrash(FakeGraphStore):
    def seeds(self, query, limit):
        query.split()[0]
        return super().seeds(query, limit)


class OtherNode(FakeGraphStore):
    def node(self, node_id):
        return super().node("fox" if node_id == "owl" else node_id)


class IncomingEdges(FakeGraphStore):
    def edges(self, node_id):
        return tuple(edge for edge in EDGES if edge.target == node_id)


class DanglingEdge(FakeGraphStore):
    """The edge is walked only after every node was reached."""

    def edges(self, node_id):
        dangling = (GraphEdge("whale", "eats", "krill"),) if node_id == "whale" else ()
        return (*super().edges(node_id), *dangling)

    def node(self, node_id):
        return NODES[0] if node_id == "krill" else super().node(node_id)


class EdgesAsPairs(FakeGraphStore):
    def edges(self, node_id):
        return tuple((edge.source, edge.target) for edge in super().edges(node_id))


class NoEdgesAreNone(FakeGraphStore):
    def edges(self, node_id):
        return super().edges(node_id) or None


class SeedsWithoutScores(FakeGraphStore):
    def seeds(self, query, limit):
        return [node for node, _ in super().seeds(query, limit)]


@pytest.mark.parametrize(
    ("store", "message"),
    [
        (EdgesAsPairs, r"S24: edges\('fox'\): expected GraphEdge, found \('fox', 'owl'\)"),
        (NoEdgesAreNone, r"S24: edges\('nowhere'\): expected a sequence, found None"),
        (SeedsWithoutScores, r"S24: seeds\('.*', 50\): expected pairs of GraphNode and score"),
    ],
)
def test_an_answer_of_another_form_is_named(store, message):  # S24
    class Contract(GraphStoreContract):
        def store(self):
            return store([*NODES, GraphNode("nowhere", "the fox node", "graph")], EDGES)

        def queries(self):
            return ["fox and owl", "the whale", "nothing"]

    found = violations(Contract)["test_edges_leave_their_node"]
    assert re.match(message, str(found))


class DefaultNode(FakeGraphStore):
    def node(self, node_id):
        return self._nodes.get(node_id, NODES[0])


class TurningEdges(FakeGraphStore):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.turn = itertools.count()

    def edges(self, node_id):
        return super().edges(node_id)[:: 1 if next(self.turn) % 2 else -1]


class NoSeeds(FakeGraphStore):
    def seeds(self, query, limit):
        return ()


class SeedsOfOthers(BatchFake):
    def seeds_batch(self, queries, limit):
        return super().seeds_batch(queries, limit)[::-1]


class DistinctSeeds(BatchFake):
    def seeds_batch(self, queries, limit):
        return super().seeds_batch(list(dict.fromkeys(queries)), limit)


class BatchBeyondLimit(BatchFake):
    def seeds_batch(self, queries, limit):
        return super().seeds_batch(queries, limit + 1)


class EdgesSorted(BatchFake):
    def edges_batch(self, node_ids):
        return super().edges_batch(sorted(node_ids))


class EdgesOfKnown(BatchFake):
    def edges_batch(self, node_ids):
        return super().edges_batch([node_id for node_id in node_ids if node_id in self._nodes])


class StrictEdges(BatchFake):
    def edges_batch(self, node_ids):
        return [[GraphEdge(node_id, "is", node_id)] if node_id not in self._nodes else
                self.edges(node_id) for node_id in node_ids]  # fmt: skip


class KnownNodes(BatchFake):
    def nodes_batch(self, node_ids):
        return [node for node in super().nodes_batch(node_ids) if node is not None]


class NodesOnce(BatchFake):
    def nodes_batch(self, node_ids):
        return super().nodes_batch(list(dict.fromkeys(node_ids)))


BROKEN_STORES = {
    WorstFirst: {"test_seeds_come_best_first", "test_fewer_seeds_are_the_first_of_more"},
    TooManySeeds: {"test_fewer_seeds_are_the_first_of_more"},
    SeedsTwice: {"test_seeds_are_nodes_with_scores"},
    NanSeed: {
        "test_seeds_are_nodes_with_scores",
        "test_fewer_seeds_are_the_first_of_more",
        "test_the_same_call_gives_the_same_answer",
    },
    BlankSeedsCrash: {"test_any_text_is_a_legal_query"},
    OtherNode: {"test_a_node_is_found_by_its_id"},
    IncomingEdges: {"test_edges_leave_their_node"},
    DanglingEdge: {"test_a_node_is_found_by_its_id"},
    DefaultNode: {"test_an_unknown_node_is_a_key_error"},
    TurningEdges: {"test_the_same_call_gives_the_same_answer"},
    NoSeeds: {"test_the_queries_have_seeds"},
    SeedsOfOthers: {"test_seeds_of_many_queries_are_those_of_each"},
    DistinctSeeds: {"test_seeds_of_many_queries_are_those_of_each"},
    BatchBeyondLimit: {"test_seeds_of_many_queries_are_those_of_each"},
    EdgesSorted: {"test_edges_of_many_nodes_are_those_of_each"},
    EdgesOfKnown: {"test_edges_of_many_nodes_are_those_of_each"},
    StrictEdges: {"test_edges_of_many_nodes_are_those_of_each"},
    KnownNodes: {"test_many_nodes_are_found_by_their_ids"},
    NodesOnce: {"test_many_nodes_are_found_by_their_ids"},
}


class NoneExpander(FakeExpander):
    def expand(self, query, mode, model, max_expansions):
        return (
            None if query.strip() == "owl" else super().expand(query, mode, model, max_expansions)
        )


class OneString(FakeExpander):
    def expand(self, query, mode, model, max_expansions):
        return "ab"[:max_expansions]


class Generous(FakeExpander):
    def expand(self, query, mode, model, max_expansions):
        return super().expand(query, mode, model, max_expansions + 1)


class BlankVariant(FakeExpander):
    def expand(self, query, mode, model, max_expansions):
        return (" ", *super().expand(query, mode, model, max_expansions))[:max_expansions]


class Repeats(FakeExpander):
    def expand(self, query, mode, model, max_expansions):
        return (f"{query} x", f" {query} x ")[:max_expansions]


class AnyModel(FakeExpander):
    def supports(self, model):
        return True


class BlankCrash(FakeExpander):
    def expand(self, query, mode, model, max_expansions):
        query.split()[0]
        return super().expand(query, mode, model, max_expansions)


class Counting(FakeExpander):
    def expand(self, query, mode, model, max_expansions):
        super().expand(query, mode, model, max_expansions)
        return (f"{query} {len(self.calls)}",)


class Nothing(FakeExpander):
    def expand(self, query, mode, model, max_expansions):
        return ()


BROKEN_EXPANDERS = {
    NoMethods: None,
    NoneExpander: None,
    OneString: {"test_variants_are_texts"},
    Generous: {"test_at_most_max_expansions"},
    BlankVariant: {"test_variants_say_something_new"},
    Repeats: {"test_variants_say_something_new"},
    AnyModel: {"test_it_says_which_models_it_supports"},
    BlankCrash: {"test_any_text_is_a_legal_query"},
    Counting: {"test_the_same_call_gives_the_same_variants"},
    Nothing: {"test_the_queries_have_variants"},
}


class Elsewhere(FakeNavigator):
    def choose(self, query, node, children, model):
        chosen = super().choose(query, node, children, model)
        return "elsewhere" if chosen == "b" else chosen


class TitleNotId(FakeNavigator):
    def choose(self, query, node, children, model):
        chosen = super().choose(query, node, children, model)
        return next((child.title for child in children if child.id == chosen), None)


class Pops(FakeNavigator):
    def choose(self, query, node, children, model):
        chosen = super().choose(query, node, children, model)
        if isinstance(children, list):
            children.pop()
        return chosen


class Wanders(FakeNavigator):
    def __init__(self):
        super().__init__()
        self.turn = itertools.count()

    def choose(self, query, node, children, model):
        return children[next(self.turn) % len(children)].id


class Stays(FakeNavigator):
    def choose(self, query, node, children, model):
        return None


class AnyTreeModel(FakeNavigator):
    def supports(self, model):
        return True


BROKEN_NAVIGATORS = {
    Elsewhere: {"test_a_choice_was_offered"},
    TitleNotId: {"test_a_choice_was_offered"},
    Pops: {"test_the_children_are_left_unchanged"},
    Wanders: {"test_the_same_call_gives_the_same_choice"},
    Stays: {"test_it_chooses_something"},
    AnyTreeModel: {"test_it_says_which_models_it_supports"},
}

BROKEN = [
    *((store_contract, broken, checks) for broken, checks in BROKEN_STORES.items()),
    *((expander_contract, broken, checks) for broken, checks in BROKEN_EXPANDERS.items()),
    *((navigator_contract, broken, checks) for broken, checks in BROKEN_NAVIGATORS.items()),
]


@pytest.mark.parametrize(
    ("contract", "broken", "checks"), BROKEN, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_broken_one_fails_exactly_the_checks_of_its_rule(contract, broken, checks):
    found = violations(contract(broken))
    if checks is None:  # nothing works, or nearly
        assert len(found) > 1
    else:
        assert set(found) == checks, found


@pytest.mark.parametrize("contract", [store_contract, expander_contract, navigator_contract])
def test_what_has_no_methods_is_told_so(contract):
    found = violations(contract(NoMethods))
    assert [name for name in found if name.startswith("test_it_is_a")]


def test_every_check_can_fail():
    for contract, broken in (
        (GraphStoreContract, BROKEN_STORES),
        (QueryExpanderContract, BROKEN_EXPANDERS),
        (TreeNavigatorContract, BROKEN_NAVIGATORS),
    ):
        found = set().union(*(checks for checks in broken.values() if checks))
        rest = set(check_names(contract)) - found
        assert all(name.startswith("test_it_is_a") for name in rest)


@pytest.mark.parametrize(
    ("contract", "hooks"),
    [
        (GraphStoreContract, ["store", "queries"]),
        (QueryExpanderContract, ["expander", "queries"]),
        (TreeNavigatorContract, ["navigator"]),
    ],
)
def test_a_missing_hook_says_what_to_write(contract, hooks):
    for hook in hooks:
        with pytest.raises(NotImplementedError, match=rf"{hook}\(\): return"):
            getattr(contract(), hook)()
