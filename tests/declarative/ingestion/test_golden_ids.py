"""Ids that must never change: a corpus on disk is updated by them (S66)."""

import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import HierarchyIndex, RetrievedDocument
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.loading import load_documents

LONG = "All of this is one sentence of a paragraph. "
GUIDE = f"""---
title: Guide
date: 2024-05-01
---
Before.

# Install

{LONG}

## Linux

{LONG}

{LONG}

## Linux

Again.

# Use & care

Mind `it`.
"""
CODE = f'''"""Tools."""

import os

LIMIT = 1


# What it is for.
@staticmethod
def first():
    """{LONG}"""


class Second:
    """{LONG}"""

    def method(self):
        return "{LONG}"

    def method(self):
        return 1


if os.name:
    first()
'''
PAGE = f"""<html><head><title>Page</title></head><body><p>{LONG}</p><h1>One</h1><p>{LONG}</p>
<h2>Two</h2><p>{LONG}</p></body></html>"""
SETTINGS = f"""{{"name": "x", "http": {{"port": 80, "about": "{LONG}"}},
"users": [{{"name": "Ann", "about": "{LONG}"}}, {{"about": "{LONG}"}}]}}"""
FILES = {
    "guide/install.md": GUIDE,
    "tools.py": CODE,
    "page.html": PAGE,
    "faq.json": '[{"id": "a/b@2", "text": "One."}, {"id": 7, "text": "Two."}, {"q": "Why?"}, 5]',
    "settings.json": SETTINGS,
    "log.jsonl": '{"text": "one"}\n\n{"_id": "k", "text": "two"}\n',
    "table.csv": 'id,body\n1,"a\nb"\n2,c\n',
    "list.yaml": "- a: 1\n- b: 2\n",
    "many.yml": "a: 1\n---\nb: 2\n",
    "notes.txt": f"{LONG}\n\n{LONG}\n\n{LONG}\n",
    "main.go": f"package main\n\nfunc a() {{\n\n\t// {LONG}\n}}\n\nfunc b() {{\n\t// {LONG}\n}}\n",
    "c#/100%.md": "Quoted.",
    "at/@x@2": "Quoted.",
}
IDS = {
    "at/@x@2": ["docs/at/@x%402"],
    "c#/100%.md": ["docs/c%23/100%25.md"],
    "faq.json": [
        "docs/faq.json#id:a/b%402",
        "docs/faq.json#id:7",
        "docs/faq.json#3",
        "docs/faq.json#4",
    ],
    "guide/install.md": [
        "docs/guide/install.md",
        "docs/guide/install.md#install",
        "docs/guide/install.md#install/linux",
        "docs/guide/install.md#install/linux@2",
        "docs/guide/install.md#install/linux~2",
        "docs/guide/install.md#use-care",
    ],
    "list.yaml": ["docs/list.yaml#1", "docs/list.yaml#2"],
    "log.jsonl": ["docs/log.jsonl#1", "docs/log.jsonl#id:k"],
    "main.go": ["docs/main.go", "docs/main.go@2"],
    "many.yml": ["docs/many.yml#1", "docs/many.yml#2"],
    "notes.txt": ["docs/notes.txt", "docs/notes.txt@2", "docs/notes.txt@3"],
    "page.html": ["docs/page.html", "docs/page.html#one", "docs/page.html#one/two"],
    "rows.parquet": ["docs/rows.parquet#id:1", "docs/rows.parquet#id:2"],
    "settings.json": [
        "docs/settings.json",
        "docs/settings.json#http",
        "docs/settings.json#users",
        "docs/settings.json#users/ann",
        "docs/settings.json#users/2",
    ],
    "table.csv": ["docs/table.csv#id:1", "docs/table.csv#id:2"],
    "tools.py": [
        "docs/tools.py",
        "docs/tools.py#first",
        "docs/tools.py#first@2",
        "docs/tools.py#Second",
        "docs/tools.py#Second/method",
        "docs/tools.py#Second/method@2",
        "docs/tools.py#Second/method~2",
    ],
}
SMALL = FileLoader(IngestionLimits(chunk_characters=80))


@pytest.fixture
def files(write):
    root = write(FILES)
    pq.write_table(pa.table({"id": [1, 2], "text": ["x", "y"]}), root / "rows.parquet")
    return root


def ids_by_path(documents):
    found = {}
    for document in documents:
        found.setdefault(document.metadata["path"], []).append(document.id)
    return found


def test_ids_of_every_format(files, declared):  # S66
    assert ids_by_path(load_documents(declared(), [SMALL])) == IDS


def test_ids_do_not_depend_on_the_place_or_the_time(files, declared, tmp_path, monkeypatch):  # S66
    moved = tmp_path / "elsewhere" / "deeper"
    moved.parent.mkdir()
    shutil.move(files, moved)
    for path in moved.rglob("*"):
        os.utime(path, (1, 1))
    monkeypatch.chdir(moved.parent)
    assert ids_by_path(load_documents(declared("deeper"), [SMALL])) == IDS


def test_ids_do_not_depend_on_the_process(files, declared):
    code = """
import sys
from types import SimpleNamespace
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.limits import IngestionLimits
knowledge = SimpleNamespace(name="docs", type="FILE", format="AUTO", path=sys.argv[1], include=(),
    exclude=(), select=(), unit="AUTO", chunk_context="NONE", chunk_context_model=None)
for document in FileLoader(IngestionLimits(chunk_characters=80)).load(knowledge):
    print(document.id)
"""
    expected = [each for path in sorted(IDS) for each in IDS[path]]
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code, str(files)],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stdout.split("\n")[:-1] == expected


def test_parents_form_a_forest(files, declared):  # S26
    documents = list(load_documents(declared(), [SMALL]))
    index = HierarchyIndex(
        [RetrievedDocument(each.content, "", 0.0, each.metadata) for each in documents]
    )
    ids = [document.id for document in documents]
    parents = {ids[row]: ids[parent] for row, parent in enumerate(index.parents) if parent >= 0}
    assert parents["docs/guide/install.md#install/linux@2"] == "docs/guide/install.md#install/linux"
    assert parents["docs/guide/install.md#install/linux"] == "docs/guide/install.md#install"
    assert parents["docs/tools.py#Second/method"] == "docs/tools.py#Second"
    assert parents["docs/notes.txt@3"] == "docs/notes.txt"
    assert "docs/faq.json#4" not in parents


def test_a_change_in_one_section_leaves_the_others(write, declared):
    write({"a.md": GUIDE})
    before = {each.id: each.content for each in load_documents(declared(), [SMALL])}
    write({"a.md": GUIDE.replace("Again.", f"Again.\n\n{LONG}\n\n{LONG}\n\n### New\n\n{LONG}")})
    after = {each.id: each.content for each in load_documents(declared(), [SMALL])}
    same = {key for key in before if after.get(key) == before[key]}
    assert set(before) - same == {"docs/a.md#install/linux~2"}
    assert set(after) - set(before) == {
        "docs/a.md#install/linux~2@2",
        "docs/a.md#install/linux~2/new",
    }


def test_line_ends_do_not_matter(write, declared):
    contents = []
    for name, text in (("a", GUIDE), ("a", GUIDE.replace("\n", "\r\n")), ("a", "\ufeff" + GUIDE)):
        write({f"{name}.md": text})
        contents.append([(each.id, each.content) for each in load_documents(declared(), [SMALL])])
    assert contents[0] == contents[1] == contents[2]


def test_keys_that_are_no_unicode_stay_distinct(load):
    lines = '{"id": "\\ud800", "text": "a"}\n{"id": "\\ud801", "text": "b"}\n'
    found = [each.id for each in load({"a.jsonl": lines})]
    assert found == ["docs/a.jsonl#id:%D800", "docs/a.jsonl#id:%D801"]
