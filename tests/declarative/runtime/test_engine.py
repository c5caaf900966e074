"""The order of a retrieval's stages, strategy by strategy (S63, S64)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.declarative import Knowledge, Search, bind
from octavo.declarative.runtime.attribution import RequestMetadata
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider, ProcessEmbedding
from octavo.declarative.runtime.providers import GivenProviders
from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    FailureReason,
    GraphCapabilityError,
    HierarchyError,
    ProviderUnavailableError,
)
from octavo.spi import GraphNode, RetrievedDocument, SourceDocument
from tests.declarative.runtime.conftest import World, context, role_of, search

Strategy = Search.Strategy

TIERS = {
    "a.md": "---\ntier: gold\n---\nfox fox fox",
    "b.md": "---\ntier: gold\n---\nfox in a long text about many other things",
    "c.md": "---\ntier: clay\n---\nfox and owl",
    "d.md": "---\ntier: clay\n---\na whale",
}


class Reversing:
    """A reranker that turns the order around, and remembers what it was given."""

    def __init__(self, model="m"):
        self.model = model
        self.given = []

    def supports(self, model):
        return model == self.model

    def rerank(self, query, documents, model):
        self.given.append((query, tuple(documents), model))
        return [
            RetrievedDocument(each.content, each.source, float(score), each.metadata)
            for score, each in enumerate(reversed(documents), 1)
        ]


class Expanding:
    def __init__(self, *variants):
        self.variants = variants
        self.asked = []

    def supports(self, model):
        return model == "m"

    def expand(self, query, mode, model, max_expansions):
        self.asked.append((query, str(mode), model, max_expansions))
        return self.variants


class First:
    """A navigator that takes the first child."""

    def supports(self, model):
        return model == "m"

    def choose(self, query, node, children, model):
        return children[0].id


def test_semantic_is_cosine_over_the_sources_vectors(make_world):  # S63
    world = make_world(lambda text: [1.0 + text.count("fox"), 1.0 + text.count("whale")])
    found = world.ask(role_of(world.source(), search=search(top_k=2)), "whale").documents
    assert [each.metadata["path"] for each in found] == ["whale.md", "owl.md"]
    whale, owl = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    cosine = whale @ owl / np.linalg.norm(whale) / np.linalg.norm(owl)
    assert found[1].score == pytest.approx(cosine, rel=1e-6)


def test_keyword_scores_are_divided_by_the_best_and_kept(world):  # S64
    role = role_of(world.source(files=TIERS), search=search(strategy=Strategy.KEYWORD))
    found = world.ask(role, "fox").documents
    raw = [float(each.metadata["keyword.score"]) for each in found]
    assert [each.score for each in found] == [score / raw[0] for score in raw]
    assert found[0].score == 1.0
    assert raw == sorted(raw, reverse=True)


def test_the_best_of_a_keyword_search_is_the_best_admissible(world):  # S64 S9
    role = role_of(world.source(files=TIERS), search=search(strategy=Strategy.KEYWORD))
    clay = context(metadata_filters={"tier": "clay"})
    found = world.ask(role, "fox", clay).documents
    assert [(each.metadata["path"], each.score) for each in found] == [("c.md", 1.0)]


def test_min_score_is_inclusive_and_acts_on_scaled_scores(world):  # S64
    source = world.source(files=TIERS)
    every = world.ask(role_of(source, search=search(strategy=Strategy.KEYWORD)), "fox").documents
    bound = every[1].score
    role = role_of(source, search=search(strategy=Strategy.KEYWORD, min_score=bound))
    assert world.names(role, "fox") == [each.metadata["path"] for each in every[:2]]


@pytest.mark.parametrize("strategy", ["SEMANTIC", "KEYWORD", "HYBRID", "HIERARCHICAL", "TEMPORAL"])
def test_filters_act_before_top_k(world, strategy):  # S64 S8
    role = role_of(world.source(files=TIERS), search=search(strategy=strategy, top_k=1))
    assert world.names(role, "fox")[0] != "c.md"
    assert world.names(role, "fox", context(metadata_filters={"tier": "clay"})) == ["c.md"]
    source = str(world.directory / "notes" / "b.md")
    assert world.names(role, "fox", context(metadata_filters={"source": source})) == ["b.md"]
    assert world.names(role, "fox", context(metadata_filters={"no": "such"})) == []


def test_filters_act_before_the_reranker(make_world):  # S64
    reranker = Reversing()
    world = make_world(rerankers=[reranker])
    settings = search(strategy=Strategy.KEYWORD, rerank=True, reranker_model="m", top_n=1)
    role = role_of(world.source(files=TIERS), search=settings)
    assert world.names(role, "fox", context(metadata_filters={"tier": "gold"})) == ["b.md"]
    ((_, given, _),) = reranker.given
    assert {each.metadata["tier"] for each in given} == {"gold"}


def test_several_sources_are_searched_together_and_named(world):  # S64 S71
    one = world.source("one", {"a.md": "fox one"})
    two = world.source("two", {"a.md": "fox two"})
    role = role_of(one, two, search=search())
    found = world.ask(role, "fox").documents
    assert {each.metadata[RequestMetadata.SOURCE] for each in found} == {"one", "two"}
    only = context(metadata_filters={RequestMetadata.SOURCE: "two"})
    assert [each.content for each in world.ask(role, "fox", only).documents] == ["fox two"]


def test_what_a_request_is_is_metadata_and_can_be_filtered_by(world):  # S71 S64
    role = role_of(world.source(), search=search())
    asked = context(
        tenant="t", session="s", run_id="7", agent="a", simulation="x", episode="e",
        source_revision="r", metadata_filters={"tnsai.run": "7", "tnsai.owner": "t"},
    )  # fmt: skip
    found = world.ask(role, "mice", asked).documents
    assert found
    shown = {key: value for key, value in found[0].metadata.items() if key.startswith("tnsai.")}
    assert shown.pop("tnsai.bindingRevision")
    assert shown == {
        "tnsai.owner": "t", "tnsai.session": "s", "tnsai.run": "7", "tnsai.agent": "a",
        "tnsai.simulation": "x", "tnsai.episode": "e", "tnsai.sourceRevision": "r",
        "tnsai.source": "notes",
    }  # fmt: skip
    assert "octavo.knowledge" not in found[0].metadata
    for filters in ({"tnsai.run": "8"}, {"tnsai.unknown": "7"}):
        other = context(run_id="7", metadata_filters=filters)
        assert world.ask(role, "mice", other).documents == ()


def test_the_context_of_a_chat_is_no_filter(world):  # S64
    role = role_of(world.source(), search=search())
    asked = context(metadata_filters={"tnsai.chat.tenant": "t", "path": "owl.md"})
    assert world.names(role, "mice", asked) == ["owl.md"]


def test_duplicates_go_before_top_k(world):  # S64
    same = {f"copy{number}.md": "the fox hunts" for number in range(150)}
    source = world.source(files={**same, "z.md": "the fox hunts an owl and a whale"})
    role = role_of(source, search=Search(top_k=2, min_score=0.0, dedupe_threshold=0.99))
    assert world.names(role, "the fox hunts") == ["copy0.md", "z.md"]
    kept = role_of(source, search=Search(top_k=2, min_score=0.0, deduplicate=False))
    assert world.names(kept, "the fox hunts") == ["copy0.md", "copy1.md"]


def test_zero_vectors_are_never_duplicates(make_world):  # S64
    world = make_world(lambda text: [0.0, 0.0] if "fox" not in text else [1.0, 0.0])
    source = world.source(files={"a.md": "one", "b.md": "two", "c.md": "fox", "d.md": "fox too"})
    role = role_of(source, search=Search(min_score=0.0, dedupe_threshold=0.0))
    assert world.names(role, "fox") == ["c.md", "a.md", "b.md"]


def test_reranking_comes_after_top_k_and_keeps_top_n(make_world):  # S64
    reranker = Reversing()
    world = make_world(rerankers=[reranker, Reversing("other")])
    files = {f"{name}.md": f"fox {'fox ' * count}" for count, name in enumerate("edcba")}
    settings = search(
        strategy=Strategy.KEYWORD, rerank=True, reranker_model="m", top_k=4, top_n=2, min_score=0.9
    )
    role = role_of(world.source(files=files), search=settings)
    found = world.ask(role, "fox").documents
    ((query, given, model),) = reranker.given
    assert (query, len(given), model) == ("fox", 4, "m")
    assert [each.content for each in found] == [each.content for each in given[:-3:-1]]
    # Scores are the reranker's, and min_score is not applied to them.
    assert [each.score for each in found] == [1.0, 2.0]


def test_a_reranker_cannot_bring_documents_nor_change_them(make_world):  # S64 S43
    class Forging(Reversing):
        def rerank(self, query, documents, model):
            first = documents[0]
            if query == "forge":
                return [RetrievedDocument("new", "new", 1.0, {"entryId": "new"})]
            return [RetrievedDocument("changed", "x", 2.0, first.metadata)] * 2

    world = make_world(rerankers=[Forging()])
    settings = search(strategy=Strategy.KEYWORD, rerank=True, reranker_model="m", on_failure="FAIL")
    role = role_of(world.source(files={"a.md": "fox forge"}), search=settings)
    (found,) = world.ask(role, "fox").documents
    assert (found.content, found.score) == ("fox forge", 2.0)
    with pytest.raises(ExecutionError, match="document 0"):
        world.ask(role, "forge")


@pytest.mark.parametrize("error", [ValueError("x"), ProviderUnavailableError("gone")])
def test_what_a_reranker_raises(make_world, error):  # S43 S67
    class Failing(Reversing):
        def rerank(self, query, documents, model):
            raise error

    world = make_world(rerankers=[Failing()])
    settings = search(rerank=True, reranker_model="m", on_failure="FAIL")
    source = world.source()
    own = isinstance(error, ProviderUnavailableError)
    with pytest.raises(type(error) if own else ExecutionError):
        world.ask(role_of(source, search=settings))
    # While it serves, the policy decides: also of an error that would be above it before.
    settings = search(rerank=True, reranker_model="m", on_failure="CONTINUE")
    assert world.ask(role_of(source, search=settings)).documents == ()


def test_expansion_wraps_a_strategy(make_world):  # S63 S64
    expander = Expanding("whale", "owl", "dropped")
    world = make_world(expanders=[expander])
    settings = search(
        strategy=Strategy.KEYWORD, query_expansion="HYDE", query_expansion_model="m",
        expanded_queries=2,
    )  # fmt: skip
    found = world.ask(role_of(world.source(), search=settings), "fox").documents
    assert {each.metadata["path"] for each in found} == {"fox.md", "owl.md", "whale.md"}
    assert expander.asked == [("fox", "HYDE", "m", 2)]
    assert [each.metadata["multiQuery.streams"] for each in found] == ["3"] * 3


WORDS = ("fox", "owl", "whale", "mice", "nothing")


def bag(text):
    """Counts of four words: many equal vectors, and zero ones."""
    return [float(text.split().count(word)) for word in WORDS[:4]]


def cosine(one, other):
    """Exact but for one rounded root; zero vectors are like nothing."""
    lengths = sum(a * a for a in one) * sum(b * b for b in other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.sqrt(lengths or math.inf)


def expected(files, question, settings, tier):
    """S64 in plain Python: filter, min_score, dedupe, top_k; with rerank top_n of those."""
    texts = {name: text.rpartition("---\n")[2] for name, text in sorted(files.items())}
    scores = {name: cosine(bag(text), bag(question)) for name, text in texts.items()}
    admissible = [name for name in texts if tier is None or f"tier: {tier}" in files[name]]
    ranked = sorted(admissible, key=lambda name: -round(scores[name], 6))
    kept = []
    for name in ranked:
        near = (cosine(bag(texts[name]), bag(texts[each])) for each in kept)
        if scores[name] >= settings.min_score and not (
            settings.deduplicate and any(each >= settings.dedupe_threshold for each in near)
        ):
            kept.append(name)
    kept = kept[: settings.top_k]
    return kept[::-1][: settings.top_n] if settings.rerank else kept


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)),
             min_size=1, max_size=12),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=2),
    st.sampled_from(["A", None]),
    st.fixed_dictionaries({
        "top_k": st.integers(1, 6), "top_n": st.integers(1, 4), "rerank": st.booleans(),
        "deduplicate": st.booleans(), "dedupe_threshold": st.sampled_from([0.3, 0.9, 1.0]),
        "min_score": st.sampled_from([0.0, 0.4, 0.65]),
    }),
)  # fmt: skip
def test_the_order_is_that_of_a_plain_model(
    tmp_path_factory, notes, question, tier, members
):  # S64
    files = {
        f"{number:02d}.md": f"---\ntier: {tier}\n---\n{' '.join(words)}"
        for number, (tier, words) in enumerate(notes)
    }
    world = World(
        tmp_path_factory.mktemp("order"),
        GivenProviders(rerankers=[Reversing()]),
        embedding=ProcessEmbedding(EmbeddingProvider(bag, "bag")),
    )
    wanted = Search(**members, **({"reranker_model": "m"} if members["rerank"] else {}))
    asked = context(metadata_filters={"tnsai.chat.turn": "1"} | ({"tier": tier} if tier else {}))
    found = world.names(
        role_of(world.source(files=files), search=wanted), " ".join(question), asked
    )
    assert found == expected(files, " ".join(question), wanted, tier)


def test_multi_query_is_semantic(make_world):  # S63
    expander = Expanding("variant")
    asked = []

    def embed(text):
        asked.append(text)
        return [float(len(text)), 1.0]

    world = make_world(embed, expanders=[expander])
    settings = search(strategy=Strategy.MULTI_QUERY, query_expansion_model="m")
    role = role_of(world.source(), search=settings)
    assert len(world.ask(role, "question").documents) == 3
    assert asked[-2:] == ["question", "variant"]
    assert expander.asked == [("question", "MULTI_QUERY", "m", 3)]


@pytest.mark.parametrize("strategy", ["HIERARCHICAL", "TEMPORAL"])
def test_children_are_semantic(make_world, strategy):  # S63
    world = make_world(lambda text: [1.0 + text.count("zebra"), 1.0])
    role = role_of(world.source(), search=search(strategy=strategy))
    # No word is shared: a keyword child would find nothing.
    assert len(world.ask(role, "zebra").documents) == 3


def test_hierarchical_climbs_to_parents(make_world):  # S63
    class Loader:
        def supports(self, knowledge):
            return True

        def load(self, knowledge):
            yield SourceDocument("root", "all about animals", {"hierarchy.id": "root"})
            yield SourceDocument(
                "leaf", "the fox", {"hierarchy.id": "leaf", "hierarchy.parentId": "root"}
            )

    world = make_world(loaders=[Loader()])
    settings = search(strategy=Strategy.HIERARCHICAL)
    found = world.ask(role_of(Knowledge("tree", type="DATABASE"), search=settings), "fox").documents
    assert [each.content for each in found] == ["the fox", "all about animals"]
    assert found[1].score == pytest.approx(0.85 * found[0].score)


def test_a_broken_hierarchy_is_a_configuration_error_above_the_policy(make_world):  # S50 S63
    class Loader:
        def supports(self, knowledge):
            return True

        def load(self, knowledge):
            yield SourceDocument("leaf", "fox", {"hierarchy.parentId": "nobody"})

    world = make_world(loaders=[Loader()])
    role = role_of(
        Knowledge("tree", type="DATABASE"),
        search=search(strategy=Strategy.HIERARCHICAL, on_failure="CONTINUE"),
    )
    with pytest.raises(HierarchyError):
        world.ask(role, "fox")


def test_reasoning_descends(make_world):  # S63
    world = make_world(navigators=[First()])
    text = "# Animals\n" + "\n".join(
        f"## {name}\n" + f"{name} text. " * 400 for name in ("Fox", "Owl")
    )
    settings = search(strategy=Strategy.REASONING, navigator_model="m")
    role = role_of(world.source(files={"a.md": text}), search=settings)
    (found,) = world.ask(role, "anything").documents
    assert found.score == 1.0
    assert found.metadata["hierarchy.stopReason"] == "leaf"
    assert "Fox text" in found.content


@pytest.mark.parametrize(
    ("strategy", "members"),
    [
        ("REASONING", {"navigator_model": "m"}),
        ("MULTI_QUERY", {"query_expansion_model": "m"}),
        ("SEMANTIC", {"rerank": True, "reranker_model": "m"}),
        ("HYBRID", {"query_expansion": "SYNONYM", "query_expansion_model": "m"}),
    ],
)
def test_a_model_that_nobody_serves_fails_before_the_policy(world, strategy, members):  # S63
    role = role_of(
        world.source(), search=search(strategy=strategy, on_failure="CONTINUE", **members)
    )
    with pytest.raises(ProviderUnavailableError, match="'m'"):
        world.ask(role)


@pytest.mark.parametrize("use", ["SEARCH", "DIRECT"])
def test_a_chunk_context_that_nobody_serves_fails_before_the_policy(world, use):  # S50 S61
    source = world.source(chunk_context="MODEL", chunk_context_model="nobody")
    with pytest.raises(ProviderUnavailableError):
        world.ask(role_of(source, use=use))


def test_hybrid_over_files_fuses_three_streams(world):  # S85
    files = {
        "auth.md": "The Auth Service writes to Redis.",
        "redis.md": "Redis keeps sessions for the Auth Service.",
        "other.md": "Nothing of interest.",
    }
    role = role_of(world.source(files=files), search=search(strategy=Strategy.HYBRID))
    found = world.ask(role, "Auth Service").documents
    assert found[0].metadata["hybrid.streams"] == "keyword,vector,graph"
    assert found[0].metadata["hybrid.graph.rank"] == "1"


def test_hybrid_without_a_graph_fuses_two(make_world):  # S85
    class Loader:
        def supports(self, knowledge):
            return True

        def load(self, knowledge):
            yield SourceDocument("1", "The Auth Service writes to Redis.")

    world = make_world(loaders=[Loader()])
    role = role_of(Knowledge("rows", type="DATABASE"), search=search(strategy=Strategy.HYBRID))
    (found,) = world.ask(role, "Auth Service").documents
    assert found.metadata["hybrid.streams"] == "keyword,vector"


def test_the_event_of_a_hybrid_retrieval_tells_its_graph(world, caplog):  # S85
    role = role_of(world.source(), search=search(strategy=Strategy.HYBRID))
    with caplog.at_level("INFO", logger="octavo.declarative"):
        world.ask(role)
    (event,) = [
        each.octavo_event
        for each in caplog.records
        if getattr(each, "octavo_event", {}).get("stage") == "retrieval"
    ]
    assert event["graph"] == "in-memory"


class GraphProvider:
    is_default = False
    name = "mine"

    def __init__(self, store):
        self.store = store

    def claims(self, scope):
        return True

    def open(self, scope):
        return self.store


class FailingStore:
    def seeds(self, query, limit):
        raise OSError("the graph is down")

    def edges(self, node_id):
        return ()

    def node(self, node_id):
        raise KeyError(node_id)


def test_a_graph_stream_that_fails_in_hybrid_is_a_failure(make_world):  # S67 S85
    world = make_world(graphs=[GraphProvider(FailingStore())])
    role = role_of(world.source(), search=search(strategy=Strategy.HYBRID, on_failure="FAIL"))
    with pytest.raises(ExecutionError, match="the graph is down"):
        world.ask(role)


def test_two_graph_providers_are_a_configuration_error_above_the_policy(make_world):  # S85 S81
    class Other(GraphProvider):
        name = "other"

    world = make_world(graphs=[GraphProvider(FailingStore()), Other(FailingStore())])
    role = role_of(world.source(), search=search(strategy=Strategy.HYBRID, on_failure="CONTINUE"))
    with pytest.raises(ConfigurationError, match="'mine', 'other'"):
        world.ask(role)


def graph_role(*files):
    """A role whose action names a graph handle, with FILE sources in reach."""
    from octavo.declarative import ActionType, action_spec, role_spec

    @role_spec(knowledge=[Knowledge("graph", type="GRAPH"), *files])
    class Role:
        @action_spec(
            type=ActionType.LLM,
            knowledge=Knowledge("graph", search=search(strategy=Strategy.GRAPH)),
        )
        def answer(self, question: str) -> str:
            return question

    return Role


def test_graph_walks_the_files_in_reach(world):  # S63 S81
    files = {"auth.md": "The Auth Service writes to Redis.", "x.md": "Redis runs on Linux."}
    found = world.ask(graph_role(world.source(files=files)), "Auth Service")
    assert [each.source for each in found.documents] == ["in-memory"] * len(found.documents)
    assert found.documents[0].content == "The Auth Service writes to Redis."
    assert found.documents[0].metadata[RequestMetadata.SOURCE] == "notes"
    assert found.sources[0].documents == len(found.documents)


class FromDocuments:
    """A store of an application, made of the documents of its scope when it is first asked."""

    def __init__(self, scope):
        self.scope = scope

    def seeds(self, query, limit):
        contents = sorted(each.content for each in self.scope.documents())
        return [(GraphNode("n", " | ".join(contents), "own"), 1.0)]

    def edges(self, node_id):
        return ()

    def node(self, node_id):
        raise KeyError(node_id)


def test_a_graph_of_the_application_loads_documents_only_if_it_asks(make_world):  # S81
    class Own(GraphProvider):
        def open(self, scope):
            return FromDocuments(scope) if self.store is None else self.store

    class Nothing(FromDocuments):
        def seeds(self, query, limit):
            return [(GraphNode("n", "known anyway", "own"), 1.0)]

    missing = Knowledge("missing", path="/no/such/directory")
    world = make_world(graphs=[Own(Nothing(None))])
    (found,) = world.ask(graph_role(missing)).documents
    assert (found.content, found.source) == ("known anyway", "mine")
    world = make_world(graphs=[Own(None)])
    source = world.source(files={"a.md": "one", "b.md": "two"})
    (found,) = world.ask(graph_role(source)).documents
    assert found.content == "one | two"


def test_two_handles_of_one_role_are_two_graphs(make_world):  # S81
    from octavo.declarative import ActionType, action_spec, bind, role_spec

    class Named(FromDocuments):
        def seeds(self, query, limit):
            return [(GraphNode("n", f"graph {self.scope.graph}", "own"), 1.0)]

    class Own(GraphProvider):
        def open(self, scope):
            return Named(scope)

    def action(name):
        entry = Knowledge(name, search=search(strategy=Strategy.GRAPH))
        return action_spec(type=ActionType.LLM, knowledge=entry)

    @role_spec(knowledge=[Knowledge("one", type="GRAPH"), Knowledge("two", type="GRAPH")])
    class Role:
        @action("one")
        def first(self, question: str) -> str: ...

        @action("two")
        def second(self, question: str) -> str: ...

    world = make_world(graphs=[Own(None)])
    declared = bind(Role)
    for name, graph in (("first", "one"), ("second", "two"), ("first", "one")):
        found = world.runtime.retrieve(declared, declared.actions[name], {"question": "x"})
        assert [each.content for each in found.documents] == [f"graph {graph}"]


def test_a_graph_that_nobody_serves_fails_before_the_policy(world):  # S81
    with pytest.raises(GraphCapabilityError) as caught:
        world.ask(graph_role(), "Auth Service")
    assert caught.value.reason is FailureReason.CONFIGURATION


class Engine:
    """A remote index."""

    def __init__(self, *documents, sources=None):
        self.documents = documents
        self.requests = []
        self.scopes = []

    def claims(self, scope):
        self.scopes.append(scope)
        return True

    def retrieve(self, request):
        self.requests.append(request)
        return self.documents


def test_an_engine_takes_the_place_of_loading(make_world):  # S73
    engine = Engine(
        RetrievedDocument("low", "r", 0.4, {"tier": "gold"}),
        RetrievedDocument("high", "r", 0.9, {"tier": "gold", "tnsai.owner": "forged"}),
        RetrievedDocument("clay", "r", 1.0, {"tier": "clay"}),
    )
    world = make_world(engines=[engine])
    source = Knowledge("remote", path="/no/such/directory")
    role = role_of(source, search=Search(deduplicate=False, min_score=0.5, top_k=3))
    asked = context(
        tenant="t", metadata_filters={"tier": "gold", "tnsai.chat.x": "y"}, turn_message="turn",
        conversation_id="c", source_paths={"remote": "/p"},
    )  # fmt: skip
    found = world.ask(role, "question", asked)
    # Filtered, ordered, with a threshold, whatever the engine does itself.
    assert [each.content for each in found.documents] == ["high"]
    assert found.documents[0].metadata["tnsai.owner"] == "t"
    assert found.documents[0].metadata["tnsai.source"] == "remote"
    assert found.sources[0].documents == 1
    (request,) = engine.requests
    assert (request.query, request.sources) == ("turn", ("remote",))
    assert (request.turn_message, request.conversation_id) == ("turn", "c")
    assert dict(request.source_paths) == {"remote": "/p"}
    assert request.context is asked
    assert engine.scopes[0].role == "Researcher"


def test_what_an_engine_is_told_of_a_chat_is_no_filter_and_keeps_results_apart(
    make_world,
):  # S64 S71
    class Told(Engine):
        def retrieve(self, request):
            assert dict(request.filters) == {"tier": "gold"}
            user = request.context.metadata_filters["tnsai.chat.user"]
            return [RetrievedDocument(f"for {user}", "r", 1.0, {"tier": "gold"})]

    world = make_world(engines=[Told()])
    role = role_of(Knowledge("remote"), search=search())
    for user in ("ann", "bob"):
        asked = context(metadata_filters={"tier": "gold", "tnsai.chat.user": user})
        assert world.ask(role, "q", asked).documents[0].content == f"for {user}"


@pytest.mark.parametrize("returned", [None, "text", [1], [RetrievedDocument("a", "b", 1.0), None]])
def test_what_an_engine_returns_is_checked(make_world, returned):  # S73 S43
    class Wrong(Engine):
        def retrieve(self, request):
            return returned

    world = make_world(engines=[Wrong()])
    role = role_of(Knowledge("remote"), search=search(on_failure="FAIL"))
    with pytest.raises(ExecutionError):
        world.ask(role)


def test_an_unknown_source_is_a_configuration_error_whatever_the_policy(world):  # S60 S50
    role = role_of(world.source(), search=search(on_failure="CONTINUE"))
    from octavo.declarative import ActionType, action_spec

    class Wrong(role):
        @action_spec(type=ActionType.LLM, knowledge=Knowledge("nodes"))
        def answer(self, question: str) -> str: ...

    with pytest.raises(ConfigurationError, match="'nodes'"):
        world.ask(Wrong)


def test_preparing_loads_no_files_for_a_graph_of_somebody_else(make_world):  # S63 S81
    world = make_world(graphs=[GraphProvider(FailingStore())])
    files = Knowledge("notes", path=str(world.directory / "missing"))
    world.runtime.prepare(bind(graph_role(files)))
