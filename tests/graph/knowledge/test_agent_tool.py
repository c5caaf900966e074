"""A tool as an agent calls it."""

import json

import pytest

from octavo import AgentTool, InvalidArgumentError, ToolParameter


def tool():
    def function(city, days=None):
        return {"city": city, "days": days}

    return AgentTool(
        "weather",
        "Forecast.",
        (
            ToolParameter("city", "Where.", required=True),
            ToolParameter("days", "How many days.", int),
        ),
        function,
    )


def test_the_schema_says_what_may_be_given():
    assert json.loads(json.dumps(tool().schema)) == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "description": "Where."},
            "days": {"type": "integer", "minimum": 1, "description": "How many days."},
        },
        "required": ["city"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "arguments", [{"city": "東京"}, '{"city": "東京"}', {"city": "東京", "days": None}]
)
def test_answers_are_json(arguments):
    assert tool().call(arguments) == '{"city": "東京", "days": null}'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "weather: city: expected, but missing"),
        ("", "weather: city: expected, but missing"),
        ({"city": None}, "weather: city: expected, but missing"),
        ({"city": "x", "town": "y"}, "weather: expected arguments among city, days, found 'town'"),
        ({"city": "x", 5: "y"}, "weather: expected arguments among city, days, found 5"),
        ("{", "weather: expected a JSON object: "),
        ("[" * 100_000, "weather: expected a JSON object: "),
        ("[]", "weather: expected a JSON object, found list"),
        (None, "weather: expected a JSON object, found NoneType"),
        (b"{}", "weather: expected a JSON object, found bytes"),
    ],
)
def test_what_may_not_be_given(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message):
        tool().call(arguments)
