"""Providers that are really installed: none, one, two (S40, S63, S73)."""

import importlib.util

import pytest

from tests.declarative.runtime.installed import Distribution, install, run

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pip") is None, reason="pip is not installed"
)

EMBEDDING = "octavo.embedding_functions"
COUNTED = """
class Embedding:
    made = 0
    def __init__(self):
        Embedding.made += 1
    def __call__(self, text):
        return [float(len(text)), 1.0]
"""
GET = """
from octavo.declarative.runtime.embedding_provider import PROCESS_EMBEDDING
from octavo.errors import ConfigurationError
try:
    first = PROCESS_EMBEDDING.get()
    print(type(first).__name__, first("abc").shape[0], first is PROCESS_EMBEDDING.get())
except ConfigurationError as error:
    print(error.reason, "one_provider" in str(error), "two_provider" in str(error))
"""


def test_none_installed_is_the_hash_embedding(tmp_path):  # S40
    assert run(install(tmp_path), GET) == "HashEmbedding 128 True"


def test_one_installed_is_wrapped_cached_and_shared(tmp_path):  # S40
    site = install(tmp_path, Distribution("one_provider", EMBEDDING, "Embedding", COUNTED))
    program = GET + "\nimport one_provider; print(one_provider.Embedding.made)"
    assert run(site, program).split("\n") == ["EmbeddingProvider 2 True", "1"]


def test_two_installed_are_a_configuration_error(tmp_path):  # S40
    site = install(
        tmp_path,
        Distribution("one_provider", EMBEDDING, "Embedding", COUNTED),
        Distribution("two_provider", EMBEDDING, "Embedding", COUNTED),
    )
    assert run(site, GET) == "CONFIGURATION True True"


DISPATCH = """
import logging, pathlib, tempfile
logging.disable(logging.CRITICAL)
from octavo.declarative import ActionType, Knowledge, Search, action_spec, bind, role_spec
from octavo.declarative.runtime.runtime import RetrievalRuntime
from octavo.errors import OctavoError
with tempfile.TemporaryDirectory() as directory:
    for name in ("fox", "owl"):
        pathlib.Path(directory, name + ".md").write_text("The " + name + " hunts.")
    @role_spec(knowledge=Knowledge("notes", path=directory))
    class Role:
        @action_spec(type=ActionType.LLM, knowledge=Knowledge("notes", search=Search({search})))
        def answer(self, question: str) -> str:
            return question
    declared = bind(Role)
    try:
        found = RetrievalRuntime().retrieve(
            declared, declared.actions["answer"], {{"question": "fox"}}
        )
        print([each.content for each in found.documents])
    except OctavoError as error:
        print(error.reason)
"""
EXPANDER = """
class Expander:
    def supports(self, model):
        return model == "m"
    def expand(self, query, mode, model, max_expansions):
        return ["owl"]
"""
RERANKER = """
class Reranker:
    def supports(self, model):
        return model == "m"
    def rerank(self, query, documents, model):
        return list(reversed(documents))
"""
NAVIGATOR = """
class Navigator:
    def supports(self, model):
        return model == "m"
    def choose(self, query, node, children, model):
        return None
"""
ENGINE = """
from octavo.spi import RetrievedDocument
class Engine:
    def claims(self, scope):
        return scope.role == "Role"
    def retrieve(self, request):
        return [RetrievedDocument("remote " + request.query, "remote", 1.0)]
"""
KINDS = [
    (
        "octavo.query_expanders",
        "Expander",
        EXPANDER,
        "min_score=0.0, strategy='KEYWORD', query_expansion='HYDE', query_expansion_model={!r}",
        "['The fox hunts.', 'The owl hunts.']",
    ),
    (
        "octavo.rerankers",
        "Reranker",
        RERANKER,
        "min_score=0.0, strategy='KEYWORD', rerank=True, reranker_model={!r}",
        "['The fox hunts.']",
    ),
    (
        "octavo.tree_navigators",
        "Navigator",
        NAVIGATOR,
        "strategy='REASONING', navigator_model={!r}, deduplicate=False",
        "['The fox hunts.', 'The owl hunts.']",
    ),
]


@pytest.mark.parametrize(("group", "attribute", "code", "search", "found"), KINDS)
def test_a_model_is_served_by_the_one_installed_provider_of_it(  # S63
    tmp_path, group, attribute, code, search, found
):
    one = Distribution("one_provider", group, attribute, code)
    site = install(tmp_path, one)
    assert run(site, DISPATCH.format(search=search.format("m"))) == found
    # CONTINUE, the default, softens neither.
    assert run(site, DISPATCH.format(search=search.format("other"))) == "PROVIDER_UNAVAILABLE"


def test_two_providers_of_one_model_are_a_configuration_error(tmp_path):  # S63
    group, attribute, code, search, _ = KINDS[1]
    site = install(
        tmp_path,
        Distribution("one_provider", group, attribute, code),
        Distribution("two_provider", group, attribute, code),
    )
    assert run(site, DISPATCH.format(search=search.format("m"))) == "CONFIGURATION"
    assert run(site, DISPATCH.format(search=search.format("x"))) == "PROVIDER_UNAVAILABLE"


def test_a_claiming_engine_serves_and_two_are_a_configuration_error(tmp_path):  # S73
    group = "octavo.retrieval_engines"
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = Distribution("one_provider", group, "Engine", ENGINE)
    site = install(tmp_path / "one", one)
    assert run(site, DISPATCH.format(search="top_k=3")) == "['remote fox']"
    site = install(tmp_path / "two", one, Distribution("two_provider", group, "Engine", ENGINE))
    assert run(site, DISPATCH.format(search="top_k=3")) == "CONFIGURATION"
