"""Spans of a dispatch, as OpenTelemetry's own exporter sees them."""

import asyncio
import subprocess
import sys
import threading

import pytest
from opentelemetry import context as tracing_context
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from octavo.declarative import Agent, Knowledge, RetrievalRuntime, Role, action_spec, role_spec
from octavo.declarative import Search as Settings
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider, ProcessEmbedding
from octavo.declarative.runtime.events import Events, Stage
from octavo.declarative.runtime.tracing import attributes_of, started_span
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.errors import ExecutionError
from octavo.parallel import ordered_map, side_by_side

ASKED = {"question": "secret mice"}


@pytest.fixture
def spans(monkeypatch):
    """A provider as an application sets one, for one test: the real one can be set but once."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    yield exporter
    provider.shutdown()
    assert trace.get_current_span() is trace.INVALID_SPAN


class Client:
    """Answers, with a span of its own, as an instrumented client would."""

    def span(self):
        return trace.get_tracer("client").start_as_current_span("client")

    def complete(self, system, prompt):
        with self.span():
            return "secret answer"

    def stream(self, system, prompt):
        for piece in ("secret ", "answer"):
            with self.span():
                pass
            yield piece

    async def stream_async(self, system, prompt):
        for piece in ("secret ", "answer"):
            with self.span():
                await asyncio.sleep(0)
            yield piece


def host(place, embed=None, **search):
    (place / "secret.md").write_text("The secret fox hunts mice.", "utf-8")
    search = Settings(**{"min_score": 0.0, **search})

    @role_spec(knowledge=Knowledge("notes", path=str(place)))
    class Reader(Role):
        @action_spec(type="LLM", knowledge=Knowledge("notes", search=search))
        def answer(self, question: str) -> str: ...

    embedding = HashEmbedding() if embed is None else EmbeddingProvider(embed, "test")
    runtime = RetrievalRuntime(process_embedding=ProcessEmbedding(embedding))

    class Host(Agent):
        llm = Client()

        def get_roles(self):
            return [Reader()]

        def get_llm(self):
            return self.llm

        def get_retrieval(self):
            return runtime

    return Host()


def parents(spans):
    """The name of each span's parent, by the span's own; spans of one name have one parent."""
    finished = spans.get_finished_spans()
    names = {each.context.span_id: each.name for each in finished}
    assert len({each.context.trace_id for each in finished}) == 1
    return {e.name: None if e.parent is None else names[e.parent.span_id] for e in finished}


TREE = {
    "octavo.dispatch": None,
    "octavo.grounding": "octavo.dispatch",
    "octavo.cache": "octavo.grounding",
    "octavo.binding": "octavo.grounding",
    "octavo.retrieval": "octavo.grounding",
    "octavo.deduplication": "octavo.grounding",
    "octavo.rendering": "octavo.dispatch",
    "octavo.model": "octavo.dispatch",
    "client": "octavo.model",
}


def test_a_dispatch_is_one_tree_of_spans(tmp_path, spans):
    host(tmp_path).execute_action("answer", ASKED)
    assert parents(spans) == TREE


def test_across_threads_and_tasks(tmp_path, spans):
    asyncio.run(host(tmp_path).aexecute_action("answer", ASKED))
    assert parents(spans) == TREE


def test_across_the_pieces_of_a_stream(tmp_path, spans):
    for _ in host(tmp_path).stream_action("answer", ASKED):
        assert trace.get_current_span() is trace.INVALID_SPAN
    assert parents(spans) == TREE


def test_across_the_pieces_of_an_asynchronous_stream(tmp_path, spans):
    async def read():
        async for _ in await host(tmp_path).astream_action("answer", ASKED):
            assert trace.get_current_span() is trace.INVALID_SPAN

    asyncio.run(read())
    assert parents(spans) == TREE


def test_inside_the_applications_own_span(tmp_path, spans):
    with trace.get_tracer("application").start_as_current_span("request"):
        host(tmp_path).execute_action("answer", ASKED)
    assert parents(spans) == {**TREE, "octavo.dispatch": "request", "request": None}


def test_attributes_are_the_fields_of_the_events(tmp_path, spans, caplog):
    caplog.set_level("INFO", logger="octavo.declarative")
    host(tmp_path).execute_action("answer", ASKED)
    events = [e.octavo_event for e in caplog.records if e.name == "octavo.declarative"]
    told = [e for e in spans.get_finished_spans() if e.name != "client"]
    assert [dict(each.attributes) for each in told] == [attributes_of(each) for each in events]
    assert [each.name for each in told] == ["octavo." + each["stage"] for each in events]
    assert "secret" not in "".join(each.to_json() for each in told)


def test_a_failure_is_the_status_and_its_message_is_left_out(tmp_path, spans):
    def embed(text):
        raise OSError(f"cannot embed {text}")

    subject = host(tmp_path, embed, on_failure="FAIL")
    with pytest.raises(ExecutionError):
        subject.execute_action("answer", ASKED)
    failed = {e.name: e for e in spans.get_finished_spans() if e.status.status_code.name == "ERROR"}
    assert set(failed) == {"octavo.binding", "octavo.grounding", "octavo.dispatch"}
    for each in failed.values():
        assert (each.status.status_code, each.status.description) == (StatusCode.ERROR, "EXECUTION")
        assert [dict(event.attributes) for event in each.events] == [
            {"exception.type": "ExecutionError"}
        ]
        assert "secret" not in each.to_json()


def test_what_takes_no_time_is_an_event_of_the_span_around_it(tmp_path, spans):
    def embed(text):
        raise OSError("down")

    host(tmp_path, embed, on_failure="CONTINUE").execute_action("answer", ASKED)
    (grounding,) = [e for e in spans.get_finished_spans() if e.name == "octavo.grounding"]
    (failure,) = grounding.events
    assert (failure.name, failure.attributes["octavo.policy"]) == ("octavo.failure", "CONTINUE")
    assert grounding.status.status_code is StatusCode.UNSET


def test_a_retrieval_by_itself_has_a_root_too(tmp_path, spans, world):
    from tests.declarative.runtime.conftest import role_of

    world.ask(role_of(world.source()), "mice")
    assert parents(spans)["octavo.grounding"] is None


def test_octavos_own_threads_see_the_span(spans):
    seen = set()

    def look(_=None):
        seen.add((trace.get_current_span().name, threading.current_thread()))

    with Stage({"stage": "retrieval"}):
        list(ordered_map(look, range(8), threads=2))
        side_by_side(look, look)
    assert {name for name, _ in seen} == {"octavo.retrieval"}
    assert len(seen) > 1


def test_concurrent_dispatches_have_trees_of_their_own(tmp_path, spans):
    subject = host(tmp_path)
    threads = [
        threading.Thread(target=subject.execute_action, args=("answer", ASKED)) for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    trees = {}
    for each in spans.get_finished_spans():
        trees.setdefault(each.context.trace_id, []).append(each.name)
    assert len(trees) == 4
    assert all(set(names) >= {"octavo.dispatch", "octavo.model"} for names in trees.values())


def test_without_a_provider_there_are_no_spans():
    assert started_span({"stage": "retrieval"}) is None
    with Events().stage("retrieval"):
        assert tracing_context.get_current() == {}
    Events().tell("failure")


def test_a_provider_that_does_nothing_costs_nothing(monkeypatch):
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", trace.NoOpTracerProvider())
    assert started_span({"stage": "retrieval"}) is None


def test_nothing_is_imported_for_an_application_that_does_not_trace():
    code = (
        "import sys; import octavo.declarative; from octavo.declarative import RetrievalRuntime;"
        "from octavo.declarative.runtime.events import Events\n"
        "with Events().stage('retrieval'): pass\n"
        "assert not [each for each in sys.modules if each.startswith('opentelemetry')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
