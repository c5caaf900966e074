"""What an agent's own methods supply: odd things are told when they are first needed."""

import itertools

import pytest

from octavo.declarative import ActionType, Agent, DispatchContext
from octavo.errors import ConfigurationError, ExecutionError
from tests.declarative.actions.fakes import Recorder, agent_of
from tests.declarative.actions.test_agent import Reader
from tests.declarative.chat.conftest import memory

ASKED = {"question": "q"}


def supplying(**methods):
    """An agent that works, but for what one of its methods gives."""
    fine = {"get_roles": (Reader(),), "get_llm": Recorder(), "get_retrieval": None}
    given = {**fine, **methods}
    made = {name: lambda self, value=value: value for name, value in given.items()}
    return type("Subject", (Agent,), made)()


@pytest.mark.parametrize(
    ("method", "value"),
    [
        *(("get_roles", each) for each in (None, 3, "Reader", Reader(), [None], [Reader], [3])),
        *(("get_llm", each) for each in (None, 3, "gpt", Recorder)),
        *(("get_executors", each) for each in (None, 3, [Recorder()])),
        *(("get_executors", {kind: len}) for kind in (None, 3, "ODD")),
        *(("get_executors", {ActionType.LLM: each}) for each in (None, 3, Recorder)),
        *(("get_token_counter", each) for each in (None, 3)),
        *(("get_retrieval", each) for each in (3, "runtime")),
    ],
    ids=itertools.count(),
)
def test_what_cannot_serve_is_a_configuration_error(method, value):  # S77
    with pytest.raises(ConfigurationError, match=f"{method}: "):
        supplying(**{method: value}).execute_action("answer", ASKED)


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("get_llm", None),
        ("get_executors", None),
        ("get_token_counter", None),
        ("get_chat_knowledge", 3),
    ],
)
def test_for_a_chat_too(method, value):  # S72
    with pytest.raises(ConfigurationError, match=f"{method}: "):
        supplying(**{method: value}).chat("Hello")


class Odd:
    """A retrieval that raises, or gives what it was told to."""

    def __init__(self, result):
        self.result = result

    def retrieve(self, *arguments):
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def ground(self, *arguments, **named):
        return self.retrieve()

    def invalidate(self, cls):
        return 0


# S43
@pytest.mark.parametrize(
    ("result", "told"),
    [
        (None, "gave None, expected Retrieved"),
        ((), "expected Retrieved"),
        (KeyError("k"), "raised KeyError"),
    ],
)
def test_a_retrieval_that_fails_is_an_execution_failure(world, result, told):
    with pytest.raises(ExecutionError, match=f"the retrieval {told}" if told[0] != "e" else told):
        agent_of(Reader(), llm=Recorder(), retrieval=Odd(result)).execute_action("answer", ASKED)
    with pytest.raises(ExecutionError, match=told):
        world.agent(memory(), retrieval=Odd(result)).chat("Hello", DispatchContext())


def test_its_typed_errors_stay():  # S43
    error = ConfigurationError("the query is missing")
    with pytest.raises(ConfigurationError) as caught:
        agent_of(Reader(), llm=Recorder(), retrieval=Odd(error)).execute_action("answer", ASKED)
    assert caught.value is error
