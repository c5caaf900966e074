"""Plain mappings, with Python's names or the reference's."""

import json
import tomllib
from dataclasses import fields

import pytest

from octavo.declarative import ActionSpec, AgentSpec, Knowledge, RoleSpec, Search
from octavo.errors import ConfigurationError

# The reference's names, typed in from its tables.
REFERENCE = {
    "strategy": "hybrid",
    "queryParam": "question",
    "rerank": True,
    "rerankerModel": "r",
    "contextWindow": 2000,
    "topK": 8,
    "topN": 2,
    "minScore": 0.25,
    "deduplicate": False,
    "dedupeThreshold": 0.8,
    "queryExpansion": "Step_Back",
    "queryExpansionModel": "e",
    "navigatorModel": "n",
    "expandedQueries": 4,
    "includeSpec": False,
    "contextFormat": "${content}",
    "cache": False,
    "cacheTTL": 60,
    "maxStaleness": -1,
    "onFailure": "use-cache",
}
SEARCH = Search(
    strategy=Search.Strategy.HYBRID,
    query_param="question",
    rerank=True,
    reranker_model="r",
    context_window=2000,
    top_k=8,
    top_n=2,
    min_score=0.25,
    deduplicate=False,
    dedupe_threshold=0.8,
    query_expansion=Search.QueryExpansion.STEP_BACK,
    query_expansion_model="e",
    navigator_model="n",
    expanded_queries=4,
    include_spec=False,
    context_format="${content}",
    cache=False,
    cache_ttl=60,
    max_staleness=-1,
    on_failure=Search.FallbackAction.USE_CACHE,
)


def test_every_member_of_search_under_both_names():  # S62
    assert Search.from_mapping(REFERENCE) == SEARCH
    assert Search.from_mapping(json.loads(json.dumps(REFERENCE))) == SEARCH
    assert Search.from_mapping(SEARCH.given) == SEARCH
    assert list(SEARCH.given) == [each.name for each in fields(Search)]


def test_every_member_of_knowledge_under_both_names():  # S61
    camel = {
        "name": "docs",
        "type": "file",
        "format": "json_lines",
        "path": "p",
        "connection": "c",
        "query": "q",
        "enabled": False,
        "include": ["*.md"],
        "exclude": "draft*",
        "select": {"kind": "guide"},
        "unit": "section",
        "chunkContext": "model",
        "chunkContextModel": "m",
        "use": "search",
        "maxTokens": 100,
        "search": {"topK": 8},
    }
    expected = Knowledge(
        "docs",
        type=Knowledge.Type.FILE,
        format=Knowledge.Format.JSON_LINES,
        path="p",
        connection="c",
        query="q",
        enabled=False,
        include=("*.md",),
        exclude=("draft*",),
        select=("kind=guide",),
        unit=Knowledge.Unit.SECTION,
        chunk_context=Knowledge.ChunkContext.MODEL,
        chunk_context_model="m",
        use=Knowledge.Use.SEARCH,
        max_tokens=100,
        search=Search(top_k=8),
    )
    assert Knowledge.from_mapping(camel) == expected
    snake = {name: getattr(expected, name) for name in expected.given}
    assert Knowledge.from_mapping(snake) == expected
    assert expected.given == {each.name for each in fields(Knowledge)} - {"given"}


TOML = """
name = "Researcher"
description = "Answers questions"

[[knowledge]]
name = "research-corpus"
path = "research"

[actions.answer]
type = "llm"
description = "Answer with evidence"

[actions.answer.knowledge]
name = "research-corpus"
search = { strategy = "HYBRID", top_k = 5, minScore = 0.0 }
"""


def test_a_whole_role_from_toml():  # S60
    spec = RoleSpec.from_mapping(tomllib.loads(TOML))
    assert spec == RoleSpec(
        name="Researcher",
        description="Answers questions",
        knowledge=(Knowledge("research-corpus", path="research"),),
        actions={
            "answer": ActionSpec(
                type="LLM",
                description="Answer with evidence",
                knowledge=(
                    Knowledge(
                        "research-corpus",
                        search=Search(strategy="HYBRID", top_k=5, min_score=0.0),
                    ),
                ),
            )
        },
    )


def test_a_whole_agent_from_json():  # S60
    text = '{"description": "Support", "knowledge": [{"name": "docs", "search": {"topK": 5}}]}'
    assert AgentSpec.from_mapping(json.loads(text)) == AgentSpec(
        description="Support", knowledge=(Knowledge("docs", search=Search(top_k=5)),)
    )


@pytest.mark.parametrize(
    ("read", "mapping", "told"),
    [
        (Search, {"topk": 1}, r"^Search: there is no member 'topk'; .*did you mean 'top_k'\?"),
        (Search, {"MinScore": 1}, r"did you mean 'min_score'\?"),
        (Search, {"top-k": 1}, r"did you mean 'top_k'\?"),
        (Search, {3: 1}, "there is no member 3"),
        (Search, {"topK": 1, "top_k": 1}, "^Search: top_k: given twice, as 'top_k' and 'topK'"),
        (Search, {"top_k": None}, "^Search: top_k: expected an integer, found None"),
        (Search, [("top_k", 1)], "^Search: expected a mapping"),
        (Search, {"on_failure": "explode"}, "^Search: on_failure: 'explode' is no FailureAction"),
        (Knowledge, {"path": "p"}, "^Knowledge: name: expected a name, found none"),
        (Knowledge, {"name": "a", "paht": "p"}, r"^Knowledge 'a': .*did you mean 'path'\?"),
        (Knowledge, {"name": "a", "given": []}, "there is no member 'given'"),
        (Knowledge, {"name": "a", "search": {"topk": 1}}, "^Knowledge 'a': Search: .*'topk'"),
        (Knowledge, {"name": "a", "search": 3}, "^Knowledge 'a': search: expected a Search"),
        (Knowledge, 3, "^Knowledge: expected a mapping"),
        (AgentSpec, {"actions": {}}, "there is no member 'actions'"),
        (AgentSpec, {"knowledge": [{"name": "a"}, {}]}, r"^knowledge\[1\]: Knowledge: name"),
        (AgentSpec, {"knowledge": "docs"}, "^knowledge: expected a Knowledge, found 'docs'"),
        (AgentSpec, {"knowledge": ["docs"]}, r"^knowledge\[0\]: expected a Knowledge"),
        (RoleSpec, {"actions": []}, "^actions: expected a mapping"),
        (RoleSpec, {"actions": {"answer": 3}}, "^actions: expected an ActionSpec by name"),
        (RoleSpec, {"actions": {"answer": {}}}, "^actions.answer: type: expected an ActionType"),
        (RoleSpec, {"actions": {"answer": {"type": "llmm"}}}, r"^actions.answer: .*mean 'LLM'\?"),
        (ActionSpec, {"type": "LLM", "name": "x"}, "there is no member 'name'"),
    ],
)
def test_what_is_wrong_is_named(read, mapping, told):  # S60 S61 S62
    with pytest.raises(ConfigurationError, match=told):
        read.from_mapping(mapping)
