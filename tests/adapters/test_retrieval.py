"""What every adapter retrieves from."""

import pickle
import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest

from octavo import Corpus, RAGContext, RetrievedDocument, ShardedCorpus
from octavo.adapters.retrieval import Retrieval, describes_retrieval, document_id
from octavo.errors import ConfigurationError, CorpusFormatError, InvalidArgumentError
from octavo.spi.metadata import (
    GraphMetadata,
    HierarchyMetadata,
    MultiQueryMetadata,
    TemporalMetadata,
)
from tests.adapters.conftest import Shelf


def embed(text):
    return [1.0, float(len(text))]


def test_it_gives_what_the_corpus_gives(corpus):
    context = RAGContext(max_results=3, metadata_filters={"tier": "SEMANTIC"})
    for name in (None, "keyword", "vector", "hybrid"):
        expected = corpus.strategy(name).retrieve("red fox", context)
        assert expected
        for source in (corpus, corpus.path, str(corpus.path)):
            assert Retrieval(source, name).retrieve("red fox", context) == expected


def test_an_index_in_shards_gives_what_a_single_one_gives(documents, tmp_path):
    options = {"embedding": "hash", "threads": 1}
    single = Corpus.build(documents, tmp_path / "single", **options)
    sharded = ShardedCorpus.build(documents, tmp_path / "sharded", 3, **options)
    expected = single.strategy("hybrid").retrieve("red fox", RAGContext(max_results=4))
    for source in (sharded, str(sharded.path)):
        retrieval = Retrieval(source, "hybrid")
        for each in (retrieval, pickle.loads(pickle.dumps(retrieval))):
            assert each.retrieve("red fox", RAGContext(max_results=4)) == expected
    with pytest.raises(ConfigurationError, match="not over a sharded index"):
        Retrieval(sharded, "graph")
    retrieval = Retrieval(sharded, "hybrid")
    assert retrieval.retrieve("owls", RAGContext()) != ()
    owls = pa.table({"id": ["o"], "text": ["owls"]})
    ShardedCorpus.build(owls, sharded.path, 2, overwrite=True, **options)
    sharded.refresh()
    assert [found.content for found in retrieval.retrieve("owls", RAGContext())] == ["owls"]


def test_it_gives_what_a_strategy_gives(shelf):
    retrieval = Retrieval(shelf)
    assert retrieval.retrieve("", RAGContext()) == tuple(shelf.retrieve("", RAGContext()))
    assert retrieval.path is None


class Careless:
    """A strategy of an application that heeds no bound."""

    name = "careless"

    def retrieve(self, query, context):
        scored = [("low", 0.1, "a"), ("best", 0.9, "a"), ("other", 0.8, "b"), ("next", 0.5, "a")]
        return [
            RetrievedDocument(content, "", score, {"tenant": tenant})
            for content, score, tenant in scored
        ]


def test_what_a_strategy_returns_is_filtered_ordered_and_cut():  # S6, S7, S15
    retrieval = Retrieval(Careless())
    context = RAGContext(max_results=2, min_score=0.2, metadata_filters={"tenant": "a"})
    for each in (retrieval, pickle.loads(pickle.dumps(retrieval))):
        assert [found.content for found in each.retrieve("", context)] == ["best", "next"]


def test_it_shows_the_present_state(tmp_path):
    table = pa.table({"id": ["a"], "text": ["fox"]})
    corpus = Corpus.build(table, tmp_path / "index", embedding="none", threads=1)
    retrieval = Retrieval(corpus)
    with corpus.writer() as writer:
        writer.add(pa.table({"id": ["b"], "text": ["fox"]}))
    found = retrieval.retrieve("fox", RAGContext())
    assert [document_id(each) for each in found] == ["a", "b"]


class CountedExpander:
    """Counts how often it is made: it could load a model."""

    made = 0

    def __init__(self):
        type(self).made += 1

    def supports(self, model):
        return True

    def expand(self, query, mode, model, max_expansions):
        return ["owl"]


def test_a_strategy_is_made_once_for_a_state(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "counted", SimpleNamespace(Expander=CountedExpander))
    table = pa.table({"id": ["a"], "text": ["fox"]})
    corpus = Corpus.build(table, tmp_path / "index", embedding="none", threads=1)
    monkeypatch.setattr(CountedExpander, "made", 0)
    retrieval = Retrieval(corpus, "multi-query", {"expander": "counted:Expander", "model": "m"})
    for _ in range(3):
        assert len(retrieval.retrieve("fox", RAGContext())) == 1
    assert CountedExpander.made == 1
    with corpus.writer() as writer:
        writer.add(pa.table({"id": ["b"], "text": ["owl"]}))
    for _ in range(3):
        assert len(retrieval.retrieve("fox", RAGContext())) == 2
    assert CountedExpander.made == 2


def test_it_is_pickled_by_the_path(corpus):
    retrieval = Retrieval(corpus, "hybrid", {"candidate_depth": 50})
    again = pickle.loads(pickle.dumps(retrieval))
    assert again.retrieve("whale", RAGContext()) == retrieval.retrieve("whale", RAGContext())
    assert again._options == {"candidate_depth": 50}


def test_the_function_that_embeds_queries_is_pickled_too(tmp_path):
    table = pa.table({"id": ["a", "b"], "text": ["fox", "longer fox"], "v": [[1.0, 3.0], [1, 10]]})
    table = table.set_column(2, "v", pa.array([[1.0, 3.0], [1.0, 10.0]], pa.list_(pa.float32(), 2)))
    Corpus.build(table, tmp_path / "index", embedding="column:v", threads=1)
    opened = Corpus.open(tmp_path / "index", embedding=embed)
    for retrieval in (
        Retrieval(opened, "vector"),
        Retrieval(tmp_path / "index", "vector", embedding=embed),
    ):
        again = pickle.loads(pickle.dumps(retrieval))
        assert document_id(again.retrieve("fox", RAGContext())[0]) == "a"


def test_a_strategy_is_pickled_as_it_is():
    assert len(pickle.loads(pickle.dumps(Retrieval(Shelf()))).retrieve("", RAGContext())) == 2


def test_what_does_not_fit_is_refused_at_once(corpus, shelf, tmp_path):
    with pytest.raises(InvalidArgumentError, match="found int"):
        Retrieval(3)
    with pytest.raises(ConfigurationError, match="found .*Shelf"):
        Retrieval(Shelf)
    with pytest.raises(InvalidArgumentError):
        Retrieval(corpus, "nearest")
    with pytest.raises((InvalidArgumentError, ConfigurationError)):
        Retrieval(corpus, "keyword", {"half_life": "3d"})
    with pytest.raises(ConfigurationError, match="strategy: expected a name"):
        Retrieval(shelf, "keyword")
    with pytest.raises(ConfigurationError, match="embedding: expected one only with the path"):
        Retrieval(corpus, embedding=embed)
    with pytest.raises(CorpusFormatError):
        Retrieval(tmp_path)


def test_what_tells_of_the_retrieval():
    keys = (
        *("hybrid.streams", MultiQueryMetadata.RANKS, GraphMetadata.HOPS),
        *(TemporalMetadata.MULTIPLIER, HierarchyMetadata.LEVEL),
    )
    assert all(describes_retrieval(key) for key in keys)
    assert not any(describes_retrieval(key) for key in ("tier", "entryId", "hybrids"))
