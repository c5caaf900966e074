"""Octavo's own strategies keep the contract that octavo ships (S1-S13)."""

import pytest

from octavo.testing import RAGStrategyContract
from tests.conformance import subjects
from tests.conformance.world import QUERIES


class Contract(RAGStrategyContract):
    """The contract over the world of forty documents."""

    make = None

    @pytest.fixture(autouse=True)
    def _open(self, world):
        self.world = world

    def strategy(self):
        return type(self).make(self.world)

    def queries(self):
        return QUERIES

    def matching(self, query, filters):
        return self.world.count(filters)


class MemoryContract(Contract):
    def matching(self, query, filters):
        return sum(
            filters.items() <= {"entryId": entry.id, "tier": entry.tier.name}.items()
            for entry in self.world.entries
        )


class TestKeyword(Contract):
    expected_name = "KEYWORD"
    make = subjects.keyword


class TestVector(Contract):
    expected_name = "vector"
    make = subjects.vector


class TestHybrid(Contract):
    expected_name = "hybrid"
    make = subjects.hybrid


class TestMemoryKeyword(MemoryContract):
    expected_name = "keyword"
    make = subjects.memory_keyword


class TestMemoryVector(MemoryContract):
    expected_name = "vector"
    make = subjects.memory_vector


class TestMemoryHybrid(MemoryContract):
    expected_name = "hybrid"
    make = subjects.memory_hybrid


class TestMemoryRetriever(MemoryContract):
    make = subjects.memory_retriever


class TestOwn(Contract):
    @staticmethod
    def make(world):
        return subjects.Own(world.documents)

    def test_a_query_that_is_no_string_is_a_type_error(self):
        with pytest.raises(AttributeError):  # it does not look; octavo's strategies around it do
            self.subject.retrieve(3, None)


class TestTemporal(Contract):
    expected_name = "temporal"
    make = subjects.temporal


class TestTemporalVector(Contract):
    make = subjects.temporal_vector


class TestTemporalOwn(Contract):
    make = subjects.temporal_own


class TestHierarchical(Contract):
    expected_name = "hierarchical"
    make = subjects.hierarchical


class TestHierarchicalOwn(Contract):
    make = subjects.hierarchical_own


class TestHierarchicalFlat(Contract):
    make = subjects.hierarchical_flat


class TestMultiQuery(Contract):
    expected_name = "multi-query"
    make = subjects.multi_query


class TestMultiQueryVector(Contract):
    make = subjects.multi_query_vector


class TestMultiQueryOwn(Contract):
    make = subjects.multi_query_own


class TestReasoning(Contract):
    expected_name = "reasoning"
    make = subjects.reasoning

    def matching(self, query, filters):
        return None  # one document a root, whichever the navigator chose


class TestReasoningFlat(Contract):
    make = subjects.reasoning_flat


class TestGraph(Contract):
    expected_name = "graph"
    make = subjects.graph


class TestGraphCsr(Contract):
    make = subjects.graph_csr


class TestGraphDocuments(Contract):
    make = subjects.graph_documents


class TestHybridGraph(Contract):
    expected_name = "hybrid"
    make = subjects.hybrid_graph


class TestEverything(Contract):
    make = subjects.everything
