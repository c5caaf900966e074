"""One entry, or several."""

import pytest

from octavo.declarative import Knowledge
from octavo.declarative.declarations.entries import checked_entries, entries_from
from octavo.errors import ConfigurationError

A, B = Knowledge("a"), Knowledge("b")


@pytest.mark.parametrize(("value", "entries"), [(A, (A,)), ([A, B], (A, B)), ((), ()), ([], ())])
def test_entries(value, entries):  # S60
    assert checked_entries(value) == entries


@pytest.mark.parametrize(
    ("value", "told"),
    [("a", "knowledge: "), ([A, "b"], r"knowledge\[1\]: "), ({"a"}, "knowledge: ")],
)
def test_others_are_refused(value, told):  # S60
    with pytest.raises(ConfigurationError, match=f"^{told}expected a Knowledge, found"):
        checked_entries(value)


def test_mappings_become_entries():
    for value in ({"name": "a"}, [{"name": "a"}], [A]):
        assert entries_from({"name": "R", "knowledge": value}) == {"name": "R", "knowledge": (A,)}
    assert entries_from({}) == {"knowledge": ()}
