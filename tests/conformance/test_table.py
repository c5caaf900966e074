"""Every built rule has a test and a mutant, and the page that lists them is fresh."""

import pytest

from tests.conformance.rules import RULES
from tests.conformance.table import PAGE, named_in, page, proofs
from tests.mutants.mutants import MUTANTS


@pytest.mark.parametrize("rule", RULES)
def test_a_test_names_the_rule(rule):
    assert proofs().get(rule)


@pytest.mark.parametrize("rule", RULES)
def test_a_mutant_breaks_the_rule(rule):
    assert [mutant for mutant in MUTANTS if mutant.rule == rule]


def test_the_page_is_fresh():
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "stale: run `python tests/conformance/table.py`"
    )


def test_comments_are_found_behind_above_and_inside_a_test(tmp_path):
    path = tmp_path / "test_sample.py"
    path.write_text(
        "# S1: above\n"
        "def test_one():  # S2 S3\n"
        "    x = '# S4'\n"
        "    # S5\n"
        "    pass\n"
        "\n"
        "# S6\n"
        "@mark  # S7\n"
        "def test_two():\n"
        "    pass\n"
        "\n"
        "class TestThree:  # S8\n"
        "    def test_four(self):  # S9\n"
        "        pass\n"
        "# S10: behind everything\n"
    )
    assert list(named_in(path)) == [
        *(("S1", "test_one"), ("S2", "test_one"), ("S3", "test_one"), ("S5", "test_one")),
        *(("S6", "test_two"), ("S7", "test_two")),
        *(("S8", "TestThree"), ("S9", "TestThree.test_four")),
    ]
