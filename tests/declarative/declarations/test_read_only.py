"""Declarations can be copied, and sent to other processes."""

import copy
import pickle

import pytest

from octavo import ConfigurationError
from octavo.declarative import ActionType, Knowledge, RoleSpec, action_spec, bind, role_spec
from octavo.declarative.declarations.read_only import ReadOnlyMapping

SPEC = RoleSpec.from_mapping(
    {"knowledge": {"name": "m"}, "actions": {"a": {"type": "LLM", "knowledge": {"name": "m"}}}}
)


@role_spec(knowledge=Knowledge("m"))
class Role:
    @action_spec(type=ActionType.LLM, knowledge=Knowledge("m"))
    def a(self, question: str) -> None: ...


@pytest.mark.parametrize("value", [SPEC, bind(Role), ReadOnlyMapping({"a": 1})])
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))]
)
def test_copies(value, copied):
    assert copied(value) == value


def test_it_cannot_be_changed():
    given = {"a": 1}
    mapping = ReadOnlyMapping(given)
    given["a"] = 2
    assert mapping == {"a": 1}
    assert repr(mapping) == "{'a': 1}"
    with pytest.raises(TypeError):
        mapping["a"] = 3


@pytest.mark.parametrize("function", [len, int, str.join])
def test_what_is_written_in_c_cannot_be_an_action(function):
    with pytest.raises(ConfigurationError, match="expected a method"):
        action_spec(type=ActionType.LLM)(function)


def test_what_is_written_in_c_cannot_be_a_role():
    with pytest.raises(ConfigurationError, match="expected a class of Python"):
        role_spec()(int)
