"""Who serves a model, and who claims a scope (S63, S73, S43)."""

import pytest

from octavo.declarative.provided import answered
from octavo.declarative.runtime.providers import GivenProviders, Providers, serving
from octavo.errors import (
    CancelledError,
    ConfigurationError,
    ExecutionError,
    ProviderUnavailableError,
)
from octavo.spi import RetrievalScope


class Reranker:
    def __init__(self, *models):
        self.models = models

    def supports(self, model):
        if self.models == ("raise",):
            raise OSError("no")
        return model in self.models

    def rerank(self, query, documents, model):
        return documents


class Engine:
    def __init__(self, role):
        self.role = role

    def claims(self, scope):
        return scope.role == self.role

    def retrieve(self, request):
        return ()


@pytest.mark.parametrize("model", [None, "", " "])
def test_a_blank_model_is_a_configuration_error(model):  # S63
    with pytest.raises(ConfigurationError, match="reranker_model"):
        serving("reranker", [Reranker("m")], "reranker_model", model)


def test_one_none_and_several():  # S63
    one, other = Reranker("m"), Reranker("n")
    assert serving("reranker", [other, one], "reranker_model", "m") is one
    for installed in ([], [other]):
        with pytest.raises(ProviderUnavailableError, match="'m'"):
            serving("reranker", installed, "reranker_model", "m")
    with pytest.raises(ConfigurationError, match="Reranker, Reranker"):
        serving("reranker", [one, Reranker("m", "n")], "reranker_model", "m")


def test_what_a_provider_raises_while_it_is_asked():  # S43
    with pytest.raises(ExecutionError, match="supports raised OSError: no"):
        serving("reranker", [Reranker("raise")], "reranker_model", "m")
    own = CancelledError("mine")

    def call():
        raise own

    with pytest.raises(CancelledError) as caught:
        answered("x", call)
    assert caught.value is own


def test_an_engine_is_chosen_by_what_it_claims():  # S73
    one, two = Engine("a"), Engine("b")
    providers = Providers(GivenProviders(engines=[one, two]))
    assert providers.engine(RetrievalScope("a")) is one
    assert providers.engine(RetrievalScope("c")) is None
    again = Providers(GivenProviders(engines=[one, Engine("a")]))
    with pytest.raises(ConfigurationError, match="'a'"):
        again.engine(RetrievalScope("a"))


@pytest.mark.parametrize(
    ("kind", "ask"),
    [
        ("rerankers", lambda providers: providers.reranker("m")),
        ("expanders", lambda providers: providers.expander("m")),
        ("navigators", lambda providers: providers.navigator("m")),
        ("engines", lambda providers: providers.engine(RetrievalScope())),
    ],
)
@pytest.mark.parametrize("wrong", [object(), Reranker, "text"])
def test_something_else_is_no_provider(kind, ask, wrong):
    with pytest.raises(ConfigurationError, match="expected a"):
        ask(Providers(GivenProviders(**{kind: [wrong]})))
