"""docs/declarative/fields.md lists every member as the code has it."""

import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from octavo.declarative import ActionType, Knowledge, ResolvedSearch, Search
from octavo.declarative.declarations.mappings import camel_case
from octavo.declarative.declarations.members import DEFAULT

PAGE = (Path(__file__).parents[3] / "docs/declarative/fields.md").read_text(encoding="utf-8")
ENUMERATIONS = {
    **{name: getattr(Knowledge, kind) for name, kind in (("type", "Type"), ("format", "Format"))},
    "unit": Knowledge.Unit,
    "use": Knowledge.Use,
    "chunk_context": Knowledge.ChunkContext,
    "strategy": Search.Strategy,
    "query_expansion": Search.QueryExpansion,
    "on_failure": Search.FallbackAction,
}


def rows(section):
    """The rows of the first table of a section, each as its cells."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def shown(value):
    if isinstance(value, str):
        # Texts of enumerations are names.
        return f"`{value}`" if hasattr(value, "name") else f"`{value!r}`".replace("'", '"')
    return f"`{value!r}`"


KNOWLEDGE = [
    (each.name, shown(each.metadata[DEFAULT]) if DEFAULT in each.metadata else "required")
    for each in fields(Knowledge)
    if each.name != "given"
]
SEARCH = [(each.name, shown(each.default)) for each in fields(ResolvedSearch)]


@pytest.mark.parametrize(
    ("section", "members"),
    [("Knowledge", KNOWLEDGE), ("Search", SEARCH)],
    ids=["knowledge", "search"],
)
def test_members_and_defaults(section, members):  # S61 S62
    found = rows(section)
    assert [(row[0].strip("`"), row[2]) for row in found] == members
    assert all(row[1] == f"`{camel_case(row[0].strip('`'))}`" for row in found)


def test_every_default_is_given_a_value():
    assert all(each.default is not MISSING for each in fields(ResolvedSearch))


def test_enumerations_are_listed():  # S61 S63 S66 S67
    found = {row[0].strip("`"): row[3] for row in rows("Knowledge") + rows("Search")}
    for name, kind in ENUMERATIONS.items():
        assert re.findall(r"`(\w+)`", found[name]) == list(kind.__members__)


def test_action_types_are_listed():  # S75
    (row,) = [row for row in rows("Roles, agents, actions") if row[0] == "`action_spec`"]
    assert re.findall(r"`([A-Z_]+)`", row[1]) == list(ActionType.__members__)
