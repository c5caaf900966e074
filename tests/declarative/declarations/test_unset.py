"""A member that was not given is told from every value that can be given."""

import copy
import pickle

import pytest

from octavo.declarative import UNSET, Unset


def test_it_prints_its_name_and_is_false():  # S62
    assert repr(UNSET) == str(UNSET) == "UNSET"
    assert not UNSET


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_there_is_only_one(protocol):  # S62
    assert pickle.loads(pickle.dumps(UNSET, protocol)) is UNSET
    assert copy.copy(UNSET) is copy.deepcopy(UNSET) is UNSET
    assert Unset("UNSET") is UNSET


@pytest.mark.parametrize("value", [None, False, 0, "", (), "UNSET"])
def test_it_equals_nothing_that_can_be_given(value):  # S62
    assert value != UNSET
