"""RetrievedDocument: a read-only view of metadata that stays the owner's (S3)."""

import pytest

from octavo.errors import InvalidArgumentError
from octavo.spi import RAGContext, RAGStrategy, RetrievedDocument


def test_metadata_is_a_view_and_not_a_copy():  # S3
    owned = {"tier": "SEMANTIC"}
    document = RetrievedDocument("content", "source", 1, owned)
    owned["tier"] = "WORKING"
    owned["new"] = "key"
    assert dict(document.metadata) == {"tier": "WORKING", "new": "key"}


def test_nothing_can_be_assigned():  # S3
    document = RetrievedDocument("content", "source", 1.5, {"tier": "SEMANTIC"})
    with pytest.raises(TypeError):
        document.metadata["tier"] = "WORKING"
    for name in ("content", "source", "score", "metadata"):
        with pytest.raises(AttributeError):
            setattr(document, name, "other")


def test_score_is_a_number_and_never_nan():  # S3 S13
    assert isinstance(RetrievedDocument("c", "s", 1).score, float)
    with pytest.raises(InvalidArgumentError, match="score"):
        RetrievedDocument("c", "s", float("nan"))


def test_equal_by_value():  # S3
    one, other = (RetrievedDocument("c", "s", 0.5, {"a": "b"}) for _ in range(2))
    assert one == other
    assert one != RetrievedDocument("c", "s", 0.5, {"a": "c"})
    assert one != "c"
    assert "c" in repr(one)


def test_a_strategy_needs_a_name_and_retrieve_only():  # S1
    class Own:
        name = "mine"

        def retrieve(self, query, context):
            return ()

    assert isinstance(Own(), RAGStrategy)
    assert Own().retrieve("query", RAGContext()) == ()
    assert not isinstance(object(), RAGStrategy)
