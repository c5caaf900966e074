"""What becomes of the errors of those that an application supplies: the same everywhere (S43)."""

import asyncio

import pytest

from octavo.declarative import ActionType, Knowledge, Search
from octavo.declarative.ingestion import FileLoader, SqlLoader, load_documents
from octavo.declarative.ingestion.chunk_context import with_context
from octavo.declarative.provided import answered, is_own
from octavo.declarative.rendering.tokens import counted
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider
from octavo.declarative.runtime.events import Events
from octavo.declarative.runtime.providers import serving
from octavo.declarative.runtime.reranking import reranked
from octavo.declarative.runtime.stages import EngineStrategy, TimedExpander
from octavo.errors import (
    CancelledError,
    ConfigurationError,
    CorpusCorruptError,
    DimensionMismatchError,
    ExecutionError,
    FailureReason,
    InvalidArgumentError,
    RetrievalError,
    RetrievalTimeoutError,
)
from octavo.spi import RAGContext, SourceDocument, SourceLoader
from tests.declarative.actions.fakes import agent_of
from tests.declarative.actions.test_agent import Reader

KEPT = [
    RetrievalTimeoutError("own"),
    CancelledError("own"),
    ExecutionError("own"),
    RetrievalError("own", FailureReason.CONFIGURATION),
]
WRAPPED = [
    ValueError("odd"),
    ConfigurationError("wrong"),
    InvalidArgumentError("wrong"),
    CorpusCorruptError("damaged"),
    DimensionMismatchError("x", expected=2, found=3),
    RecursionError("deep"),
    MemoryError(),
    StopIteration(),
]


class Raising:
    """Whatever an application supplies, and what it raises."""

    def __init__(self, error):
        self.error = error

    def fail(self, *_):
        raise self.error

    __call__ = claims = supports = expand = rerank = retrieve = load = context = fail
    execute = complete = fail

    def stream(self, *_):
        yield "first"
        raise self.error

    async def execute_async(self, *_):
        raise self.error


class Loading(Raising, SourceLoader):
    def supports(self, knowledge):
        return True


def run_action(kind, error, how="execute_action"):
    subject = agent_of(Reader(), llm=Raising(error), executors={ActionType.TOOL: Raising(error)})
    name, arguments = {
        "LLM": ("answer", {"question": "q"}),
        "TOOL": ("tool", {"name": "n"}),
    }[kind]
    found = getattr(subject, how)(name, arguments, DispatchContext())
    return list(found) if how == "stream_action" else asyncio.run(found)


def engine(error):
    asked = EngineStrategy(Raising(error), Search(), (), {}, DispatchContext())
    asked.retrieve("q", RAGContext())


KNOWLEDGE = Knowledge("docs", type="DATABASE", connection="x", query="SELECT 1")

ASKED = {
    "embedding": lambda e: EmbeddingProvider(Raising(e), "test")("text"),
    "expander": lambda e: TimedExpander(Raising(e), Events())("q", "HYDE", "m", 1),
    "reranker": lambda e: reranked(Raising(e), "q", [], "m", 1),
    "supports": lambda e: serving("reranker", [Raising(e)], "reranker_model", "m"),
    "engine": engine,
    "loader": lambda e: list(load_documents(KNOWLEDGE, [Loading(e)])),
    "chunk context": lambda e: list(with_context([SourceDocument("a", "b", {})], Raising(e), "m")),
    "counter": lambda e: counted(Raising(e), "text"),
    "executor": lambda e: run_action("TOOL", e, "aexecute_action"),
    "executor stream": lambda e: run_action("TOOL", e, "stream_action"),
    "model": lambda e: run_action("LLM", e, "aexecute_action"),
    "model stream": lambda e: run_action("LLM", e, "stream_action"),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("error", KEPT, ids=repr)
def test_retrieval_errors_keep_type_and_reason(asked, error):  # S43
    with pytest.raises(RetrievalError) as caught:
        ASKED[asked](error)
    assert caught.value is error


def is_told_apart(asked, error):
    """Python itself makes a RuntimeError of a StopIteration inside generators and coroutines."""
    return not isinstance(error, StopIteration) or not asked.startswith(("executor", "model"))


@pytest.mark.parametrize(
    ("asked", "error"),
    [(a, e) for a in ASKED for e in WRAPPED if is_told_apart(a, e)],
    ids=repr,
)
def test_all_else_is_an_execution_failure_with_its_cause(asked, error):  # S43
    with pytest.raises(ExecutionError, match=f"raised {type(error).__name__}") as caught:
        ASKED[asked](error)
    assert caught.value.__cause__ is error
    assert caught.value.reason is FailureReason.EXECUTION


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), GeneratorExit()], ids=repr)
def test_what_ends_a_program_ends_it(error):
    with pytest.raises(type(error)):
        answered("x", Raising(error))


def test_what_comes_with_octavo_keeps_its_typed_errors():
    error = ConfigurationError("wrong")
    for own in (FileLoader(), SqlLoader(), type("Derived", (SqlLoader,), {})()):
        with pytest.raises(ConfigurationError) as caught:
            answered("x", Raising(error), own)
        assert caught.value is error
        with pytest.raises(ExecutionError):
            answered("x", Raising(ValueError()), own)
    assert not is_own(Loading(error)), "implementing a protocol of octavo's is not being octavo's"
    assert not is_own(None)
