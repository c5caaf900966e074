from xml.etree import ElementTree as ET

import pytest

from octavo.reporting.html.element import render
from octavo.reporting.html.table import Cell, Column, plain_table, table_element
from octavo.reporting.table import Table


def test_headers_say_what_they_head():
    table = Table(
        "A & B", ("name", "n", ""), (("x", "1\n2", "<i>"),), ("n",), ((None, 12.0, None),)
    )
    made = ET.fromstring(render(plain_table(table)).replace("<br>", "<br/>"))
    assert made.attrib == {
        "class": "scroll", "role": "group", "aria-label": "A & B", "tabindex": "0"
    }  # fmt: skip
    assert made.find("table/caption").text == "A & B"
    assert [(each.get("scope"), each.text) for each in made.iter("th")] == [
        ("col", "name"), ("col", "n"), ("col", "note"), ("row", "x")
    ]  # fmt: skip
    number, note = made.iter("td")
    assert (number.get("data-key"), number.get("class")) == ("12.0", "number")
    assert (note.get("data-key"), note.text) == (None, "<i>")


def test_rows_have_a_cell_for_each_column():
    with pytest.raises(ValueError, match="argument"):
        render(table_element("t", [Column("a"), Column("b")], [[Cell(("x",))]]))


def test_a_table_without_rows_is_one():
    assert "<tbody></tbody>" in render(plain_table(Table("t", ("a",), ())))
