"""Write docs/conformance.md: every rule with the tests that prove it.

A test proves the rules that a comment on it names: behind its ``def``, above it, or inside it
(``# S22``, ``# S6 S20``). Run ``python tests/conformance/table.py`` from the repository after
adding or renaming tests; a test fails where the page is stale.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.conformance.rules import RULES  # noqa: E402
from tests.mutants.mutants import MUTANTS  # noqa: E402

PAGE = ROOT / "docs" / "conformance.md"
RULE = re.compile(r"\bS\d+\b")

HEAD = """\
# Conformance

Every rule of the retrieval semantics that is built, with the tests that prove it. Made by
`python tests/conformance/table.py` from the comments in the tests; `make test` fails where a rule has no test or
this page is stale.

For each rule `tests/mutants` keeps a small change of the code that breaks it, and the test that must then fail:
`python tests/mutants/run.py` applies each to a copy and runs that test. Names in `octavo.testing` are checks of the
[shipped contracts](testing.md), which run for each of octavo's strategies and providers
(`tests/conformance`).

| rule | what it says | a change that breaks it | the test that then fails | tests |
|---|---|---|---|---|
"""


def named_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (rule, test) for the comments of a file."""
    text = path.read_text(encoding="utf-8")
    tests = sorted(_tests(ast.parse(text)))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            test = _test_at(tests, token.start[0])
            for rule in RULE.findall(token.string) if test else ():
                yield rule, test


def _tests(tree: ast.AST, prefix: str = "") -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, name) for each test, and each class of tests."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            if node.name.startswith("Test"):
                yield node.lineno, node.lineno, node.name
            yield from _tests(node, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield first, node.end_lineno or node.lineno, prefix + node.name


def _test_at(tests: list[tuple[int, int, str]], line: int) -> str | None:
    """Return the test that holds a line, else the next one."""
    holding = [name for first, last, name in tests if first <= line <= last]
    following = [name for first, _, name in tests if first > line]
    return (holding or following or [None])[0]


@cache
def proofs() -> dict[str, dict[str, list[str]]]:
    """Return for each rule the tests that name it, by file."""
    files = [*sorted((ROOT / "tests").rglob("test_*.py"))]
    files += sorted((ROOT / "src/octavo/testing").glob("*_c*.py"))
    found: dict[str, dict[str, list[str]]] = {}
    for path in files:
        kit = path.is_relative_to(ROOT / "src")
        place = "octavo.testing" if kit else path.relative_to(ROOT).as_posix()
        for rule, test in named_in(path):
            tests = found.setdefault(rule, {}).setdefault(place, [])
            name = f"{_contract(path)}.{test.split('.')[-1]}" if kit else test
            if name not in tests:
                tests.append(name)
    return found


def _contract(path: Path) -> str:
    return {
        "graph_store_contract": "GraphStoreContract",
        "expander_contract": "QueryExpanderContract",
        "navigator_contract": "TreeNavigatorContract",
    }.get(path.stem, "RAGStrategyContract")


def page() -> str:
    """Return the text of the page."""
    found = proofs()
    lines = [HEAD]
    for rule, says in RULES.items():
        mutants = [mutant for mutant in MUTANTS if mutant.rule == rule]
        broken = "<br>".join(mutant.breaks for mutant in mutants)
        failing = "<br>".join(f"`{mutant.test.removeprefix('tests/')}`" for mutant in mutants)
        count = sum(map(len, found.get(rule, {}).values()))
        lines.append(f"| {rule} | {says} | {broken} | {failing} | [{count}](#{rule.lower()}) |\n")
    for rule in RULES:
        lines.append(f"\n## {rule}\n\n")
        lines += [
            f"- {place}: {', '.join(f'`{test}`' for test in tests)}\n"
            for place, tests in found.get(rule, {}).items()
        ]
    return "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")
