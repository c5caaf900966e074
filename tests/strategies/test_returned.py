"""What a user's own strategy returns is looked at before it is used (S15, S43)."""

from decimal import Decimal
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

from octavo import (
    ConfigurationError,
    ExecutionError,
    RAGContext,
    RAGPipeline,
    RetrievalTimeoutError,
    RetrievedDocument,
)
from octavo.spi import HierarchyMetadata
from octavo.strategies.returned import as_columnar

GOOD = RetrievedDocument("text", "a.md", 0.5)


def returning(returned, name="own"):
    return as_columnar(SimpleNamespace(name=name, retrieve=lambda query, context: returned))


def document(**changed):
    return SimpleNamespace(
        **{"content": "text", "source": "a.md", "score": 0.5, "metadata": {}, **changed}
    )


def refused(returned, message):
    strategy = returning(returned)
    with pytest.raises(ExecutionError, match=f"strategy 'own': {message}"):
        strategy.retrieve("query", RAGContext())
    with pytest.raises(ExecutionError, match=f"strategy 'own': {message}"):
        strategy.retrieve_batch(["query"])


@pytest.mark.parametrize("returned", ["text", b"text", {}, None, 3])
def test_what_is_no_sequence_of_documents(returned):  # S15 S43
    refused(returned, f"expected a sequence of documents, found {type(returned).__name__}")


@pytest.mark.parametrize("returned", [[1, 2], ["text"], [None], [object()]])
def test_what_is_no_document(returned):  # S15 S43
    kind = type(returned[0]).__name__
    refused(returned, f"document 0: expected a document with content, .*, found {kind}")


def test_the_position_is_named():  # S15 S43
    refused([GOOD, None], "document 1: expected a document")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("content", None), ("content", b"text"), ("source", 5), ("source", None),
        ("score", "abc"), ("score", None), ("score", True), ("score", np.bool_(True)),
        ("score", 10**400), pytest.param("score", 10**5000, id="5000 digits"), ("score", np.array([0.5])),
        ("score", Decimal("sNaN")),
        ("metadata", None), ("metadata", [("a", "b")]), ("metadata", {1: "a"}),
        ("metadata", {"a": []}), ("metadata", {"entryId": 5}), ("metadata", {"entryId": "\ud800"}),
        ("metadata", {HierarchyMetadata.ID: "\udfff"}),
    ],
)  # fmt: skip
def test_members_have_their_types(member, value):  # S15 S43
    refused([GOOD, document(**{member: value})], f"document 1: {member}: .*expected .*, found")


def test_a_member_that_raises():  # S15 S43
    class Broken(RetrievedDocument):
        @property
        def source(self):
            raise OSError("gone")

    refused([Broken("", "", 1)], "document 0: raised OSError: gone")


def test_anything_with_the_members_is_a_document():  # S15
    one = document(score=np.float32(0.25), metadata=MappingProxyType({"entryId": "x"}))
    two = document(score=1)
    found = returning(iter([one, two])).retrieve("query")
    assert found == (two, one)
    assert found[0] is two
    table = returning([one, two]).retrieve_batch(["query"])
    assert table["score"].to_pylist() == [1.0, 0.25]
    assert table["id"].to_pylist() == ["", "x"]


@pytest.mark.parametrize("wrong", [None, 5, "keyword", object(), SimpleNamespace(name="x")])
def test_what_is_no_strategy(wrong):
    with pytest.raises(ConfigurationError, match="strategy: expected an object with name and"):
        as_columnar(wrong)


@pytest.mark.parametrize("name", [None, 5, b"own"])
def test_a_name_is_a_string(name):
    with pytest.raises(ConfigurationError, match="strategy: expected a name that is a string"):
        returning([], name)


@pytest.mark.parametrize("wrong", [5, {}, {"tier": "WORKING"}, "", RAGContext])
def test_a_context_is_a_context(wrong):
    with pytest.raises(TypeError, match="context: expected a RAGContext, found"):
        returning([GOOD]).retrieve("query", wrong)
    with pytest.raises(TypeError, match="context: expected a RAGContext, found"):
        returning([GOOD]).retrieve_batch(["query"], wrong)


class NameRaises:
    @property
    def name(self):
        raise self.error

    def retrieve(self, query, context):
        raise NotImplementedError


def test_a_name_that_raises():  # S15 S43
    strategy = NameRaises()
    strategy.error = ZeroDivisionError("no name")
    with pytest.raises(ExecutionError, match="reading its name raised ZeroDivisionError: no name"):
        as_columnar(strategy)
    with pytest.raises(ExecutionError):
        RAGPipeline.builder(strategy)
    strategy.error = RetrievalTimeoutError("too late")
    with pytest.raises(RetrievalTimeoutError):
        as_columnar(strategy)


def test_an_error_without_a_message():  # S43
    class SilentError(Exception):
        def __str__(self):
            raise ZeroDivisionError

    class Failing:
        name = "failing"

        def retrieve(self, query, context):
            raise SilentError

    with pytest.raises(ExecutionError, match="strategy 'failing': raised SilentError"):
        as_columnar(Failing()).retrieve("q")
