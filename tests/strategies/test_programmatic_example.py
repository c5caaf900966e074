"""The reference's example has a twin in the documentation that prints the same (S32)."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "strategies" / "programmatic-example.md"


def test_the_twin_prints_the_same_four_things(capsys):
    # S32; the text follows from S8, S22, S30 and the entries of the example
    text = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {"__name__": "example"})
    printed = capsys.readouterr().out
    assert printed.splitlines() == [
        "vector",
        "keyword",
        "1",
        "1. [memory-guide] Agents can persist semantic memory.",
    ]
    assert f"```text\n{printed}```" in text
