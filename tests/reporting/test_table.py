from octavo.reporting.table import Table, markdown


def test_markdown():
    table = Table("A title", ("name", "n", "command"), (("a|b<c", "1", "x --y"),), ("n",))
    assert list(markdown(table, "###", code=("command",))) == [
        "### A title", "", "| name | n | command |", "|---|--:|---|", "| a\\|b&lt;c | 1 | `x --y` |", "",
    ]  # fmt: skip
    assert next(iter(markdown(table, None))).startswith("| name")
