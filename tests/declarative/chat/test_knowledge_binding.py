"""What grounds a chat, whose it is, and until when (S71, S72, S74)."""

import logging
import threading

import pytest

from octavo.declarative import (
    ChatKnowledgeBinding,
    DispatchContext,
    Knowledge,
    RoleRagBinding,
    Search,
    agent_spec,
    role_spec,
)
from octavo.errors import (
    CancelledError,
    ConfigurationError,
    ExecutionError,
    InvalidArgumentError,
    RetrievalTimeoutError,
)
from octavo.spi import CancellationToken, RetrievedDocument
from tests.declarative.chat.conftest import entry, memory
from tests.declarative.runtime.conftest import context, search


def contents(found):
    return [each.content for each in found.documents]


# S72
def test_only_the_agents_enabled_search_and_direct_entries_ground_it(world):
    sources = [
        world.source("searched", {"a.md": "searched fox"}, search=search(strategy="KEYWORD")),
        world.source("whole", {"a.md": "whole fox"}, use="DIRECT"),
        world.source("steps", {"a.md": "step fox"}, use="SEQUENTIAL"),
        world.source("off", {"a.md": "disabled fox"}, enabled=False),
        Knowledge("graph", type="GRAPH"),
    ]
    found = world.binding(*sources).retrieve("fox")
    assert contents(found) == ["searched fox"]
    assert [each.content for each in found.direct] == ["whole fox"]
    assert [each.name for each in found.sources] == ["searched", "whole"]


# S72
def test_a_roles_entries_never_do(world):
    @role_spec(knowledge=world.source("of-role", {"a.md": "a fox of the role"}))
    class Reader:
        pass

    with pytest.raises(ConfigurationError, match="AgentSpec"):
        ChatKnowledgeBinding(Reader, world.runtime)
    agent = world.agent()
    type(agent).get_roles = lambda self: [Reader()]
    assert agent.chat("fox").documents == 0
    assert agent.llm.prompt == "fox"


def test_without_sources_nothing_is_retrieved(world):  # S73
    assert world.binding().knowledge == ()
    assert contents(world.binding().retrieve("fox")) == []
    assert dict(world.agent().chat("fox").context) == {}


# S71
def test_the_turns_message_is_searched_when_present(world):
    binding = world.binding(world.source(search=search(strategy="KEYWORD")))
    earlier = "We spoke of a whale. And what about that fox?"
    found = binding.retrieve(earlier, context(turn_message="And what about that fox?"))
    assert [each.metadata["path"] for each in found.documents] == ["fox.md"]
    assert len(binding.retrieve(earlier, context(turn_message=" \n")).documents) == 3


class Engine:
    """A remote index that says what it was asked."""

    def __init__(self, *documents):
        self.documents = documents
        self.requests = []
        self.scopes = []

    def claims(self, scope):
        self.scopes.append(scope)
        return True

    def retrieve(self, request):
        self.requests.append(request)
        return self.documents


# S71 S73
def test_the_components_of_a_turn_are_copied_into_the_request(make_world):
    engine = Engine(RetrievedDocument("remote fox", "r", 0.9, {}))
    world = make_world(engines=[engine])
    binding = world.binding(Knowledge("remote", search=search()), memory(), name="desk")
    binding.remember(entry("1", "a red fox"))
    paths = {"remote": "/p"}
    asked = context(turn_message="fox", conversation_id="c", source_paths=paths, tenant="")
    found = binding.retrieve("rendered", asked)
    (request,) = engine.requests
    assert (request.query, request.turn_message, request.conversation_id) == ("fox", "fox", "c")
    assert dict(request.source_paths) == paths
    # The engine is asked for its own source; the memory is octavo's, and both are ranked together.
    assert request.sources == ("remote",)
    assert [each.name for each in engine.scopes[0].sources] == ["remote"]
    assert (engine.scopes[0].role, engine.scopes[0].agent) == ("", "desk")
    assert set(contents(found)) == {"remote fox", "a red fox"}
    assert [each.documents for each in found.sources] == [1, 1]
    scores = [each.score for each in found.documents]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("strategy", ["SEMANTIC", "KEYWORD", "HYBRID", "TEMPORAL"])
def test_an_engine_beside_a_memory_under_every_strategy(make_world, strategy):  # S73 S63
    world = make_world(engines=[Engine(RetrievedDocument("remote", "r", 0.01, {}))])
    binding = world.binding(
        Knowledge("remote", search=search(strategy=strategy, deduplicate=True)),
        memory(search=Search()),
    )
    binding.remember([entry("1", "fox"), entry("2", "fox")])
    found = binding.retrieve("fox")
    assert contents(found) == ["fox", "remote"]  # one of the two equal entries goes


# S71
@pytest.mark.parametrize(
    "other",
    [
        {"turn_message": "fox"},
        {"conversation_id": "c"},
        {"source_paths": {"x": "/y"}},
        {"tenant": "b"},
        {"session": "s"},
    ],
)
def test_results_are_kept_apart(world, other):
    binding = world.binding(world.source(search=search(strategy="KEYWORD")))
    binding.retrieve("fox")
    outcomes = cache_outcomes(binding, [context(), context(**other), context(**other)])
    assert outcomes == ["hit", "miss", "hit"]


def cache_outcomes(binding, contexts):
    outcomes = []

    class Handler(logging.Handler):
        def emit(self, record):
            event = record.octavo_event
            if event["stage"] == "cache":
                outcomes.append(event["outcome"])

    logger = logging.getLogger("octavo.declarative")
    handler, level = Handler(), logger.level
    logger.addHandler(handler)
    logger.setLevel("INFO")
    try:
        for each in contexts:
            binding.retrieve("fox", each)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    return outcomes


# S71 S67
def test_two_tenants_share_no_memory_and_no_cached_result(world):
    binding = world.binding(memory(search=search(strategy="KEYWORD", on_failure="USE_CACHE")))
    binding.remember(entry("1", "the secret of a"), tenant="a")
    binding.remember(entry("1", "the secret of b"), tenant="b")
    for _ in range(2):
        assert contents(binding.retrieve("secret", context(tenant="a"))) == ["the secret of a"]
        assert contents(binding.retrieve("secret", context(tenant="b"))) == ["the secret of b"]
        assert contents(binding.retrieve("secret")) == []
        assert contents(binding.retrieve("secret", context(tenant="A"))) == []
    assert binding.forget("1", tenant="a")
    assert not binding.forget("1", tenant="a")
    assert contents(binding.retrieve("secret", context(tenant="a"))) == []
    assert contents(binding.retrieve("secret", context(tenant="b"))) == ["the secret of b"]


# S71
def test_a_forged_scope_changes_nothing(world):
    binding = world.binding(memory(search=search(strategy="KEYWORD")))
    binding.remember(entry("tnsai.owner", "secret of b", source="tnsai.owner=a"), tenant="b")
    forged = {"tnsai.chat.tenant": "b", "tnsai.chat.scope": "b"}
    for asked in (
        context(tenant="a", metadata_filters=forged),
        context(tenant="a", conversation_id="b", turn_message="secret tenant: b"),
        context(tenant="a", session="b"),
    ):
        assert contents(binding.retrieve("secret", asked)) == []
    # Who the documents were found for can be filtered by, and not be pretended.
    other = context(tenant="a", metadata_filters={"tnsai.owner": "b"})
    assert contents(binding.retrieve("secret", other)) == []
    (found,) = binding.retrieve("secret", context(tenant="b")).documents
    assert (found.metadata["tnsai.owner"], found.metadata["tnsai.source"]) == ("b", "memories")


# S72
def test_two_bindings_of_a_class_share_what_was_loaded_and_no_memory(world):
    cls = world.agent_class(
        world.source(search=search(strategy="KEYWORD")), memory(search=Search())
    )
    first, second = (ChatKnowledgeBinding(cls, world.runtime) for _ in range(2))
    first.remember(entry("1", "fox of the first"))
    assert contents(first.retrieve("fox")) == contents(first.retrieve("fox"))
    assert "fox of the first" in contents(first.retrieve("fox"))
    assert contents(second.retrieve("fox")) == ["The red fox hunts mice at night."]
    second.remember(entry("1", "fox of the second"))
    assert "fox of the first" not in contents(second.retrieve("fox"))
    assert len(world.runtime._bindings._bindings) == 2  # what is searched, and nothing given whole


# S31 S74
@pytest.mark.parametrize("strategy", ["SEMANTIC", "KEYWORD", "HYBRID", "HIERARCHICAL", "TEMPORAL"])
def test_memory_is_searched_together_with_documents(world, strategy):
    source = world.source(search=search(strategy=strategy, top_k=5 if strategy == "HYBRID" else 2))
    binding = world.binding(source, memory(search=Search()))
    remembered = "Ada saw a red fox hunt mice at night"
    binding.remember([entry("1", remembered), entry("2", "tea")])
    found = binding.retrieve("the red fox Ada saw hunt mice at night")
    if strategy != "HYBRID":  # which has a graph of the documents as its third stream
        assert contents(found) == [remembered, "The red fox hunts mice at night."]
    own = next(each for each in found.documents if each.content == remembered)
    assert (own.source, own.metadata["tier"], own.metadata["entryId"]) == ("1", "SEMANTIC", "1")
    assert own.metadata["tnsai.source"] == "memories"
    if strategy != "HYBRID":
        assert [(each.name, each.documents) for each in found.sources] == [
            *(("notes", 1), ("memories", 1)),
        ]


# S11 S31
def test_memory_is_filtered_by_tier_and_entry_id_alone(world):
    from octavo import MemoryTier

    binding = world.binding(memory())
    binding.remember([entry("1", "a fox", MemoryTier.WORKING), entry("2", "the fox", source="s")])

    def found(**filters):
        return contents(binding.retrieve("fox", context(metadata_filters=filters)))

    assert found(tier="WORKING") == ["a fox"]
    assert found(entryId="2") == ["the fox"]
    assert found(tier="working") == found(source="s") == found(entryId="2", tier="WORKING") == []
    assert len(found(**{"tnsai.source": "memories"})) == 2
    assert found(**{"tnsai.source": "notes"}) == []


# S74
def test_direct_memory_is_given_whole_in_order(world):
    binding = world.binding(memory("profile", use="DIRECT"), memory("facts", search=search()))
    binding.remember(
        [entry("b", "likes tea"), entry("a", "is Ada", source="crm")], source="profile"
    )
    binding.remember(entry("b", "likes coffee"), source="profile")  # S31: replaces, keeps its place
    found = binding.retrieve("anything")
    assert [each.content for each in found.direct] == ["likes coffee", "is Ada"]
    assert [each.id for each in found.direct] == ["b", "crm"]
    assert found.documents == ()
    assert [(each.name, each.documents) for each in found.sources] == [("profile", 2), ("facts", 0)]
    only = context(metadata_filters={"entryId": "a"})
    assert [each.content for each in binding.retrieve("x", only).direct] == ["is Ada"]
    assert [each.id for each in binding.remembered(source="profile")] == ["b", "a"]


def test_an_empty_memory_is_an_empty_answer(world):  # S66
    for strategy in ("SEMANTIC", "KEYWORD", "HYBRID", "HIERARCHICAL", "TEMPORAL"):
        binding = world.binding(memory(search=search(strategy=strategy, on_failure="FAIL")))
        assert binding.retrieve("fox").documents == ()
        binding.remember([])
        binding.remember(entry("1", ""))  # empty text is legal, and found by no word
        assert contents(binding.retrieve("", context(tenant="other"))) == []
    assert [each.content for each in binding.remembered()] == [""]


# S71
def test_a_new_entry_is_known_to_the_next_turn_whatever_is_cached(world):
    binding = world.binding(memory(search=search(strategy="HYBRID")))
    for number in range(3):
        binding.remember(entry(str(number), f"fox {number}"))
        assert len(contents(binding.retrieve("fox"))) == number + 1
    binding.remember(entry("1", "an owl"))
    assert "fox 1" not in contents(binding.retrieve("fox"))
    binding.forget_tenant("")
    assert binding.retrieve("fox").documents == ()


def test_memory_changes_while_others_ask(make_world):  # S31 S42
    world = make_world(embed=lambda text: [float(text.count("fox")), 1.0])
    binding = world.binding(memory(search=search(strategy="HYBRID", top_k=50, on_failure="FAIL")))
    binding.remember(entry("fixed", "fox"))
    failures, sizes = [], []

    def ask():
        try:
            sizes.extend(len(binding.retrieve("fox").documents) for _ in range(15))
        except ExecutionError as error:  # the provider takes one query at a time (S41)
            if "one at a time" not in str(error):
                failures.append(error)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        binding.remember(entry(str(number), f"fox {number}"))
        binding.forget(str(number - 1))
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(1 <= size <= 3 for size in sizes)
    assert len(binding.retrieve("fox").documents) == 2


def test_only_what_is_new_is_embedded(make_world):  # S42
    asked = []

    def embed(text):
        asked.append(text)
        return [1.0, float(len(text))]

    binding = make_world(embed=embed).binding(memory(search=search(deduplicate=True)))
    binding.remember([entry("1", "one"), entry("2", "two")])
    assert asked == []  # nothing was searched yet
    binding.retrieve("query")
    binding.remember([entry("3", "three"), entry("1", "one")])
    binding.retrieve("query")
    assert sorted(asked) == ["one", "query", "query", "three", "two"]
    binding.retrieve("query")
    assert len(asked) == 5


@pytest.mark.parametrize("policy", ["FAIL", "CONTINUE"])
def test_a_failing_embedding_follows_the_policy_and_is_tried_again(make_world, policy):  # S67
    failing = [True]

    def embed(text):
        if failing[0]:
            raise OSError("the model is down")
        return [1.0, 2.0]

    binding = make_world(embed=embed).binding(memory(search=search(on_failure=policy)))
    binding.remember([entry("1", "one"), entry("2", "two")])
    if policy == "FAIL":
        with pytest.raises(ExecutionError, match="the model is down"):
            binding.retrieve("query")
    else:
        assert binding.retrieve("query").documents == ()
    failing[0] = False
    assert len(binding.retrieve("query").documents) == 2


# S50
def test_cancellation_and_deadline_hold(make_world):
    token = CancellationToken()

    def embed(text):
        token.cancel()
        return [1.0]

    world = make_world(embed=embed)
    binding = world.binding(memory(search=search(on_failure="CONTINUE")))
    binding.remember([entry(str(number), "fox") for number in range(200)])
    with pytest.raises(CancelledError):
        binding.retrieve("fox", context(cancellation=token))
    late = world.binding(memory(search=search(on_failure="FAIL")))
    late.remember(entry("1", "fox"))
    with pytest.raises(RetrievalTimeoutError):
        late.retrieve("fox", context(deadline=0.0))


def test_unicode(world):
    binding = world.binding(memory(search=search(strategy="HYBRID")))
    texts = [
        "東京は日本の首都",
        "İstanbul ılık",
        "👩‍👩‍👧 flag 🏴",
        "e\u0301clair",
        "half \ud800 half",
    ]
    binding.remember([entry(str(number), text) for number, text in enumerate(texts)])
    assert contents(binding.retrieve("東京", context(turn_message="首都 東京")))[0] == texts[0]
    assert contents(binding.retrieve("half \ud800", context(tenant="")))[0] == texts[4]


# S72
def test_the_life_of_a_binding(world):
    directory = world.source(files={"a.md": "first fox"}, search=search(strategy="KEYWORD"))
    with world.binding(directory, memory(search=Search())) as binding:
        assert contents(binding.retrieve("fox")) == ["first fox"]
        (world.directory / "notes" / "a.md").write_text("second fox")
        assert contents(binding.retrieve("fox")) == ["first fox"]
        binding.remember(entry("1", "third fox"))
        assert binding.invalidate() >= 1
        assert set(contents(binding.retrieve("fox"))) == {"second fox", "third fox"}
        assert not binding.closed
    assert binding.closed
    binding.close()
    for use in (
        lambda: binding.retrieve("fox"),
        lambda: binding.remember(entry("2", "x")),
        lambda: binding.forget("1"),
        lambda: binding.forget_tenant(""),
        binding.remembered,
        binding.invalidate,
    ):
        with pytest.raises(ConfigurationError, match="'Support' was closed"):
            use()


# S68 S72
def test_invalidating_a_chat_leaves_actions_alone_and_the_other_way_round(world):
    from octavo.declarative import ActionType, action_spec, bind

    @role_spec()
    class Reader:
        @action_spec(type=ActionType.LLM, knowledge=Knowledge("notes"))
        def answer(self, question: str) -> str: ...

    cls = world.agent_class(world.source(search=search(strategy="KEYWORD")))
    binding = ChatKnowledgeBinding(cls, world.runtime)
    declared = bind(Reader, cls)

    def act():
        action = declared.actions["answer"]
        found = world.runtime.retrieve(declared, action, {"question": "fox"})
        return found.documents[0].metadata["tnsai.bindingRevision"]

    def chat():
        return binding.retrieve("fox").documents[0].metadata["tnsai.bindingRevision"]

    of_action, of_chat = act(), chat()
    binding.invalidate()
    assert act() == of_action
    assert chat() != of_chat
    of_chat = chat()
    world.runtime.invalidate(cls)  # the agent's class: both
    assert act() != of_action
    assert chat() != of_chat


def test_the_process_runtime_is_the_default_and_its_class_invalidates(tmp_path):  # S68
    (tmp_path / "a.md").write_text("old fox")

    @agent_spec(knowledge=Knowledge("n", path=str(tmp_path), search=search(strategy="KEYWORD")))
    class Support:
        pass

    with ChatKnowledgeBinding(Support) as binding:
        assert contents(binding.retrieve("fox")) == ["old fox"]
        (tmp_path / "a.md").write_text("new fox")
        RoleRagBinding.invalidate(Support)
        assert contents(binding.retrieve("fox")) == ["new fox"]


def test_closing_while_a_turn_is_under_way_lets_it_end(make_world):  # S72
    inside, go_on = threading.Event(), threading.Event()

    def embed(text):
        inside.set()
        assert go_on.wait(10)
        return [1.0]

    binding = make_world(embed=embed).binding(memory(search=search(on_failure="FAIL")))
    binding.remember(entry("1", "fox"))
    found = []
    thread = threading.Thread(target=lambda: found.append(contents(binding.retrieve("fox"))))
    thread.start()
    assert inside.wait(10)
    binding.close()
    go_on.set()
    thread.join()
    assert found == [["fox"]]


# S71 S50
def test_what_is_wrong_is_told_before_anything_is_retrieved(world):
    binding = world.binding(memory("facts"), memory("profile", use="DIRECT"))
    for query in (None, 3, b"x"):
        with pytest.raises(InvalidArgumentError, match="query: expected a text"):
            binding.retrieve(query)
    for wrong in ("tenant-a", {"tenant": "a"}, 0):
        with pytest.raises(InvalidArgumentError, match="context: expected a DispatchContext"):
            binding.retrieve("query", wrong)
    for wrong in ("text", 3, [entry("1", "x"), None], {"id": "1"}):
        with pytest.raises(InvalidArgumentError, match="MemoryEntry"):
            binding.remember(wrong, source="facts")
    assert binding.remembered(source="facts") == ()
    with pytest.raises(InvalidArgumentError, match="tenant"):
        binding.remember(entry("1", "x"), tenant=None, source="facts")
    with pytest.raises(ConfigurationError, match="expected one of 'facts', 'profile'"):
        binding.remember(entry("1", "x"))
    with pytest.raises(ConfigurationError, match="did you mean 'facts'"):
        binding.remember(entry("1", "x"), source="fact")
    with pytest.raises(ConfigurationError, match="declares no MEMORY source"):
        world.binding().remember(entry("1", "x"))


# S63 S72
def test_what_cannot_work_fails_when_it_is_made(world):
    with pytest.raises(ConfigurationError, match="Support: chat: expected one MEMORY source"):
        world.binding(memory("one", search=Search()), memory("two", search=Search()))
    reasoning = Search(strategy="REASONING", navigator_model="m")
    with pytest.raises(ConfigurationError, match="'memories' cannot be searched by REASONING"):
        world.binding(memory(search=reasoning))
    with pytest.raises(ConfigurationError, match="cannot be searched by GRAPH"):
        world.binding(memory(search=Search(strategy="GRAPH")))
    with pytest.raises(ConfigurationError, match="expected a class"):
        ChatKnowledgeBinding("Support", world.runtime)
    assert DispatchContext() == context()


def test_only_a_text_names_a_tenant(world):  # S71 S72
    knowledge = world.binding(memory())
    knowledge.remember(entry("1", "Ada likes tea"), tenant="a")
    knowledge.remember(entry("2", "nobody's"))
    asked = (
        knowledge.forget_tenant,
        lambda tenant: knowledge.remembered(tenant=tenant),
        lambda tenant: knowledge.forget("1", tenant=tenant),
        lambda tenant: knowledge.remember(entry("3", "x"), tenant=tenant),
    )
    for ask in asked:
        for wrong in (None, 7, ["a"]):
            with pytest.raises(InvalidArgumentError, match="tenant: expected a string, found"):
                ask(wrong)
    assert len(knowledge.remembered(tenant="a")) == len(knowledge.remembered()) == 1


def test_a_tenant_that_is_asked_about_leaves_no_trace(world):  # S72
    knowledge = world.binding(memory())
    for tenant in map(str, range(20)):
        assert not knowledge.forget("1", tenant=tenant)
        assert knowledge.remembered(tenant=tenant) == ()
    assert not knowledge._memories._corpora
