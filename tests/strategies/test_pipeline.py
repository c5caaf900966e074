"""The pipeline: four phases in order, and what they may return (S30)."""

import pytest

from octavo.errors import CancelledError, ConfigurationError, ExecutionError
from octavo.spi import RAGContext, RetrievedDocument
from octavo.strategies.keyword import KeywordRAGStrategy
from octavo.strategies.pipeline import RAGPipeline
from tests.memory.stores import entry, keyword_store


class Recorder:
    """A user's strategy that notes what it is asked."""

    name = "recorder"

    def __init__(self, *documents):
        self.documents = documents
        self.asked = []

    def retrieve(self, query, context):
        self.asked.append((query, context))
        return list(self.documents)


FIRST = RetrievedDocument("first text", "a.md", 0.9)
SECOND = RetrievedDocument("second\ntext", "b.md", 0.5)


def test_phases_run_in_order():
    # S30
    steps = []
    strategy = Recorder(FIRST, SECOND)
    strategy.retrieve = lambda query, context: steps.append(("retrieve", query)) or [FIRST, SECOND]

    def preprocessor(query):
        steps.append(("preprocess", query))
        return query.strip()

    def reranker(documents):
        steps.append(("rerank", documents))
        return documents[::-1]

    pipeline = (
        RAGPipeline.builder(strategy).reranker(reranker).query_preprocessor(preprocessor).build()
    )
    assert pipeline.execute("  q ") == "1. [b.md] second\ntext\n\n2. [a.md] first text"
    assert steps == [("preprocess", "  q "), ("retrieve", "q"), ("rerank", (FIRST, SECOND))]


def test_format():
    # S30
    def text(*documents):
        return RAGPipeline.builder(Recorder(*documents)).build().execute("q")

    assert text() == ""
    assert text(FIRST) == "1. [a.md] first text"
    assert text(FIRST, SECOND) == "1. [a.md] first text\n\n2. [b.md] second\ntext"
    assert text(RetrievedDocument("", "", 1.0)) == "1. [] "


def test_contexts():
    # S30: the default serves calls that bring none
    strategy = Recorder()
    default, other = RAGContext(3), RAGContext(7)
    RAGPipeline.builder(strategy).build().execute("q")
    pipeline = RAGPipeline.builder(strategy).default_context(default).build()
    pipeline.execute("q")
    pipeline.execute("q", other)
    pipeline.retrieve_documents("q")
    pipeline.retrieve_documents("q", other)
    contexts = [context for _, context in strategy.asked]
    assert contexts == [RAGContext(), default, other, default, other]


def test_documents_are_a_tuple_and_the_strategys_own():
    # S2, S3: the metadata stay a view of what the owner holds
    owned = {"entryId": "x"}
    document = RetrievedDocument("text", "x", 1.0, owned)
    (found,) = RAGPipeline.builder(Recorder(document)).build().retrieve_documents("q")
    assert found is document
    owned["tier"] = "WORKING"
    assert found.metadata["tier"] == "WORKING"
    reranked = RAGPipeline.builder(Recorder(document)).reranker(list).build()
    assert reranked.retrieve_documents("q") == (document,)


def test_what_a_users_strategy_returns_is_put_in_order():
    # S15
    returned = Recorder(SECOND, FIRST, SECOND)
    documents = RAGPipeline.builder(returned).build().retrieve_documents("q", RAGContext(2))
    assert documents == (FIRST, SECOND)
    assert RAGPipeline.builder(returned).build().execute("q", RAGContext(1, 0.6)) == (
        "1. [a.md] first text"
    )


def test_over_a_store():
    index = keyword_store([entry("a", "red fox"), entry("b", "red fox fox", source="b.md")])
    pipeline = RAGPipeline.builder(KeywordRAGStrategy(index)).build()
    assert pipeline.execute("fox") == "1. [b.md] red fox fox\n\n2. [a] red fox"
    context = RAGContext().with_metadata_filters({"entryId": "a"})
    assert pipeline.execute("fox", context) == "1. [a] red fox"


def test_a_builder_makes_independent_pipelines():
    builder = RAGPipeline.builder(Recorder(FIRST, SECOND))
    plain = builder.build()
    none = builder.reranker(lambda documents: ()).build()
    assert none.execute("q") == ""
    assert plain.execute("q") != ""
    with pytest.raises(AttributeError):
        plain.reranker = None


@pytest.mark.parametrize("query", [None, b"q", 7, ["q"]])
def test_a_query_that_is_no_string_is_a_type_error(query):
    # S2
    pipeline = RAGPipeline.builder(Recorder()).query_preprocessor(lambda query: "q").build()
    with pytest.raises(TypeError, match="query: expected a string"):
        pipeline.execute(query)


@pytest.mark.parametrize("made", [None, 7, b"q"])
def test_a_preprocessor_must_return_a_string(made):
    pipeline = RAGPipeline.builder(Recorder()).query_preprocessor(lambda query: made).build()
    with pytest.raises(ExecutionError, match="query preprocessor: expected a string"):
        pipeline.execute("q")


@pytest.mark.parametrize("made", [None, "text", 7, {FIRST.source}, [FIRST, None], [("a", 1.0)]])
def test_a_reranker_must_return_documents(made):
    pipeline = RAGPipeline.builder(Recorder(FIRST)).reranker(lambda documents: made).build()
    with pytest.raises(ExecutionError, match="reranker: expected a"):
        pipeline.execute("q")


@pytest.mark.parametrize("phase", ["query_preprocessor", "reranker", "strategy"])
def test_errors_of_the_applications_objects(phase):
    # S43: a failure of octavo's keeps its type, any other becomes an execution failure
    def pipeline(error):
        def fail(*arguments):
            raise error

        strategy = Recorder(FIRST)
        builder = RAGPipeline.builder(strategy)
        if phase == "strategy":
            strategy.retrieve = fail
        else:
            getattr(builder, phase)(fail)
        return builder.build()

    with pytest.raises(ExecutionError, match="KeyError") as raised:
        pipeline(KeyError("x")).execute("q")
    assert isinstance(raised.value.__cause__, KeyError)
    with pytest.raises(CancelledError, match="stop"):
        pipeline(CancelledError("stop")).execute("q")


@pytest.mark.parametrize(
    "build",
    [
        lambda: RAGPipeline.builder(None),
        lambda: RAGPipeline.builder("keyword"),
        lambda: RAGPipeline.builder(Recorder()).default_context(None),
        lambda: RAGPipeline.builder(Recorder()).default_context({"max_results": 1}),
        lambda: RAGPipeline.builder(Recorder()).query_preprocessor("strip"),
        lambda: RAGPipeline.builder(Recorder()).reranker(None),
    ],
)
def test_wrong_parts_are_configuration_errors(build):
    with pytest.raises(ConfigurationError, match="expected"):
        build()


def test_the_parts_of_a_pipeline_are_checked_however_it_is_made():
    with pytest.raises(ConfigurationError, match="strategy: expected an object with name"):
        RAGPipeline(None, RAGContext())
    with pytest.raises(ConfigurationError, match="default_context: expected a RAGContext"):
        RAGPipeline(Recorder(), None)
    with pytest.raises(ConfigurationError, match="query_preprocessor: expected a function"):
        RAGPipeline(Recorder(), RAGContext(), "strip")
    with pytest.raises(ConfigurationError, match="reranker: expected a function"):
        RAGPipeline(Recorder(), RAGContext(), None, 5)
    with pytest.raises(TypeError, match="context: expected a RAGContext, found dict"):
        RAGPipeline.builder(Recorder()).build().execute("q", {})
