"""Failure policies, the result cache and the request's own context (S50, S64, S67, S71)."""

import threading
from datetime import timedelta

import pytest

from octavo.declarative import ActionType, Knowledge, action_spec, bind, role_spec
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.runtime import RetrievalRuntime
from octavo.errors import (
    CancelledError,
    ConfigurationError,
    ExecutionError,
    FailureReason,
    InvalidArgumentError,
    RetrievalError,
    RetrievalTimeoutError,
    SourceLoadingError,
)
from octavo.spi import CancellationToken, RetrievedDocument
from tests.declarative.runtime.conftest import context, role_of, search


class Embedding:
    """An embedding function that fails where a test says so."""

    def __init__(self):
        self.error = None
        self.calls = 0

    def __call__(self, text):
        self.calls += 1
        if self.error is not None:
            raise self.error
        return [1.0 + text.count("fox"), 1.0 + text.count("mice"), 1.0]


@pytest.fixture
def embedding():
    return Embedding()


@pytest.fixture
def world(make_world, embedding):
    return make_world(embedding)


def failing_later(world, embedding, error=None, **members):
    """A role whose source is loaded, and whose provider then fails."""
    role = role_of(world.source(), search=search(**members))
    world.runtime.prepare(bind(role))
    embedding.error = error or OSError("the model is down")
    return role


def test_continue_goes_on_without_documents(world, embedding):  # S67
    role = failing_later(world, embedding, on_failure="CONTINUE")
    found = world.ask(role)
    assert (found.documents, found.stale) == ((), False)
    assert [each.documents for each in found.sources] == [0]


def test_fail_is_a_typed_failure(world, embedding):  # S67 S50
    role = failing_later(world, embedding, on_failure="FAIL")
    with pytest.raises(ExecutionError, match="the model is down") as caught:
        world.ask(role)
    assert caught.value.reason is FailureReason.EXECUTION


def test_a_missing_source_follows_the_policy(world):  # S67 S66
    missing = Knowledge("missing", path=str(world.directory / "missing"))
    assert world.ask(role_of(missing, search=search())).documents == ()
    with pytest.raises(SourceLoadingError):
        world.ask(role_of(missing, search=search(on_failure="FAIL")))


def test_use_cache_serves_expired_results_for_a_while(world, embedding):  # S67
    role = role_of(
        world.source(), search=search(cache_ttl=10, max_staleness=20, on_failure="USE_CACHE")
    )
    fresh = world.ask(role)
    embedding.error = OSError("the model is down")
    world.clock.now = 9.9
    assert world.ask(role) == fresh
    world.clock.now = 10.0
    stale = world.ask(role)
    assert stale.stale
    assert stale.documents == fresh.documents
    world.clock.now = 29.9
    assert world.ask(role).stale
    world.clock.now = 30.0
    with pytest.raises(ExecutionError, match="the model is down"):
        world.ask(role)


def test_staleness_without_bound(world, embedding):  # S67
    role = role_of(
        world.source(), search=search(cache_ttl=0, max_staleness=-1, on_failure="USE_CACHE")
    )
    world.ask(role)
    embedding.error = OSError("the model is down")
    world.clock.now = 1e9
    assert world.ask(role).stale


@pytest.mark.parametrize("members", [{}, {"cache": False}, {"cache_ttl": 0, "max_staleness": 0}])
def test_use_cache_without_a_usable_result_fails(world, embedding, members):  # S67
    role = role_of(world.source(), search=search(on_failure="USE_CACHE", **members))
    if members:
        world.ask(role)
    else:
        world.runtime.prepare(bind(role))
    embedding.error = OSError("the model is down")
    with pytest.raises(ExecutionError, match="the model is down"):
        world.ask(role)


def test_use_cache_has_no_result_for_a_source_that_is_given_whole(world):  # S67 S74
    notes, guide = world.source(), world.source("guide", {"guide.md": "all of it"})

    @role_spec(knowledge=[notes, guide])
    class Reader:
        @action_spec(
            type=ActionType.LLM,
            knowledge=[
                Knowledge("notes", search=search(on_failure="USE_CACHE")),
                Knowledge("guide", use="DIRECT"),
            ],
        )
        def answer(self, question: str) -> str: ...

    asked = context(source_paths={"guide": guide.path})
    found = world.ask(Reader, "fox", asked)
    assert found.documents
    assert [each.content for each in found.direct] == ["all of it"]
    (world.directory / "guide" / "guide.md").unlink()
    (world.directory / "guide").rmdir()
    with pytest.raises(SourceLoadingError):
        world.ask(Reader, "fox", asked)


def test_retry_simple_is_one_keyword_retrieval(world, embedding):  # S67
    role = failing_later(world, embedding, on_failure="RETRY_SIMPLE", deduplicate=True)
    before = embedding.calls
    found = world.ask(role)
    assert {each.metadata["path"] for each in found.documents} == {"fox.md", "owl.md"}
    assert found.documents[0].score == 1.0
    assert "keyword.score" in found.documents[0].metadata
    assert not found.stale
    assert embedding.calls == before + 1  # the failed one; no words need vectors


def test_a_retry_needs_no_provider_even_where_loading_failed_for_it(world, embedding):  # S67
    embedding.error = OSError("the model is down")
    role = role_of(world.source(), search=search(on_failure="RETRY_SIMPLE"))
    assert len(world.ask(role).documents) == 2


def test_a_failed_retry_fails(world):  # S67
    missing = Knowledge("missing", path=str(world.directory / "missing"))
    with pytest.raises(SourceLoadingError) as caught:
        world.ask(role_of(missing, search=search(on_failure="RETRY_SIMPLE")))
    assert isinstance(caught.value.__cause__, SourceLoadingError)


def test_what_a_retry_found_is_not_cached(world, embedding):  # S67
    role = failing_later(world, embedding, on_failure="RETRY_SIMPLE")
    world.ask(role)
    embedding.error = None
    assert "keyword.score" not in world.ask(role).documents[0].metadata


@pytest.mark.parametrize("policy", ["CONTINUE", "USE_CACHE", "RETRY_SIMPLE"])
def test_configuration_errors_are_above_the_policy(world, embedding, policy):  # S50
    role = failing_later(
        world, embedding, RetrievalError("wrong", FailureReason.CONFIGURATION), on_failure=policy
    )
    with pytest.raises(RetrievalError, match="wrong"):
        world.ask(role)
    unknown = Knowledge("other", type="DATABASE")
    with pytest.raises(ConfigurationError, match="no loader"):
        world.ask(role_of(unknown, search=search(on_failure=policy, strategy="KEYWORD")))


@pytest.mark.parametrize("policy", ["CONTINUE", "USE_CACHE", "RETRY_SIMPLE"])
def test_cancellation_always_propagates(world, embedding, policy):  # S50
    token = CancellationToken()
    role = role_of(world.source(), search=search(on_failure=policy))
    world.ask(role, context=context(cancellation=token))
    token.cancel()
    with pytest.raises(CancelledError):
        world.ask(role, context=context(cancellation=token))


def test_cancellation_wins_over_the_failure_that_it_caused(world, embedding):  # S50
    token = CancellationToken()
    role = failing_later(world, embedding, on_failure="CONTINUE")

    class CuttingOffError(OSError):
        def __str__(self):
            token.cancel()
            return "cut off"

    embedding.error = CuttingOffError()
    with pytest.raises(CancelledError):
        world.ask(role, context=context(cancellation=token))


def test_a_timeout_follows_the_policy_and_nothing_is_retried_after_it(world):  # S67
    source = world.source()
    late = DispatchContext.builder().timeout(timedelta(microseconds=1)).build()
    assert world.ask(role_of(source, search=search()), context=late).documents == ()
    for policy in ("FAIL", "RETRY_SIMPLE"):
        with pytest.raises(RetrievalTimeoutError) as caught:
            world.ask(role_of(source, search=search(on_failure=policy)), context=late)
        assert caught.value.reason is FailureReason.TIMEOUT
    role = role_of(source, search=search(on_failure="USE_CACHE", cache_ttl=0))
    fresh = world.ask(role)
    assert world.ask(role, context=late).documents == fresh.documents


def test_nothing_is_retried_past_the_deadline(make_world):  # S67
    asked = context(deadline=float("inf"))

    def embed(text):
        if text == "question":
            object.__setattr__(asked, "deadline", 0.0)  # as if it had taken that long
            raise OSError("the model is down")
        return [1.0, float(len(text))]

    world = make_world(embed)
    role = role_of(world.source(), search=search(on_failure="RETRY_SIMPLE"))
    world.runtime.prepare(bind(role))
    with pytest.raises(ExecutionError, match="the model is down"):
        world.ask(role, "question", asked)


@pytest.mark.parametrize("stage", ["expansion", "reranking", "embedding", "engine"])
@pytest.mark.parametrize("how", ["cancelled", "deadline"])
def test_every_stage_boundary_is_looked_at(make_world, stage, how):  # S50
    token = CancellationToken()
    clock = {}

    def during(name):
        if name == stage:
            if how == "cancelled":
                token.cancel()
            else:
                object.__setattr__(clock["context"], "deadline", 0.0)

    class Provider:
        def supports(self, model):
            return True

        def expand(self, query, mode, model, max_expansions):
            during("expansion")
            return ["owl"]

        def rerank(self, query, documents, model):
            during("reranking")
            return documents

    class Engine:
        def claims(self, scope):
            return stage == "engine"

        def retrieve(self, request):
            during("engine")
            return [RetrievedDocument("a", "a", 1.0)]

    def embed(text):
        if text == "question":
            during("embedding")
        return [1.0, float(len(text))]

    one = Provider()
    world = make_world(embed, expanders=[one], rerankers=[one], engines=[Engine()])
    settings = search(
        on_failure="FAIL", rerank=True, reranker_model="m", query_expansion="HYDE",
        query_expansion_model="m",
    )  # fmt: skip
    role = role_of(world.source(), search=settings)
    world.runtime.prepare(bind(role))
    clock["context"] = context(cancellation=token)
    expected = CancelledError if how == "cancelled" else RetrievalTimeoutError
    with pytest.raises(expected):
        world.ask(role, "question", clock["context"])


def test_a_provider_called_from_two_dispatches_at_once(make_world):  # S41 S67
    inside, go_on = threading.Event(), threading.Event()

    def embed(text):
        if text == "slow":
            inside.set()
            assert go_on.wait(10)
        return [1.0, float(len(text))]

    world = make_world(embed)
    source = world.source()
    role = role_of(source, search=search(on_failure="FAIL"))
    going_on = role_of(source, search=search(on_failure="CONTINUE"))
    for each in (role, going_on):
        world.runtime.prepare(bind(each))
    found = []
    thread = threading.Thread(target=lambda: found.append(world.ask(role, "slow")))
    thread.start()
    assert inside.wait(10)
    with pytest.raises(ExecutionError, match="one at a time"):
        world.ask(role, "quick")
    assert world.ask(going_on, "quick").documents == ()
    go_on.set()
    thread.join()
    assert len(found[0].documents) == 3


@pytest.mark.parametrize(
    "vector", [[float("nan")] * 3, [1.0, 1.0], None, [], [[1.0, 2.0, 3.0]]], ids=repr
)
def test_a_vector_that_is_none_follows_the_policy(make_world, vector):  # S42 S67
    answers = {}
    world = make_world(lambda text: answers.get(text, [1.0, 2.0, float(len(text))]))
    source = world.source()
    role = role_of(source, search=search(on_failure="FAIL"))
    world.ask(role, "good")
    answers["bad"] = vector
    with pytest.raises(ExecutionError, match="embedding provider"):
        world.ask(role, "bad")
    assert world.ask(role_of(source, search=search()), "bad").documents == ()
    assert world.ask(role, "good again").documents


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("when", ["loading", "searching"])
def test_what_no_policy_may_catch_passes_and_leaves_everything_usable(  # S43 S67
    make_world, error, when
):
    class Interrupted:
        interrupting = False

        def __call__(self, text):
            if self.interrupting and (text == "mice") == (when == "searching"):
                raise error
            return [1.0, float(len(text))]

    provider = Interrupted()
    world = make_world(provider)
    role = role_of(world.source(), search=search(on_failure="CONTINUE"))
    if when == "searching":
        world.runtime.prepare(bind(role))
    provider.interrupting = True
    with pytest.raises(error):
        world.ask(role)
    provider.interrupting = False
    assert len(world.ask(role).documents) == 3


def test_results_are_cached_for_their_time(world, embedding):  # S64 S67
    role = role_of(world.source(), search=search(cache_ttl=10))
    first = world.ask(role)
    calls = embedding.calls
    assert world.ask(role) == first
    assert embedding.calls == calls
    world.clock.now = 10.0
    assert world.ask(role) == first
    assert embedding.calls == calls + 1


def test_without_a_cache_every_dispatch_retrieves(world, embedding):  # S64
    role = role_of(world.source(), search=search(cache=False))
    world.ask(role)
    calls = embedding.calls
    world.ask(role)
    assert embedding.calls == calls + 1


REQUESTS = {
    "tenant": {"tenant": "other"},
    "session": {"session": "other"},
    "turn message": {"turn_message": "a turn"},
    "conversation": {"conversation_id": "other"},
    "locations": {"source_paths": {"notes": "/elsewhere"}},
    "filters": {"metadata_filters": {"path": "owl.md"}},
    "source revision": {"source_revision": "other"},
}


def test_no_results_are_kept_where_none_may_be(world, embedding):  # S64
    world.runtime = RetrievalRuntime(cached_results=0, process_embedding=world.embedding)
    role = role_of(world.source(), search=search(on_failure="FAIL"))
    first, calls = world.ask(role), embedding.calls
    assert world.ask(role).documents == first.documents
    assert embedding.calls > calls


@pytest.mark.parametrize("count", [-1, 1.5, "8", None])
def test_what_is_no_number_of_results_is_refused(count):
    with pytest.raises(InvalidArgumentError, match="cached_results"):
        RetrievalRuntime(cached_results=count)


@pytest.mark.parametrize("change", REQUESTS)
def test_what_keeps_results_apart(world, embedding, change):  # S71
    role = role_of(world.source(), search=search())
    base = {"tenant": "t", "session": "s"}
    for members in (base, base, {**base, **REQUESTS[change]}, {**base, **REQUESTS[change]}):
        calls = embedding.calls
        world.ask(role, context=context(**members))
    # Only the first of each kind asked the provider.
    assert embedding.calls == calls
    world.ask(role, "another question", context=context(**base))
    assert embedding.calls == calls + 1


def test_tenants_do_not_share_even_a_stale_result(world, embedding):  # S71 S67
    role = role_of(world.source(), search=search(on_failure="USE_CACHE", cache_ttl=0))
    world.ask(role, context=context(tenant="a"))
    embedding.error = OSError("the model is down")
    assert world.ask(role, context=context(tenant="a")).stale
    with pytest.raises(ExecutionError):
        world.ask(role, context=context(tenant="b"))


def two_actions(world, first, second):
    from octavo.declarative import ActionType, action_spec, role_spec

    class Two:
        def one(self, question: str) -> str: ...
        def two(self, question: str) -> str: ...

    for name, members in (("one", first), ("two", second)):
        entry = Knowledge("notes", search=search(**members))
        spec = action_spec(type=ActionType.LLM, knowledge=entry)
        setattr(Two, name, spec(getattr(Two, name)))
    declared = bind(role_spec(knowledge=world.source())(Two))

    def ask(name):
        action = declared.actions[name]
        return world.runtime.retrieve(declared, action, {"question": "mice"})

    return ask


@pytest.mark.parametrize(
    ("members", "shared"),
    [
        ({"context_format": "${content}"}, True),
        ({"include_spec": False}, True),
        ({"context_window": 10}, True),
        ({"top_k": 1}, False),
        ({"min_score": 0.9}, False),
        ({"strategy": "HIERARCHICAL"}, False),
    ],
)
def test_rendering_does_not_affect_what_is_cached(world, embedding, members, shared):  # S64 S71
    ask = two_actions(world, {}, members)
    first = ask("one")
    calls = embedding.calls
    second = ask("two")
    assert (embedding.calls == calls) is shared
    if shared:
        assert second.documents == first.documents


def test_a_cached_result_is_attributed_to_the_request_that_gets_it(world):  # S71
    role = role_of(world.source(), search=search())
    for run in ("1", "2"):
        found = world.ask(role, context=context(run_id=run)).documents
        assert {each.metadata["tnsai.run"] for each in found} == {run}


def test_the_query_is_an_argument_or_the_turn_s_message(world):  # S65 S71
    role = role_of(world.source(), search=search(strategy="KEYWORD"))
    assert world.names(role, "whale") == ["whale.md"]
    assert world.names(role, "whale", context(turn_message="ocean")) == ["whale.md"]
    assert world.names(role, "whale", context(turn_message="fox")) == ["fox.md"]
    assert world.names(role, "whale", context(turn_message=" ")) == ["whale.md"]


def test_a_missing_query_is_above_the_policy(world):  # S65
    declared = bind(role_of(world.source(), search=search(on_failure="CONTINUE")))
    action = declared.actions["answer"]
    with pytest.raises(ConfigurationError, match="'question'"):
        world.runtime.retrieve(declared, action, {"other": "x"})
    for wrong in (None, 7, b"x"):
        with pytest.raises(InvalidArgumentError, match="question"):
            world.runtime.retrieve(declared, action, {"question": wrong})


def test_an_action_without_sources_retrieves_nothing(world):
    from octavo.declarative import ActionType, action_spec

    class Role:
        @action_spec(type=ActionType.LLM)
        def answer(self) -> str: ...

    found = world.runtime.retrieve(bind(Role), bind(Role).actions["answer"], {})
    assert (found.documents, found.search, found.sources, found.direct) == ((), None, (), ())


def test_each_stage_is_one_event(world, embedding, caplog):
    role = role_of(world.source(), search=search(deduplicate=True))
    with caplog.at_level("INFO", logger="octavo.declarative"):
        world.ask(role, "a secret question", context(tenant="secret-tenant"))
        world.ask(role, "a secret question", context(tenant="secret-tenant"))
        embedding.error = OSError("the model is down")
        world.ask(role, "another secret question")
    events = [each.octavo_event for each in caplog.records if each.name == "octavo.declarative"]
    assert [each["stage"] for each in events] == [
        "cache", "binding", "retrieval", "deduplication", "grounding", "cache", "grounding",
        "cache", "binding", "retrieval", "failure", "grounding",
    ]  # fmt: skip
    cache, binding, retrieval, deduplication, whole, hit, *_, failed, failure, grounding = events
    assert (whole["documents"], whole["units"], whole["stale"]) == (1, 0, False)
    assert (cache["outcome"], hit["outcome"], binding["loaded"]) == ("miss", "hit", False)
    assert retrieval["documents"] == deduplication["before"] == 3
    assert retrieval["plan"]
    assert retrieval["milliseconds"] >= 0
    assert (failed["failure"], failed["error"]) == ("EXECUTION", "ExecutionError")
    assert (failure["policy"], failure["stale"]) == ("CONTINUE", False)
    assert (grounding["outcome"], grounding["documents"]) == ("complete", 0)
    assert {each["action"] for each in events} == {"answer"}
    assert "secret" not in caplog.text
