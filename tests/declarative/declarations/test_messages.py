"""Messages say where, and what was probably meant."""

import pytest

from octavo.declarative.declarations.messages import did_you_mean, naming
from octavo.errors import ConfigurationError, InvalidArgumentError


def test_places_are_named_from_outside_in():
    with (
        pytest.raises(ConfigurationError, match=r"^Role\.answer: search: top_k: bad$"),
        naming("Role.answer"),
        naming("search"),
    ):
        raise ConfigurationError("top_k: bad")


def test_other_errors_pass_unchanged():
    with pytest.raises(InvalidArgumentError, match="^bad$"), naming("Role"):
        raise InvalidArgumentError("bad")


@pytest.mark.parametrize(
    ("name", "known", "told"),
    [
        ("reserch", ["research", "notes"], "known: 'notes', 'research'; did you mean 'research'?"),
        ("RESEARCH", ["research"], "known: 'research'; did you mean 'research'?"),
        ("zzz", ["research"], "known: 'research'"),
        ("zzz", [], "known: none"),
        ("topk", ["top_n", "top_k"], "known: 'top_k', 'top_n'; did you mean 'top_k'?"),
    ],
)
def test_the_nearest_known_name_is_offered(name, known, told):
    assert did_you_mean(name, known) == told


def test_not_all_of_many_names_are_listed():
    told = did_you_mean("n39x", [f"n{number:02}" for number in range(40)])
    assert told.startswith("known: 'n00', 'n01',")
    assert told.endswith("'n29' and 10 more; did you mean 'n39'?")
