"""A strategy is given stores of the right kind, and asks nothing of them before it ranks."""

import pytest

from octavo import ConfigurationError
from octavo.memory import BM25Index
from octavo.memory.hybrid_retriever import HybridMemoryRetriever
from octavo.memory.vector_store import VectorMemoryStore
from octavo.strategies.hybrid import HybridRAGStrategy
from octavo.strategies.keyword import KeywordRAGStrategy
from octavo.strategies.sources import KeywordSource, VectorSource, checked_source
from octavo.strategies.vector import VectorRAGStrategy
from tests.memory.stores import keyword_store

WORDS = keyword_store()
VECTORS = VectorMemoryStore(lambda text: [1.0])


@pytest.mark.parametrize("wrong", [None, 5, "index", object(), VECTORS, BM25Index])
def test_what_is_no_keyword_source(wrong):
    with pytest.raises(ConfigurationError, match="index: expected a KeywordSource .*rank_keyword"):
        KeywordRAGStrategy(wrong)
    with pytest.raises(ConfigurationError, match="keyword_index: expected a KeywordSource"):
        HybridRAGStrategy(wrong, VECTORS)
    with pytest.raises(ConfigurationError, match="keyword_index: expected a BM25Index, found"):
        HybridMemoryRetriever(wrong, VECTORS)


@pytest.mark.parametrize("wrong", [5, "store", object(), WORDS, VectorMemoryStore])
def test_what_is_no_vector_source(wrong):
    with pytest.raises(ConfigurationError, match="store: expected a VectorSource .*rank_vector"):
        VectorRAGStrategy(wrong)
    with pytest.raises(ConfigurationError, match="vector_store: expected a VectorSource"):
        HybridRAGStrategy(WORDS, wrong)
    with pytest.raises(ConfigurationError, match="vector_store: expected a VectorMemoryStore"):
        HybridMemoryRetriever(WORDS, wrong)


@pytest.mark.parametrize("wrong", [5, WORDS, KeywordRAGStrategy(WORDS)])
def test_what_is_no_graph(wrong):
    with pytest.raises(ConfigurationError, match="graph: expected a GraphRAGStrategy"):
        HybridRAGStrategy(WORDS, VECTORS, wrong)


def test_no_property_is_read():
    class Unread(BM25Index):
        @property
        def rows(self):
            raise AssertionError("rows was read")

    index = Unread()
    assert checked_source("index", index, KeywordSource) is index
    with pytest.raises(ConfigurationError, match="found Unread"):
        checked_source("store", index, VectorSource)
