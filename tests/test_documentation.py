"""The code in the documentation runs.

On each page of ``docs`` every ``python`` block and every ``octavo`` command of a ``console`` block
runs, in order, in one empty directory. Each block of the README stands for itself, beside the files
that it speaks of. Blocks marked ``sh`` or ``text`` are only for reading.
"""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.cli.main import main
from octavo.errors import ConfigurationError

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    return [match.groups() for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def run(kind, text, namespace, monkeypatch):
    if text.startswith(">>> "):
        example = doctest.DocTestParser().get_doctest(text, namespace, "documentation", None, None)
        report = []
        outcome = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
        assert outcome.failed == 0, "".join(report)
        return
    if kind == "python":
        # One namespace, as in a module: functions defined on a page must find each other.
        try:
            exec(compile(text, "documentation", "exec"), namespace)
        except ConfigurationError as error:
            if "pip install 'octavo[" not in str(error):
                raise
            pytest.skip(str(error))  # an extra that not every interpreter of the tests has
        return
    for line in text.splitlines():
        # Other programs (pip, make) are what brought the tests here.
        if line.startswith("$ octavo "):
            monkeypatch.setattr(sys, "argv", shlex.split(line.removeprefix("$ ")))
            with pytest.raises(SystemExit) as ended:
                main()
            assert not ended.value.code, line


PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if blocks(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": page.stem}
    for kind, text in blocks(page):
        run(kind, text, namespace, monkeypatch)


def test_the_how_tos_have_code():
    names = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert {"docs/index.md", "docs/library.md", "docs/batch.md"} <= names


@pytest.mark.parametrize("number", range(len(blocks(ROOT / "README.md"))))
def test_readme_block_runs(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vector = pa.array([[1.0, 0.0], [0.0, 1.0]], pa.list_(pa.float32()))
    texts = ["Why the sky is blue.", "The red sea."]
    documents = {"id": ["a", "b"], "text": texts, "tier": ["SEMANTIC", "WORKING"], "vector": vector}
    pq.write_table(pa.table(documents), "docs.parquet")
    questions = {"id": ["q1", "q2"], "text": ["blue sky", "red sea"], "vector": vector}
    pq.write_table(pa.table(questions), "questions.parquet")
    Path("qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n", encoding="utf-8")
    kind, text = blocks(ROOT / "README.md")[number]
    run(kind, text, {"__name__": "readme"}, monkeypatch)
