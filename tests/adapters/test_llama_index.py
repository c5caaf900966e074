"""A retriever of LlamaIndex, with the real package."""

import asyncio
import pickle

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import MetadataMode, NodeRelationship, QueryBundle
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)

from octavo.adapters.llama_index import OctavoRetriever
from octavo.errors import ConfigurationError, InvalidArgumentError
from tests.adapters.conftest import Shelf


def ids(nodes):
    return [node.node_id for node in nodes]


def expected_ids(hits):
    return [hit.metadata["entryId"] for hit in hits]


def test_nodes_keep_text_metadata_id_source_and_score(corpus):
    found = OctavoRetriever(corpus, "hybrid", similarity_top_k=3).retrieve("red fox")
    expected = corpus.search("red fox", strategy="hybrid", max_results=3)
    assert ids(found) == expected_ids(expected)
    for each, hit in zip(found, expected, strict=True):
        assert each.node.get_content(MetadataMode.NONE) == hit.content
        assert each.score == hit.score
        assert each.node.metadata == dict(hit.metadata)
        assert each.node.relationships[NodeRelationship.SOURCE].node_id == hit.source


def test_models_do_not_read_what_tells_of_the_retrieval(corpus):
    node = OctavoRetriever(corpus, "hybrid").retrieve("red fox")[0].node
    read = node.get_content(MetadataMode.LLM)
    assert "tier: " in read
    assert "hybrid." not in read
    assert "entryId" not in read


def test_every_way_of_asking_gives_the_same(corpus):
    retriever = OctavoRetriever(str(corpus.path), "keyword")
    expected = ids(retriever.retrieve("whale"))
    assert expected
    assert ids(retriever.retrieve(QueryBundle("whale"))) == expected
    assert ids(asyncio.run(retriever.aretrieve("whale"))) == expected


def equal(key, value, operator=FilterOperator.EQ):
    return MetadataFilter(key=key, value=value, operator=operator)


@pytest.mark.parametrize(
    "filters",
    [
        {"tier": "WORKING", "year": 2000},
        MetadataFilters(filters=[equal("tier", "WORKING"), equal("year", 2000)]),
        MetadataFilters(
            filters=[
                MetadataFilters(filters=[equal("tier", "WORKING")], condition=FilterCondition.OR),
                equal("year", "2000"),
            ]
        ),
    ],
)
def test_filters(corpus, filters):  # S7
    found = OctavoRetriever(corpus, filters=filters).retrieve("fox")
    assert ids(found) == ["d0"]


@pytest.mark.parametrize(
    "filters",
    [
        MetadataFilters(filters=[equal("year", 2000, FilterOperator.GT)]),
        MetadataFilters(filters=[equal("year", [2000], FilterOperator.IN)]),
        MetadataFilters(filters=[equal("year", 1), equal("year", 2)]),
        MetadataFilters(
            filters=[equal("year", 1), equal("tier", "a")], condition=FilterCondition.OR
        ),
        MetadataFilters(filters=[equal("year", 1)], condition=FilterCondition.NOT),
        {"year": [2000]},
    ],
)
def test_other_filters_are_refused_when_it_is_made(corpus, filters):
    with pytest.raises(InvalidArgumentError, match="filters"):
        OctavoRetriever(corpus, filters=filters)


def test_bounds_and_filters_are_attributes(corpus):
    retriever = OctavoRetriever(corpus, similarity_top_k=1)
    assert retriever.similarity_top_k == 1
    retriever.similarity_top_k, retriever.filters = 5, {"tier": "SEMANTIC"}
    expected = corpus.search("fox whale", max_results=5, filters={"tier": "SEMANTIC"})
    assert len(expected) > 1
    assert ids(retriever.retrieve("fox whale")) == expected_ids(expected)


def test_in_a_query_engine(corpus):
    engine = RetrieverQueryEngine(
        OctavoRetriever(corpus, similarity_top_k=2),
        get_response_synthesizer(llm=MockLLM(), response_mode="compact"),
    )
    answer = engine.query("blue whale")
    assert ids(answer.source_nodes) == expected_ids(corpus.search("blue whale", max_results=2))
    assert "blue whale" in str(answer)


def test_any_strategy(shelf):
    found = OctavoRetriever(shelf).retrieve("")
    assert [each.node.text for each in found] == ["first", "second"]
    assert len(set(ids(found))) == 2


def test_it_is_pickled(corpus):
    retriever = OctavoRetriever(corpus, "vector", similarity_top_k=3, filters={"tier": "WORKING"})
    again = pickle.loads(pickle.dumps(retriever))
    assert ids(again.retrieve("red fox")) == ids(retriever.retrieve("red fox"))
    assert pickle.loads(pickle.dumps(OctavoRetriever(Shelf()))).retrieve("")


def test_what_does_not_fit_is_refused_when_it_is_made(corpus):
    for wrong in ({"similarity_top_k": 0}, {"min_score": float("inf")}):
        with pytest.raises(InvalidArgumentError):
            OctavoRetriever(corpus, **wrong)
    with pytest.raises((InvalidArgumentError, ConfigurationError)):
        OctavoRetriever(corpus, "nearest")
