"""The enumerations have the reference's names."""

import pytest

from octavo import QueryExpansion
from octavo import declarative as d

NAMES = {
    d.KnowledgeType: "FILE URL DATABASE MEMORY GRAPH",  # S61
    d.KnowledgeFormat: "AUTO TEXT MARKDOWN HTML JSON JSON_LINES CSV YAML CODE PDF PARQUET",  # S66
    d.KnowledgeUse: "SEARCH DIRECT SEQUENTIAL",
    d.KnowledgeUnit: "AUTO DOCUMENT SECTION PARAGRAPH RECORD",
    d.ChunkContext: "NONE HEADINGS MODEL",
    d.SearchStrategy: ("SEMANTIC KEYWORD HYBRID GRAPH MULTI_QUERY HIERARCHICAL TEMPORAL REASONING"),
    d.QueryExpansion: "NONE SYNONYM MULTI_QUERY HYDE STEP_BACK",
    d.FailureAction: "CONTINUE FAIL USE_CACHE RETRY_SIMPLE",
    d.ActionType: "LLM LOCAL TOOL WEB_SERVICE",
}


@pytest.mark.parametrize("kind", NAMES)
def test_names(kind):  # S61 S63 S66 S67 S75
    assert list(kind.__members__) == NAMES[kind].split()
    assert [each.value for each in kind] == NAMES[kind].split()


def test_the_kinds_of_expansion_are_those_of_expanders():  # S25 S62
    assert d.QueryExpansion is QueryExpansion


def test_code_reads_like_the_reference():
    assert d.Search.Strategy.HYBRID is d.SearchStrategy.HYBRID
    assert d.Search.FallbackAction.FAIL is d.FailureAction.FAIL
    assert d.Search.QueryExpansion is d.QueryExpansion
    assert d.Knowledge.Type.GRAPH is d.KnowledgeType.GRAPH
    assert d.Knowledge.Format is d.KnowledgeFormat
    assert d.Knowledge.Use is d.KnowledgeUse
    assert d.Knowledge.Unit is d.KnowledgeUnit
    assert d.Knowledge.ChunkContext is d.ChunkContext
