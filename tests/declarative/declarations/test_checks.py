"""Checks name the member, what was expected and what came."""

import pytest

from octavo.declarative.declarations.checks import count, flag, identifier, texts
from octavo.errors import ConfigurationError


class Unprintable:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    ("check", "value", "told"),
    [
        (count(1), [3, 4], r"it: expected an integer, one value, found the sequence \[3, 4\]"),
        (count(1), None, "it: expected an integer, found None; leave the member out"),
        (flag, ("yes",), r"it: expected True or False, one value, found the sequence \('yes',\)"),
        (flag, Unprintable(), "it: expected True or False, found a value of type Unprintable"),
        (identifier, "\u3000", r"it: expected a name, found '\\u3000', which is blank"),
        (texts, ["a", 3], r"it\[1\]: expected text, found 3"),
        (texts, ["a", "\ud800"], r"it\[1\]: expected text, found a lone surrogate in '\\ud800'"),
    ],
)
def test_messages(check, value, told):
    with pytest.raises(ConfigurationError, match=f"^{told}"):
        check("it", value)


def test_a_number_too_long_to_print():
    with pytest.raises(ConfigurationError, match="of at least 1, found a value of type int$"):
        count(1)("it", -(10**5000))


def test_text_becomes_plain_text():
    class Name(str):
        __slots__ = ()

    assert type(identifier("it", Name("a"))) is str
