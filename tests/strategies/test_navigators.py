"""Navigators of an application: what is accepted, and what happens when they fail (S28, S43)."""

import pytest

from octavo import (
    ConfigurationError,
    ExecutionError,
    ProviderUnavailableError,
    RetrievalTimeoutError,
)
from octavo.spi import NodeView
from octavo.strategies.navigators import bind_navigator

CHILDREN = (NodeView("a"), NodeView("b"))


class Navigator:
    def __init__(self, *, serves=True):
        self.serves = serves
        self.asked = []

    def supports(self, model):
        self.asked.append(model)
        if isinstance(self.serves, Exception):
            raise self.serves
        return self.serves

    def choose(self, query, node, children, model):
        return (query, node.id, tuple(child.id for child in children), model)


def test_an_object_and_a_function_get_the_same():  # S28
    expected = ("query", "root", ("a", "b"), " Model-1 ")
    for navigator in (Navigator(), Navigator().choose):
        bound = bind_navigator(navigator, " Model-1 ")
        assert bound.chosen("query", NodeView("root"), CHILDREN) == expected


@pytest.mark.parametrize("model", ["", " \t\u3000", None, 3, b"model"])
def test_a_blank_model_is_refused(model):  # S28
    with pytest.raises(ConfigurationError, match="model: expected a non-blank name"):
        bind_navigator(Navigator(), model)


def test_a_model_that_is_not_served():  # S28
    navigator = Navigator(serves=False)
    with pytest.raises(ProviderUnavailableError, match="Navigator: does not serve the model 'x'"):
        bind_navigator(navigator, "x")
    assert navigator.asked == ["x"]


@pytest.mark.parametrize("navigator", [None, "lexical", object(), 3])
def test_what_is_no_navigator_is_refused(navigator):  # S28
    with pytest.raises(ConfigurationError, match="navigator: expected"):
        bind_navigator(navigator, "model")


def test_errors_keep_their_type_or_become_execution_failures():  # S43
    own, other = RetrievalTimeoutError("too late"), KeyError("gone")
    for error, expected in ((own, RetrievalTimeoutError), (other, ExecutionError)):

        def choose(*_, error=error):
            raise error

        with pytest.raises(expected) as raised:
            bind_navigator(choose, "model").chosen("query", NodeView("root"), CHILDREN)
        assert raised.value is own or raised.value.__cause__ is other
        with pytest.raises(expected):
            bind_navigator(Navigator(serves=error), "model")
    with pytest.raises(ExecutionError, match="navigator choose: raised KeyError: 'gone'"):
        bind_navigator(choose, "model").chosen("query", NodeView("root"), CHILDREN)


def test_what_is_no_exception_passes():  # S43
    def choose(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bind_navigator(choose, "model").chosen("query", NodeView("root"), CHILDREN)
