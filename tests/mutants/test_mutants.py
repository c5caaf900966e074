"""The mutants still fit the code, and tests notice them."""

import ast
from pathlib import Path

import pytest

from tests.mutants.mutants import MUTANTS, Mutant
from tests.mutants.mutation import SOURCES, MutantError, Outcome, Workshop, mutated

ROOT = Path(__file__).parents[2]
BY_NAME = {f"{mutant.rule}: {mutant.breaks}": mutant for mutant in MUTANTS}

# One in Python, one in a kernel, one in a kernel's caller: the ways in which caches could hide one.
SAMPLE = [
    "S10: min_score is exclusive",
    "S26: the climb goes one level too far",
    "S30: no blank line between documents",
]


@pytest.mark.parametrize("name", BY_NAME)
def test_a_mutant_fits_the_code(name):
    mutant = BY_NAME[name]
    text = (SOURCES / "octavo" / mutant.file).read_text(encoding="utf-8")
    changed = mutated(text, mutant)
    assert changed != text
    ast.parse(changed)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_test_of_a_mutant_exists(name):
    path, *names = BY_NAME[name].test.split("[")[0].split("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for position, part in enumerate(names):
        found = [
            node
            for node in tree.body
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == part
        ]
        inherited = not found and position > 0  # a check of the contract that the class inherits
        assert found or inherited
        if inherited:
            kit = "".join(each.read_text("utf-8") for each in SOURCES.glob("octavo/testing/*.py"))
            assert f"def {part}(" in kit
        else:
            (tree,) = found


def test_a_mutant_that_no_longer_fits_says_so():
    mutant = Mutant("S0", "", "file.py", "one  two", "three", "")
    assert mutated("a one\n    two b", mutant) == "a three b"
    for text in ("one", "one two one two"):
        with pytest.raises(MutantError, match=r"S0, file.py: expected 'one  two' once"):
            mutated(text, mutant)


@pytest.mark.slow
def test_tests_notice_mutants(tmp_path):
    workshop = Workshop(tmp_path)
    for name in SAMPLE:
        outcome, done = workshop.outcome(BY_NAME[name])
        assert outcome is Outcome.KILLED, done.stdout + done.stderr
    # Without a mutant the same tests pass in the workshop, so it is the mutant that they notice.
    done = workshop.run(*(BY_NAME[name].test for name in SAMPLE))
    assert done.returncode == 0, done.stdout + done.stderr
